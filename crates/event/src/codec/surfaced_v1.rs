//! The body of kind 97 in its first version: a receipt without hints.
//!
//! A showing without hints is written in this version still; a later one adds them behind
//! the receipt.

use memlith_log::{Digest, LedgerId, RecordId, Seq, Timestamp};
use serde::Deserialize;

use crate::{CheckoutId, Hints, LeftOut, Receipt, ReceiptItem, Scope, Surfaced, Text, Weight};

/// As [`Surfaced`].
#[derive(Deserialize)]
pub(super) struct SurfacedV1<'a> {
    targets: Vec<RecordId>,
    weight: Option<Weight>,
    #[serde(borrow)]
    receipt: Option<Box<ReceiptV1<'a>>>,
}

/// As [`Receipt`], without hints.
#[derive(Deserialize)]
struct ReceiptV1<'a> {
    checkout: CheckoutId,
    ledger: LedgerId,
    view: Seq,
    chain: Digest,
    #[serde(borrow)]
    query: Text<'a>,
    scope: Scope<'a>,
    purpose: Text<'a>,
    as_of: Option<Seq>,
    now: Timestamp,
    budget_tokens: u32,
    counter: Text<'a>,
    policy: Option<Seq>,
    weights: Digest,
    scorer: u32,
    fold: u32,
    render: u32,
    items: Vec<ReceiptItem>,
    left_out: Vec<LeftOut>,
    pack: Digest,
}

impl<'a> From<SurfacedV1<'a>> for Surfaced<'a> {
    fn from(old: SurfacedV1<'a>) -> Surfaced<'a> {
        let receipt = old.receipt.map(|receipt| Box::new(Receipt::from(*receipt)));
        Surfaced { targets: old.targets, weight: old.weight, receipt }
    }
}

impl<'a> From<ReceiptV1<'a>> for Receipt<'a> {
    fn from(old: ReceiptV1<'a>) -> Receipt<'a> {
        Receipt {
            checkout: old.checkout,
            ledger: old.ledger,
            view: old.view,
            chain: old.chain,
            query: old.query,
            scope: old.scope,
            purpose: old.purpose,
            as_of: old.as_of,
            now: old.now,
            budget_tokens: old.budget_tokens,
            counter: old.counter,
            policy: old.policy,
            weights: old.weights,
            scorer: old.scorer,
            fold: old.fold,
            render: old.render,
            items: old.items,
            left_out: old.left_out,
            pack: old.pack,
            hints: Hints::default(),
        }
    }
}
