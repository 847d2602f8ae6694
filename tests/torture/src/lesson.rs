//! A session that teaches what it was told.

use memlith::copy::{Format, ImportOptions};
use memlith::{Caller, Error, Ledger, Scope};
use memlith_writeback::{
    ExtractError, Extracted, Extraction, Extractor, JobEnd, JobQueue, Statement, Turn, What,
};

use crate::engine_workload::{SESSION, ana, remembered};
use crate::known::Batch;

/// Takes every word of a person for what they hold true.
struct Believing;

impl Extractor for Believing {
    fn name(&self) -> &'static str {
        "believing"
    }

    fn claim_us(&self) -> i64 {
        1
    }

    fn extract(&self, _: &Scope<'_>, turns: &[Turn]) -> Result<Extracted, ExtractError> {
        let mut found = Extraction::default();
        for turn in turns {
            if let What::User(text) = &turn.what {
                let (text, evidence) = (text.clone(), vec![turn.id]);
                found.facts.push(Statement { text, evidence, lifted: true });
            }
        }
        Ok(Extracted::Found(found))
    }
}

/// Takes in a session, named by its only words.
pub(crate) fn said(ledger: &Ledger, text: &str) -> Result<(), Error> {
    let line = format!(
        "{{\"type\":\"user\",\"uuid\":\"{text}\",\"sessionId\":\"{text}\",\
         \"timestamp\":\"2026-01-01T00:00:00Z\",\
         \"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
    );
    let options = ImportOptions { scope: ana().scope, ..ImportOptions::default() };
    ledger.import(Format::ClaudeCode, line.as_bytes(), options).map(drop)
}

/// Returns the batch that taking in the session appends.
pub(crate) fn session(text: &str) -> Batch {
    [SESSION.to_vec(), text.as_bytes().to_vec(), SESSION.to_vec()].into()
}

/// Returns the batches that learning from the session appends.
pub(crate) fn taught(text: &str) -> [Batch; 4] {
    let one = |body: &[u8]| Batch::from([body.to_vec()]);
    [one(b"queued"), one(b"attempted"), remembered(text), one(b"applied")]
}

/// Learns from the session at once; whether all was applied.
pub(crate) fn learn(ledger: &Ledger, text: &str) -> Result<bool, Error> {
    let caller: Caller = ana().session(text);
    let runs = JobQueue::of(ledger).run_before(&caller, &Believing, ledger.now())?;
    Ok(runs.len() == 1 && runs.iter().all(|run| matches!(run.end, JobEnd::Applied(_))))
}
