use memlith::{Judgement, RecordId, SaliencePolicy, Seq};

use super::naive::{Naive, Verdict, Who, Word};

/// What the ledger knew when an event had just been written.
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

/// A write, and what it becomes if it is done.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) effect: Effect,
    /// When it happened, in microseconds.
    pub(super) time: i64,
}

#[derive(Clone, Debug)]
pub(super) enum Effect {
    Text { text: String, who: Who, on: Option<usize>, verdict: Verdict },
    Correct { text: String, at: usize },
    Confirm { at: usize, by: Word },
    Doubt { at: usize, by: Word },
    Choose { policy: SaliencePolicy },
    Promote { at: usize },
    Invalidate { at: usize, who: Who },
    Review { at: usize, judgement: Judgement },
    RollBack { at: usize, who: Who },
    Dispute,
    Reconfirm { at: usize },
    Erase { at: usize },
    Surface { shown: Vec<RecordId> },
    Compact,
}

/// A record that the oracle takes notice of.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) id: RecordId,
    pub(super) is_row: bool,
    pub(super) recorded_at: i64,
    /// What it rests on, where it is a summary that can be read.
    pub(super) summary: Option<Vec<RecordId>>,
}

impl Timeline {
    pub(super) fn new(genesis: RecordId) -> Timeline {
        let first = Boundary { first: genesis.seq, last: genesis, naive: Naive::default() };
        Timeline { boundaries: vec![first], synced: 0, attempt: None }
    }

    /// The present state.
    pub(super) fn now(&self) -> &Naive {
        static NOTHING: Naive =
            Naive { items: Vec::new(), policy: SaliencePolicy::Default, summaries: Vec::new() };
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
        match effect {
            Effect::Text { text, who, on, verdict } => match verdict {
                Verdict::Restated(at) => naive.restate(*at, *who, *time, false),
                Verdict::Revived(at) => naive.restate(*at, *who, *time, true),
                Verdict::Reopened(at) => naive.reconfirm(*at, *who, *time),
                Verdict::Refused
                | Verdict::Added
                | Verdict::Waits
                | Verdict::Reviewed(_)
                | Verdict::Changed(_)
                | Verdict::Disputed
                | Verdict::Known => {
                    naive.add(row_of(seen), text, *who, *time, *on);
                    naive.settle_new(*verdict == Verdict::Waits, None);
                }
            },
            Effect::Correct { text, at } => {
                naive.add(row_of(seen), text, Who::Tool, *time, None);
                naive.settle_new(true, Some(*at));
            }
            Effect::RollBack { at, who } => naive.roll_back(*at, *who, last.recorded_at),
            Effect::Review { at, judgement } => {
                naive.review(*at, *judgement, *time, last.recorded_at);
            }
            Effect::Confirm { at, by } => naive.confirm(*at, *by, *time),
            Effect::Doubt { at, by } => naive.doubt(*at, *by, *time),
            Effect::Choose { policy } => naive.policy = *policy,
            Effect::Promote { at } => naive.promote(*at, *time),
            Effect::Invalidate { at, who } => naive.invalidate(*at, *who, *time, last.recorded_at),
            Effect::Dispute => {}
            Effect::Reconfirm { at } => naive.reconfirm(*at, Who::User, *time),
            Effect::Erase { at } => naive.erase(*at),
            Effect::Surface { shown } => shown.iter().for_each(|id| naive.surface(*id, *time)),
            Effect::Compact => {
                for seen in seen {
                    let sources = seen.summary.as_deref().unwrap_or_default();
                    naive.summarise(seen.id, sources);
                }
            }
        }
        // An erasure is several batches; whatever else is done is one.
        let first = match effect {
            Effect::Erase { .. } => last.id.seq,
            Effect::Text { .. }
            | Effect::Correct { .. }
            | Effect::Review { .. }
            | Effect::RollBack { .. }
            | Effect::Confirm { .. }
            | Effect::Doubt { .. }
            | Effect::Choose { .. }
            | Effect::Promote { .. }
            | Effect::Invalidate { .. }
            | Effect::Dispute
            | Effect::Reconfirm { .. }
            | Effect::Compact
            | Effect::Surface { .. } => seen.first().map_or(last.id.seq, |seen| seen.id.seq),
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
            (more, Some(attempt)) if is_all => self.advance(&attempt, more),
            (more, _) => return Err(format!("wrong: {} records that nobody wrote", more.len())),
        }
        self.synced = self.synced.min(self.boundaries.len() - 1);
        Ok(())
    }
}

/// The row among what a write left.
fn row_of(seen: &[Seen]) -> RecordId {
    seen.iter().find(|seen| seen.is_row).map(|seen| seen.id).unwrap_or_default()
}
