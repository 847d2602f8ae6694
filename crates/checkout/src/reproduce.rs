use memlith_event::{OwnStatus, Purpose, Receipt, ReceiptItem};
use memlith_log::Seq;
use memlith_recall::ModelVector;

use crate::receipt::SCORER;
use crate::{Ask, Request, TokenCounter, View, checkout};

/// The result of making the pack of a receipt again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is byte for byte the pack of the receipt.
    Reproduced,
    /// Another pack, or one that can't be made: these items were erased since.
    Affected {
        /// The erased items: those of the pack; where it held none, all of the view.
        erased: Vec<Seq>,
    },
    /// It was made by another scorer.
    NeedsScorer {
        /// The scorer's version.
        version: u32,
    },
    /// It was made on folds of another version.
    NeedsFold {
        /// The folds' version.
        version: u32,
    },
    /// Its tokens were counted by another counter.
    NeedsCounter {
        /// The counter's name.
        name: String,
    },
    /// It isn't what this ledger answers.
    Mismatch {
        /// The first difference.
        what: String,
    },
}

/// Makes the pack of `receipt`, for which `asker` asked, again from `view`, which is the state at
/// the receipt's own view, what has been erased since left out.
///
/// An erasure changes what a search finds and how it scores, so a receipt from before it
/// can't be proven any more; what it says of itself and of the records that are left is
/// still checked.
///
/// Cost: a checkout; where the pack differs, also a pass over all items.
#[must_use]
pub fn reproduce(
    view: &View<'_>,
    (receipt, asker): (&Receipt<'_>, &str),
    counter: &dyn TokenCounter,
) -> Verdict {
    if let Some(what) = misplaced(view, receipt) {
        return Verdict::Mismatch { what };
    }
    if receipt.scorer != SCORER {
        return Verdict::NeedsScorer { version: receipt.scorer };
    }
    if receipt.fold != view.head.fold {
        return Verdict::NeedsFold { version: receipt.fold };
    }
    if &*receipt.counter != counter.name() {
        return Verdict::NeedsCounter { name: receipt.counter.to_string() };
    }
    let purpose: Purpose = match receipt.purpose.parse() {
        Ok(purpose) => purpose,
        Err(unknown) => return Verdict::Mismatch { what: format!("purpose: {unknown}") },
    };
    let vector = receipt.vector.as_ref().map(ModelVector::of_event);
    if vector == Some(None) {
        return Verdict::Mismatch { what: "vector: it is none".to_owned() };
    }
    let vector = vector.flatten();
    let (query, scope) = (&receipt.query, &receipt.scope);
    let ask = Ask { query, asker, scope, now: receipt.now, vector: vector.as_ref() };
    let request = Request {
        checkout: receipt.checkout,
        ask,
        purpose,
        hints: Some(&receipt.hints),
        budget_tokens: receipt.budget_tokens,
        min_items: receipt.min_items,
        as_of: receipt.as_of,
        counter,
    };
    let again = match checkout(view, &request) {
        Ok(pack) => pack.receipt,
        Err(refused) => return Verdict::Mismatch { what: format!("request: {refused}") },
    };
    let Some(what) = difference(receipt, &again) else { return Verdict::Reproduced };
    let erased = erased(view, receipt);
    if erased.is_empty() { Verdict::Mismatch { what } } else { Verdict::Affected { erased } }
}

/// Finds what is wrong with the receipt whatever the pack: it is of another place, contradicts
/// itself, or names records that aren't there.
fn misplaced(view: &View<'_>, receipt: &Receipt<'_>) -> Option<String> {
    let head = &view.head;
    if receipt.ledger != head.ledger {
        return Some(differs("ledger", receipt.ledger, head.ledger));
    }
    if receipt.view != head.seq {
        return Some(differs("view", receipt.view, head.seq));
    }
    if receipt.chain != head.chain {
        return Some(differs("chain", receipt.chain, head.chain));
    }
    let pack = receipt.pack_digest();
    if receipt.pack != pack {
        return Some(differs("pack digest", receipt.pack, pack));
    }
    let unknown = |entry: &&ReceiptItem| {
        view.memory.item(entry.id.seq).is_none_or(|item| item.id != entry.id)
    };
    let stray = receipt.items.iter().find(unknown)?;
    Some(format!("item {} is not in this ledger", stray.id))
}

/// The first thing in which two receipts of one request differ.
fn difference(receipt: &Receipt<'_>, again: &Receipt<'_>) -> Option<String> {
    if receipt.weights != again.weights {
        return Some(differs("weights", receipt.weights, again.weights));
    }
    if receipt.policy != again.policy {
        return Some("policy".to_owned());
    }
    let (then, now) = (&receipt.items, &again.items);
    let pairs = then.iter().zip(now).enumerate();
    if let Some((at, (then, now))) = pairs.into_iter().find(|(_, (then, now))| then != now) {
        return Some(differs(&format!("item {at}"), shown(then), shown(now)));
    }
    if then.len() != now.len() {
        return Some(differs("number of items", then.len(), now.len()));
    }
    if receipt.left_out != again.left_out {
        let counts = |receipt: &Receipt<'_>| format!("{:?}", receipt.left_out);
        return Some(differs("left out", counts(receipt), counts(again)));
    }
    None
}

/// The erased items that the pack held, or else all erased ones of the view.
fn erased(view: &View<'_>, receipt: &Receipt<'_>) -> Vec<Seq> {
    let is_erased = |item: &memlith_memory::Item| item.own == OwnStatus::Erased;
    let held = receipt.items.iter().filter_map(|entry| view.memory.item(entry.id.seq));
    let mut held: Vec<Seq> = held.filter(is_erased).map(|item| item.id.seq).collect();
    held.sort_unstable();
    if held.is_empty() {
        held = view.memory.items().filter(is_erased).map(|item| item.id.seq).collect();
    }
    held
}

fn shown(entry: &ReceiptItem) -> String {
    format!("{} bytes {}..{} score {}", entry.id, entry.start, entry.end, entry.score)
}

fn differs(what: &str, then: impl std::fmt::Display, now: impl std::fmt::Display) -> String {
    format!("{what}: the receipt says {then}, the ledger {now}")
}
