//! Runs campaigns while other processes of the machine are at work.

use std::process::Command;

#[test]
fn processes_that_hold_on_to_old_mounts_change_no_verdict() {
    // A file system that had been shut down lived on in another process's list of mounts; its
    // image was mounted again, gave the dead one, and counted as a ledger that didn't open.
    let holds = "while :; do unshare --mount sleep 1 & sleep 0.02; done";
    let mut others = Command::new("sh").args(["-c", holds]).spawn().unwrap();
    let campaign = Command::new(env!("CARGO_BIN_EXE_outage")).args(["power", "3"]).output();
    others.kill().unwrap();
    others.wait().unwrap();
    let campaign = campaign.unwrap();
    let said = String::from_utf8_lossy(&campaign.stdout);
    if said.contains("SKIPPED") {
        eprintln!("SKIPPED, NOTHING WAS TRIED: {said}");
    } else {
        assert!(campaign.status.success(), "{said}{}", String::from_utf8_lossy(&campaign.stderr));
        assert_eq!(said.matches("3 tried").count(), 2, "{said}");
    }
}
