use memlith_log::{Digest, LedgerId, RecordId, Seq, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Embedding, Hints, Scope, Text};

/// Everything a checkout depended on and what it showed, so that it can be run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt<'a> {
    /// The checkout.
    pub checkout: CheckoutId,
    /// The ledger that was read.
    pub ledger: LedgerId,
    /// The last sequence that was visible.
    pub view: Seq,
    /// The chain value there.
    pub chain: Digest,
    /// The query as it was searched, secrets already redacted.
    #[serde(borrow)]
    pub query: Text<'a>,
    /// The scope of the query.
    pub scope: Scope<'a>,
    /// The purpose the checkout was for.
    pub purpose: Text<'a>,
    /// The sequence asked for with as-of, where it was.
    pub as_of: Option<Seq>,
    /// The instant that decay and validity were computed for.
    pub now: Timestamp,
    /// The budget, in tokens of what a model is given.
    pub budget_tokens: u32,
    /// The number of items that were asked for however little they answer.
    pub min_items: u32,
    /// The token counter.
    pub counter: Text<'a>,
    /// The last choice of a policy, of whatever matter, where there was one: with those
    /// before it, it says what was in force.
    pub policy: Option<Seq>,
    /// The digest of the scorer's weights.
    pub weights: Digest,
    /// The version of the scorer.
    pub scorer: u32,
    /// The version of the folds.
    pub fold: u32,
    /// The version of the rendering.
    pub render: u32,
    /// The items that were shown, in the order shown.
    pub items: Vec<ReceiptItem>,
    /// The items that were not shown, counted by reason, ascending.
    pub left_out: Vec<LeftOut>,
    /// BLAKE3 over record hashes, excerpt ranges and scores in order.
    pub pack: Digest,
    /// The hints of the one who asked.
    pub hints: Hints<'a>,
    /// The vector of the query, where one was handed in.
    pub vector: Option<Embedding<'a>>,
}

impl Receipt<'_> {
    /// Computes the digest of its pack again.
    #[must_use]
    pub fn pack_digest(&self) -> Digest {
        pack_digest(&self.items)
    }
}

/// The digest of a pack: which records, which part of each, with which score, in order.
///
/// Source: `docs/proofs.md`, "Checking a proof".
#[must_use]
pub fn pack_digest(items: &[ReceiptItem]) -> Digest {
    let mut hasher = blake3::Hasher::new_derive_key("memlith v1 pack");
    for item in items {
        hasher.update(&item.id.seq.0.to_le_bytes());
        hasher.update(&item.id.hash);
        hasher.update(&item.start.to_le_bytes());
        hasher.update(&item.end.to_le_bytes());
        hasher.update(&item.score.to_le_bytes());
    }
    Digest(*hasher.finalize().as_bytes())
}

/// The random identity of a checkout; text form 32 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CheckoutId(pub [u8; 16]);

/// One item of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptItem {
    /// The item.
    pub id: RecordId,
    /// The first byte of the excerpt in the item's text.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
    /// The quantised score.
    pub score: i64,
}

/// How many items were left out for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The reason.
    pub reason: LeftOutReason,
    /// How many.
    pub count: u32,
}

/// Why a candidate is not in the pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// The budget was used up before it.
    Budget,
    /// It is not active, or not valid now: invalidated, superseded, stale, expired.
    Authority,
    /// Its trust tier keeps it from this pack.
    Trust,
    /// Web text would have been more than its share of the pack.
    WebShare,
    /// It has faded, and something of its tier answers better.
    Attenuated,
    /// It says what an item already in the pack says.
    Duplicate,
    /// The purpose wants more than text of tools, files or the web that nobody stands behind.
    Unvouched,
    /// The purpose wants no unreviewed thing that was made from other items.
    Derived,
    /// The purpose wants what holds: all that it rests on has a newer value, guarded as much.
    Outdated,
    /// Something that is guarded as much answers many times as well.
    Faint,
}
