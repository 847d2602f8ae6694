//! Files on the disk are readable by those they are for, whatever the umask.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{BINARY, Desk, Run};

/// Runs a command line under a umask.
fn run(desk: &Desk, umask: &str, args: &[&str]) -> Run {
    let script = format!("umask {umask}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, BINARY]).args(args).current_dir(desk.path()).env_clear();
    command.env("USER", "ana").env("HOME", desk.path()).env("TMPDIR", desk.path());
    Run::of(command.output().unwrap())
}

/// Every file and folder below `folder`, itself included, with its mode.
fn modes(folder: &Path) -> Vec<(PathBuf, bool, u32)> {
    let mut found = vec![(folder.to_owned(), true, mode(folder))];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(modes(&path));
        } else {
            found.push((path.clone(), false, mode(&path)));
        }
    }
    found
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

/// The command lines that write something, each with what it needs written by those before.
const WRITING: &[&[&str]] = &[
    &["remember", "Staging runs Postgres 15"],
    &["import", "claude-code", "session.jsonl"],
    &["checkout", "which Postgres does staging run?"],
    &["maintain", "checkpoint"],
    &["maintain", "compact"],
    &["procedures", "find"],
    &["export", "jsonl", "--out", "out/ledger.jsonl"],
    &["demo", "--keep", "out/demo"],
    &["review", "token"],
    &["doctor"],
    &["verify", "--full"],
];

fn written_under(umask: &str, group: bool) {
    let desk = Desk::empty();
    let session =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/fixtures/demo-session.jsonl");
    std::fs::copy(session, desk.path().join("session.jsonl")).unwrap();
    std::fs::create_dir(desk.path().join("out")).unwrap();
    let init: &[&str] = if group { &["init", "--group"] } else { &["init"] };
    assert_eq!(run(&desk, umask, init).code, 0);
    let (folder, file) = if group { (0o2770, 0o660) } else { (0o700, 0o600) };
    let check = |after: &[&str]| {
        for (path, is_folder, mode) in modes(&desk.ledger()) {
            let wanted = if is_folder { folder } else { file };
            assert_eq!(mode, wanted, "umask {umask}: {} after {after:?}", path.display());
        }
        for name in ["out", ".config"] {
            let below = desk.path().join(name);
            let made = if below.is_dir() { modes(&below) } else { Vec::new() };
            for (path, is_folder, mode) in made.into_iter().filter(|(path, ..)| *path != below) {
                let wanted = if is_folder { 0o700 } else { 0o600 };
                assert_eq!(mode, wanted, "umask {umask}: {} after {after:?}", path.display());
            }
        }
    };
    check(init);
    for args in WRITING {
        let run = run(&desk, umask, args);
        assert!(run.code <= 1, "{args:?}: {run:?}");
        check(args);
    }
    let id = desk.json(&["search", "Postgres"])["results"][0]["id"].as_str().unwrap().to_owned();
    for args in [
        &["show", "--why", &id, "--svg", "out/curve.svg"][..],
        &["erase", &id, "--as", "owner", "--yes"],
        &["remember", "Staging moved on"],
    ] {
        let run = run(&desk, umask, args);
        assert_eq!(run.code, 0, "{args:?}: {run:?}");
        check(args);
    }
    assert_eq!(run(&desk, umask, &["doctor"]).code, 0);
}

#[test]
fn what_is_written_is_its_owners_alone_whatever_the_umask() {
    written_under("000", false);
    written_under("077", false);
}

#[test]
fn a_group_ledger_is_its_groups_whatever_the_umask() {
    written_under("000", true);
    written_under("077", true);
}

#[test]
fn doctor_names_what_is_wider_and_mends_it() {
    let desk = Desk::new();
    let open = |name: &str, mode| {
        let path = desk.ledger().join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open("", 0o755);
    open("mark", 0o644);
    let found = desk.run(&["doctor"]);
    assert_eq!(found.code, 1, "{found:?}");
    for words in
        ["the folder is 0755 instead of 0700", "mark is 0644 instead of 0600", "doctor mend"]
    {
        assert!(found.out.contains(words), "{words}: {found:?}");
    }
    let mended = desk.ok(&["doctor", "mend"]);
    assert!(mended.out.contains("mended the folder is 0755"), "{mended:?}");
    assert_eq!((mode(&desk.ledger()), mode(&desk.ledger().join("mark"))), (0o700, 0o600));
    desk.ok(&["doctor"]);
}

#[test]
fn no_output_flag_touches_a_ledger_or_a_file_unasked() {
    let desk = Desk::new();
    let id = desk.remember("Tea is made at four");
    let at = |name: &str| desk.path().join(name);
    std::fs::write(at("old"), "old").unwrap();
    std::os::unix::fs::symlink(at("old"), at("to-old")).unwrap();
    std::os::unix::fs::symlink(at(".memlith/mark"), at("to-mark")).unwrap();
    let ledger = || {
        let mut files = modes(&desk.ledger());
        files.sort();
        let bytes = |path: &PathBuf| std::fs::read(path).unwrap_or_default();
        files.iter().map(|(path, ..)| (path.clone(), bytes(path))).collect::<Vec<_>>()
    };
    let before = ledger();
    let flags: [&[&str]; 2] = [&["export", "jsonl", "--out"], &["show", "--why", &id, "--svg"]];
    for flag in flags {
        let run = |more: &[&str]| desk.run(&[flag, more].concat());
        for path in [".memlith/new", ".memlith/mark", ".memlith/seg-0000000000", "to-mark"] {
            run(&[path, "--force"]).refused(1, &["lies inside the ledger"]);
        }
        for path in ["old", "to-old"] {
            run(&[path]).refused(1, &["exists", "--force"]);
            assert_eq!(std::fs::read(at("old")).unwrap(), b"old");
        }
        for path in ["old", "to-old"] {
            assert_eq!(run(&[path, "--force"]).code, 0);
            assert!(std::fs::read(at("old")).unwrap().len() > 10, "{flag:?}");
            assert!(at("to-old").symlink_metadata().unwrap().is_symlink());
            std::fs::write(at("old"), "old").unwrap();
        }
    }
    desk.run(&["demo", "--keep", ".memlith/demo"]).refused(1, &["lies inside the ledger"]);
    assert!(ledger() == before, "the ledger was touched");
}
