//! The body of kind 97 in each of its versions: what stands behind the receipt differs.
//!
//! A showing is written in the first version that has room for all it says.

use memlith_log::{Digest, LedgerId, RecordId, Seq, Timestamp};
use serde::Deserialize;

use crate::{
    CheckoutId, Embedding, Hints, LeftOut, MemoryEvent, Receipt, ReceiptItem, Scope, Surfaced,
    Text, Weight,
};

/// As [`Surfaced`], with `T` behind what every receipt has.
#[derive(Deserialize)]
pub(super) struct SurfacedWith<'a, T> {
    targets: Vec<RecordId>,
    weight: Option<Weight>,
    #[serde(borrow)]
    receipt: Option<Box<ReceiptWith<'a, T>>>,
}

/// As [`Receipt`], with `T` behind what every one has.
#[derive(Deserialize)]
struct ReceiptWith<'a, T> {
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
    rest: T,
}

/// The vector of a query, as a receipt without hints has it.
pub(super) type Vector<'a> = Option<Embedding<'a>>;

/// What stands behind a receipt.
pub(super) trait Rest<'a> {
    /// As the last fields of a receipt.
    fn fields(self) -> (Hints<'a>, Vector<'a>);
}

impl<'a> Rest<'a> for () {
    fn fields(self) -> (Hints<'a>, Vector<'a>) {
        (Hints::default(), None)
    }
}

impl<'a> Rest<'a> for Hints<'a> {
    fn fields(self) -> (Hints<'a>, Vector<'a>) {
        (self, None)
    }
}

impl<'a> Rest<'a> for Vector<'a> {
    fn fields(self) -> (Hints<'a>, Vector<'a>) {
        (Hints::default(), self)
    }
}

impl<'a, T: Rest<'a>> From<SurfacedWith<'a, T>> for MemoryEvent<'a> {
    fn from(old: SurfacedWith<'a, T>) -> MemoryEvent<'a> {
        let receipt = old.receipt.map(|receipt| Box::new(Receipt::from(*receipt)));
        MemoryEvent::Surfaced(Surfaced { targets: old.targets, weight: old.weight, receipt })
    }
}

impl<'a, T: Rest<'a>> From<ReceiptWith<'a, T>> for Receipt<'a> {
    fn from(old: ReceiptWith<'a, T>) -> Receipt<'a> {
        let (hints, vector) = old.rest.fields();
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
            hints,
            vector,
        }
    }
}
