//! Compares a ledger, after its process died, with the acknowledgments of that process.

use std::fs;
use std::path::Path;

use memlith::{
    Error, ErrorKind, Ledger, Options, RecordId, Seq,
    log::{Event, decode},
    prove::{Finding, Level, Replay},
    read::OwnStatus,
    verify,
};
use memlith_event::MemoryEvent;

use crate::session::{Step, step_of, text_of, texts_before};
use crate::victim::{options, owner, rows};

/// How a ledger stands after a crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Everything that was acknowledged is there, and nothing that was not tried.
    Sound {
        /// The step with which the session goes on.
        next: u64,
    },
    /// Something that was acknowledged is gone.
    Lost(String),
    /// Something is there that nobody wrote, or that contradicts itself.
    Wrong(String),
    /// The ledger does not open.
    Refused(String),
}

/// Opens the ledger as any process would, and judges it.
///
/// `acknowledged` steps were said to be done; the next one may have been under way.
pub(crate) fn survey(folder: &Path, acknowledged: u64) -> Verdict {
    look(folder, acknowledged).unwrap_or_else(|error| Verdict::Refused(full(&error)))
}

fn look(folder: &Path, acknowledged: u64) -> Result<Verdict, Error> {
    let reader = Ledger::open(folder, Options { read_only: true, ..options() })?;
    let seen = texts(&reader, acknowledged)?;
    drop(reader);
    let ledger = Ledger::open(folder, options())?;
    let found = match texts(&ledger, acknowledged)? {
        Ok(found) => found,
        Err(verdict) => return Ok(verdict),
    };
    if let Err(verdict) = seen {
        return Ok(verdict);
    }
    if found < texts_before(acknowledged) {
        return Ok(Verdict::Lost(format!(
            "{acknowledged} steps acknowledged, {found} texts found"
        )));
    }
    if found > texts_before(acknowledged + 1) {
        return Ok(Verdict::Wrong(format!("{acknowledged} steps acknowledged, {found} texts")));
    }
    if let Some(verdict) = effects(&ledger, folder, acknowledged)? {
        return Ok(verdict);
    }
    let (live, replayed) = (ledger.audit().digest()?, ledger.audit().replay(&Replay::default())?);
    if live != replayed {
        return Ok(Verdict::Wrong(format!("the state {live:?} is not the fold {replayed:?}")));
    }
    let mut report = verify(folder, Level::Full)?;
    if !report.findings.is_empty() {
        // What was cut short is finished by the next writer: a checkpoint takes its lock.
        let finished = ledger.checkpoints().write().and_then(|_| ledger.close());
        match finished {
            Ok(()) => report = verify(folder, Level::Full)?,
            // Without room an erasure can't be finished yet, and what it will remove is found.
            Err(error) if error.kind() == ErrorKind::Io && is_pending(&report.findings) => {
                report.findings.clear();
            }
            Err(error) => return Err(error),
        }
    } else {
        ledger.close()?;
    }
    if let Some(finding) = report.findings.first() {
        return Ok(Verdict::Wrong(format!("verification found: {finding}")));
    }
    Ok(Verdict::Sound { next: acknowledged + u64::from(found > texts_before(acknowledged)) })
}

/// Whether a verification says that an erasure waits to be finished.
fn is_pending(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.what.contains("pending"))
}

/// The number of texts, each the one that its step wrote.
fn texts(ledger: &Ledger, acknowledged: u64) -> Result<Result<u64, Verdict>, Error> {
    let mut found = 0;
    for record in ledger.records(Seq::GENESIS, None)? {
        let record = record?;
        if record.kind != memlith::log::Kind::REMEMBERED.number {
            continue;
        }
        let step = step_of(found);
        found += 1;
        match decode(&record)? {
            Some(body) => {
                let Event::Memory(MemoryEvent::Remembered(row)) = &body.event else {
                    return Ok(Err(Verdict::Wrong(format!("record {} is no text", record.seq))));
                };
                if row.text.as_str() != text_of(step) {
                    return Ok(Err(Verdict::Wrong(format!(
                        "record {} is not step {step}",
                        record.seq
                    ))));
                }
            }
            None if erased_by(step).is_some_and(|by| by <= acknowledged) => {}
            None => {
                return Ok(Err(Verdict::Lost(format!("step {step} is erased and nobody did it"))));
            }
        }
    }
    Ok(Ok(found))
}

/// The step that erases what `step` wrote.
fn erased_by(step: u64) -> Option<u64> {
    (step..step + 16).find(|&by| Step::of(by) == Step::Erase { target: step })
}

/// Checks the effects of the acknowledged steps that wrote no text.
fn effects(ledger: &Ledger, folder: &Path, acknowledged: u64) -> Result<Option<Verdict>, Error> {
    let rows = rows(ledger)?;
    let row = |step: u64| -> RecordId {
        let at = usize::try_from(texts_before(step)).unwrap_or(usize::MAX);
        rows.get(at).copied().unwrap_or_default()
    };
    let mut gone = Vec::new();
    for step in 0..acknowledged {
        let (target, wanted) = match Step::of(step) {
            Step::Invalidate { target } => (target, OwnStatus::Invalidated),
            Step::Erase { target } => (target, OwnStatus::Erased),
            Step::Remember | Step::Checkout | Step::Checkpoint => continue,
        };
        let own = ledger.show(&owner(), row(target))?.item.own;
        if own != wanted {
            return Ok(Some(Verdict::Lost(format!("step {step} left step {target} {own:?}"))));
        }
        if wanted == OwnStatus::Erased {
            gone.push(text_of(target));
        }
    }
    let canaries: Vec<&str> =
        gone.iter().filter_map(|text| text.split_whitespace().nth(8)).collect();
    Ok(leak(folder, &canaries).map(|file| {
        Verdict::Wrong(format!("{file} still holds a text whose erasure was acknowledged"))
    }))
}

/// The first file under `folder` that holds one of `words`.
fn leak(folder: &Path, words: &[&str]) -> Option<String> {
    let files = fs::read_dir(folder).ok()?;
    for path in files.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            if let Some(found) = leak(&path, words) {
                return Some(found);
            }
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        if words.iter().any(|word| text.contains(word)) {
            return Some(path.display().to_string());
        }
    }
    None
}

/// An error with all its causes.
pub(crate) fn full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
