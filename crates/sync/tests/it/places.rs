//! Places that lose, cut, flip, double and set back.

use std::fs;
use std::path::{Path, PathBuf};

use crate::people::{Home, Machine, files};

/// The files that a machine's folder on the place holds, but for its notes.
fn parts(place: &Path) -> Vec<PathBuf> {
    let is_part = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name != "card" && name != "manifest"
    };
    files(place).into_iter().filter(is_part).collect()
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    let copied = std::process::Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.unwrap().success());
}

fn two() -> (Home, Machine, Machine) {
    let home = Home::new();
    let [desk, laptop] = home.machines(["desk", "laptop"]);
    for machine in [&desk, &laptop, &desk, &laptop] {
        machine.run();
    }
    (home, desk, laptop)
}

#[test]
fn a_byte_that_was_flipped_anywhere_is_refused_and_mended_by_who_put_it_there() {
    let (home, desk, laptop) = two();
    let known = laptop.answers("alder");
    desk.says("The first word is alder.");
    desk.run();
    let place = &home.folder_of_place();
    let kept = home.path().join("kept");
    copy(place, &kept);
    let good: Vec<(PathBuf, Vec<u8>)> =
        files(place).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    let mut refused = 0;
    for (path, bytes) in &good {
        for at in (0..bytes.len()).step_by(bytes.len() / 7 + 1) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x11;
            fs::write(path, &flipped).unwrap();
            let before = fs::read(laptop.dir.join("sync/machine.json")).unwrap();
            let problems = laptop.problems();
            refused += usize::from(!problems.is_empty());
            let texts = laptop.answers("what is the first word?");
            assert!(texts == known || texts == ["The first word is alder."], "{texts:?}");
            // The next try is from where this one began.
            fs::write(laptop.dir.join("sync/machine.json"), before).unwrap();
            copy(&kept, place);
            let _ = fs::remove_dir_all(laptop.copy_of(&desk));
        }
    }
    assert!(refused > 10, "{refused}");
    laptop.run();
    assert_eq!(laptop.answers("what is the first word?"), ["The first word is alder."]);
}

#[test]
fn files_that_were_lost_or_cut_are_put_there_again() {
    let (home, desk, laptop) = two();
    let place = &home.folder_of_place();
    for round in 0..3 {
        desk.says(&format!("Word {round} is alder {round}."));
        desk.run();
        for path in parts(place) {
            match round {
                0 => fs::remove_file(&path).unwrap(),
                1 => fs::write(&path, &fs::read(&path).unwrap()[..20]).unwrap(),
                _ => {
                    fs::remove_dir_all(place).unwrap();
                    fs::create_dir(place).unwrap();
                    break;
                }
            }
        }
        // What is on its way is no damage; what was cut is.
        let run = laptop.try_run();
        assert_eq!(run.is_integrity(), round == 1, "{run:?}");
        desk.run();
        laptop.run();
        let asked = format!("what is word {round}?");
        assert!(laptop.answers(&asked).contains(&format!("Word {round} is alder {round}.")));
    }
}

#[test]
fn a_file_that_was_changed_is_put_there_again_by_its_machine() {
    let (home, desk, laptop) = two();
    let place = &home.folder_of_place();
    desk.says("The first word is alder.");
    desk.run();
    for path in files(place) {
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    let findings = |machine: &Machine| {
        let reports = machine.sync().verify(&machine.ledger).unwrap().unwrap();
        reports.into_iter().flat_map(|report| report.findings).count()
    };
    assert!(findings(&desk) > 0);
    let _ = (laptop.try_run(), desk.try_run(), laptop.try_run(), desk.try_run());
    laptop.run();
    assert_eq!((findings(&desk), findings(&laptop)), (0, 0));
    assert_eq!(laptop.answers("what is the first word?"), ["The first word is alder."]);
}

#[test]
fn a_machine_that_was_set_back_to_a_copy_starts_anew_and_is_read_again() {
    let (home, desk, laptop) = two();
    let before = home.path().join("before");
    desk.ledger.settle().unwrap();
    copy(&desk.dir, &before);
    desk.says("The first word is alder.");
    for machine in [&desk, &laptop] {
        machine.run();
    }
    let (dir, ana) = (desk.dir.clone(), desk.ana.clone());
    desk.ledger.close().unwrap();
    copy(&before, &dir);
    let ledger = memlith::Ledger::open(&dir, memlith::Options::default()).unwrap();
    let desk = Machine { dir, ledger, ana };
    desk.says("The second word is beech.");
    assert!(desk.problems().contains("set back to a copy"), "{}", desk.problems());
    let old = desk.sync().status(&desk.ledger).unwrap().unwrap().machine.to_string();
    desk.sync().remove_all().unwrap();
    laptop.sync().remove_machine(&old).unwrap();
    let code = laptop.sync().status(&laptop.ledger).unwrap().unwrap().code;
    desk.add(&home.place, Some(&code)).unwrap();
    for machine in [&desk, &laptop, &desk, &laptop] {
        machine.run();
    }
    assert_eq!(laptop.answers("what is the second word?"), ["The second word is beech."]);
    // What the machine had said before it was set back is still there, to be read.
    let kept = fs::read_dir(laptop.dir.join("sync/kept")).unwrap();
    let kept: Vec<PathBuf> = kept.map(|entry| entry.unwrap().path()).collect();
    let old = memlith::Ledger::open(&kept[0], memlith::Options::default()).unwrap();
    let found = old.recall(&laptop.ana, "what is the first word?", 1).unwrap();
    assert_eq!(found[0].excerpt.text, "The first word is alder.");
    let refused = old.remember(&laptop.ana, "The third word is cedar.");
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(kept.len(), 1);
}

#[test]
fn what_a_verification_finds_damaged_is_put_there_again() {
    let (home, desk, laptop) = two();
    desk.says("The first word is alder.");
    for machine in [&desk, &laptop] {
        machine.run();
    }
    let findings = |machine: &Machine| {
        let reports = machine.sync().verify(&machine.ledger).unwrap().unwrap();
        reports.into_iter().map(|report| report.findings.len()).sum::<usize>()
    };
    let place = &home.folder_of_place();
    for path in parts(place) {
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    // By the machine itself, and by the one that another told.
    assert!(findings(&laptop) > 1);
    for machine in [&laptop, &desk, &laptop] {
        machine.run();
    }
    assert_eq!((findings(&desk), findings(&laptop)), (0, 0));
}

#[test]
fn keys_that_a_killed_run_left_are_removed_by_a_later_one() {
    let (_home, desk, _laptop) = two();
    let left = desk.dir.join("sync/.tmpAbCdEf");
    fs::copy(desk.dir.join("sync/machine.json"), &left).unwrap();
    let minutes_ago = fs::metadata(&left).unwrap().modified().unwrap();
    let old = minutes_ago - std::time::Duration::from_secs(120);
    fs::File::open(&left).unwrap().set_modified(old).unwrap();
    desk.run();
    assert!(!left.exists());
}

#[test]
fn a_copy_that_was_damaged_or_removed_is_made_anew() {
    let (_home, desk, laptop) = two();
    desk.says("The first word is alder.");
    for machine in [&desk, &laptop] {
        machine.run();
    }
    let segment = laptop.copy_of(&desk).join("seg-0000000000");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[300] ^= 1;
    fs::write(&segment, bytes).unwrap();
    for _ in 0..2 {
        laptop.run();
        let open = memlith::Options { read_only: true, ..memlith::Options::default() };
        let copy = memlith::Ledger::open(laptop.copy_of(&desk), open).unwrap();
        assert_eq!(copy.head(), desk.ledger.head());
        drop(copy);
        fs::remove_dir_all(laptop.copy_of(&desk)).unwrap();
    }
    laptop.run();
    assert_eq!(laptop.answers("what is the first word?"), ["The first word is alder."]);
}

#[test]
fn a_place_that_was_set_back_is_named_and_takes_nothing_away() {
    let (home, desk, laptop) = two();
    let (place, old) = (home.folder_of_place(), home.path().join("old"));
    copy(&place, &old);
    desk.says("The first word is alder.");
    for machine in [&desk, &laptop] {
        machine.run();
    }
    copy(&old, &place);
    assert!(laptop.problems().contains("was set back"), "{}", laptop.problems());
    assert_eq!(laptop.answers("what is the first word?"), ["The first word is alder."]);
    desk.run();
    laptop.run();
    assert_eq!(laptop.answers("what is the first word?"), ["The first word is alder."]);
}

#[test]
fn what_lies_on_a_place_beside_machines_is_passed_over() {
    let (home, desk, laptop) = two();
    let place = &home.folder_of_place();
    fs::write(place.join("README"), "a note").unwrap();
    fs::create_dir(place.join("0123456789abcdef0123456789abcdef")).unwrap();
    fs::write(place.join("0123456789abcdef0123456789abcdef/card"), "no card").unwrap();
    let own = fs::read_dir(place).unwrap().flatten().map(|entry| entry.path());
    let folder = own.into_iter().find(|path| path.join("manifest").is_file()).unwrap();
    fs::write(folder.join("manifest.sync-conflict-1"), "x").unwrap();
    // A folder of a machine under another name.
    copy(&folder, &place.join("00000000000000000000000000000000"));
    desk.says("The first word is alder.");
    // A file and a pipe where folders and files belong.
    fs::write(place.join("11111111111111111111111111111111"), "x").unwrap();
    let pipe = place.join("0123456789abcdef0123456789abcdef/manifest");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    desk.run();
    laptop.run();
    assert_eq!(laptop.answers("what is the first word?"), ["The first word is alder."]);
}

#[test]
fn a_ledger_that_was_set_back_hands_over_nothing() {
    let (home, desk, laptop) = two();
    let before = home.path().join("before");
    desk.ledger.settle().unwrap();
    copy(&desk.dir, &before);
    desk.says("The first word is alder.");
    for machine in [&desk, &laptop] {
        machine.run();
    }
    let machine = fs::read(desk.dir.join("sync/machine.json")).unwrap();
    let dir = desk.dir.clone();
    let ana = desk.ana.clone();
    desk.ledger.close().unwrap();
    copy(&before, &dir);
    fs::write(dir.join("sync/machine.json"), machine).unwrap();
    let ledger = memlith::Ledger::open(&dir, memlith::Options::default()).unwrap();
    let desk = Machine { dir, ledger, ana };
    desk.says("The first word is beech.");
    assert!(desk.problems().contains("differ at record"), "{}", desk.problems());
    laptop.run();
    assert_eq!(laptop.answers("what is the first word?"), ["The first word is alder."]);
}
