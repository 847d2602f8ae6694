use std::fs::read_to_string;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use memlith::Timestamp;

use crate::bench::wall::Stopwatch;

/// A checkout in a process of its own.
#[derive(Clone, Debug)]
pub(crate) struct Checkout {
    pub(crate) program: PathBuf,
    pub(crate) ledger: PathBuf,
    pub(crate) query: String,
    pub(crate) now: Timestamp,
    pub(crate) observe: bool,
}

/// A process that was timed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timed {
    /// From before it was started until its last byte was here.
    pub(crate) wall: Duration,
    /// Bytes that it read through calls to the system (`rchar` of `/proc/PID/io`), from
    /// the page cache or not; what it only mapped is not among them.
    pub(crate) read_bytes: Option<u64>,
    /// Bytes of these that came from the storage device.
    pub(crate) device_bytes: Option<u64>,
}

/// A process whose memory was looked at; `None` where it was over too soon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    /// The most that was resident at once (`VmHWM` of `/proc/PID/status`).
    pub(crate) resident_bytes: Option<u64>,
    /// The most that was resident and backed by no file, of what was seen (`RssAnon`).
    pub(crate) anonymous_bytes: Option<u64>,
}

/// How often a process's memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(1);

impl Checkout {
    /// Runs the process and times it.
    pub(crate) fn timed(&self) -> Result<Timed> {
        let watch = Stopwatch::start();
        let (mut child, mut stdout) = self.start()?;
        let mut buffer = vec![0; 64 << 10];
        let mut timed = Timed::default();
        while stdout.read(&mut buffer).context("read the answer")? > 0 {
            timed.wall = watch.elapsed();
        }
        // The process has ended; until it is waited for, its counts can be read.
        let counts = read_to_string(format!("/proc/{}/io", child.id())).unwrap_or_default();
        timed.read_bytes = number(&counts, "rchar");
        timed.device_bytes = number(&counts, "read_bytes");
        self.end(&mut child, timed.wall > Duration::ZERO)?;
        Ok(timed)
    }

    /// Runs the process and looks at its memory until it ends.
    pub(crate) fn watched(&self) -> Result<Memory> {
        let (mut child, mut stdout) = self.start()?;
        let path = format!("/proc/{}/status", child.id());
        let (sender, answer) = channel();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let answered = stdout.read_to_end(&mut bytes).is_ok_and(|count| count > 0);
            // The other end waits as long as this one is there.
            let _ = sender.send(answered);
        });
        let mut memory = Memory::default();
        let answered = loop {
            memory.look(&read_to_string(&path).unwrap_or_default());
            match answer.recv_timeout(LOOK_EVERY) {
                Ok(answered) => break answered,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break false,
            }
        };
        ensure!(reader.join().is_ok(), "the thread that reads the answer panicked");
        self.end(&mut child, answered)?;
        Ok(memory)
    }

    fn start(&self) -> Result<(Child, ChildStdout)> {
        let mut command = Command::new(&self.program);
        command.args(["checkout", "--json", "--quiet"]);
        command.arg("--ledger").arg(&self.ledger);
        command.arg("--now").arg(self.now.to_string());
        if !self.observe {
            command.arg("--no-observe");
        }
        command.arg("--").arg(&self.query);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("start {}", self.program.display()))?;
        let stdout = child.stdout.take().context("read from the process")?;
        Ok((child, stdout))
    }

    fn end(&self, child: &mut Child, answered: bool) -> Result<()> {
        let status = child.wait().context("wait for the process")?;
        ensure!(status.success() && answered, "the checkout of `{}` failed: {status}", self.query);
        Ok(())
    }
}

impl Memory {
    fn look(&mut self, status: &str) {
        let bytes = |name| Some(number(status, name)? << 10);
        let seen = Memory { resident_bytes: bytes("VmHWM"), anonymous_bytes: bytes("RssAnon") };
        *self = self.max(seen);
    }

    /// The greater of each.
    pub(crate) fn max(self, other: Memory) -> Memory {
        Memory {
            resident_bytes: self.resident_bytes.max(other.resident_bytes),
            anonymous_bytes: self.anonymous_bytes.max(other.anonymous_bytes),
        }
    }
}

/// The number after `name:`; a unit after it is not read.
fn number(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_by_their_whole_name() {
        let io = "rchar: 17\nwchar: 3\nread_bytes: 4096\ncancelled_write_bytes: 1\n";
        assert_eq!(number(io, "rchar"), Some(17));
        assert_eq!(number(io, "read_bytes"), Some(4096));
        assert_eq!(number(io, "bytes"), None);
        let mut memory = Memory::default();
        memory.look("VmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\nRssAnon:\t  12 kB\n");
        memory.look("Name:\tmemlith\nState:\tZ (zombie)\n");
        let seen = Memory { resident_bytes: Some(2 << 20), anonymous_bytes: Some(12 << 10) };
        assert_eq!(memory, seen);
    }

    /// A stand-in for the program: answers, or fails, whatever it is asked.
    fn script(dir: &std::path::Path, text: &str) -> Checkout {
        use std::os::unix::fs::PermissionsExt;
        let program = dir.join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        Checkout {
            program,
            ledger: dir.join("ledger"),
            query: "-q".to_owned(),
            now: Timestamp(0),
            observe: false,
        }
    }

    #[test]
    fn a_process_is_timed_and_its_counts_are_there() {
        let dir = tempfile::tempdir().unwrap();
        let given = dir.path().join("given");
        let checkout = script(dir.path(), &format!("echo \"$@\" > {}; echo {{}}", given.display()));
        let timed = checkout.timed().unwrap();
        assert!(timed.wall > Duration::ZERO);
        assert!(timed.read_bytes.is_none_or(|bytes| bytes > 0));
        let ledger = dir.path().join("ledger");
        let expected = format!(
            "checkout --json --quiet --ledger {} --now 1970-01-01T00:00:00Z --no-observe -- -q\n",
            ledger.display()
        );
        assert_eq!(std::fs::read_to_string(given).unwrap(), expected);
        // One that is over before it is looked at has shown nothing.
        let seen = |_| checkout.watched().unwrap().resident_bytes.is_some();
        assert!((0..100).any(seen));
    }

    #[test]
    fn a_failed_or_silent_process_is_no_measurement() {
        let dir = tempfile::tempdir().unwrap();
        for text in ["echo {}; exit 3", "exit 0"] {
            let checkout = script(dir.path(), text);
            assert!(checkout.timed().is_err(), "{text}");
            assert!(checkout.watched().is_err(), "{text}");
        }
    }
}
