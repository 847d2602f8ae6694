//! What has taken the place of what an outdated item rests on.

use std::collections::BTreeSet;

use memlith_log::{RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Item, Memory, Visibility};

use crate::Ask;

/// The values that hold in the place of what the item at `seq` rests on, directly or
/// not; ascending. Only what the asker may be shown is named.
pub(crate) fn values(memory: &Memory, seq: Seq, ask: &Ask<'_>) -> Vec<RecordId> {
    let (mut found, mut seen, mut waiting) = (BTreeSet::new(), BTreeSet::new(), vec![seq]);
    while let Some(next) = waiting.pop() {
        let members = memory.justifications(next).into_iter().flat_map(|(_, members)| members);
        for member in members.filter(|member| seen.insert(*member)) {
            if memory.authority(member, ask.now) == Some(Authority::Superseded) {
                found.extend(successor(memory, member, ask));
            }
            waiting.push(member);
        }
    }
    found.into_iter().collect()
}

/// Whether all that took the place of what `item` rests on, directly or not, is guarded at
/// least as much as the item; `false` where nothing did.
///
/// Not whether that may be shown: who takes out the newer value would otherwise take out the
/// item with it, whatever the item's guard.
pub(crate) fn replaced_by_equals(memory: &Memory, item: &Item, now: Timestamp) -> bool {
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![item.id.seq]);
    let mut replaced = false;
    while let Some(next) = waiting.pop() {
        let members = memory.justifications(next).into_iter().flat_map(|(_, members)| members);
        for member in members.filter(|member| seen.insert(*member)) {
            if memory.authority(member, now) == Some(Authority::Superseded) {
                let by = memory.closed(member).and_then(|(by, _)| memory.item(by));
                if by.is_none_or(|by| by.guard < item.guard) {
                    return false;
                }
                replaced = true;
            }
            waiting.push(member);
        }
    }
    replaced
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
