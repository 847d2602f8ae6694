//! Standard output.

use std::fmt::Display;
use std::io::{self, BufWriter, Stdout, Write};

use anyhow::{Context as _, Result};
use serde::Serialize;

/// Standard output, buffered and without colour: it is data.
#[derive(Debug)]
pub struct Output(BufWriter<Stdout>);

impl Output {
    /// Standard output, buffered.
    #[must_use]
    pub fn stdout() -> Output {
        Output(BufWriter::new(io::stdout()))
    }

    /// Prints `value` as one line of JSON.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn json(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_string(value).context("write JSON")?;
        line.push('\n');
        self.0.write_all(line.as_bytes()).context(WRITE)
    }

    /// Prints `text`, with a line end if it lacks one; nothing for an empty text.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn text(&mut self, text: impl Display) -> Result<()> {
        let mut text = text.to_string();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        // In one piece: a long text goes past the buffer, and its end would wait for a flush.
        self.0.write_all(text.as_bytes()).context(WRITE)
    }

    /// Writes out what is held back.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn flush(&mut self) -> Result<()> {
        self.0.flush().context(WRITE)
    }

    /// Standard output as bytes, for what brings its own writer's errors.
    pub fn bytes(&mut self) -> &mut impl Write {
        &mut self.0
    }
}

const WRITE: &str = "write to standard output";
