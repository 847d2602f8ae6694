//! Disks that are full, folders that can't be written, locks that others hold.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::Desk;

/// A small file system in memory, gone when dropped.
struct Small {
    dir: PathBuf,
}

impl Small {
    /// Mounts `mebibytes` in `dir`, or says why the test can't run here.
    fn mount(dir: &Path, mebibytes: u32) -> Option<Small> {
        let size = format!("size={mebibytes}m");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "memlith-test"])
            .arg(dir)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Small { dir: dir.to_owned() }),
            other => {
                eprintln!("SKIPPED: mounting a small disk takes root: {other:?}");
                None
            }
        }
    }

    fn remount(&self, how: &str) {
        let remount = format!("remount,{how}");
        let status = Command::new("mount").args(["-o", &remount]).arg(&self.dir).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.dir).status();
    }
}

#[test]
fn a_full_disk_refuses_writes_keeps_what_is_there_and_still_invalidates() {
    let desk = Desk::empty();
    let Some(_small) = Small::mount(desk.path(), 3) else { return };
    desk.ok(&["init"]);
    let first = desk.remember("Ana drinks tea.");
    let mut acknowledged = 1;
    let refused = loop {
        let text = format!("note {acknowledged} {}", "x".repeat(100_000));
        let run = desk.run_with_input(&["remember", "-"], text.as_bytes());
        if run.code != 0 {
            break run;
        }
        acknowledged += 1;
        assert!(acknowledged < 100, "the disk never fills");
    };
    refused.refused(4, &["no room", "free some space"]);
    std::fs::write(desk.path().join("fill"), vec![0; 4 << 20]).unwrap_err();
    let out = ["export", "jsonl", "--out", "export.jsonl"];
    desk.refused(4, &out, &["export.jsonl", "No space left"]);
    for name in ["export.jsonl", "export.jsonl.part"] {
        assert!(!desk.path().join(name).exists(), "{name} takes up the full disk");
    }
    desk.ok(&["forget", &first]);
    assert_eq!(desk.json(&["show", &first])["authority"], "invalidated");
    let memories = desk.json(&["maintain", "stat"])["memories"].clone();
    assert_eq!(memories["active"], acknowledged - 1, "{memories}");
    desk.ok(&["verify", "--full"]);
}

#[test]
fn a_read_only_folder_is_read_and_not_written() {
    let desk = Desk::empty();
    let Some(small) = Small::mount(desk.path(), 8) else { return };
    desk.ok(&["init"]);
    let note = desk.remember("Ana drinks tea.");
    small.remount("ro");
    for args in [
        &["search", "tea"][..],
        &["show", &note],
        &["list", "events"],
        &["verify", "--full"],
        &["checkout", "tea", "--no-observe"],
    ] {
        desk.ok(args);
    }
    desk.refused(4, &["remember", "x"], &["Read-only file system", "search"]);
    let doctor = desk.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("Read-only file system"), "{doctor:?}");
    desk.refused(4, &["init", "--ledger", "other"], &["Read-only file system"]);
    let pack = desk.json(&["checkout", "tea"]);
    assert_eq!(pack["items"][0]["id"], note.as_str());
    assert_eq!(pack["observed"], false, "{pack}");
    assert!(pack["unobserved"].is_string(), "{pack}");
    small.remount("rw");
}

#[test]
fn a_lock_that_another_holds_ends_the_wait_with_its_name() {
    let desk = Desk::new();
    let note = desk.remember("Ana drinks tea.");
    let lock = File::open(desk.ledger().join("LOCK")).unwrap();
    lock.lock().unwrap();
    let short = ["--lock-timeout", "50ms"];
    for args in [&["remember", "x"][..], &["forget", &note], &["maintain", "checkpoint"]] {
        desk.refused(4, &[args, &short].concat(), &["locked by process", "--lock-timeout"]);
    }
    let run = desk.run(&[&["doctor", "--json"][..], &short].concat());
    let checks = run.json()["checks"].clone();
    let writing = checks.as_array().unwrap().iter().find(|check| check["name"] == "writing");
    assert_eq!((run.code, &writing.unwrap()["ok"]), (1, &false.into()), "{checks}");
    // Readers take no lock, and an answer doesn't wait for its observation.
    desk.ok(&["search", "tea"]);
    desk.ok(&["verify"]);
    let pack = desk.json(&["checkout", "tea"]);
    assert_eq!((&pack["observed"], &pack["items"][0]["id"]), (&false.into(), &note.into()));
    drop(lock);
    desk.remember("Ben drinks coffee.");
}

#[test]
fn a_writer_waits_for_its_turn() {
    let desk = Desk::new();
    let lock = File::open(desk.ledger().join("LOCK")).unwrap();
    lock.lock().unwrap();
    let mut waiting = desk.command(&["remember", "Ana drinks tea."]).spawn().unwrap();
    // Whoever waits for the lock holds the turnstile before it.
    let turnstile = File::open(desk.ledger().join("LOCK.next")).unwrap();
    while turnstile.try_lock().is_ok() {
        turnstile.unlock().unwrap();
        assert!(waiting.try_wait().unwrap().is_none(), "it didn't wait");
        std::thread::yield_now();
    }
    drop(lock);
    assert!(waiting.wait().unwrap().success());
}
