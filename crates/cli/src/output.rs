use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write};

use anyhow::{Context as _, Result};
use serde::Serialize;

/// Standard output, buffered: a pipe that is closed ends the process quietly.
#[derive(Debug)]
pub(crate) struct Output(BufWriter<anstream::Stdout>);

impl Output {
    pub(crate) fn stdout() -> Output {
        Output(BufWriter::new(anstream::stdout()))
    }

    /// Prints `value` as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        let line = serde_json::to_string(value).context("write JSON")?;
        self.text(line)
    }

    /// Prints `text`, with a line end if it has none.
    pub(crate) fn text(&mut self, text: impl Display) -> Result<()> {
        let text = text.to_string();
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        self.put(format_args!("{text}{end}"))
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        self.0.flush().context(WRITE)
    }

    /// Whether a person reads along.
    pub(crate) fn is_terminal() -> bool {
        io::stdout().is_terminal()
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) -> Result<()> {
        self.0.write_fmt(text).context(WRITE)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

const WRITE: &str = "write to standard output";
