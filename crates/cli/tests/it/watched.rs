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
        let jobs = agents.in_project("shop", &["jobs", "--json"]).json();
        jobs["waiting"].as_u64().unwrap()
    };
    assert_eq!(waiting(), 1);
    // The session may go on for two minutes; then its job is due.
    let later = SystemClock::new().now().plus_us(600_000_000).to_string();
    let mut command = agents.desk.command(&["--now", &later, "writeback", "--watch"]);
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
