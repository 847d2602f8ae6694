//! The process that is killed: it runs the session on a ledger and says after each step
//! that it is done. What it says is read by a process that is not killed.

use std::io::{self, Write};
use std::path::Path;

use memlith::{
    Caller, Change, CheckoutRequest, Error, Ledger, Options, Rank, RecordId, Remember, Seq,
};

use crate::session::{Step, step_of, text_of};

/// The exit code after an error that the engine reported.
pub(crate) const REFUSED: u8 = 5;

/// Segments so small that a session has many.
const SEGMENT_LEN: u64 = 16 << 10;

/// How every process of a campaign opens its ledger.
pub(crate) fn options() -> Options {
    Options { segment_lens: [SEGMENT_LEN; 4], ..Options::default() }
}

/// The session's only actor.
pub(crate) fn owner() -> Caller {
    Caller::new("default", "ana", Rank::Owner)
}

/// Makes an empty ledger.
///
/// # Errors
/// Those of the engine.
pub(crate) fn create(folder: &Path) -> Result<(), Error> {
    Ledger::create(folder, options())?.close()
}

/// Runs `count` steps from `first`, and writes `ack N` after each.
///
/// # Errors
/// What the engine refused: the step it happened in has not been acknowledged.
pub(crate) fn run(folder: &Path, first: u64, count: u64) -> Result<(), Error> {
    let ledger = Ledger::open(folder, options())?;
    let mut rows = rows(&ledger)?;
    for number in first..first.saturating_add(count) {
        perform(&ledger, number, &mut rows)?;
        say(&format!("ack {number}"));
    }
    ledger.close()
}

/// The records that hold the session's texts, in the order in which they were written.
///
/// # Errors
/// Those of the engine.
pub(crate) fn rows(ledger: &Ledger) -> Result<Vec<RecordId>, Error> {
    let mut rows = Vec::new();
    for record in ledger.records(Seq::GENESIS, None)? {
        let record = record?;
        if record.kind == memlith::log::Kind::REMEMBERED.number {
            rows.push(record.id());
        }
    }
    Ok(rows)
}

fn perform(ledger: &Ledger, number: u64, rows: &mut Vec<RecordId>) -> Result<(), Error> {
    let target = |target: u64| {
        let at = usize::try_from(crate::session::texts_before(target)).unwrap_or(usize::MAX);
        rows.get(at).copied().unwrap_or_default()
    };
    match Step::of(number) {
        Step::Remember => {
            let text = text_of(number);
            rows.push(ledger.remember(&owner(), Remember { text, ..Remember::default() })?.id);
        }
        Step::Invalidate { target: step } => {
            let change = Change::Invalidate { weight: None, reason: None };
            done_before(ledger.change(&owner(), change, [target(step)]).map(drop))?;
        }
        Step::Erase { target: step } => {
            done_before(ledger.erasure().erase(&owner(), &[target(step)]).map(drop))?
        }
        Step::Checkpoint => drop(ledger.checkpoints().write()?),
        Step::Checkout => {
            let last = step_of(rows.len().saturating_sub(1) as u64);
            ledger.checkout(&owner(), CheckoutRequest::new(text_of(last)))?;
        }
    }
    Ok(())
}

/// A step that was cut short after its record was written is refused when it comes again.
fn done_before(outcome: Result<(), Error>) -> Result<(), Error> {
    match outcome {
        Err(Error::Rejected(_)) => Ok(()),
        other => other,
    }
}

/// Writes a line that is out when this returns; nobody listening is no reason to stop.
pub(crate) fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
