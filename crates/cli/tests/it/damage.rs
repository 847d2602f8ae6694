//! Bytes that are not as they were written: refused with place and advice, nothing lost.

use std::fs;
use std::path::Path;

use memlith::{Caller, Ledger, Options, Remember, storage::Durability};

use crate::harness::Desk;

const SEGMENT_HEADER_LEN: usize = 128;

/// A ledger with notes; the last one is about the moon.
fn noted() -> Desk {
    let desk = Desk::new();
    for text in ["Ana drinks tea.", "Ben drinks coffee.", "The moon is new."] {
        desk.remember(text);
    }
    desk
}

/// Makes the ledger of [`noted`] with a bit flipped in the second note.
pub(crate) fn flipped() -> Desk {
    let desk = noted();
    edit(&desk.segment(0), |bytes| {
        let at = find(bytes, "coffee");
        bytes[at] ^= 1;
    });
    desk
}

/// A ledger of three segments, the first of 1 MiB.
fn segmented() -> Desk {
    let desk = Desk::new();
    let options = Options { durability: Durability::Buffered, ..Options::default() };
    let ledger = Ledger::open(desk.ledger(), options).unwrap();
    let ana = Caller::user("default", "ana");
    for number in 0..14 {
        let text = format!("note {number} {}", "tea ".repeat(100_000));
        let _ = ledger.remember(&ana, Remember { text, ..Remember::default() }).unwrap();
    }
    ledger.close().unwrap();
    assert!(desk.segment(2).exists());
    desk
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

fn find(bytes: &[u8], text: &str) -> usize {
    bytes.windows(text.len()).rposition(|window| window == text.as_bytes()).unwrap()
}

/// Advice where records are gone or damaged.
const LOST: &[&str] = &["verify --full", "--read-past-loss", "doctor accept-loss --as owner"];

/// Advice where nothing but a copy helps.
const MISSING: &[&str] = &["verify --full", "No flag", "from a copy"];

/// Advice where a segment is gone.
const GONE: &[&str] = &["no ledger is made", "Put the file back", "memlith backup"];

/// Both kinds of verification name `words`, and what is read or written is refused with
/// `advice`.
fn is_refused(desk: &Desk, words: &[&str], advice: &[&str]) {
    for level in [&["verify"][..], &["verify", "--full"]] {
        let run = desk.run(&[level, &["--json"]].concat());
        assert_eq!(run.code, 3, "{run:?}");
        assert_eq!(run.json()["ok"], false);
        let findings = run.json()["findings"].to_string();
        assert!(words.iter().all(|word| findings.contains(word)), "{findings}");
    }
    for args in
        [&["list", "events"][..], &["checkout", "tea"], &["remember", "x"], &["maintain", "stat"]]
    {
        desk.refused(3, args, &[words, advice].concat());
    }
    let run = desk.run(&["doctor", "--json"]);
    assert_eq!((run.code, &run.json()["ok"]), (3, &false.into()), "{run:?}");
}

#[test]
fn another_format_version_is_named() {
    let desk = noted();
    edit(&desk.segment(0), |bytes| {
        bytes[8] = 2;
        let mut crc = crc32fast::Hasher::new();
        crc.update(&bytes[..4]);
        crc.update(&bytes[8..SEGMENT_HEADER_LEN]);
        bytes[4..8].copy_from_slice(&crc.finalize().to_le_bytes());
    });
    is_refused(&desk, &["seg-0000000000", "newer"], &["a later memlith"]);
    let run = desk.refused(3, &["doctor", "accept-loss", "--as", "owner"], &["newer"]);
    assert!(!run.err.contains("--read-past-loss"), "no flag helps: {run:?}");
}

#[test]
fn a_flipped_bit_is_named() {
    let desk = flipped();
    is_refused(&desk, &["seg-0000000000"], LOST);
    let findings = desk.run(&["verify", "--json"]).json()["findings"].clone();
    assert_eq!(findings[0]["seq"], 4, "{findings}");
    assert!(findings[0]["offset"].as_u64().unwrap() > 0, "{findings}");
}

#[test]
fn a_missing_segment_and_swapped_ones_are_named() {
    let desk = segmented();
    fs::rename(desk.segment(1), desk.path().join("kept")).unwrap();
    is_refused(&desk, &["seg-0000000001 is gone", "seg-0000000002"], GONE);
    fs::rename(desk.segment(2), desk.segment(1)).unwrap();
    fs::rename(desk.path().join("kept"), desk.segment(2)).unwrap();
    is_refused(&desk, &["seg-0000000001", "another number"], MISSING);
    let before = fs::read(desk.ledger().join("mark")).unwrap();
    let accept = ["doctor", "accept-loss", "--as", "owner"];
    desk.refused(3, &accept, &["can't be accepted", "nothing was changed", "seg-0000000001"]);
    assert_eq!(fs::read(desk.ledger().join("mark")).unwrap(), before);
}

#[test]
fn a_folder_without_its_segments_is_damaged_and_never_empty() {
    let desk = noted();
    let records = desk.json(&["maintain", "stat"])["head"]["seq"].as_u64().unwrap() + 1;
    fs::remove_file(desk.segment(0)).unwrap();
    let acknowledged = format!("{records} records were acknowledged");
    is_refused(&desk, &["seg-0000000000 is gone", &acknowledged], GONE);
    desk.refused(3, &["init"], &["seg-0000000000 is gone", &acknowledged]);
    let accept = ["doctor", "accept-loss", "--as", "owner"];
    desk.refused(3, &accept, &["can't be accepted", "nothing was changed"]);
    let mark = fs::read(desk.ledger().join("mark")).unwrap();
    assert!(mark.starts_with(b"MLK1"), "the evidence stands");
}

#[test]
fn a_log_cut_behind_its_mark_is_refused_until_the_owner_accepts_the_loss() {
    let desk = noted();
    edit(&desk.segment(0), |bytes| {
        // The batch of the last note: its decision's frame begins with the second last magic.
        let moon = find(bytes, "The moon");
        let magics: Vec<usize> = (0..moon).filter(|at| bytes[*at..].starts_with(b"MLF1")).collect();
        bytes[magics[magics.len() - 2]..].fill(0);
    });
    is_refused(&desk, &["acknowledged"], LOST);
    let left = desk.ok(&["list", "events", "--read-past-loss"]).out;
    assert!(left.contains("coffee") && !left.contains("moon"), "{left}");

    desk.refused(1, &["doctor", "accept-loss"], &["owner"]);
    desk.refused(3, &["list", "events"], &["acknowledged"]);
    desk.ok(&["doctor", "accept-loss", "--as", "owner"]);
    desk.ok(&["verify", "--full"]);
    assert!(desk.ok(&["list", "events"]).out.contains("log.loss_accepted"));
    desk.remember("The moon is full.");
    let found = desk.json(&["search", "coffee"]);
    assert_eq!(found["results"][0]["text"], "Ben drinks coffee.");
}

#[test]
fn accepting_damage_in_the_middle_says_that_whole_records_behind_it_go_too() {
    let desk = flipped();
    let kept = desk.ok(&["list", "events", "--read-past-loss", "--json"]).out;
    let run = desk.ok(&["doctor", "accept-loss", "--as", "owner", "--json"]);
    assert!(run.err.contains("4 records from 3 on") && run.err.contains("whole ones"), "{run:?}");
    let loss = &run.json()["loss"];
    assert_eq!((&loss["kept"], &loss["synced"]), (&3.into(), &7.into()), "{loss}");
    // What left the log, the moon with it, is still in the file that is named.
    let file = desk.ledger().join(loss["quarantined"][0].as_str().unwrap());
    let bytes = fs::read(file).unwrap();
    assert!(bytes.windows(8).any(|window| window == b"The moon"));
    let left = desk.ok(&["list", "events", "--json"]).out;
    assert!(left.starts_with(&kept) && !left.contains("The moon"), "{left}");
    assert!(desk.json(&["doctor"])["loss"].is_null());
}

#[test]
fn a_torn_end_that_nobody_was_promised_is_no_damage() {
    let desk = noted();
    edit(&desk.segment(0), |bytes| {
        let moon = find(bytes, "The moon");
        let frame = (0..moon).rfind(|at| bytes[*at..].starts_with(b"MLF1")).unwrap();
        let len = u32::from_le_bytes(bytes[frame + 8..frame + 12].try_into().unwrap());
        let end = frame + len as usize;
        bytes[end..end + 4].copy_from_slice(b"MLF1");
    });
    assert!(desk.ok(&["checkout", "moon", "--no-observe"]).out.contains("moon"));
    let run = desk.ok(&["remember", "The tide is high."]);
    for words in ["warning", "seg-0000000000", "cut off", "quarantine/seg-0000000000"] {
        assert!(run.err.contains(words), "{words}: {run:?}");
    }
    assert!(!desk.ok(&["remember", "The tide is low."]).err.contains("warning"));
    let verified = desk.json(&["verify", "--full"]);
    assert_eq!(verified["quarantined"].as_array().unwrap().len(), 1, "{verified}");
}

/// The files of the ledger whose names begin with `prefix`, by name.
fn files(desk: &Desk, prefix: &str) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(desk.ledger()).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.file_name().unwrap().to_str().unwrap().starts_with(prefix));
    files.sort();
    files
}

/// Returns what `doctor` says of checkpoints, and whether it is fine.
fn checkpoint_check(desk: &Desk) -> (bool, String) {
    let answer = desk.run(&["doctor", "--json"]).json();
    let checks = answer["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "checkpoint").unwrap();
    (check["ok"].as_bool().unwrap(), check["what"].as_str().unwrap().to_owned())
}

#[test]
fn the_doctor_names_the_checkpoints_that_are_refused() {
    // It said `ok checkpoint` below two warnings that checkpoints were refused.
    let desk = Desk::new();
    desk.remember("Ana drinks tea.");
    desk.ok(&["maintain", "checkpoint"]);
    let first = files(&desk, "ckpt-")[0].clone();
    desk.remember("The moon is far.");
    desk.ok(&["maintain", "checkpoint"]);
    let both = checkpoint_check(&desk);
    assert!(both.0 && both.1.starts_with("up to record"), "{both:?}");
    let second = files(&desk, "ckpt-").into_iter().find(|file| *file != first).unwrap();
    let name = |path: &std::path::Path| path.file_name().unwrap().to_str().unwrap().to_owned();

    edit(&second, |bytes| *bytes.last_mut().unwrap() ^= 1);
    let (ok, what) = checkpoint_check(&desk);
    assert!(!ok && what.contains(&format!("{} is refused: ", name(&second))), "{what}");
    assert!(what.contains("used instead: up to record") && !what.contains(&name(&first)), "{what}");
    desk.run(&["doctor"]).refused(1, &["refused"]);

    edit(&first, |bytes| bytes.truncate(20));
    let (ok, what) = checkpoint_check(&desk);
    assert!(!ok && what.contains(&name(&first)) && what.contains("folds the whole log"), "{what}");

    // What it advises helps.
    desk.ok(&["maintain", "checkpoint"]);
    let (ok, what) = checkpoint_check(&desk);
    assert!(ok, "{what}");
}

#[test]
fn the_doctor_reads_what_a_checkpoint_is_made_of() {
    let desk = Desk::new();
    desk.remember("Ana drinks tea.");
    desk.ok(&["maintain", "checkpoint"]);
    let run = files(&desk, "run-")[0].clone();
    for at in (0..fs::metadata(&run).unwrap().len()).step_by(97) {
        let at = usize::try_from(at).unwrap();
        edit(&run, |bytes| bytes[at] ^= 4);
        let (ok, what) = checkpoint_check(&desk);
        assert!(!ok && what.contains("refused"), "byte {at}: {what}");
        edit(&run, |bytes| bytes[at] ^= 4);
    }
    assert!(checkpoint_check(&desk).0);
}

#[test]
fn a_write_warns_of_a_mark_that_is_gone() {
    let desk = noted();
    fs::remove_file(desk.ledger().join("mark")).unwrap();
    let run = desk.ok(&["remember", "The tide is high."]);
    assert!(run.err.contains("warning: mark"), "{run:?}");
    assert!(desk.ok(&["remember", "The tide is low.", "--quiet"]).err.is_empty());
}

#[test]
fn with_damage_it_is_said_up_to_which_record_all_holds() {
    let desk = noted();
    let pack = desk.json(&["checkout", "what does Ana drink?"]);
    let early = pack["observation"].as_str().unwrap().to_owned();
    desk.remember("Cleo drinks cocoa.");
    let late = desk.json(&["checkout", "what does Cleo drink?"]);
    let late = late["observation"].as_str().unwrap().to_owned();
    let head = desk.json(&["head"])["seq"].as_u64().unwrap();
    assert_eq!(desk.json(&["verify"])["holds_through"], head);
    let audit = desk.json(&["verify", "receipts"]);
    assert_eq!(
        (&audit["holds_through"], &audit["damage"]),
        (&head.into(), &serde_json::Value::Null)
    );
    for id in [&early, &late, &early[..6].to_owned()] {
        assert_eq!(desk.json(&["verify", "receipts", id])["checked"], 1, "{id}");
    }
    desk.refused(1, &["verify", "receipts", "2"], &["written by no checkout"]);
    edit(&desk.segment(0), |bytes| {
        let at = find(bytes, "Cleo drinks cocoa");
        bytes[at] ^= 1;
    });
    for level in [&["verify"][..], &["verify", "--full"]] {
        let run = desk.run(&[level, &["--json"]].concat());
        // The decision stands before the words that are damaged.
        assert_eq!(run.json()["holds_through"], 8, "{run:?}");
        assert!(desk.run(level).out.contains("up to record 8 all holds"));
    }
    let run = desk.run(&["verify", "receipts", "--json"]);
    let audit = run.json();
    assert_eq!((run.code, &audit["checked"], &audit["reproduced"]), (3, &1.into(), &1.into()));
    assert!(audit["damage"].as_str().unwrap().contains("seg-0000000000"), "{audit}");
    assert!(audit["holds_through"].as_u64().unwrap() <= 8, "{audit}");
    let run = desk.run(&["verify", "receipts", &early]);
    assert!(run.code == 3 && run.out.contains("1 reproduced"), "{run:?}");
    assert!(run.out.contains("all holds"), "{run:?}");
    // Of what lies behind it nothing is said.
    let run = desk.run(&["verify", "receipts", &late]);
    assert!(run.code == 3 && run.out.contains("0 checked"), "{run:?}");
}

#[test]
fn a_damaged_segment_ends_what_holds_at_its_first_bad_record() {
    let whole = segmented();
    let head = whole.json(&["head"])["seq"].as_u64().unwrap();
    let through = |desk: &Desk, level: &[&str]| {
        let run = desk.run(&[level, &["--json"]].concat());
        assert_eq!(run.code, 3, "{run:?}");
        run.json()["holds_through"].clone()
    };
    for level in [&["verify"][..], &["verify", "--full"]] {
        let middle = segmented();
        edit(&middle.segment(1), |bytes| {
            let at = find(bytes, "tea tea");
            bytes[at] ^= 1;
        });
        let held = through(&middle, level).as_u64().unwrap();
        assert!(held > 0 && held < head, "{held} of {head}");
        let gone = segmented();
        fs::remove_file(gone.segment(1)).unwrap();
        let first = through(&gone, level).as_u64().unwrap();
        assert!(first > 0 && first < held, "{first} {held}");
        fs::remove_file(gone.segment(0)).unwrap();
        assert_eq!(through(&gone, level), serde_json::Value::Null);
    }
}
