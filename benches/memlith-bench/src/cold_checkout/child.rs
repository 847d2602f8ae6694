use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use memlith::Timestamp;
use serde_json::Value;

use memlith_verbs::usage::Usage;
use memlith_verbs::wall::Stopwatch;

/// A checkout in a process of its own.
#[derive(Clone, Debug)]
pub(crate) struct Checkout {
    pub(crate) program: PathBuf,
    pub(crate) ledger: PathBuf,
    pub(crate) query: String,
    pub(crate) now: Timestamp,
    pub(crate) observe: bool,
    pub(crate) mmap: bool,
}

/// A process that was timed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timed {
    /// From before it was started until its last byte was here.
    pub(crate) wall: Duration,
    /// Resources it had used when its answer was out.
    pub(crate) usage: Usage,
    /// The items that it showed.
    pub(crate) items: Vec<Value>,
}

/// An answer and more, so that it is mostly there in one read.
const BUFFER_LEN: usize = 1 << 20;

impl Checkout {
    /// Runs the process and times it. What it does once its answer is out, a checkpoint
    /// perhaps, isn't in the time; it has ended when this returns.
    pub(crate) fn timed(&self) -> Result<Timed> {
        let mut buffer = vec![0; BUFFER_LEN];
        let mut answer = Vec::with_capacity(BUFFER_LEN);
        let mut timed = Timed::default();
        let watch = Stopwatch::start();
        let (mut child, mut stdout) = self.start()?;
        loop {
            let count = stdout.read(&mut buffer).context("read the answer")?;
            if count == 0 {
                break;
            }
            timed.wall = watch.elapsed();
            answer.extend(buffer.iter().take(count));
        }
        let told = self.end(&mut child, !answer.is_empty())?;
        timed.usage =
            told.lines().find_map(|line| serde_json::from_str(line).ok()).unwrap_or_default();
        let answer: Value = serde_json::from_slice(&answer).context("read the answer's JSON")?;
        let items = answer.get("items").and_then(Value::as_array);
        timed.items = items.cloned().context("the answer has no items")?;
        ensure!(
            timed.items.iter().all(|item| item.get("citation").is_some_and(Value::is_string)),
            "an item of the answer to `{}` is not cited",
            self.query
        );
        Ok(timed)
    }

    fn start(&self) -> Result<(Child, ChildStdout)> {
        let mut command = Command::new(&self.program);
        command.args(["checkout", "--json", "--quiet", "--usage"]);
        command.arg("--ledger").arg(&self.ledger);
        command.arg("--now").arg(self.now.to_string());
        if !self.observe {
            command.arg("--no-observe");
        }
        if !self.mmap {
            command.arg("--no-mmap");
        }
        command.arg("--").arg(&self.query);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("start {}", self.program.display()))?;
        let stdout = child.stdout.take().context("read from the process")?;
        Ok((child, stdout))
    }

    /// Waits for the end of the process; gives what it said on standard error.
    fn end(&self, child: &mut Child, answered: bool) -> Result<String> {
        let mut told = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.read_to_string(&mut told).context("read what the process says")?;
        }
        let status = child.wait().context("wait for the process")?;
        let failed = || format!("the checkout of `{}` failed: {status}: {told}", self.query);
        ensure!(status.success() && answered, failed());
        Ok(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stand-in for the program: answers, or fails, whatever it is asked.
    fn script(dir: &std::path::Path, text: &str) -> Checkout {
        let (source, program) = (dir.join("source"), dir.join("program"));
        std::fs::write(&source, format!("#!/bin/sh\n{text}\n")).unwrap();
        // Another process makes what is run: what this one holds open for writing is inherited
        // by a child that another test starts just then, and such a file can't be started.
        let mut install = Command::new("install");
        assert!(install.args(["-m", "755"]).args([&source, &program]).status().unwrap().success());
        Checkout {
            program,
            ledger: dir.join("ledger"),
            query: "-q".to_owned(),
            now: Timestamp(0),
            observe: false,
            mmap: false,
        }
    }

    const ANSWER: &str = r#"'{"items":[{"citation":"memlith://x/1#0"}]}'"#;
    const USAGE: &str = r#"'{"bytes_read":7,"rss_bytes":null}'"#;

    #[test]
    fn a_process_is_timed_and_what_it_says_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let given = dir.path().join("given");
        let text = format!("echo \"$@\" > {}; echo {ANSWER}; echo {USAGE} >&2", given.display());
        let checkout = script(dir.path(), &text);
        let timed = checkout.timed().unwrap();
        assert!(timed.wall > Duration::ZERO);
        assert_eq!(timed.usage, Usage { bytes_read: Some(7), ..Usage::default() });
        assert_eq!(timed.items.len(), 1);
        let ledger = dir.path().join("ledger");
        let expected = format!(
            "checkout --json --quiet --usage --ledger {} --now 1970-01-01T00:00:00Z --no-observe \
             --no-mmap -- -q\n",
            ledger.display()
        );
        assert_eq!(std::fs::read_to_string(given).unwrap(), expected);
    }

    #[test]
    fn a_failed_or_silent_process_is_no_measurement_and_nor_is_one_that_cites_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let failed = format!("echo {ANSWER}; exit 3");
        for text in [failed.as_str(), "exit 0", "echo {}", r#"echo '{"items":[{"id":1}]}'"#] {
            assert!(script(dir.path(), text).timed().is_err(), "{text}");
        }
    }
}
