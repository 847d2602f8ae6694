use memlith::{
    RecordId, Seq,
    write::{SaliencePolicy, TrustPolicy},
};

use super::effect::{Attempt, Effect};
use super::naive::Naive;

/// State of the ledger when an event had just been written.
#[derive(Clone, Debug)]
pub(super) struct Boundary {
    /// The first record of the batch that led here.
    pub(super) first: Seq,
    /// The last record that is an event or an erasure.
    pub(super) last: RecordId,
    pub(super) naive: Naive,
}

/// Every state there was, and how much of it no crash may take.
#[derive(Debug)]
pub(super) struct Timeline {
    pub(super) boundaries: Vec<Boundary>,
    /// The last boundary that is known to be synced.
    pub(super) synced: usize,
    /// A write whose outcome nobody knows.
    pub(super) attempt: Option<Attempt>,
}

/// A record that the oracle takes notice of.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) id: RecordId,
    pub(super) sort: Sort,
    pub(super) recorded_at: i64,
    /// Sources of the record, where it is a summary that can be read.
    pub(super) summary: Option<Vec<RecordId>>,
}

/// Kind of a record, as the oracle sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A memory, or a procedure.
    Row,
    /// It tells of a tool that ran.
    Run,
    /// A decision about a write.
    Decision,
    /// Tombstones for what is erased next.
    Tombstones,
    Erasure,
    Other,
}

impl Timeline {
    pub(super) fn new(genesis: RecordId) -> Timeline {
        let first = Boundary { first: genesis.seq, last: genesis, naive: Naive::default() };
        Timeline { boundaries: vec![first], synced: 0, attempt: None }
    }

    /// The present state.
    pub(super) fn now(&self) -> &Naive {
        static NOTHING: Naive = Naive {
            items: Vec::new(),
            policy: SaliencePolicy::Default,
            trust: TrustPolicy::Balanced,
            summaries: Vec::new(),
            moved_pins: Vec::new(),
            contests: Vec::new(),
            vectors: Vec::new(),
            tombstones: Vec::new(),
        };
        self.boundaries.last().map_or(&NOTHING, |boundary| &boundary.naive)
    }

    pub(super) fn last(&self) -> RecordId {
        self.boundaries.last().map(|boundary| boundary.last).unwrap_or_default()
    }

    /// The last record of the boundary at `at`.
    pub(super) fn seq_of(&self, at: usize) -> Seq {
        self.boundaries.get(at).map_or(Seq::GENESIS, |boundary| boundary.last.seq)
    }

    /// Takes in what a write left in the log.
    pub(super) fn advance(&mut self, attempt: &Attempt, seen: &[Seen]) {
        let Some(last) = seen.last() else { return };
        let mut naive = self.now().clone();
        let Attempt { effect, time } = attempt;
        effect.change(&mut naive, *time, seen);
        // An erasure is several batches; whatever else is done is one.
        let first = match (effect, seen.first()) {
            (Effect::Erase { .. }, _) | (_, None) => last.id.seq,
            (_, Some(first)) => first.id.seq,
        };
        self.boundaries.push(Boundary { first, last: last.id, naive });
    }

    /// Compares what is in the log with what was told; at least the boundaries up to
    /// `floor` have to be there.
    pub(super) fn settle(&mut self, floor: usize, seen: &[Seen]) -> Result<(), String> {
        let attempt = self.attempt.take();
        let found = |boundary: &Boundary| {
            boundary.last.seq == Seq::GENESIS || seen.iter().any(|seen| seen.id == boundary.last)
        };
        let kept = self.boundaries.iter().take_while(|boundary| found(boundary)).count();
        if kept <= floor {
            return Err(format!("lost: {floor} writes have to be there, {} are", kept.max(1) - 1));
        }
        let known = self.seq_of(kept - 1);
        let more: Vec<Seen> = seen.iter().filter(|seen| seen.id.seq > known).cloned().collect();
        let is_all = kept == self.boundaries.len();
        self.boundaries.truncate(kept);
        match (more.as_slice(), attempt) {
            ([], _) => {}
            (more, Some(attempt)) if is_all && !attempt.effect.is_a_look() => {
                self.advance(&attempt, more);
            }
            (more, _) => return Err(format!("wrong: {} records that nobody wrote", more.len())),
        }
        self.synced = self.synced.min(self.boundaries.len() - 1);
        Ok(())
    }
}
