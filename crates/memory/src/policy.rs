use memlith_event::{LeftOutReason, PendingReason, Rank, Tier, TrustPolicy};
use memlith_log::Timestamp;

use crate::authority::Authority;
use crate::item::{Item, ItemFlags};
use crate::memory::Memory;

/// Whether an item may be in a pack, under the trust policy in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// It may, with this authority stated.
    Shown(Authority),
    /// It may not.
    LeftOut(LeftOutReason),
}

/// The tier of the assistant: below it stand tools, files and the web.
const ASSISTANT: Tier = Tier(3);

/// The tier of tools and files.
const TOOL: Tier = Tier(2);

impl Memory {
    /// Whether `item` may be shown at `now`; `asked` says that a query named it.
    ///
    /// Text of tools, files and the web is shown on a query alone, and labelled, where the
    /// policy shows it at all; a record or a summary never without one. What `strict` shows
    /// `balanced` shows too, and what that shows `open` does.
    #[must_use]
    pub fn visibility(&self, item: &Item, now: Timestamp, asked: bool) -> Visibility {
        let authority = self.authority_of(item, now);
        if !authority.is_shown() {
            return Visibility::LeftOut(LeftOutReason::Authority);
        }
        let unasked = !asked && (item.is_record() || item.is_summary());
        if unasked || !is_trusted(self.trust_policy().0, item, asked) {
            return Visibility::LeftOut(LeftOutReason::Trust);
        }
        Visibility::Shown(authority)
    }

    /// Why a memory of `tier` waits for review under the policy in force, if it does.
    pub(crate) fn waits(&self, tier: Tier) -> Option<PendingReason> {
        let reason =
            if tier < ASSISTANT { PendingReason::Extracted } else { PendingReason::TrustRule };
        (tier < least_standing(self.trust_policy().0)).then_some(reason)
    }
}

/// The least tier whose memories stand without review, and are shown without being asked for.
fn least_standing(policy: TrustPolicy) -> Tier {
    match policy {
        TrustPolicy::Strict => Tier::USER,
        TrustPolicy::Balanced => ASSISTANT,
        TrustPolicy::Open => TOOL,
    }
}

/// Whether `policy` lets `item` be shown, whatever its status.
pub(crate) fn is_trusted(policy: TrustPolicy, item: &Item, asked: bool) -> bool {
    let accepted = item.flags.has(ItemFlags::ACCEPTED);
    if !asked {
        // An assistant's own that stood before the choice needs a person's word now.
        let spoken_for = item.tier >= ASSISTANT && is_a_persons(item);
        return item.tier >= least_standing(policy) || accepted || spoken_for;
    }
    match policy {
        TrustPolicy::Strict => item.tier >= ASSISTANT || accepted || is_a_persons(item),
        TrustPolicy::Balanced | TrustPolicy::Open => true,
    }
}

/// Whether a person stands behind the item, by a word of their own or a review.
fn is_a_persons(item: &Item) -> bool {
    item.guard >= Rank::User.level()
}
