//! Rules by which a purpose leaves out what a general checkout shows, and what evidence it wants.
//!
//! Each rule looks at what no rank below an item's guard can change: its guard, which only
//! rises; how it was made; and whether what took the place of its sources is guarded as much
//! as it is. Disputes hide nothing: every one of them comes from below the guard, or the item
//! would be out, so hiding for them would give everybody a veto.

use memlith_event::{LeftOutReason, Purpose};
use memlith_log::Timestamp;
use memlith_memory::{Authority, Item, ItemFlags, Memory};

use crate::newer;

/// Kinds of items that a purpose leaves out, and the evidence it wants.
///
/// Source: `docs/model.md`, "Purposes", which says why of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Rules {
    /// The least guard of an item: it leaves out text of tools, files or the web that nobody
    /// stands behind.
    guard: u8,
    /// Whether it leaves out what was made from other items, unless review accepted it.
    derived: bool,
    /// Whether it leaves out what has newer values in the place of all it rests on, guarded as much
    /// as it is.
    outdated: bool,
    /// How many witnesses it wants: two where one mistake costs most.
    pub(crate) witnesses: u32,
}

/// Text of the web that nobody above the web stands behind is guarded less.
const ABOVE_THE_WEB: u8 = 2;

/// Text of tools and files, too.
const SAID_BY_SOMEBODY: u8 = 3;

impl Rules {
    pub(crate) fn of(purpose: Purpose) -> Rules {
        let (guard, derived, outdated, witnesses) = match purpose {
            Purpose::General | Purpose::Research | Purpose::Product => (0, false, false, 1),
            Purpose::Coding | Purpose::Coordinate => (0, false, true, 1),
            Purpose::Review => (0, true, false, 1),
            Purpose::Release => (ABOVE_THE_WEB, true, true, 2),
            Purpose::Sales => (ABOVE_THE_WEB, true, true, 1),
            Purpose::Security => (ABOVE_THE_WEB, true, false, 2),
            Purpose::Support => (ABOVE_THE_WEB, false, true, 1),
            Purpose::Legal => (SAID_BY_SOMEBODY, true, false, 2),
            Purpose::Executive => (SAID_BY_SOMEBODY, false, true, 1),
        };
        Rules { guard, derived, outdated, witnesses }
    }

    /// The least guard of evidence: web text that nobody above the web stands behind is none
    /// for any purpose.
    pub(crate) fn evidence_guard(self) -> u8 {
        self.guard.max(ABOVE_THE_WEB)
    }
}

/// Why `purpose` leaves out `item`, which may be shown with this authority at `now`.
pub(crate) fn left_out(
    purpose: Purpose,
    memory: &Memory,
    item: &Item,
    authority: Authority,
    now: Timestamp,
) -> Option<LeftOutReason> {
    let rules = Rules::of(purpose);
    if item.guard < rules.guard {
        return Some(LeftOutReason::Unvouched);
    }
    if rules.derived && item.is_derived() && !item.flags.has(ItemFlags::ACCEPTED) {
        return Some(LeftOutReason::Derived);
    }
    let outdated = rules.outdated && authority == Authority::Outdated;
    let replaced = outdated && newer::replaced_by_equals(memory, item, now);
    replaced.then_some(LeftOutReason::Outdated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_general_checkout_leaves_nothing_out_for_its_purpose() {
        let nothing = Rules { witnesses: 1, ..Rules::default() };
        assert_eq!(Rules::of(Purpose::General), nothing);
        let strict = Purpose::ALL.map(Rules::of).into_iter().filter(|rules| rules.derived);
        assert_eq!(strict.count(), 5);
    }
}
