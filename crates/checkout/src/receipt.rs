//! Everything that a pack depended on, written down so that anyone can make it again.

use std::collections::BTreeMap;

use memlith_event::{LeftOut, Receipt, ReceiptItem, Text, pack_digest};
use memlith_log::Digest;
use memlith_recall::{ModelVector, WEIGHTS};

use crate::{Cited, Excluded, Request, View};

/// The version of everything that decides what a pack holds, from the query's words to
/// the walk. Another version may give another pack for the same receipt.
pub const SCORER: u32 = 12;

/// The version of the rendering.
pub const RENDER: u32 = 8;

pub(crate) fn write(
    view: &View<'_>,
    request: &Request<'_>,
    items: &[Cited],
    left_out: &[Excluded],
) -> Receipt<'static> {
    let (head, ask) = (&view.head, &request.ask);
    let items: Vec<ReceiptItem> = items.iter().map(entry).collect();
    Receipt {
        checkout: request.checkout,
        ledger: head.ledger,
        view: head.seq,
        chain: head.chain,
        query: ask.query.to_owned().into(),
        scope: ask.scope.clone().into_owned(),
        purpose: request.purpose.name().into(),
        as_of: request.as_of,
        now: ask.now,
        budget_tokens: request.budget_tokens,
        min_items: request.min_items,
        counter: Text::from(request.counter.name().to_owned()),
        policy: view.memory.policy_record(),
        weights: weights(),
        scorer: SCORER,
        fold: head.fold,
        render: RENDER,
        left_out: counted(left_out),
        pack: pack_digest(&items),
        items,
        hints: request.hints.cloned().unwrap_or_default().into_owned(),
        vector: ask.vector.map(ModelVector::embedding),
    }
}

fn entry(cited: &Cited) -> ReceiptItem {
    let excerpt = &cited.excerpt;
    ReceiptItem { id: cited.id, start: excerpt.start, end: excerpt.end, score: cited.score }
}

fn counted(left_out: &[Excluded]) -> Vec<LeftOut> {
    let mut counts = BTreeMap::new();
    for excluded in left_out {
        *counts.entry(excluded.reason).or_insert(0_u32) += 1;
    }
    counts.into_iter().map(|(reason, count)| LeftOut { reason, count }).collect()
}

/// The digest of the scorer's weights.
pub(crate) fn weights() -> Digest {
    let mut hasher = blake3::Hasher::new_derive_key("memlith v1 weights");
    for (name, weight) in WEIGHTS.each() {
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update(&weight.to_le_bytes());
    }
    Digest(*hasher.finalize().as_bytes())
}
