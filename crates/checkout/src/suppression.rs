//! What a purpose leaves out that a general checkout shows.
//!
//! Each rule looks at what no rank below an item's guard can change: its guard, which only
//! rises; how it was made; and whether what took the place of its sources is guarded as much
//! as it is. Disputes hide nothing: every one of them comes from below the guard, or the item
//! would be out, so hiding for them would give everybody a veto.

use memlith_event::{LeftOutReason, Purpose};
use memlith_log::Timestamp;
use memlith_memory::{Authority, Item, ItemFlags, Memory};

use crate::newer;

/// What a purpose leaves out.
///
/// Source: `docs/model.md`, "Purposes", which says why of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Rules {
    /// What is guarded less: text of tools, files or the web that nobody stands behind.
    guard: u8,
    /// What was made from other items, unless review accepted it.
    derived: bool,
    /// What has newer values in the place of all it rests on, guarded as much as it is.
    outdated: bool,
}

/// Text of the web that nobody above the web stands behind is guarded less.
const ABOVE_THE_WEB: u8 = 2;

/// Text of tools and files, too.
const SAID_BY_SOMEBODY: u8 = 3;

impl Rules {
    fn of(purpose: Purpose) -> Rules {
        let (guard, derived, outdated) = match purpose {
            Purpose::General | Purpose::Research | Purpose::Product => (0, false, false),
            Purpose::Coding | Purpose::Coordinate => (0, false, true),
            Purpose::Review => (0, true, false),
            Purpose::Release | Purpose::Sales => (ABOVE_THE_WEB, true, true),
            Purpose::Security => (ABOVE_THE_WEB, true, false),
            Purpose::Support => (ABOVE_THE_WEB, false, true),
            Purpose::Legal => (SAID_BY_SOMEBODY, true, false),
            Purpose::Executive => (SAID_BY_SOMEBODY, false, true),
        };
        Rules { guard, derived, outdated }
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
        assert_eq!(Rules::of(Purpose::General), Rules::default());
        let strict = Purpose::ALL.map(Rules::of).into_iter().filter(|rules| rules.derived);
        assert_eq!(strict.count(), 5);
    }
}
