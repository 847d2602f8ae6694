use std::collections::BTreeMap;
use std::io::BufRead;

use crate::claude_code::ClaudeCode;
use crate::codex::Codex;
use crate::eventloom::Eventloom;
use crate::lines::{Line, Lines};
use crate::locomo::Locomo;
use crate::messages::Messages;
use crate::session::Output;
use crate::{Dialect, Format, ImportError, Imported, Options, Place, Resume};

/// An input as the events it holds.
///
/// Yields in the order of the input. After an error it yields nothing more. Memory: one
/// line, the pending calls of tools (at most 8 MiB), and a few dozen bytes for each line
/// with a name of its own (Claude Code: the newest 262,144) or each event (Eventloom,
/// whose reinforcements may name any earlier one); a LoCoMo document is held whole.
pub struct Reader<R> {
    source: Source<R>,
    output: Output,
    done: bool,
}

enum Source<R> {
    Lines(Lines<R>, Box<dyn Transcript>),
    Eventloom(Lines<R>, Box<Eventloom>),
    Locomo(Box<Locomo<R>>),
}

/// A format of which each line means something by what came before it.
pub(crate) trait Transcript {
    /// Takes the next line.
    fn line(&mut self, line: Line<'_>, output: &mut Output) -> Result<(), ImportError>;

    /// Takes the end of the input; `place` is where it ended.
    fn end(&mut self, place: Place, output: &mut Output) -> Result<(), ImportError>;

    /// The latest place from which the input can be read on.
    fn resume(&self) -> Option<Resume> {
        None
    }
}

impl<R: BufRead> Reader<R> {
    /// A reader of an input in the given format.
    pub fn new(format: Format, input: R, options: Options) -> Reader<R> {
        let (from, max) = (options.from.as_ref().map(Resume::place), options.line_max_bytes);
        let lines = |input| match from {
            Some(place) => Lines::from(place, input, max),
            None => Lines::new(input, max),
        };
        let source = match format {
            Format::Eventloom => Source::Eventloom(lines(input), Box::new(Eventloom::new(options))),
            Format::ClaudeCode => Source::Lines(lines(input), Box::new(ClaudeCode::new(options))),
            Format::Codex => Source::Lines(lines(input), Box::new(Codex::new(options))),
            Format::Locomo => Source::Locomo(Box::new(Locomo::new(input, options))),
            Format::Messages => Source::Lines(lines(input), Box::new(Messages::new(options))),
        };
        Reader { source, output: Output::new(), done: false }
    }

    /// How many lines verified in which dialect so far; empty for other formats than
    /// `eventloom`.
    pub fn dialects(&self) -> BTreeMap<Dialect, u64> {
        match &self.source {
            Source::Eventloom(_, eventloom) => eventloom.dialects().clone(),
            Source::Lines(..) | Source::Locomo(_) => BTreeMap::new(),
        }
    }

    /// The latest place from which the file can be read on when it has grown: the last prompt
    /// of a person to which all is known that came before it. Of Claude Code and Codex.
    pub fn resume(&self) -> Option<Resume> {
        match &self.source {
            Source::Lines(_, transcript) => transcript.resume(),
            Source::Eventloom(..) | Source::Locomo(_) => None,
        }
    }

    /// Reads on until there is something to yield.
    fn advance(&mut self) -> Result<(), ImportError> {
        while self.output.is_empty() && !self.done {
            let (lines, transcript): (_, &mut dyn Transcript) = match &mut self.source {
                Source::Lines(lines, transcript) => (lines, transcript.as_mut()),
                Source::Eventloom(lines, eventloom) => (lines, eventloom.as_mut()),
                Source::Locomo(locomo) => {
                    self.done = !locomo.advance(&mut self.output)?;
                    continue;
                }
            };
            let place = lines.place();
            match lines.next().map_err(|source| ImportError::Io { place, source })? {
                Some(line) => transcript.line(line, &mut self.output)?,
                None => {
                    self.done = true;
                    transcript.end(place, &mut self.output)?;
                }
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Imported, ImportError>;

    fn next(&mut self) -> Option<Result<Imported, ImportError>> {
        match self.advance() {
            Ok(()) => self.output.pop_front().map(Ok),
            Err(error) => {
                self.done = true;
                // What came before the error was yielded; what the same line began was not.
                self.output.clear();
                Some(Err(error))
            }
        }
    }
}
