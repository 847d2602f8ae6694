//! Progress on standard error.

use std::cell::Cell;
use std::io::{self, IsTerminal as _, Read};
use std::time::{Duration, Instant};

/// Progress of long work, on standard error where that is a terminal; gone when dropped.
#[derive(Debug)]
pub struct Progress {
    what: &'static str,
    /// Bytes of the work, where that is known.
    length: Option<u64>,
    is_shown: bool,
    read: Cell<u64>,
    shown_at: Cell<Option<Instant>>,
}

/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(100);

impl Progress {
    /// Shows nothing.
    pub fn hidden() -> Progress {
        Progress::new("", None)
    }

    /// Shows a percentage where the length of the work is known, else its name.
    pub fn new(what: &'static str, bytes: Option<u64>) -> Progress {
        let (read, shown_at) = (Cell::new(0), Cell::new(None));
        let is_shown = !what.is_empty() && io::stderr().is_terminal();
        let progress = Progress { what, length: bytes, is_shown, read, shown_at };
        progress.show();
        progress
    }

    /// `input`, counted as it is read.
    pub fn counts<R: Read>(&self, input: R) -> impl Read {
        Counted { progress: self, input }
    }

    #[expect(clippy::disallowed_methods, reason = "a line on a terminal is written now and then")]
    fn show(&self) {
        let now = Instant::now();
        let is_due = self.shown_at.get().is_none_or(|at| now - at >= EVERY);
        if !self.is_shown || !is_due {
            return;
        }
        self.shown_at.set(Some(now));
        match self.length.filter(|length| *length > 0) {
            Some(length) => {
                let percent = self.read.get().min(length).saturating_mul(100) / length;
                anstream::eprint!("\r{} {percent} %", self.what);
            }
            None => anstream::eprint!("\r{} ...", self.what),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            // Clears the line.
            anstream::eprint!("\r\u{1b}[2K");
        }
    }
}

/// An input that says how much of it was read.
struct Counted<'a, R> {
    progress: &'a Progress,
    input: R,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.input.read(buffer)?;
        let progress = self.progress;
        progress.read.set(progress.read.get().saturating_add(len as u64));
        progress.show();
        Ok(len)
    }
}
