//! A head that was kept elsewhere tells rollback, fork and another ledger apart.

use std::fs;
use std::path::Path;

use crate::harness::Desk;

/// Copies the ledger of `from` over that of `to`.
pub(crate) fn copy(from: &Desk, to: &Desk) {
    let _ = fs::remove_dir_all(to.ledger());
    copy_folder(&from.ledger(), &to.ledger());
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &to),
            false => fs::copy(entry.path(), to).map(drop).unwrap(),
        }
    }
}

fn line(desk: &Desk) -> String {
    let line = desk.ok(&["head"]).out;
    assert_eq!(line.lines().count(), 1);
    line.trim().to_owned()
}

#[test]
fn a_kept_head_tells_what_became_of_the_ledger() {
    let (desk, copied, forked) = (Desk::new(), Desk::empty(), Desk::empty());
    desk.remember("Ana drinks tea.");
    let early = line(&desk);
    copy(&desk, &copied);
    copy(&desk, &forked);
    desk.remember("Ben drinks coffee.");
    forked.remember("Ben drinks cocoa.");
    forked.remember("Cleo drinks milk.");
    let late = line(&desk);
    let other = Desk::new();
    for (ledger, head, code, verdict, words) in [
        (&desk, &early, 0, "ok", "holds the head"),
        (&desk, &late, 0, "ok", "holds the head"),
        (&copied, &late, 3, "rollback", "rollback: the ledger ends at record 2"),
        (&forked, &early, 0, "ok", "holds the head"),
        (&forked, &late, 3, "fork", "fork: at record 4"),
        (&other, &early, 3, "other_ledger", "other ledger"),
    ] {
        for level in [&["verify"][..], &["verify", "--full"]] {
            let run = ledger.run(&[level, &["--head", head, "--json"]].concat());
            assert_eq!(run.code, code, "{verdict}: {run:?}");
            let answer = run.json();
            assert_eq!(answer["kept_heads"][0]["verdict"], verdict, "{answer}");
            assert_eq!(answer["ok"], code == 0, "{answer}");
            let what = answer["kept_heads"][0]["what"].as_str().unwrap();
            assert!(what.contains(words), "{what}");
        }
    }
    // A file of heads, and a line of one in it, are read line by line.
    fs::write(desk.path().join("heads"), format!("{early}\n\n{late}\n")).unwrap();
    fs::copy(desk.path().join("heads"), copied.path().join("heads")).unwrap();
    let verified = desk.json(&["verify", "--head", "heads"]);
    assert_eq!(verified["kept_heads"].as_array().unwrap().len(), 2);
    let run = copied.run(&["verify", "--head", "heads"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.out.contains("ok: ") && run.out.contains("HEAD: rollback"), "{run:?}");
    // What is taken back goes on from there, and the head still tells it.
    copied.remember("Ben drinks wine.");
    let run = copied.run(&["verify", "--head", &late]);
    assert!(run.code == 3 && run.out.contains("fork"), "{run:?}");
}

#[test]
fn what_is_no_head_says_why() {
    let desk = Desk::new();
    let head = line(&desk);
    fs::write(desk.path().join("bytes"), [0xff, 0, 7, 10]).unwrap();
    fs::write(desk.path().join("blank"), "\n \n").unwrap();
    fs::write(desk.path().join("cut"), format!("{head}\n{}\n", &head[..60])).unwrap();
    for (given, code, words) in [
        (&head[..head.len() - 1], 2, "cut short"),
        (&head[..40], 2, "cut short"),
        (&format!("{head}0"), 2, "chain"),
        (&head.replace(":0:", ":x:"), 2, "sequence"),
        ("nowhere", 2, "no file of that name"),
        ("$(reboot)", 2, "memlith head"),
        ("", 2, "no head"),
        ("bytes", 2, "line 1"),
        ("blank", 2, "holds no head"),
        ("cut", 2, "line 2"),
        (".", 4, "no file of at most"),
        ("/dev/zero", 4, "no file of at most"),
    ] {
        desk.refused(code, &["verify", "--head", given], &[words]);
    }
    // Of a sequence that is yet to come: either way, the ledger doesn't hold it.
    let ahead = head.replace(":0:", ":4096:");
    let run = desk.run(&["verify", "--head", &ahead]);
    assert!(run.code == 3 && run.out.contains("the ledger ends at record 0"), "{run:?}");
}
