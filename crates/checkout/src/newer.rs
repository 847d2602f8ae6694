//! Finds the items that took the place of what an outdated item rests on.

use std::collections::BTreeSet;

use memlith_log::{RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Item, Memory, Visibility};

use crate::Ask;

/// The values that hold in the place of what the item at `seq` rests on, directly or
/// not; ascending. Only what the asker may be shown is named.
pub(crate) fn values(memory: &Memory, seq: Seq, ask: &Ask<'_>) -> Vec<RecordId> {
    let superseded = superseded_below(memory, seq, ask.now);
    let values = superseded.filter_map(|member| successor(memory, member, ask));
    values.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether all that took the place of what `item` rests on, directly or not, is guarded at
/// least as much as the item; `false` where nothing did.
///
/// Not whether that may be shown: who takes out the newer value would otherwise take out the
/// item with it, whatever the item's guard.
pub(crate) fn replaced_by_equals(memory: &Memory, item: &Item, now: Timestamp) -> bool {
    let by = |member| memory.closed(member).and_then(|(by, _)| memory.item(by));
    let is_equal = |member| by(member).is_some_and(|by| by.guard >= item.guard);
    let mut superseded = superseded_below(memory, item.id.seq, now).peekable();
    superseded.peek().is_some() && superseded.all(is_equal)
}

/// Items that the one at `seq` rests on, directly or not, and that were superseded; each once.
fn superseded_below(memory: &Memory, seq: Seq, now: Timestamp) -> impl Iterator<Item = Seq> {
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![seq]);
    let below = std::iter::from_fn(move || {
        let members = memory.justifications(waiting.pop()?).into_iter();
        let members = members.flat_map(|(_, members)| members);
        let fresh: Vec<Seq> = members.filter(|member| seen.insert(*member)).collect();
        waiting.extend(&fresh);
        Some(fresh)
    });
    let is_superseded = move |seq: &Seq| memory.authority(*seq, now) == Some(Authority::Superseded);
    below.flatten().filter(is_superseded)
}

/// The row that holds where the one at `seq` was superseded.
fn successor(memory: &Memory, seq: Seq, ask: &Ask<'_>) -> Option<RecordId> {
    let mut passed = BTreeSet::from([seq]);
    let mut at = seq;
    while let Some((by, _)) = memory.closed(at).filter(|(_, begun)| *begun <= ask.now) {
        if !passed.insert(by) {
            return None;
        }
        at = by;
    }
    let item = memory.item(at).filter(|item| Memory::sees(ask.scope, item))?;
    let shown = matches!(memory.visibility(&item, ask.now, true), Visibility::Shown(_));
    (shown && at != seq).then_some(item.id)
}
