use crate::header::{Flags, RecordHeader};
use crate::{Digest, RecordId, Seq, Timestamp};

/// A verified record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its position.
    pub seq: Seq,
    /// When the ledger learned it.
    pub recorded_at: Timestamp,
    /// Meaning of the body; below 64 it belongs to the log.
    pub kind: u16,
    /// The version of the kind's layout.
    pub kind_version: u8,
    /// How the body is encoded.
    pub codec: u8,
    /// Its flags.
    pub flags: Flags,
    /// Its place in its batch, from 0.
    pub batch_pos: u16,
    /// Records in its batch.
    pub batch_len: u16,
    /// Bytes of the body; known after an erasure too.
    pub payload_len: u32,
    /// Its hash; all zero once the payload is destroyed, for nothing can prove it then.
    pub record_hash: Digest,
    /// The chain up to and with it.
    pub chain: Digest,
    /// Its payload, or what is left of it.
    pub payload: Payload,
}

/// Content of a record's slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Payload {
    /// The body and the random blind that keeps its digest from being guessed.
    Present {
        /// 16 random bytes, fresh for each record.
        blind: [u8; 16],
        /// The body.
        body: Vec<u8>,
    },
    /// Erased on request; the digest keeps the record hash provable.
    Erased {
        /// The digest of what was erased.
        payload_digest: Digest,
    },
    /// Lost to damage and accepted as lost; its link is taken as given.
    Destroyed,
}

impl Record {
    /// The record's id.
    #[must_use]
    pub fn id(&self) -> RecordId {
        RecordId::new(self.seq, &self.record_hash)
    }

    /// The body, if it is still there.
    #[must_use]
    pub fn body(&self) -> Option<&[u8]> {
        match &self.payload {
            Payload::Present { body, .. } => Some(body),
            Payload::Erased { .. } | Payload::Destroyed => None,
        }
    }

    /// Whether the record is the last one of its batch.
    #[must_use]
    pub fn ends_batch(&self) -> bool {
        self.header().ends_batch()
    }

    /// The hashed header.
    #[must_use]
    pub fn header(&self) -> RecordHeader {
        RecordHeader {
            seq: self.seq,
            recorded_at: self.recorded_at,
            payload_len: self.payload_len,
            kind: self.kind,
            kind_version: self.kind_version,
            codec: self.codec,
            flags: self.flags,
            batch_pos: self.batch_pos,
            batch_len: self.batch_len,
        }
    }

    pub(crate) fn new(
        header: RecordHeader,
        record_hash: Digest,
        chain: Digest,
        payload: Payload,
    ) -> Record {
        Record {
            seq: header.seq,
            recorded_at: header.recorded_at,
            kind: header.kind,
            kind_version: header.kind_version,
            codec: header.codec,
            flags: header.flags,
            batch_pos: header.batch_pos,
            batch_len: header.batch_len,
            payload_len: header.payload_len,
            record_hash,
            chain,
            payload,
        }
    }
}
