//! Whether a pack is enough to answer from, by a rule that anybody can check.
//!
//! It looks at what was found and shown, never at how long the log is; a larger budget shows
//! more evidence, so it never makes the verdict worse.

use std::collections::BTreeSet;

use memlith_event::{Key, Purpose};
use memlith_memory::{Authority, ItemFlags};
use serde::{Serialize, Serializer};

use crate::candidate::Candidate;
use crate::purpose::Rules;

/// What a pack is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Answerability {
    /// Nothing on the point was found: somebody who knows has to be asked.
    #[default]
    Ask,
    /// Something was, but what is shown is no evidence, or too little for the purpose: look
    /// again, or at the source.
    Refresh,
    /// There is evidence.
    Answer,
}

/// What of a pack is evidence, against what its purpose wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Evidence {
    /// The items shown that are evidence.
    pub items: u32,
    /// From how many witnesses they are: an actor in a session is one.
    pub witnesses: u32,
    /// How many witnesses the purpose wants.
    pub needed: u32,
}

/// Whose evidence is in a pack.
#[derive(Debug, Default)]
pub(crate) struct Witnesses {
    seen: BTreeSet<(Key, Key)>,
    items: u32,
}

/// An item that has more than half of what the query asks for, by how rare its words are, is on the
/// point, in millionths.
const HALF: i64 = 500_000;

/// A day or an actor that the query names, and the item is of, is worth a quarter.
const QUARTER: i64 = 250_000;

/// The whole of a signal.
pub(crate) const SIGNAL_WHOLE: i64 = 1_000_000;

impl Answerability {
    /// The name that is printed.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Answerability::Answer => "answer",
            Answerability::Refresh => "refresh",
            Answerability::Ask => "ask",
        }
    }

    /// The verdict on a pack of this evidence, where `among` is all that may be shown.
    ///
    /// Source: `docs/model.md`, "Answerability".
    pub(crate) fn of(evidence: Evidence, among: &[Candidate]) -> Answerability {
        if evidence.items > 0 && evidence.witnesses >= evidence.needed {
            Answerability::Answer
        } else if among.iter().any(is_near) {
            Answerability::Refresh
        } else {
            Answerability::Ask
        }
    }
}

impl Serialize for Answerability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

impl Witnesses {
    /// Takes in an item of evidence that is shown.
    pub(crate) fn take(&mut self, candidate: &Candidate) {
        self.seen.insert((candidate.item.actor, candidate.item.session));
        self.items = self.items.saturating_add(1);
    }

    pub(crate) fn evidence(&self, purpose: Purpose) -> Evidence {
        let witnesses = u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
        Evidence { items: self.items, witnesses, needed: Rules::of(purpose).witnesses }
    }
}

/// Whether an item may be taken for evidence: on the point, holding now, spoken against by
/// nobody, said by somebody, and no question itself.
pub(crate) fn is_evidence(candidate: &Candidate, disputed: bool, purpose: Purpose) -> bool {
    let item = &candidate.item;
    let reviewed = !item.is_derived() || item.flags.has(ItemFlags::ACCEPTED);
    is_on_the_point(candidate)
        && candidate.authority == Authority::Active
        && !disputed
        && !candidate.attenuated
        && !candidate.anothers
        && reviewed
        && !candidate.is_question
        && item.guard >= Rules::of(purpose).evidence_guard()
}

/// Whether the item has enough of what the query asks for.
fn is_on_the_point(candidate: &Candidate) -> bool {
    let circumstance = if candidate.circumstance { QUARTER } else { 0 };
    candidate.signals.coverage.saturating_add(circumstance) > HALF
}

/// Whether it is on the point, or at least of a day or an actor that the query names.
pub(crate) fn is_near(candidate: &Candidate) -> bool {
    is_on_the_point(candidate) || candidate.circumstance
}
