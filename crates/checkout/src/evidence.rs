//! Which items count as evidence, by a rule that anybody can check.
//!
//! It looks at what was found and shown, never at how long the log is.

use std::collections::BTreeSet;

use memlith_event::{Key, Purpose};
use memlith_memory::{Authority, ItemFlags};
use serde::Serialize;

use crate::candidate::Candidate;
use crate::purpose::Rules;

/// The evidence in a pack, against what its purpose wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Evidence {
    /// The items shown that are evidence.
    pub items: u32,
    /// From how many witnesses they are: an actor in a session is one.
    pub witnesses: u32,
    /// How many witnesses the purpose wants.
    pub needed: u32,
}

/// The witnesses whose evidence is in a pack.
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

/// Whether an item may be taken for evidence: on the point by its own words, holding now, spoken
/// against by nobody, said by somebody, and no question itself.
pub(crate) fn is_evidence(candidate: &Candidate, disputed: bool, purpose: Purpose) -> bool {
    let item = &candidate.item;
    let reviewed = !item.is_derived() || item.flags.has(ItemFlags::ACCEPTED);
    says_enough(candidate, candidate.own)
        && candidate.authority == Authority::Active
        && !disputed
        && !candidate.attenuated
        && !candidate.anothers
        && reviewed
        && !candidate.is_question
        && item.guard >= Rules::of(purpose).evidence_guard()
}

/// Whether the item has enough of what the query asks for, or a short one before it has.
fn is_on_the_point(candidate: &Candidate) -> bool {
    says_enough(candidate, candidate.signals.coverage)
}

fn says_enough(candidate: &Candidate, coverage: i64) -> bool {
    let circumstance = if candidate.circumstance { QUARTER } else { 0 };
    coverage.saturating_add(circumstance) > HALF
}

/// Whether it is on the point, or at least of a day or an actor that the query names.
pub(crate) fn is_near(candidate: &Candidate) -> bool {
    is_on_the_point(candidate) || candidate.circumstance
}
