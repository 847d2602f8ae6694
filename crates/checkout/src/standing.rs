//! The pinned block, with which a pack begins whatever is asked.
//!
//! Its items, their order and their excerpts don't depend on the query, nor on anything that
//! is learned: as long as no pinned item changes, every pack of a scope and a purpose begins
//! with the same bytes, and a provider's cache of prompts holds them.

use std::cmp::Reverse;

use memlith_event::Purpose;
use memlith_memory::{Item, Memory, Sight, Visibility};

use crate::{Ask, purpose};

/// The block has so many items at most.
///
/// Source: `docs/model.md`, "The pinned block".
const ITEMS_MAX: usize = 12;

/// Their excerpts have so many tokens together at most, whatever the budget: a quarter of a
/// usual one.
pub(crate) const TOKENS_MAX: u32 = 480;

/// The pinned items that a pack for `purpose` begins with, ascending: of too many, those
/// pinned by the highest ranks, and of equal ones the newest.
pub(crate) fn block(memory: &Memory, ask: &Ask<'_>, purpose: Purpose) -> Vec<Item> {
    let mut items = memory.pinned(&Sight::of(ask.scope));
    items.retain(|item| is_shown(memory, item, ask, purpose));
    items.sort_unstable_by_key(|item| (Reverse(item.pinner), Reverse(item.id.seq)));
    items.truncate(ITEMS_MAX);
    items.sort_unstable_by_key(|item| item.id.seq);
    items
}

/// Nobody asked for it: what is shown only on a query isn't in the block, pinned or not.
fn is_shown(memory: &Memory, item: &Item, ask: &Ask<'_>, purpose: Purpose) -> bool {
    match memory.visibility(item, ask.now, false) {
        Visibility::LeftOut(_) => false,
        Visibility::Shown(authority) => {
            purpose::left_out(purpose, memory, item, authority, ask.now).is_none()
        }
    }
}
