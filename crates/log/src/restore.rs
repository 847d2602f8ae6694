//! Records of another ledger, put back exactly as they were.

use crate::create::put_genesis;
use crate::env::{Env, LogOptions};
use crate::frame::SlotState;
use crate::hash::{payload_digest, record_hash};
use crate::header::RecordHeader;
use crate::kind::LogEvent;
use crate::writer::{Due, Room, Writer};
use crate::{Digest, Error, MAX_BODY_LEN, Payload, Record, Seq};

/// A record as another ledger held it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RestoredRecord {
    /// Its header; hashed, so that it must be the same to the last bit.
    pub header: RecordHeader,
    /// Its payload; [`Payload::Destroyed`] cannot be restored.
    pub payload: Payload,
}

impl From<Record> for RestoredRecord {
    fn from(record: Record) -> RestoredRecord {
        RestoredRecord { header: record.header(), payload: record.payload }
    }
}

impl RestoredRecord {
    /// The hash that the record had and will have.
    ///
    /// # Errors
    /// [`Error::Restore`] if its payload is destroyed or of another length than its header says.
    pub fn record_hash(&self) -> Result<Digest, Error> {
        self.check()?;
        let digest = match &self.payload {
            Payload::Present { blind, body } => payload_digest(blind, body),
            Payload::Erased { payload_digest } => *payload_digest,
            Payload::Destroyed => Digest::default(),
        };
        Ok(record_hash(&self.header.encode(), &digest))
    }

    /// Adds its bytes: the header, a byte that is 0 where blind and body follow and 1 where the
    /// digest of an erased payload does.
    ///
    /// # Errors
    /// Those of [`RestoredRecord::record_hash`].
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.check()?;
        out.extend_from_slice(&self.header.encode());
        match &self.payload {
            Payload::Present { blind, body } => {
                out.push(0);
                out.extend_from_slice(blind);
                out.extend_from_slice(body);
            }
            Payload::Erased { payload_digest } => {
                out.push(1);
                out.extend_from_slice(&payload_digest.0);
            }
            Payload::Destroyed => {}
        }
        Ok(())
    }

    /// Reads the record that `bytes` begins with, and what is behind it; none where that is no
    /// record. Nothing is proven by it: [`Writer::restore`] and the chain prove.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<(RestoredRecord, &[u8])> {
        let (header, rest) = bytes.split_first_chunk()?;
        let header = RecordHeader::decode(header).filter(|read| read.encode() == *header)?;
        if header.payload_len > MAX_BODY_LEN {
            return None;
        }
        let (state, rest) = rest.split_first()?;
        let (payload, rest) = match state {
            0 => {
                let (blind, rest) = rest.split_first_chunk()?;
                let len = usize::try_from(header.payload_len).ok()?;
                let (body, rest) = rest.split_at_checked(len)?;
                (Payload::Present { blind: *blind, body: body.to_vec() }, rest)
            }
            1 => {
                let (digest, rest) = rest.split_first_chunk()?;
                (Payload::Erased { payload_digest: Digest(*digest) }, rest)
            }
            _ => return None,
        };
        Some((RestoredRecord { header, payload }, rest))
    }

    /// The log's own event that it holds, if it holds one.
    #[must_use]
    pub fn log_event(&self) -> Option<LogEvent> {
        let Payload::Present { body, .. } = &self.payload else { return None };
        LogEvent::decode(self.header.kind, body).map(|(event, _)| event)
    }

    /// Whether its hash is known.
    fn check(&self) -> Result<(), Error> {
        let what = match &self.payload {
            Payload::Present { body, .. }
                if usize::try_from(self.header.payload_len) != Ok(body.len()) =>
            {
                "its body has another length than its header says"
            }
            Payload::Present { .. } | Payload::Erased { .. } => return Ok(()),
            Payload::Destroyed => "its payload is destroyed, so that its hash is not known",
        };
        Err(Error::Restore { seq: self.header.seq, what })
    }
}

impl Writer<'_> {
    /// Puts records of another ledger into this one, which holds no others.
    ///
    /// `records` are whole batches. The first call of a writer begins at genesis;
    /// records that are here already must be the same, and are passed over, so
    /// that a restore which was cut short can be run again. Record hashes come
    /// out equal; the chain does not, for it binds this ledger's id. Returns the
    /// number of records added. Call [`Writer::sync`] at the end. An erasure among them takes
    /// the bodies that it names from this ledger's files too, before the next batch is put.
    ///
    /// # Errors
    /// [`Error::Restore`] for the first record that does not fit; those before it stay.
    pub fn restore(&mut self, records: &[RestoredRecord]) -> Result<u64, Error> {
        let mut added = 0;
        let mut rest = records;
        while let Some(first) = rest.first() {
            // A batch that says it is empty is refused by its first record.
            let len = usize::from(first.header.batch_len).max(1);
            let (batch, after) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            self.check_batch(batch)?;
            added += self.restore_batch(batch)?;
            rest = after;
        }
        Ok(added)
    }

    /// Lets the next [`Writer::restore`] go on at the end of what is here, which the caller knows to
    /// be the beginning of the same history.
    pub fn resume_restore(&mut self) {
        self.restored_to = Some(self.view.end.expect.next);
    }

    fn check_batch(&self, batch: &[RestoredRecord]) -> Result<(), Error> {
        let Some(first) = batch.first() else { return Ok(()) };
        let (start, len) = (first.header.seq.0, first.header.batch_len);
        let due = self.restored_to.unwrap_or(0);
        if start != due {
            let what = "it does not follow the record before it: a record is missing";
            return Err(Error::Restore { seq: first.header.seq, what });
        }
        let whole = usize::from(len) == batch.len();
        for (pos, record) in (0_u16..).zip(batch) {
            let header = &record.header;
            let placed = header.seq.0 == start.saturating_add(u64::from(pos))
                && (header.batch_pos, header.batch_len) == (pos, len);
            if !whole || !placed || !header.flags.all_known() {
                let what = "its batch is not whole: a record is missing, or was changed";
                return Err(Error::Restore { seq: header.seq, what });
            }
            if header.payload_len > crate::MAX_BODY_LEN {
                let limit = crate::MAX_BODY_LEN;
                return Err(Error::BodyTooLong { len: u64::from(header.payload_len), limit });
            }
        }
        Ok(())
    }

    fn restore_batch(&mut self, batch: &[RestoredRecord]) -> Result<u64, Error> {
        let Some(first) = batch.first() else { return Ok(0) };
        let seq = first.header.seq;
        let after = seq.0.saturating_add(u64::from(first.header.batch_len));
        for record in batch {
            record.check()?;
        }
        let end = self.view.end.expect.next;
        let added = if seq.0 >= end {
            self.check_times(batch)?;
            let takes = self.takes_bodies(first);
            self.draft_restored(batch);
            let mut appended = Vec::with_capacity(batch.len());
            self.restores = true;
            let written = self.write_batch(Due::Later, Room::Ordinary, &mut appended);
            self.restores = false;
            written?;
            if let Some(takes) = takes {
                self.sync()?;
                self.obey_erasure(takes)?;
            }
            after - seq.0
        } else if self.is_here(batch)? {
            0
        } else if seq == Seq::GENESIS && end == 1 && batch.len() == 1 {
            self.replace_genesis(first)?;
            1
        } else {
            let what = "the ledger holds another record there; restore into a new ledger";
            return Err(Error::Restore { seq, what });
        };
        self.restored_to = Some(after);
        Ok(added)
    }

    /// Whether a record is an erasure, and whether bodies that it names are here.
    fn takes_bodies(&self, record: &RestoredRecord) -> Option<bool> {
        let Some(LogEvent::Erasure { targets, .. }) = record.log_event() else { return None };
        let is_here = |(seq, _): &(Seq, Digest)| {
            self.view.frame(*seq).is_ok_and(|frame| frame.state == SlotState::Present)
        };
        Some(targets.iter().any(is_here))
    }

    fn check_times(&self, batch: &[RestoredRecord]) -> Result<(), Error> {
        let mut previous = self.view.head().recorded_at;
        for RestoredRecord { header, .. } in batch {
            if header.recorded_at < previous && header.kind != 6 {
                let what = "its time lies before its predecessor's";
                return Err(Error::Restore { seq: header.seq, what });
            }
            previous = header.recorded_at;
        }
        Ok(())
    }

    fn is_here(&self, batch: &[RestoredRecord]) -> Result<bool, Error> {
        for record in batch {
            let seq = record.header.seq;
            if seq.0 >= self.view.end.expect.next
                || self.view.frame(seq)?.record_hash != record.record_hash()?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts another genesis in the place of the only record there is.
    fn replace_genesis(&mut self, genesis: &RestoredRecord) -> Result<(), Error> {
        let (env, options): (&Env, &LogOptions) = (&self.log.env, &self.log.options);
        let ledger = self.log.ledger;
        self.guarded(|writer| {
            // A mark of the old genesis must not outlive it: it would look like a replaced log.
            writer.gate.mark.clear(env.storage.as_ref())?;
            put_genesis(env, options, ledger, &genesis.header, &genesis.payload)?;
            writer.gate.prepared = None;
            writer.view = crate::survey::open_single(env, options)?;
            writer.gate.mine_end = Some(1);
            writer.mark_synced()
        })?;
        self.publish();
        Ok(())
    }
}
