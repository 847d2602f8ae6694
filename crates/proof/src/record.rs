use memlith_event::{BODY_CODEC, Body, Kind};
use memlith_log::{
    Digest, FIRST_EVENT_KIND, Payload, Record, RecordHeader, Seq, payload_digest, record_hash,
};

use crate::error::Error;
use crate::head::Head;
use crate::merkle::{is_included, leaf};
use crate::tree::Root;

/// A record with its inclusion proof under a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenRecord {
    /// Its sequence.
    pub seq: Seq,
    /// The hashed header, as it is written.
    pub header: [u8; RecordHeader::LEN],
    /// Blind and body, or the digest of them if they are erased.
    pub payload: Payload,
    /// The inclusion proof, from the leaf up.
    pub path: Vec<Root>,
}

/// The longest path: a tree has at most 2^48 leaves.
pub(crate) const PATH_MAX: usize = 48;

impl ProvenRecord {
    /// Copies a record, which has this path.
    #[must_use]
    pub fn of(record: &Record, path: Vec<Root>) -> ProvenRecord {
        let (seq, header) = (record.seq, record.header().encode());
        ProvenRecord { seq, header, payload: record.payload.clone(), path }
    }

    /// Checks that the record is under `head`; returns its hash.
    ///
    /// # Errors
    /// [`Error::Record`].
    pub fn check(&self, head: &Head) -> Result<Digest, Error> {
        let refused = |reason| Error::Record { seq: self.seq, reason };
        if self.seq.0 >= head.size {
            return Err(refused("it is newer than the head"));
        }
        let header = self.header().ok_or_else(|| refused("its header is none"))?;
        if header.seq != self.seq {
            return Err(refused("its header has another sequence"));
        }
        let digest = match &self.payload {
            Payload::Present { blind, body } => {
                if header.payload_len as usize != body.len() {
                    return Err(refused("its header has another length"));
                }
                payload_digest(blind, body)
            }
            Payload::Erased { payload_digest } => *payload_digest,
            Payload::Destroyed => return Err(refused("its payload was destroyed")),
        };
        let hash = record_hash(&self.header, &digest);
        let place = (self.seq.0, head.size);
        let leads = is_included(place, &self.path, leaf(&hash), &head.root);
        leads.then_some(hash).ok_or_else(|| refused("its path doesn't lead to the root"))
    }

    /// Whether its words are erased.
    #[must_use]
    pub fn is_erased(&self) -> bool {
        !matches!(self.payload, Payload::Present { .. })
    }

    /// The header's fields; `None` if its reserved bytes are not zero.
    #[must_use]
    pub fn header(&self) -> Option<RecordHeader> {
        RecordHeader::decode(&self.header).filter(|header| header.encode() == self.header)
    }

    /// The body; `None` if it is erased, belongs to the log or is not readable.
    #[must_use]
    pub fn body(&self) -> Option<Body<'_>> {
        let header = self.header()?;
        let Payload::Present { body, .. } = &self.payload else { return None };
        let is_event = header.kind >= FIRST_EVENT_KIND && header.codec == BODY_CODEC;
        let kind = Kind { number: header.kind, version: header.kind_version };
        is_event.then(|| Body::decode(kind, body).ok()).flatten()
    }
}
