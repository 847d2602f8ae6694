//! Effects of writes in the oracle.

use memlith::{
    Judgement, RecordId,
    write::{SaliencePolicy, TrustPolicy},
};

use super::boundary::{Seen, Sort};
use super::likened::Likened;
use super::mined::Proposal;
use super::naive::{Naive, Who, Word};
use super::vectors::Pointer;
use super::verdict::Verdict;
use super::wordings::Reworded;

/// A write, and what it becomes if it is done.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) effect: Effect,
    /// When it happened, in microseconds.
    pub(super) time: i64,
}

#[derive(Clone, Debug)]
pub(super) enum Effect {
    Text {
        text: String,
        who: Who,
        on: Option<usize>,
        verdict: Verdict,
    },
    Date {
        text: String,
        from: i64,
        until: Option<i64>,
    },
    Correct {
        text: String,
        who: Who,
        at: usize,
        is_now: bool,
    },
    Confirm {
        at: usize,
        by: Word,
    },
    Attest {
        at: usize,
        who: Who,
    },
    Doubt {
        at: usize,
        by: Word,
    },
    Choose {
        policy: SaliencePolicy,
    },
    Trust {
        policy: TrustPolicy,
    },
    Pin {
        at: usize,
        who: Who,
    },
    Unpin {
        at: usize,
    },
    Reword {
        text: String,
        who: Who,
        reworded: Reworded,
    },
    Liken {
        text: String,
        who: Who,
        judged: Likened,
    },
    Embed {
        at: usize,
        pointer: Pointer,
    },
    Note {
        text: String,
        room: u8,
        verdict: Verdict,
    },
    Run {
        session: usize,
        calls: Vec<usize>,
    },
    Mine {
        text: String,
        proposal: Proposal,
    },
    Offer {
        text: String,
        note: usize,
        verdict: Verdict,
    },
    Promote {
        at: usize,
    },
    Invalidate {
        at: usize,
        who: Who,
    },
    Review {
        at: usize,
        judgement: Judgement,
    },
    RollBack {
        at: usize,
        who: Who,
    },
    Dispute,
    Reconfirm {
        at: usize,
    },
    Erase {
        at: usize,
    },
    /// All of them, where no records are named.
    Lift {
        targets: Option<Vec<RecordId>>,
    },
    Surface {
        shown: Vec<RecordId>,
    },
    Compact,
    /// Nothing is written, whatever becomes of it.
    Nothing,
}

impl Effect {
    /// The words that it writes.
    pub(super) fn text(&self) -> Option<&str> {
        if let Effect::Text { text, .. }
        | Effect::Reword { text, .. }
        | Effect::Liken { text, .. }
        | Effect::Note { text, .. }
        | Effect::Offer { text, .. }
        | Effect::Date { text, .. }
        | Effect::Correct { text, .. } = self
        {
            return Some(text);
        }
        None
    }

    /// Whether nothing is to be written.
    pub(super) fn is_a_look(&self) -> bool {
        matches!(self, Effect::Nothing)
    }

    /// Takes in what it left in the log, at `time` in microseconds.
    pub(super) fn change(&self, naive: &mut Naive, time: i64, seen: &[Seen]) {
        let recorded_at = seen.last().map_or(time, |last| last.recorded_at);
        match self {
            Effect::Text { .. }
            | Effect::Reword { .. }
            | Effect::Liken { .. }
            | Effect::Note { .. }
            | Effect::Offer { .. } => self.say(naive, time, seen),
            Effect::Date { .. } | Effect::Correct { .. } => self.place(naive, time, seen),
            Effect::Run { session, calls } => {
                let runs = seen.iter().filter(|seen| seen.sort == Sort::Run).map(|seen| seen.id);
                naive.ran(*session, calls, &runs.collect::<Vec<_>>());
            }
            Effect::Embed { at, pointer } => naive.vectors.push((*at, *pointer)),
            Effect::Mine { text, proposal } => {
                naive.mined(first(seen, Sort::Row), text, proposal, time)
            }
            Effect::Trust { policy } => naive.trust = *policy,
            Effect::Pin { at, who } => naive.pin(*at, *who),
            Effect::Unpin { at } => naive.unpin(*at),
            Effect::RollBack { at, who } => naive.roll_back(*at, *who, recorded_at),
            Effect::Review { at, judgement } => {
                naive.review(*at, *judgement, time, recorded_at);
            }
            Effect::Confirm { at, by } => naive.confirm(*at, *by, time),
            Effect::Attest { at, who } => naive.attest(*at, *who, time),
            Effect::Doubt { at, by } => naive.doubt(*at, *by, time),
            Effect::Choose { policy } => naive.policy = *policy,
            Effect::Promote { at } => {
                naive.settle_contests(*at, Who::User.rank(), time);
                naive.promote(*at, time);
            }
            Effect::Invalidate { at, who } => naive.invalidate(*at, *who, time, recorded_at),
            Effect::Dispute | Effect::Nothing => {}
            Effect::Reconfirm { at } => naive.reconfirm(*at, Who::User, time),
            Effect::Erase { at } => {
                // Each is in the log by itself, and a fault may come between them.
                if seen.iter().any(|seen| seen.sort == Sort::Tombstones) {
                    naive.bury(*at);
                }
                if seen.iter().any(|seen| seen.sort == Sort::Erasure) {
                    naive.erase(*at);
                }
            }
            Effect::Lift { targets } => naive.lift(targets.as_deref()),
            Effect::Surface { shown } => shown.iter().for_each(|id| naive.surface(*id, time)),
            Effect::Compact => {
                for seen in seen {
                    let sources = seen.summary.as_deref().unwrap_or_default();
                    naive.summarise(seen.id, sources);
                }
            }
        }
    }

    /// Takes in what was said of a time of its own, or in the place of something.
    fn place(&self, naive: &mut Naive, time: i64, seen: &[Seen]) {
        let row = first(seen, Sort::Row);
        if let Effect::Date { text, from, until } = self {
            naive.add(row, text, Who::User, time, None);
            naive.hold(*from, *until);
            naive.settle_new(false, None);
        }
        if let Effect::Correct { text, who, at, is_now } = self {
            naive.add(row, text, *who, time, None);
            naive.correct(*at, *is_now);
        }
    }

    /// Takes in what was said, and what it left.
    fn say(&self, naive: &mut Naive, time: i64, seen: &[Seen]) {
        let (row, decision) = (first(seen, Sort::Row), first(seen, Sort::Decision));
        let adds = |naive: &mut Naive, text: &str, who, on: Option<usize>, verdict| {
            naive.add(row, text, who, time, on);
            naive.settle_new(verdict == Verdict::Waits, None);
        };
        match self {
            Effect::Text { text, who, on, verdict } => {
                let sources = on.iter().copied().collect();
                naive.repeated(*verdict, decision, text);
                if !naive.said_again(*verdict, *who, time, sources) {
                    adds(naive, text, *who, *on, *verdict);
                }
            }
            Effect::Reword { text, who, reworded: Reworded { verdict, akin } } => {
                naive.repeated(*verdict, decision, text);
                let is_left_out = matches!(verdict, Verdict::Redundant { .. });
                if !is_left_out && !naive.said_again(*verdict, *who, time, Vec::new()) {
                    adds(naive, text, *who, None, *verdict);
                }
                if let Some(at) = akin {
                    naive.note_again(*at, *who, time);
                }
            }
            Effect::Liken { text, who, judged } => {
                naive.repeated(judged.repeats(), decision, text);
                naive.liken(row, text, *who, time, judged);
            }
            Effect::Note { text, room, verdict } => {
                naive.repeated(*verdict, decision, text);
                if !naive.said_again(*verdict, Who::Assistant, time, Vec::new()) {
                    naive.add(row, text, Who::Assistant, time, None);
                    naive.keep_to(*room);
                    naive.settle_new(*verdict == Verdict::Waits, None);
                }
            }
            Effect::Offer { text, note, verdict } => {
                naive.repeated(*verdict, decision, text);
                if !naive.said_again(*verdict, Who::Assistant, time, vec![*note]) {
                    naive.claim(row, *note, time);
                }
            }
            Effect::Date { .. }
            | Effect::Correct { .. }
            | Effect::Confirm { .. }
            | Effect::Attest { .. }
            | Effect::Embed { .. }
            | Effect::Doubt { .. }
            | Effect::Choose { .. }
            | Effect::Run { .. }
            | Effect::Mine { .. }
            | Effect::Trust { .. }
            | Effect::Pin { .. }
            | Effect::Unpin { .. }
            | Effect::Promote { .. }
            | Effect::Invalidate { .. }
            | Effect::Review { .. }
            | Effect::RollBack { .. }
            | Effect::Dispute
            | Effect::Reconfirm { .. }
            | Effect::Erase { .. }
            | Effect::Lift { .. }
            | Effect::Nothing
            | Effect::Surface { .. }
            | Effect::Compact => {}
        }
    }
}

/// The first record of its sort among what a write left.
fn first(seen: &[Seen], sort: Sort) -> RecordId {
    seen.iter().find(|seen| seen.sort == sort).map(|seen| seen.id).unwrap_or_default()
}
