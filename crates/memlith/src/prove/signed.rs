//! Signed heads of a ledger, and proofs of its records under them.

use std::collections::BTreeMap;
use std::ops::Range;

use memlith_event::{Event, MemoryEvent, Receipt};
use memlith_log::{Digest, LogEvent, Payload, Record, RecordId, Seq};
use memlith_proof::{Answer, BLOCK, Root, TreeReader};
pub use memlith_proof::{
    Certificate, Checked, Claim, Cosignature, Erasure, Error as ProofError, Growth, Head, Proof,
    ProvenRecord, Scan, Shown, SignedHead, SigningKey, Tree, VerifierKey, WitnessKey,
    WitnessVerifier, witness,
};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::body_of;
use crate::ledger::Ledger;
use crate::prove::head::HeadVerdict;
use crate::prove::receipts::Audit;

impl Audit<'_> {
    /// The tree of this ledger that covers nothing yet.
    #[must_use]
    pub fn new_tree(&self) -> Tree {
        Tree::new(self.ledger.id())
    }

    /// Signs the head of the last record that is known to be on the disk, and brings `tree` up to
    /// it. `last` is the head that was signed last: nothing is signed that did not grow out of it,
    /// and nothing older. The same tree, kept, makes the next head cost only the records since.
    ///
    /// Cost: one pass over the records that `tree` does not cover, 1 GB a second.
    ///
    /// # Errors
    /// [`Error::Proof`] if the ledger is not what `tree` or `last` was made of: another one, or
    /// taken back, or written anew; and the log's.
    pub fn sign(
        &self,
        (tree, last): (&mut Tree, Option<&Head>),
        key: &SigningKey,
    ) -> Result<SignedHead, Error> {
        let end = self.ledger.refresh()?.seq;
        if let Some(last) = last {
            let is_there = last.seq() <= end;
            if !is_there || self.ledger.log.read(last.seq())?.chain != last.chain {
                let reason = "the ledger does not hold the head that was signed last";
                return Err(memlith_proof::Error::Fork { reason }.into());
            }
        }
        // An unsynced end may be gone after a power cut, and a head of it would show a fork.
        let synced = self.ledger.synced().map_or(end, |synced| synced.min(end));
        let least = last.map_or(0, |last| last.size);
        let head = self.head_at(tree, least.max(synced.0 + 1))?;
        Ok(head.sign(key)?)
    }

    /// The head of the first `size` records; brings `tree` up to it.
    ///
    /// # Errors
    /// Those of [`Audit::sign`].
    pub fn head_at(&self, tree: &mut Tree, size: u64) -> Result<Head, Error> {
        self.grow(tree, size)?;
        let root = self.reading(tree, size, |reader| reader.root())?;
        let chain = self.ledger.log.read(Seq(size.saturating_sub(1)))?.chain;
        Ok(Head { ledger: self.ledger.id(), size, root, chain })
    }

    /// Compares the ledger with a signed head whose signature was checked: its chain, and its root.
    /// Where a record is destroyed and `tree` doesn't cover it, the chain alone is compared, and it
    /// is [`HeadVerdict::Unbound`] at best: a full verification says whether a loss binds it.
    ///
    /// Cost: one pass over the records that `tree` does not cover.
    ///
    /// # Errors
    /// [`Error::Proof`], and the log's.
    pub fn compare(&self, tree: &mut Tree, signed: &Head) -> Result<HeadVerdict, Error> {
        let found = self.ledger.id();
        if found != signed.ledger {
            return Ok(HeadVerdict::OtherLedger { found });
        }
        let end = self.ledger.refresh()?.seq;
        if end < signed.seq() {
            return Ok(HeadVerdict::RolledBack { end });
        }
        let chain = self.ledger.log.read(signed.seq())?.chain;
        let root = match self.head_at(tree, signed.size) {
            Ok(own) => Ok(own.root),
            Err(Error::Proof(memlith_proof::Error::Destroyed { seq })) => Err(seq),
            Err(error) => return Err(error),
        };
        Ok(match root {
            _ if chain != signed.chain => HeadVerdict::Forked { found: chain },
            Err(destroyed) => HeadVerdict::Unbound { destroyed },
            Ok(root) if root == signed.root => HeadVerdict::Holds,
            Ok(_) => HeadVerdict::Forked { found: chain },
        })
    }

    /// Whether the ledger holds an erasure as a certificate states it: its record, no words in the
    /// records that it names, and both heads. The signature is for [`Certificate::check`].
    ///
    /// Cost: one pass over the records.
    ///
    /// # Errors
    /// The log's.
    pub fn holds_erasure(&self, tree: &mut Tree, stated: &Erasure) -> Result<bool, Error> {
        for head in stated.before.iter().chain([&stated.after]) {
            if self.compare(tree, head)? != HeadVerdict::Holds {
                return Ok(false);
            }
        }
        let (erasure, hash) = stated.erasure;
        // A head that holds stands for every record that its statement can name.
        let last = stated.records.last().copied().unwrap_or_default().max(erasure);
        if last > stated.after.seq() || self.ledger.log.read(erasure)?.record_hash != hash {
            return Ok(false);
        }
        for seq in &stated.records {
            if self.ledger.log.read(*seq)?.body().is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Proves a record under a signed head: that it is there, and, if it holds the receipt of a
    /// checkout, the words that the answer showed. Only what `caller` sees is proven.
    ///
    /// Cost: 256 records read for each record of the proof.
    ///
    /// # Errors
    /// [`Error::NoRecord`] of what isn't there or the caller's scope doesn't see, [`Error::Proof`]
    /// if the record is newer than the head or the receipt is of another ledger, and the log's.
    pub fn prove(
        &self,
        caller: &Caller,
        (tree, head, key): (&Tree, &SignedHead, &VerifierKey),
        id: RecordId,
    ) -> Result<Proof, Error> {
        let record = self.ledger.inspect(caller, id)?.record;
        let proven = |record: &Record| -> Result<ProvenRecord, Error> {
            let path =
                self.reading(tree, head.head().size, |reader| reader.inclusion(record.seq))?;
            Ok(ProvenRecord::of(record, path))
        };
        let body = body_of(&record).map_err(|source| Error::Decode { seq: record.seq, source })?;
        let event = body.map(|body| body.event);
        let receipt = if let Some(Event::Memory(MemoryEvent::Surfaced(surfaced))) = event {
            surfaced.receipt
        } else {
            None
        };
        let claim = match receipt {
            None => Claim::Record(proven(&record)?),
            Some(receipt) => {
                let (shown, items) = self.shown(caller, &receipt)?;
                let mut records: BTreeMap<Seq, Record> = items;
                records.insert(record.seq, record.clone());
                let records = records.values().map(proven).collect::<Result<_, Error>>()?;
                let question = receipt.query.to_string();
                Claim::Answer(Answer { answer: id.seq, question, shown, records })
            }
        };
        Ok(Proof { head: head.clone(), key: key.clone(), claim })
    }

    /// Proves that a signed head grew out of an older one.
    ///
    /// # Errors
    /// [`Error::Proof`] of an older head that is larger, and the log's.
    pub fn prove_growth(
        &self,
        (tree, head, key): (&Tree, &SignedHead, &VerifierKey),
        (old, old_key): (&SignedHead, &VerifierKey),
    ) -> Result<Proof, Error> {
        let old_size = old.head().size;
        let consistency =
            self.reading(tree, head.head().size, |reader| reader.consistency(old_size))?;
        let (old, old_key) = (old.clone(), old_key.clone());
        let claim = Claim::Growth(Box::new(Growth { old, old_key, consistency }));
        Ok(Proof { head: head.clone(), key: key.clone(), claim })
    }

    /// Roots of complete subtrees of the first `size` records: see
    /// [`TreeReader::nodes`](memlith_proof::TreeReader::nodes).
    ///
    /// # Errors
    /// [`Error::Proof`] of a subtree that is not complete, and the log's.
    pub fn nodes(
        &self,
        tree: &Tree,
        (size, level): (u64, u32),
        range: Range<u64>,
    ) -> Result<Vec<Root>, Error> {
        self.reading(tree, size, |reader| reader.nodes(level, range))
    }

    /// Adds the blocks of the first `size` records that `tree` lacks.
    fn grow(&self, tree: &mut Tree, size: u64) -> Result<(), Error> {
        let (expected, found) = (tree.ledger(), self.ledger.id());
        if expected != found {
            return Err(memlith_proof::Error::OtherLedger { expected, found }.into());
        }
        if let Some((seq, chain)) = tree.end() {
            let is_there = seq <= self.ledger.log.head().seq;
            if !is_there || self.ledger.log.read(seq)?.chain != chain {
                let reason = "the ledger does not hold the records that were signed before";
                return Err(memlith_proof::Error::Fork { reason }.into());
            }
        }
        let whole = size / BLOCK * BLOCK;
        if whole <= tree.covered() {
            return Ok(());
        }
        let mut leaves = Vec::new();
        for record in self.ledger.log.scan(Seq(tree.covered()), Seq(whole - 1)) {
            let record = record?;
            leaves.push(leaf(&record)?);
            if leaves.len() as u64 == BLOCK {
                tree.push(&leaves, record.chain)?;
                leaves.clear();
            }
        }
        Ok(())
    }

    /// Runs `read` on the tree of the first `size` records.
    fn reading<T>(
        &self,
        tree: &Tree,
        size: u64,
        read: impl FnOnce(&TreeReader<'_>) -> Result<T, memlith_proof::Error>,
    ) -> Result<T, Error> {
        let leaves = |range: Range<u64>| {
            let last = Seq(range.end.saturating_sub(1));
            let records = self.ledger.log.scan(Seq(range.start), last);
            records.map(|record| leaf(&record.map_err(unreadable)?)).collect()
        };
        Ok(read(&tree.reader(size, &leaves)?)?)
    }

    /// The words that a receipt says were shown, and the records they are of.
    fn shown(
        &self,
        caller: &Caller,
        receipt: &Receipt<'_>,
    ) -> Result<(Vec<Shown>, BTreeMap<Seq, Record>), Error> {
        if receipt.ledger != self.ledger.id() {
            let reason = "its receipt is of another ledger, which this one was restored from";
            return Err(memlith_proof::Error::Answer { reason: reason.to_owned() }.into());
        }
        let (mut shown, mut records) = (Vec::new(), BTreeMap::new());
        for item in &receipt.items {
            let record = self.ledger.show(caller, item.id)?.record;
            let seq = record.seq;
            let body = body_of(&record).map_err(|source| Error::Decode { seq, source })?;
            let text = body.as_ref().and_then(|body| body.event.item_text());
            let within = item.start as usize..item.end as usize;
            let text = text.as_ref().and_then(|text| text.get(within));
            shown.push(Shown { seq, text: text.map(str::to_owned) });
            records.insert(seq, record);
        }
        Ok((shown, records))
    }
}

impl Ledger {
    /// Notes that heads are signed by another key from here on: a record of the log.
    ///
    /// # Errors
    /// The log's.
    pub fn note_key_rotation(&self, old: &SigningKey, new: &SigningKey) -> Result<Seq, Error> {
        let event = LogEvent::KeyRotated { old_key: old.id(), new_key: new.id() };
        self.locked(|writer, _, _| Ok(writer.note(&event)?.seq))
    }
}

fn leaf(record: &Record) -> Result<Digest, memlith_proof::Error> {
    match record.payload {
        Payload::Destroyed => Err(memlith_proof::Error::Destroyed { seq: record.seq }),
        Payload::Present { .. } | Payload::Erased { .. } => Ok(record.record_hash),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unreadable(error: memlith_log::Error) -> memlith_proof::Error {
    memlith_proof::Error::Read { reason: error.to_string() }
}
