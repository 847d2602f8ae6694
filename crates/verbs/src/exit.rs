//! Exit codes, and errors told on standard error.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use memlith::ErrorKind;

use crate::advice::advice;

/// How a verb that did its work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// As asked.
    Ok,
    /// Something was found or refused that the caller has to look at.
    Findings,
    /// Bytes of the ledger are not as they should be.
    Integrity,
}

/// Something the command line itself refuses.
#[derive(Debug)]
struct Refusal {
    kind: ErrorKind,
    what: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Refusal {}

impl Exit {
    /// `Ok` where `fine` holds, else `Findings`.
    pub fn ok_if(fine: bool) -> Exit {
        if fine { Exit::Ok } else { Exit::Findings }
    }

    fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Findings => 1,
            Exit::Integrity => 3,
        }
    }
}

/// The request makes no sense.
pub fn usage(what: impl Into<String>) -> anyhow::Error {
    Refusal { kind: ErrorKind::Usage, what: what.into() }.into()
}

/// The request was understood and is refused.
pub fn refused(what: impl Into<String>) -> anyhow::Error {
    Refusal { kind: ErrorKind::Refused, what: what.into() }.into()
}

/// Makes the error for a file or folder to be read or written that isn't there, or can't be.
pub fn unusable(what: impl Into<String>) -> anyhow::Error {
    Refusal { kind: ErrorKind::Io, what: what.into() }.into()
}

/// Something that this build has not: what to do.
#[must_use]
pub fn without(feature: &str) -> anyhow::Error {
    unusable(format!(
        "this program was built without `{feature}`: take a released one, or build it with \
         --features {feature}"
    ))
}

/// Bytes are wrong in a way that the command line has its own words for.
pub fn damaged(what: impl Into<String>) -> anyhow::Error {
    Refusal { kind: ErrorKind::Integrity, what: what.into() }.into()
}

/// `error` and every cause that says something new, on one line.
pub fn causes(error: &memlith::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        source = cause.source();
    }
    text
}

/// The process's exit code for `outcome`, its error printed with every cause.
///
/// A reader that has closed the pipe has what it wanted: that is no error.
pub fn report(outcome: anyhow::Result<Exit>) -> ExitCode {
    let error = match outcome {
        Ok(exit) => return ExitCode::from(exit.code()),
        Err(error) => error,
    };
    let io_kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    if io_kinds.into_iter().any(|cause| cause.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    print(&error);
    if let Some(advice) = engine(&error).and_then(advice) {
        say(format_args!("  to do: {advice}"));
    }
    ExitCode::from(code(&error))
}

/// An error with every cause and what to do, for one who has no terminal.
pub fn told(error: &anyhow::Error) -> String {
    let mut text = format!("{error:#}");
    if let Some(advice) = engine(error).and_then(advice) {
        text.push_str("\nto do: ");
        text.push_str(&advice);
    }
    text
}

/// Whether bytes of the ledger are wrong.
pub fn is_integrity(error: &anyhow::Error) -> bool {
    engine(error).is_some_and(|error| error.kind() == ErrorKind::Integrity)
}

/// The engine's error in `error`, if it is one.
fn engine(error: &anyhow::Error) -> Option<&memlith::Error> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

fn code(error: &anyhow::Error) -> u8 {
    let refusal = || error.chain().find_map(|cause| cause.downcast_ref::<Refusal>());
    let kind = engine(error).map(memlith::Error::kind);
    let kind = kind.or_else(|| refusal().map(|refusal| refusal.kind));
    match kind {
        Some(ErrorKind::Refused) => 1,
        Some(ErrorKind::Usage) => 2,
        Some(ErrorKind::Integrity) => 3,
        Some(ErrorKind::Io) | None => 4,
    }
}

/// Writes a line to standard error. Where that can't be written, nobody can be told.
fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

fn print(error: &anyhow::Error) {
    const RED: &str = "\x1b[1;31m";
    const PLAIN: &str = "\x1b[0m";
    let mut said = String::new();
    for (depth, cause) in error.chain().map(ToString::to_string).enumerate() {
        if depth == 0 {
            say(format_args!("{RED}error{PLAIN}: {cause}"));
        } else if cause != said {
            say(format_args!("  because: {cause}"));
        }
        said = cause;
    }
}
