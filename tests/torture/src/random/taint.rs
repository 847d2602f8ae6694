//! The oracle's rules for all that an item led to.

use memlith::{
    Authority, RecordId,
    read::{OwnStatus, Tainted},
};

use super::naive::{Naive, NaiveItem};

impl Naive {
    /// Returns the items that rest on the item, would correct it or did, directly or not.
    fn led_to(&self, at: usize) -> Vec<usize> {
        let mut reached = vec![at];
        for (index, item) in self.items.iter().enumerate().skip(at + 1) {
            let mut through = item.justifications.iter().flatten().chain(&item.against);
            if through.any(|source| reached.contains(source)) {
                reached.push(index);
            }
        }
        reached.split_off(1)
    }
}

/// Of memories exactly those are listed that the item led to, and each stands as it has to.
pub(super) fn check(naive: &Naive, at: usize, listed: &[Tainted]) -> Result<(), String> {
    let led_to = naive.led_to(at);
    let of = |at: &usize| naive.items.get(*at);
    // What is erased has no links any more.
    if led_to.iter().filter_map(of).any(|item| item.own == OwnStatus::Erased) {
        return Ok(());
    }
    let expected: Vec<RecordId> = led_to.iter().filter_map(of).map(|item| item.id).collect();
    let index = |tainted: &Tainted| naive.items.iter().position(|item| item.id == tainted.id);
    let memories: Vec<(usize, &Tainted)> =
        listed.iter().filter_map(|tainted| Some((index(tainted)?, tainted))).collect();
    let found: Vec<RecordId> = memories.iter().map(|(_, tainted)| tainted.id).collect();
    if found != expected {
        return Err(format!("wrong: {found:?} are tainted, not {expected:?}"));
    }
    for (at, tainted) in memories {
        let is_active = of(&at).map(|item: &NaiveItem| item.own) == Some(OwnStatus::Active);
        let is_stale = is_active && naive.stale(at).is_some();
        if (tainted.authority == Some(Authority::Stale)) != is_stale {
            return Err(format!("wrong: {} is {:?}", tainted.id, tainted.authority));
        }
    }
    Ok(())
}
