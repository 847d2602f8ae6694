use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use memlith_event::OwnStatus;
use memlith_log::{Seq, Timestamp};
use serde::{Serialize, Serializer};

use crate::assertion::Assertion;
use crate::item::Item;
use crate::memory::Memory;

/// Whether an item stands at an instant, and if not, why: the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Authority {
    /// Its body is gone.
    Erased,
    /// It was declared wrong; a record: it was withdrawn.
    Invalidated,
    /// Review refused it.
    Rejected,
    /// It was taken back with the decision that made it, or made moot by another write.
    Retracted,
    /// It waits for review.
    Pending,
    /// Nothing that it rests on is left.
    Stale,
    /// Another memory has taken its place.
    Superseded,
    /// Its own end has passed.
    Expired,
    /// It doesn't hold yet.
    Future,
    /// It stands, and so does one that contradicts it.
    Contested,
    /// It stands, but everything it rests on has a newer value.
    Outdated,
    /// It stands.
    Active,
}

impl Authority {
    /// Every one.
    pub const ALL: [Authority; 12] = [
        Authority::Erased,
        Authority::Invalidated,
        Authority::Rejected,
        Authority::Retracted,
        Authority::Pending,
        Authority::Stale,
        Authority::Superseded,
        Authority::Expired,
        Authority::Future,
        Authority::Contested,
        Authority::Outdated,
        Authority::Active,
    ];

    /// Whether an item of this authority may be shown in a default checkout.
    #[must_use]
    pub fn is_shown(self) -> bool {
        matches!(self, Authority::Active | Authority::Contested | Authority::Outdated)
    }

    /// The label in output.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Authority::Erased => "erased",
            Authority::Invalidated => "invalidated",
            Authority::Rejected => "rejected",
            Authority::Retracted => "retracted",
            Authority::Pending => "pending",
            Authority::Stale => "stale",
            Authority::Superseded => "superseded",
            Authority::Expired => "expired",
            Authority::Future => "future",
            Authority::Contested => "contested",
            Authority::Outdated => "outdated",
            Authority::Active => "active",
        }
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl Serialize for Authority {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

impl Memory {
    /// The authority of the item at `seq` at the instant `now`.
    ///
    /// Cost: O(log n), and for a memory that rests on others also the size of what it
    /// rests on, directly and indirectly.
    #[must_use]
    pub fn authority(&self, seq: Seq, now: Timestamp) -> Option<Authority> {
        Some(self.authority_of(&self.items.get(&seq)?, now))
    }

    /// Returns the authority, as [`Memory::authority`] does, of an item that was read already.
    pub(crate) fn authority_of(&self, item: &Item, now: Timestamp) -> Authority {
        let authority = self.standing_of(item, now);
        // A record rests on nothing, and has no validity.
        // A summary is of what is over.
        let may_be_outdated =
            authority == Authority::Active && !item.is_record() && !item.is_summary();
        if may_be_outdated && self.contested_with(item.id.seq, now).next().is_some() {
            return Authority::Contested;
        }
        if may_be_outdated && self.is_outdated(item.id.seq, now) {
            return Authority::Outdated;
        }
        authority
    }

    /// The authority without the look at what the item rests on.
    fn standing(&self, seq: Seq, now: Timestamp) -> Option<Authority> {
        Some(self.standing_of(&self.items.get(&seq)?, now))
    }

    fn standing_of(&self, item: &Item, now: Timestamp) -> Authority {
        match item.own {
            OwnStatus::Erased => return Authority::Erased,
            OwnStatus::Invalidated => return Authority::Invalidated,
            OwnStatus::Rejected => return Authority::Rejected,
            OwnStatus::Retracted => return Authority::Retracted,
            OwnStatus::Pending => return Authority::Pending,
            OwnStatus::Active => {}
        }
        if item.is_stale() {
            return Authority::Stale;
        }
        if item.is_summary() {
            let closed = self.closed(item.id.seq).is_some();
            return if closed { Authority::Superseded } else { Authority::Active };
        }
        let assertion = (!item.is_record()).then(|| self.assertions.get(&item.id.seq)).flatten();
        assertion.map_or(Authority::Active, |assertion| self.standing_in_time(&assertion, now))
    }

    fn standing_in_time(&self, assertion: &Assertion, now: Timestamp) -> Authority {
        if self.closed(assertion.seq).is_some_and(|(_, at)| at <= now) {
            Authority::Superseded
        } else if assertion.valid_until <= now {
            Authority::Expired
        } else if now < assertion.valid_from {
            Authority::Future
        } else {
            Authority::Active
        }
    }

    /// Whether every intact justification has a member that is superseded, expired or
    /// itself outdated. Only a claim without an end of its own speaks of the present.
    fn is_outdated(&self, seq: Seq, now: Timestamp) -> bool {
        let mut outdated = BTreeMap::new();
        // Members come first, so a deep chain needs no recursion.
        for memory in self.rested_on(seq) {
            let verdict = self.outdated_given(memory, now, &outdated);
            outdated.insert(memory, verdict);
        }
        outdated.get(&seq).copied().unwrap_or(false)
    }

    /// The memory and everything that it rests on, ascending.
    fn rested_on(&self, seq: Seq) -> BTreeSet<Seq> {
        let (mut found, mut waiting) = (BTreeSet::new(), vec![seq]);
        while let Some(memory) = waiting.pop() {
            // A procedure says what was done: no newer value makes that another.
            if found.insert(memory) && self.required(memory).is_none() {
                let members =
                    self.justifications(memory).into_iter().flat_map(|(_, members)| members);
                waiting.extend(members);
            }
        }
        found
    }

    fn outdated_given(&self, seq: Seq, now: Timestamp, known: &BTreeMap<Seq, bool>) -> bool {
        let open = self.assertions.get(&seq).is_some_and(|row| row.valid_until == Assertion::OPEN);
        let speaks = open && self.required(seq).is_none();
        let Some(item) = self.items.get(&seq).filter(|_| speaks) else { return false };
        let range = (seq, Seq(0), Seq(0))..=(seq, Seq::MAX, Seq::MAX);
        let rows: Vec<_> = self.justifications.range(range).collect();
        let mut intact = rows
            .chunk_by(|a, b| a.given_by == b.given_by)
            .filter(|given| self.broken_by(given, &item) == 0)
            .peekable();
        let passed = |member: Seq| {
            let standing = self.standing(member, now);
            known.get(&member) == Some(&true)
                || matches!(standing, Some(Authority::Superseded | Authority::Expired))
        };
        intact.peek().is_some()
            && intact.all(|given| {
                given.iter().any(|row| row.member != row.given_by && passed(row.member))
            })
    }
}
