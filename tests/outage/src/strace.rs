//! System calls of a process: listed, and made to fail or to be its last.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::trial::Trial;

/// One system call of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// Name of the system call.
    pub(crate) name: String,
    /// Which of the calls of that name, from 1.
    pub(crate) nth: u64,
    /// Whether it names a file of the ledger.
    pub(crate) in_ledger: bool,
}

/// Why `strace` can't be used here, if it can't.
pub(crate) fn missing() -> Option<String> {
    let mut strace = Command::new("strace");
    strace.args(["-o", "/dev/null", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    match strace.status() {
        Ok(status) if status.success() => None,
        Ok(_) => Some("strace may not trace here".to_owned()),
        Err(_) => Some("strace is not installed".to_owned()),
    }
}

/// The calls of a session of `steps` steps, in order.
///
/// # Errors
/// The session fails without any fault.
pub(crate) fn calls(trial: &Trial, steps: u64, log: &Path) -> anyhow::Result<Vec<Call>> {
    let log_name = log.to_string_lossy().into_owned();
    let wrapper = ["strace", "-f", "-y", "-o", &log_name].map(str::to_owned);
    let end = trial.reap(trial.start(&wrapper, steps)?)?;
    ensure!(end.status.success(), "a session fails under strace: {}", end.complaint);
    let text = fs::read_to_string(log).context("what strace wrote")?;
    let folder = trial.folder().to_string_lossy().into_owned();
    let mut counts = BTreeMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let Some(name) = called(line) else { continue };
        let nth: &mut u64 = counts.entry(name.to_owned()).or_default();
        *nth += 1;
        calls.push(Call { name: name.to_owned(), nth: *nth, in_ledger: line.contains(&folder) });
    }
    Ok(calls)
}

/// The name of the call in a line of `strace -f`; a resumed call has been counted.
fn called(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(' ')?;
    let (name, _) = rest.trim_start().split_once('(')?;
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_').then_some(name)
}

/// The words before a command line that make `what` happen at `call`.
///
/// Not with `--seccomp-bpf`: strace 6.1 then lets every call but the first of a name pass.
pub(crate) fn inject(call: &Call, what: &str) -> Vec<String> {
    let Call { name, nth, .. } = call;
    vec![
        "strace".to_owned(),
        "-f".to_owned(),
        "-o".to_owned(),
        "/dev/null".to_owned(),
        format!("--trace={name}"),
        format!("--inject={name}:{what}:when={nth}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_call() {
        assert_eq!(called("12  fdatasync(5</a/seg>) = 0"), Some("fdatasync"));
        assert_eq!(called("12  <... flock resumed>) = 0"), None);
        assert_eq!(called("12  +++ exited with 0 +++"), None);
    }
}
