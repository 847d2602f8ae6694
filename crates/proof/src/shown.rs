use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{Event, MemoryEvent, Receipt, ReceiptItem};
use memlith_log::{Digest, LedgerId, RecordId, Seq};

use crate::error::Error;
use crate::record::ProvenRecord;

/// An item of an answer, with the words that were shown of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The item's record.
    pub seq: Seq,
    /// The words; `None` if they are erased.
    pub text: Option<String>,
}

/// The records of an answer, checked, by sequence, each with its hash.
type Records<'a> = BTreeMap<Seq, (&'a ProvenRecord, Digest)>;

/// Reads what an answer showed from the records of it and of its items.
///
/// # Errors
/// [`Error::Answer`] where the record of the answer holds no receipt, the receipt contradicts
/// itself or the records, or a record is missing or too many.
pub(crate) fn shown(
    ledger: LedgerId,
    answer: Seq,
    records: &Records<'_>,
) -> Result<(String, Vec<Shown>), Error> {
    let refused = |reason: &str| Error::Answer { reason: reason.to_owned() };
    let (record, _) = records.get(&answer).ok_or_else(|| refused("its own record is missing"))?;
    let body = record.body().ok_or_else(|| refused("its own record is erased or unreadable"))?;
    let Event::Memory(MemoryEvent::Surfaced(surfaced)) = &body.event else {
        return Err(refused("its record is no observation"));
    };
    let receipt = surfaced.receipt.as_deref().ok_or_else(|| refused("it has no receipt"))?;
    check_receipt(ledger, answer, receipt)?;
    let mut shown = Vec::with_capacity(receipt.items.len());
    let mut needed = BTreeSet::from([answer]);
    for item in &receipt.items {
        needed.insert(item.id.seq);
        shown.push(item_of(receipt, item, records)?);
    }
    if let Some(stray) = records.keys().find(|seq| !needed.contains(seq)) {
        return Err(refused(&format!("record {stray} is none of its items")));
    }
    Ok((receipt.query.to_string(), shown))
}

fn check_receipt(ledger: LedgerId, answer: Seq, receipt: &Receipt<'_>) -> Result<(), Error> {
    let refused = |reason: &str| Err(Error::Answer { reason: reason.to_owned() });
    if receipt.ledger != ledger {
        return refused("its receipt is of another ledger");
    }
    if receipt.view >= answer {
        return refused("its receipt saw itself");
    }
    if receipt.pack != receipt.pack_digest() {
        return refused("its receipt contradicts its own digest");
    }
    Ok(())
}

fn item_of(
    receipt: &Receipt<'_>,
    item: &ReceiptItem,
    records: &Records<'_>,
) -> Result<Shown, Error> {
    let seq = item.id.seq;
    let refused = |reason: &str| Error::Answer { reason: format!("item {}: {reason}", item.id) };
    let (record, hash) = records.get(&seq).ok_or_else(|| refused("its record is missing"))?;
    if seq > receipt.view {
        return Err(refused("it is newer than the answer's view"));
    }
    if RecordId::new(seq, hash) != item.id {
        return Err(refused("its record has another hash"));
    }
    if record.is_erased() {
        return Ok(Shown { seq, text: None });
    }
    let body = record.body().ok_or_else(|| refused("its record is unreadable"))?;
    let text = body.event.item_text().ok_or_else(|| refused("its record has no words"))?;
    let range = item.start as usize..item.end as usize;
    let text = text.get(range).ok_or_else(|| refused("its excerpt lies outside of its words"))?;
    Ok(Shown { seq, text: Some(text.to_owned()) })
}
