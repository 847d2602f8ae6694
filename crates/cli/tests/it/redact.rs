//! `redact --check`: what would be taken out, and none of it shown.

use std::fs;

use crate::harness::Desk;

/// A token of GitHub's, put together here so that no scanner takes it for one.
fn token() -> String {
    format!("gh{}{}", "p_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8")
}

#[test]
fn a_folder_is_looked_through_and_no_secret_is_shown() {
    let desk = Desk::empty();
    let folder = desk.path().join("notes");
    fs::create_dir_all(folder.join("deep")).unwrap();
    fs::write(folder.join("a.md"), format!("one\ntwo {}\n", token())).unwrap();
    fs::write(folder.join("deep/b.jsonl"), "{\"a\":1}\n{\"b\":\"my password is hunter2\"}\n")
        .unwrap();
    fs::write(folder.join("deep/c.json"), "{\n \"x\": 1,\n \"password\": \"hunter2hunter2\"\n}")
        .unwrap();
    fs::write(folder.join("d.bin"), b"password=hunter2\0").unwrap();
    std::os::unix::fs::symlink("a.md", folder.join("e.md")).unwrap();

    let before = fs::read(folder.join("a.md")).unwrap();
    let run = desk.run(&["scan", "notes"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(
        run.out,
        "notes/a.md:2: github (github-pat) gh***\n\
         notes/deep/b.jsonl:2: prose ***\n\
         notes/deep/c.json:3: json-key hu***\n\
         1 github, 1 json-key, 1 prose to take out of 3 files, 1 binary and 1 other ones passed \
         over; rules "
            .to_owned()
            + memlith::write::REDACTION_RULES
            + "\n"
    );
    let json = desk.run(&["scan", "notes", "--json"]);
    assert_eq!(json.code, 1, "{json:?}");
    assert!(!json.out.contains("hunter2") && !json.out.contains(&token()), "{json:?}");
    assert_eq!(json.json()["counts"]["github"], 1);
    assert_eq!(json.json()["secrets"][0]["line"], 2);
    assert_eq!(fs::read(folder.join("a.md")).unwrap(), before);
    assert!(!desk.ledger().exists());
}

#[test]
fn nothing_found_is_exit_0() {
    let desk = Desk::empty();
    let run = desk.run_with_input(&["scan", "-"], b"an ordinary line\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.starts_with("nothing to take out of 1 files"), "{run:?}");
    let run = desk.run_with_input(&["scan", "-"], b"\n\npw=hunter2\n");
    assert_eq!((run.code, run.out.lines().next()), (1, Some("-:3: assignment ***")), "{run:?}");
}

#[test]
fn what_cannot_be_looked_through_is_said() {
    let desk = Desk::empty();
    for (args, code) in [
        (&["scan", "missing"][..], 4),
        (&["scan", "/dev/null"], 1),
        (&["redact", "notes"], 2),
        (&["scan"], 2),
    ] {
        let run = desk.run(args);
        assert_eq!(run.code, code, "{args:?}: {run:?}");
        assert!(run.out.is_empty() && !run.err.is_empty(), "{args:?}: {run:?}");
    }
    let file = fs::File::create(desk.path().join("large")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    let run = desk.run(&["scan", "large"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.starts_with("large: above 64 MiB, not read\nnothing"), "{run:?}");
}

#[test]
fn stat_names_the_rules() {
    let desk = Desk::new();
    assert_eq!(
        desk.json(&["maintain", "stat"])["redaction_rules"],
        memlith::write::REDACTION_RULES
    );
    assert!(desk.ok(&["maintain", "stat"]).out.contains(memlith::write::REDACTION_RULES));
}

/// Callers that put it into a hook have to know what it exits with.
#[test]
fn the_help_says_what_it_exits_with() {
    let help = Desk::empty().ok(&["scan", "--help"]).out;
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Exits with 1 where something was found"), "{help}");
}
