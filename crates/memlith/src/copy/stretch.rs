//! Whole batches of a ledger as bytes: what one machine hands to another.

use memlith_event::{Body, Event, Kind, MemoryEvent, SaidElsewhere};
use memlith_log::{
    Digest, FORMAT, LedgerId, LogEvent, Payload, RestoredRecord, SUITE, Seq, genesis_chain, link,
};

use crate::error::Error;
use crate::ledger::Ledger;
use crate::write::elsewhere::Requested;

/// Whole batches of one ledger, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first record.
    pub first: Seq,
    /// The last one; it ends a batch.
    pub last: Seq,
    /// The chain at the last one.
    pub chain: Digest,
    /// Records before it, or in it, whose bodies an erasure in it takes; ascending.
    pub erased: Vec<Seq>,
    /// The records.
    pub bytes: Vec<u8>,
}

/// The records of a stretch that came from elsewhere, each with the chain that it leads to.
pub(crate) struct Arrived {
    pub(crate) records: Vec<RestoredRecord>,
    pub(crate) chains: Vec<Digest>,
}

impl Ledger {
    /// Reads the batches from the record `first` on, which begins one: up to `last`, or as far as
    /// they are `len_max` bytes; none where there are none. One batch is read however long it is.
    ///
    /// Cost: a pass over the records, each verified.
    ///
    /// # Errors
    /// The log's; [`LogError::Restore`](crate::log::LogError::Restore) for a record whose payload
    /// was given up as lost: nothing proves it, so it can't be handed on.
    pub fn stretch(
        &self,
        first: Seq,
        last: Option<Seq>,
        len_max: usize,
    ) -> Result<Option<Stretch>, Error> {
        let head = self.refresh()?.seq;
        let to = last.unwrap_or(head).min(head);
        let (mut bytes, mut erased, mut whole) = (Vec::new(), Vec::new(), None);
        for record in self.log.scan(first, to) {
            let record = record?;
            let (seq, chain, ends) = (record.seq, record.chain, record.ends_batch());
            let record = RestoredRecord::from(record);
            if let Some(LogEvent::Erasure { targets, .. }) = record.log_event() {
                erased.extend(targets.into_iter().map(|(seq, _)| seq));
            }
            record.encode(&mut bytes)?;
            if ends {
                whole = Some((seq, chain, bytes.len()));
                if bytes.len() >= len_max {
                    break;
                }
            }
        }
        let Some((last, chain, len)) = whole else { return Ok(None) };
        bytes.truncate(len);
        erased.sort_unstable();
        Ok(Some(Stretch { first, last, chain, erased, bytes }))
    }

    /// The chain at the record `seq`; none where there is no such record.
    ///
    /// # Errors
    /// The log's.
    pub fn chain_at(&self, seq: Seq) -> Result<Option<Digest>, Error> {
        if seq > self.refresh()?.seq {
            return Ok(None);
        }
        Ok(Some(self.log.read(seq)?.chain))
    }
}

impl Stretch {
    /// Whether its bytes are the records of `ledger` that it states, behind a record at which the
    /// chain was `before`; none before the first.
    #[must_use]
    pub fn holds(&self, ledger: LedgerId, before: Option<Digest>) -> bool {
        let before = before.unwrap_or_else(|| genesis_chain(ledger, FORMAT, SUITE));
        let arrived = Arrived::read(&self.bytes, self.first, before);
        let last = arrived.as_ref().and_then(|arrived| arrived.records.last());
        let last = last.map(|record| record.header.seq);
        let chain = arrived.as_ref().and_then(|arrived| arrived.chains.last());
        (last, chain) == (Some(self.last), Some(&self.chain))
    }
}

impl Stretch {
    /// The records among them without their words, ascending.
    pub(crate) fn bare(&self) -> Vec<Seq> {
        let before = Digest::default();
        Arrived::read(&self.bytes, self.first, before).map(|read| read.bare()).unwrap_or_default()
    }
}

impl Arrived {
    /// Reads the records in `bytes`, which follow a record at which the chain was `before`; none
    /// where they are no records one behind the other from `first` on.
    pub(crate) fn read(bytes: &[u8], first: Seq, before: Digest) -> Option<Arrived> {
        let (mut rest, mut chain, mut seq) = (bytes, before, first);
        let mut arrived = Arrived { records: Vec::new(), chains: Vec::new() };
        while !rest.is_empty() {
            let (record, behind) = RestoredRecord::decode(rest)?;
            if record.header.seq != seq {
                return None;
            }
            chain = link(&chain, &record.record_hash().ok()?);
            arrived.records.push(record);
            arrived.chains.push(chain);
            (rest, seq) = (behind, seq.next());
        }
        Some(arrived)
    }

    /// The requests of the ledger `of` that are declined in them.
    pub(crate) fn declined_of(&self, of: LedgerId) -> Vec<Requested> {
        let mut declined = Vec::new();
        for RestoredRecord { header, payload } in &self.records {
            let kind = Kind { number: header.kind, version: header.kind_version };
            let Payload::Present { body, .. } = payload else { continue };
            if kind != Kind::ELSEWHERE {
                continue;
            }
            let Ok(Body { envelope, event }) = Body::decode(kind, body) else { continue };
            if let Event::Memory(MemoryEvent::Elsewhere(asked)) = event
                && asked.ledger == of
                && asked.said == SaidElsewhere::Declined
            {
                let (by, refused) = (envelope.actor.name.to_string(), asked.reason);
                let refused = refused.map(|text| text.to_string());
                declined.push(Requested { id: asked.id, said: asked.said, by, refused });
            }
        }
        declined
    }

    /// Whether a record is among them with its words.
    pub(crate) fn has_words(&self, seq: Seq) -> bool {
        let found = self.records.iter().find(|record| record.header.seq == seq);
        found.is_some_and(|record| matches!(record.payload, Payload::Present { .. }))
    }

    /// The records among them without their words, ascending.
    pub(crate) fn bare(&self) -> Vec<Seq> {
        let is_bare = |record: &&RestoredRecord| !matches!(record.payload, Payload::Present { .. });
        self.records.iter().filter(is_bare).map(|record| record.header.seq).collect()
    }

    /// The records that its erasures name.
    pub(crate) fn erased(&self) -> Vec<Seq> {
        let erasures = self.records.iter().filter_map(RestoredRecord::log_event);
        let targets = erasures.filter_map(|event| {
            let LogEvent::Erasure { targets, .. } = event else { return None };
            Some(targets)
        });
        targets.flatten().map(|(seq, _)| seq).collect()
    }
}
