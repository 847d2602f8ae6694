//! Real processes on one real folder.

use std::process::Command;

/// Remembers of each writer in the default run; the whole of it is
/// `cargo run --release -p memlith-tests --bin race -- 2500`.
const WRITES: &str = "150";

#[test]
fn two_processes_write_while_a_third_reads() {
    let output = Command::new(env!("CARGO_BIN_EXE_race")).arg(WRITES).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{complaint}");
    assert!(said.contains("600 events"), "{said}");
}
