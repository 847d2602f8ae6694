//! Signed heads of a ledger, and proofs of its records under them.

use std::collections::BTreeSet;
use std::ops::Range;

use memlith_event::{Event, MemoryEvent};
use memlith_log::{Digest, LogEvent, Payload, Record, RecordId, Seq};
use memlith_proof::{Answer, BLOCK, Growth, ProvenRecord, RecordProof, Root, Shown, TreeReader};
pub use memlith_proof::{
    Checked, Cosignature, Error as ProofError, Head, Proof, SignedHead, SigningKey, Tree,
    VerifierKey, WitnessKey, witness,
};

use crate::error::Error;
use crate::fold::state::body_of;
use crate::ledger::Ledger;
use crate::prove::head::HeadVerdict;
use crate::prove::receipts::Audit;

/// A signed head, and the key that its signature is checked with.
pub type Signed<'a> = (&'a SignedHead, &'a VerifierKey);

impl Audit<'_> {
    /// The tree of this ledger that covers nothing yet.
    #[must_use]
    pub fn new_tree(&self) -> Tree {
        Tree::new(self.ledger.id())
    }

    /// Signs the head of the last record that is known to be on the disk, and brings `tree` up to
    /// it. The same tree, kept, makes the next head cost only the records since.
    ///
    /// Cost: one pass over the records that `tree` does not cover, 1 GB a second.
    ///
    /// # Errors
    /// [`Error::Proof`] if the ledger is not the one that `tree` was made from: another one, or
    /// taken back, or written anew; and the log's.
    pub fn sign(&self, tree: &mut Tree, key: &SigningKey) -> Result<SignedHead, Error> {
        let head = self.ledger.refresh()?.seq;
        // An unsynced end may be gone after a power cut, and a head of it would show a fork.
        let seq = self.ledger.synced().map_or(head, |synced| synced.min(head));
        let head = self.head_at(tree, seq.0 + 1)?;
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
        let own = self.head_at(tree, signed.size)?;
        let is_same = own.chain == signed.chain && own.root == signed.root;
        Ok(if is_same { HeadVerdict::Holds } else { HeadVerdict::Forked { found: own.chain } })
    }

    /// Proves a record under a signed head: that it is there, and, if it holds the receipt of a
    /// checkout, the words that the answer showed.
    ///
    /// Cost: 256 records read for each record of the proof.
    ///
    /// # Errors
    /// [`Error::NoRecord`], [`Error::Proof`] if the record is newer than the head or the receipt is
    /// of another ledger, and the log's.
    pub fn prove(
        &self,
        tree: &Tree,
        (head, key): Signed<'_>,
        id: RecordId,
    ) -> Result<Proof, Error> {
        let record = self.ledger.log.read(id.seq)?;
        if record.id() != id {
            return Err(Error::NoRecord { id });
        }
        let (head, key) = (head.to_string().parse()?, key.clone());
        let Some(question) = question_of(&record)? else {
            let record = self.proven(tree, &head, &record)?;
            return Ok(Proof::Record(RecordProof { head, key, record }));
        };
        let (shown, seqs) = self.shown(&record)?;
        let proven = |seq: &Seq| self.proven(tree, &head, &self.ledger.log.read(*seq)?);
        let records = seqs.iter().map(proven).collect::<Result<_, Error>>()?;
        Ok(Proof::Answer(Answer { head, key, answer: id.seq, question, shown, records }))
    }

    /// Proves that a signed head grew out of an older one.
    ///
    /// # Errors
    /// [`Error::Proof`] of an older head that is larger, and the log's.
    pub fn prove_growth(
        &self,
        tree: &Tree,
        (head, key): Signed<'_>,
        old: &SignedHead,
    ) -> Result<Proof, Error> {
        let (size, old_size) = (head.head().size, old.head().size);
        let consistency = self.reading(tree, size, |reader| reader.consistency(old_size))?;
        let (head, old, key) = (head.to_string().parse()?, old.to_string().parse()?, key.clone());
        Ok(Proof::Growth(Growth { head, key, old, consistency }))
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

    fn proven(
        &self,
        tree: &Tree,
        head: &SignedHead,
        record: &Record,
    ) -> Result<ProvenRecord, Error> {
        let path = self.reading(tree, head.head().size, |reader| reader.inclusion(record.seq))?;
        Ok(ProvenRecord::of(record, path))
    }

    /// The words that an answer showed, and its record with those of its items, ascending.
    fn shown(&self, answer: &Record) -> Result<(Vec<Shown>, BTreeSet<Seq>), Error> {
        let body = body_of(answer).map_err(|source| Error::Decode { seq: answer.seq, source })?;
        let Some(Event::Memory(MemoryEvent::Surfaced(surfaced))) = body.map(|body| body.event)
        else {
            return Ok((Vec::new(), BTreeSet::new()));
        };
        let receipt = surfaced.receipt.filter(|receipt| receipt.ledger == self.ledger.id());
        let Some(receipt) = receipt else {
            let reason = "its receipt is of another ledger, which this one was restored from";
            return Err(memlith_proof::Error::Answer { reason: reason.to_owned() }.into());
        };
        let (mut shown, mut seqs) = (Vec::new(), BTreeSet::from([answer.seq]));
        for item in &receipt.items {
            let record = self.ledger.log.read(item.id.seq)?;
            let seq = record.seq;
            let body = body_of(&record).map_err(|source| Error::Decode { seq, source })?;
            let text = body.as_ref().and_then(|body| body.event.item_text());
            let text =
                text.as_ref().and_then(|text| text.get(item.start as usize..item.end as usize));
            shown.push(Shown { seq, text: text.map(str::to_owned) });
            seqs.insert(seq);
        }
        Ok((shown, seqs))
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

/// The query of a record that holds a receipt.
fn question_of(record: &Record) -> Result<Option<String>, Error> {
    let body = body_of(record).map_err(|source| Error::Decode { seq: record.seq, source })?;
    let Some(Event::Memory(MemoryEvent::Surfaced(surfaced))) = body.map(|body| body.event) else {
        return Ok(None);
    };
    Ok(surfaced.receipt.map(|receipt| receipt.query.to_string()))
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
