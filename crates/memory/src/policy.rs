use memlith_event::{LeftOutReason, Tier};
use memlith_log::Timestamp;

use crate::authority::Authority;
use crate::item::{Item, ItemFlags};
use crate::memory::Memory;

/// Whether an item may be in a pack, under the trust policy `balanced`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// It may, with this authority stated.
    Shown(Authority),
    /// It may not.
    LeftOut(LeftOutReason),
}

/// The least tier that is shown without being asked for.
const UNPROMPTED_TIER: Tier = Tier(3);

impl Memory {
    /// Whether `item` may be shown at `now`; `asked` says that a query named it.
    ///
    /// Text of tools, files and the web is shown on a query alone, and labelled; a
    /// record or a summary never without one.
    #[must_use]
    pub fn visibility(&self, item: &Item, now: Timestamp, asked: bool) -> Visibility {
        let authority = self.authority_of(item, now);
        if !authority.is_shown() {
            return Visibility::LeftOut(LeftOutReason::Authority);
        }
        let trusted = item.tier >= UNPROMPTED_TIER || item.flags.has(ItemFlags::ACCEPTED);
        if !asked && (item.is_record() || item.is_summary() || !trusted) {
            return Visibility::LeftOut(LeftOutReason::Trust);
        }
        Visibility::Shown(authority)
    }

    /// Whether a memory of `tier` enters as active; below, it waits for review.
    pub(crate) fn enters_active(tier: Tier) -> bool {
        tier >= UNPROMPTED_TIER
    }
}
