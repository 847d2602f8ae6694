//! The frames of one batch, put together in place.

use std::ops::Range;

use crate::frame::{BLIND_LEN, Content, FLOOR_FAR, begin_frame, finish_frame};
use crate::hash::{BLOCK_LEN, LINK, PAYLOAD, RECORD, link_block, record_block};
use crate::hash_many::HashMany;
use crate::header::RecordHeader;
use crate::kind::LogEvent;
use crate::layout::{is_zero, len_usize, len64};
use crate::walk::{Batch, Expect};
use crate::writer::Appended;
use crate::{Digest, RecordId, Seq};

/// Maximum room in bytes that is kept from one batch to the next; a longer batch's is given back.
const KEPT_LEN_MAX: usize = 4 << 20;

/// A batch on its way to the disk.
///
/// A body is copied once, from the caller to where it is written from. The room is kept, so
/// that a batch like the one before allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    records: Vec<Drafted>,
    /// The targets of an erasure among the records.
    taken: Vec<Seq>,
    hash: HashMany,
    payload_digests: Vec<Digest>,
    record_blocks: Vec<[u8; 64]>,
    record_hashes: Vec<Digest>,
}

/// A record whose slot is written and whose head is not.
#[derive(Clone, Copy, Debug)]
struct Drafted {
    header: RecordHeader,
    encoded: [u8; RecordHeader::LEN],
    state: u8,
    start: usize,
    len: usize,
    /// Digest that a slot without a body states.
    given: Option<Digest>,
}

impl Frames {
    /// Forgets the batch before.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.records.clear();
        self.taken.clear();
        self.bytes.shrink_to(KEPT_LEN_MAX);
    }

    /// Adds a record; the caller has checked the limits of the format.
    pub(crate) fn push(&mut self, header: RecordHeader, content: Content<'_>) {
        let start = self.bytes.len();
        begin_frame(&mut self.bytes, &header, content);
        let len = self.bytes.len().saturating_sub(start);
        let given = match content {
            Content::Present { body, .. } => {
                if let Some((LogEvent::Erasure { targets, .. }, _)) =
                    LogEvent::decode(header.kind, body)
                {
                    self.taken.extend(targets.into_iter().map(|(seq, _)| seq));
                }
                None
            }
            Content::Erased { payload_digest } => Some(*payload_digest),
            Content::Destroyed => Some(Digest::default()),
        };
        let encoded = header.encode();
        self.records.push(Drafted { header, encoded, state: content.state(), start, len, given });
    }

    pub(crate) fn count(&self) -> usize {
        self.records.len()
    }

    /// The length of the frames.
    pub(crate) fn len(&self) -> u64 {
        len64(self.bytes.len())
    }

    pub(crate) fn first(&self) -> Option<Seq> {
        self.records.first().map(|record| record.header.seq)
    }

    /// The last record, and where its frame begins among the frames.
    pub(crate) fn last(&self) -> Option<(Seq, u64)> {
        self.records.last().map(|record| (record.header.seq, len64(record.start)))
    }

    /// The records, and where the frame of each begins among the frames.
    pub(crate) fn places(&self) -> impl Iterator<Item = (Seq, u64)> {
        self.records.iter().map(|record| (record.header.seq, len64(record.start)))
    }

    /// The records as they are handed to others.
    pub(crate) fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len());
        for record in &self.records {
            let slot = record.start.saturating_add(len_usize(crate::FRAME_HEAD_LEN));
            let len = match record.given {
                Some(digest) => digest.0.len(),
                None => record.payload_len(),
            };
            out.extend_from_slice(&record.encoded);
            out.push(record.state);
            let bytes = self.bytes.get(slot..slot.saturating_add(len));
            out.extend_from_slice(bytes.unwrap_or_default());
        }
        out
    }

    /// The frames, once they are finished.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The records whose bodies an erasure in the batch takes.
    pub(crate) fn taken(&self) -> &[Seq] {
        &self.taken
    }

    /// Hashes the records and writes the heads: the batch continues `expect`, in a segment
    /// of this salt, while `floor` records are known to be synced.
    ///
    /// Adds each record to `appended`; returns what is due behind the batch.
    pub(crate) fn finish(
        &mut self,
        salt: u32,
        floor: u64,
        mut expect: Expect,
        appended: &mut Vec<Appended>,
    ) -> Expect {
        self.hash();
        for (record, record_hash) in self.records.iter().zip(&self.record_hashes) {
            let header = &record.header;
            assert_eq!(header.seq.0, expect.next, "a batch continues the log");
            let chain = self.hash.block(&LINK, &link_block(&expect.chain, record_hash));
            let back = header.seq.0.saturating_add(1).saturating_sub(floor);
            let back = u32::try_from(back).unwrap_or(FLOOR_FAR).min(FLOOR_FAR);
            let end = record.start.saturating_add(record.len);
            if let Some(frame) = self.bytes.get_mut(record.start..end) {
                finish_frame(frame, salt, back, &chain, &record.encoded, record.state);
            }
            appended.push(Appended {
                id: RecordId::new(header.seq, record_hash),
                seq: header.seq,
                record_hash: *record_hash,
                recorded_at: header.recorded_at,
            });
            let recorded_at = header.recorded_at;
            expect = Expect { next: header.seq.next().0, chain, recorded_at, batch: Batch::Start };
        }
        expect
    }

    fn hash(&mut self) {
        let Frames { bytes, records, hash, payload_digests, record_blocks, record_hashes, .. } =
            self;
        // Behind each slot are the zeros that its payload is padded with: the room of the next
        // head, and here that of the last one's. What is hashed needs no copy.
        let len = bytes.len();
        bytes.resize(len.saturating_add(BLOCK_LEN), 0);
        let payload = |at: usize| {
            let range = records.get(at).map(Drafted::padded_payload);
            range.and_then(|range| bytes.get(range)).unwrap_or_default()
        };
        debug_assert!((0..records.len()).all(|at| {
            let payload_len = records.get(at).map_or(0, Drafted::payload_len);
            payload(at).get(payload_len..).is_none_or(is_zero)
        }));
        hash.digests(&PAYLOAD, records.len(), payload, payload_digests);
        bytes.truncate(len);
        record_blocks.clear();
        for (record, digest) in records.iter().zip(payload_digests) {
            let payload_digest = record.given.as_ref().unwrap_or(digest);
            record_blocks.push(record_block(&record.encoded, payload_digest));
        }
        let block = |at: usize| record_blocks.get(at).map_or(&[] as &[u8], |block| block);
        hash.digests(&RECORD, records.len(), block, record_hashes);
    }
}

impl Drafted {
    /// Returns the range of blind, body and zeros up to a whole block; none where the digest is
    /// given.
    fn padded_payload(&self) -> Range<usize> {
        if self.given.is_some() {
            return 0..0;
        }
        let start = self.start.saturating_add(len_usize(crate::FRAME_HEAD_LEN));
        start..start.saturating_add(self.payload_len().next_multiple_of(BLOCK_LEN))
    }

    /// The length of blind and body.
    fn payload_len(&self) -> usize {
        len_usize(BLIND_LEN.saturating_add(u64::from(self.header.payload_len)))
    }
}

/// Asserts that the padding of a payload lies in the next head.
const _: () = assert!(BLOCK_LEN as u64 <= crate::FRAME_HEAD_LEN);
