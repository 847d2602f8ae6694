use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Result, ensure};
use memlith::{
    Caller, Ledger, Options, Remember, WriteOutcome,
    copy::{Format, ImportOptions},
    storage::Durability,
    write::Outcome,
};

use crate::novelty::Measured;
use crate::novelty::texts::{MARKED, Memories, Sort, Text};
use crate::plan::{Cache, Plan};
use crate::size::Size;
use crate::workload::Workload;
use memlith_verbs::context::Context;

/// A ledger of a length, and what asking it took.
pub(super) struct Subject {
    pub(super) plan: Remembering,
    ledger: Ledger,
    caller: Caller,
    pub(super) by_sort: BTreeMap<Sort, Measured>,
}

/// The log of the workload with memories all through it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remembering {
    pub(super) size: Size,
    seed: u64,
}

/// A memory is written after so many events.
const EVENTS_EACH: u64 = 50;

/// Number of events imported at once.
const STEP: u64 = 1_000;

impl Subject {
    /// The ledger of a size and seed, built if it isn't kept yet.
    pub(super) fn open(size: Size, seed: u64, cache: &Cache, context: &Context) -> Result<Subject> {
        let plan = Remembering { size, seed };
        let build = |dir: &Path| plan.build(dir);
        let kept = cache.kept(&plan.name(), &build, context)?;
        let ledger = Ledger::open(&kept, Options { read_only: true, ..Options::default() })?;
        Ok(Subject { plan, ledger, caller: caller(), by_sort: BTreeMap::new() })
    }

    /// Asks what a text adds; unheard unless it is `timed`, so that what it needs is in memory.
    pub(super) fn ask(&mut self, text: &Text, timed: bool) -> Result<()> {
        let ask = || -> Result<_> { Ok(self.ledger.noted(&self.caller, &text.text)?) };
        if timed {
            let measured = self.by_sort.entry(text.sort).or_default();
            let noted = measured.timed.run(ask)?;
            measured.bodies += noted.bodies;
            measured.postings += noted.postings;
            measured.told += usize::from(text.sort.is(noted.novelty));
            return Ok(());
        }
        ask().map(drop)
    }

    /// All sorts together.
    pub(super) fn all(&self) -> Measured {
        let mut all = Measured::default();
        self.by_sort.values().for_each(|measured| all.add(measured));
        all
    }
}

impl Remembering {
    pub(super) fn memories(&self) -> u64 {
        self.size.events() / EVENTS_EACH
    }

    /// Imports and remembers in turn, writes a checkpoint before the tail.
    fn build(&self, dir: &Path) -> Result<()> {
        let buffered = Options { durability: Durability::Buffered, ..Options::default() };
        let ledger = Ledger::create(dir, buffered)?;
        let (caller, events) = (caller(), self.size.events());
        let (mut log, mut memories) =
            (Workload::new(self.seed, events, 0), Memories::new(self.seed));
        let (mut imported, mut remembered) = (0, 0);
        let tail = Plan::usual(self.size, self.seed).tail;
        while imported < events {
            let step =
                if imported < events - tail { STEP.min(events - tail - imported) } else { tail };
            log.go_on(step);
            ledger.import(Format::Eventloom, BufReader::new(&mut log), ImportOptions::default())?;
            imported += step;
            while remembered < imported / EVENTS_EACH {
                let text = memories.next(self.is_marked(remembered));
                let written = ledger.remember(&caller, Remember { text, ..Remember::default() })?;
                let added = matches!(
                    written.outcome,
                    WriteOutcome::Decided { outcome: Outcome::Added, pending: false, .. }
                );
                ensure!(added, "not a new memory: {written:?}");
                remembered += 1;
            }
            if imported == events - tail {
                ledger.checkpoints().write()?;
            }
        }
        Ok(ledger.close()?)
    }

    /// Whether the memory of this number is one that texts are made of.
    fn is_marked(&self, number: u64) -> bool {
        let (all, marked) = (self.memories(), MARKED.min(self.memories()));
        let before = |number: u64| number * marked / all;
        before(number + 1) > before(number)
    }

    fn name(&self) -> String {
        let plan = Plan::usual(self.size, self.seed);
        format!("{}-memories{EVENTS_EACH}", plan.name())
    }
}

/// Returns the caller that remembers and asks, when everything has happened.
fn caller() -> Caller {
    Caller { now: Some(Workload::end()), ..Caller::user("default", "bench") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_memories_lie_evenly_and_are_told_from_new_texts() {
        let plan = Remembering { size: "4.2MB".parse().unwrap(), seed: 1 };
        let marked: Vec<u64> = (0..plan.memories()).filter(|one| plan.is_marked(*one)).collect();
        assert_eq!((plan.memories(), marked.len()), (82, 64));
        assert!(marked.windows(2).all(|pair| pair[1] - pair[0] <= 2));
    }
}
