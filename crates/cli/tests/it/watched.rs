//! A watcher that learns until it is told to end.
#![cfg(unix)]

use std::process::{Command, Stdio};

use memlith::storage::{Clock as _, SystemClock};

use crate::harness::Run;
use crate::hooks::Agents;

#[test]
fn a_watcher_does_what_is_due_and_ends_when_it_is_told_to() {
    let agents = Agents::new();
    agents.says("s1", "user", "From now on never push to main directly.");
    agents.hook("Stop", "shop", "s1", "");
    let waiting = || {
        let jobs = agents.in_project("shop", &["jobs", "list", "--json"]).json();
        jobs["waiting"].as_u64().unwrap()
    };
    assert_eq!(waiting(), 1);
    // The session may go on for two minutes; then its job is due.
    let later = SystemClock::new().now().plus_us(600_000_000).to_string();
    let mut command = agents.desk.command(&["--now", &later, "jobs", "run", "--watch"]);
    command.current_dir(agents.folder("shop")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let watcher = command.spawn().unwrap();
    // Each look is a process, which takes its time.
    while waiting() > 0 {}
    let told = Command::new("kill").arg(watcher.id().to_string()).status().unwrap();
    assert!(told.success());
    let run = Run::of(watcher.wait_with_output().unwrap());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("1 memor"), "{run:?}");
    let brief = agents.hook("SessionStart", "shop", "s2", "");
    assert!(brief.contains("never push to main directly"), "{brief}");
}

#[test]
fn a_unit_is_written_once_and_taken_out_whole() {
    let agents = Agents::new();
    let run = |words: &[&str]| {
        let mut command = agents.desk.command(words);
        // A place where no service manager answers, whatever runs on this machine.
        command.env("XDG_RUNTIME_DIR", "/nowhere").env("PATH", std::env::var_os("PATH").unwrap());
        Run::of(command.output().unwrap())
    };
    if run(&["agent", "install", "--watch", "--dry-run"]).code != 0 {
        println!("SKIPPED: a_unit_is_written_once_and_taken_out_whole: no systemctl here");
        return;
    }
    let done = run(&["agent", "install", "--watch", "--json"]).json();
    assert_eq!((&done["changed"], &done["is_running"]), (&true.into(), &false.into()), "{done}");
    let unit = std::path::PathBuf::from(done["unit"].as_str().unwrap());
    let text = std::fs::read_to_string(&unit).unwrap();
    let ledger = done["ledger"].as_str().unwrap();
    assert!(text.contains(&format!("--ledger \"{ledger}\" jobs run --watch\n")), "{text}");
    let link = unit.with_file_name("default.target.wants").join("memlith-writeback.service");
    assert_eq!(std::fs::read_to_string(&link).unwrap(), text);
    assert_eq!(run(&["agent", "install", "--watch", "--json"]).json()["changed"], false);
    assert_eq!(run(&["agent", "install", "--watch", "--check"]).code, 1);

    let verify = Command::new("systemd-analyze").args(["--user", "verify"]).arg(&unit).output();
    match verify {
        Ok(verdict) => {
            let told = String::from_utf8_lossy(&verdict.stderr).into_owned();
            assert!(!told.contains("memlith-writeback"), "{told}");
        }
        Err(_) => println!("SKIPPED: systemd's own look at the unit: no systemd-analyze here"),
    }

    assert_eq!(run(&["agent", "remove", "--watch"]).code, 0);
    assert!(!unit.exists() && link.symlink_metadata().is_err());
    assert_eq!(run(&["agent", "remove", "--watch"]).code, 0);
    assert_eq!(run(&["agent", "install"]).code, 2);
    assert_eq!(run(&["agent", "install", "codex", "--watch"]).code, 2);
}
