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
    let install = || run(&["agent", "install", "--watch", "--json"]).json();
    let done = install();
    let ledger = done["ledger"].as_str().unwrap();
    let folder = agents.desk.path().join(".config/systemd/user");
    let works = [("writeback", "jobs run --watch\n"), ("deliver", "deliver run --watch\n")];
    let mut files = Vec::new();
    for (unit, (name, words)) in done["units"].as_array().unwrap().iter().zip(works) {
        let changes = (&unit["changed"], &unit["is_running"]);
        assert_eq!(changes, (&true.into(), &false.into()), "{done}");
        let name = format!("memlith-{name}.service");
        let (file, link) = (folder.join(&name), folder.join("default.target.wants").join(&name));
        assert_eq!(unit["unit"], file.display().to_string());
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(&format!("--ledger \"{ledger}\" {words}")), "{text}");
        assert_eq!(std::fs::read_to_string(&link).unwrap(), text);
        let needed = format!("ConditionPathExists={ledger}/deliver.toml\n");
        assert_eq!(text.contains(&needed), words.starts_with("deliver"), "{text}");
        let verify = Command::new("systemd-analyze").args(["--user", "verify"]).arg(&file).output();
        match verify {
            Ok(verdict) => {
                let told = String::from_utf8_lossy(&verdict.stderr).into_owned();
                assert!(!told.contains("memlith-"), "{told}");
            }
            Err(_) => println!("SKIPPED: systemd's own look at the unit: no systemd-analyze here"),
        }
        files.extend([file, link]);
    }
    assert_eq!(files.len(), 4, "{done}");
    assert!(install()["units"].as_array().unwrap().iter().all(|unit| unit["changed"] == false));
    let check = run(&["agent", "install", "--watch", "--check"]);
    assert!(check.code == 1 && check.out.contains("deliver.toml is not there"), "{check:?}");

    assert_eq!(run(&["agent", "remove", "--watch"]).code, 0);
    assert!(files.iter().all(|file| file.symlink_metadata().is_err()));
    assert_eq!(run(&["agent", "remove", "--watch"]).code, 0);
    assert_eq!(run(&["agent", "install"]).code, 2);
    assert_eq!(run(&["agent", "install", "codex", "--watch"]).code, 2);
}
