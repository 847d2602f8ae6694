use std::process::Command;

use anyhow::{Context, ensure};

/// How `timeout` ends where it ended the program.
const OUT_OF_TIME: i32 = 124;

/// Runs a command of this program in a process of its own, which is ended after so many
/// seconds, with all that it started.
///
/// # Errors
/// It fails, or takes longer.
pub(crate) fn bounded(seconds: u32, arguments: &[&str], what: &str) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("find this program")?;
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", &seconds.to_string()]).arg(own).args(arguments);
    let status = command.status().context("start timeout")?;
    ensure!(
        status.code() != Some(OUT_OF_TIME),
        "{what} took longer than {seconds} s: something waits, or the machine is slow; without \
         --seconds there is no bound"
    );
    ensure!(status.success(), "{what}: {status}");
    Ok(())
}
