//! The structures of the log by themselves, for fuzz targets: built with `--cfg fuzzing`.

use crate::footer::Footer;
use crate::frame::{FrameHead, encode_frame};
use crate::layout::{len_usize, len64};
use crate::mark::Slot;
use crate::segment_header::SegmentHeader;
use crate::{Digest, FRAME_HEAD_LEN, FrameFault, Payload, RecordHeader};

/// A frame as the log decodes it, outside of any segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BareFrame {
    /// The distance to the last record known to be synced.
    pub floor_back: u32,
    /// The chain that it stores; a frame by itself can't prove it.
    pub chain: Digest,
    /// The hashed header.
    pub header: RecordHeader,
    /// Content of its slot.
    pub payload: Payload,
}

impl BareFrame {
    /// Reads the frame that `bytes` begins with, in a segment of this salt.
    ///
    /// # Errors
    /// The first check that fails, in the order of the format.
    pub fn decode(bytes: &[u8], salt: u32) -> Result<BareFrame, FrameFault> {
        let head = FrameHead::decode(bytes, salt, len64(bytes.len()))?;
        let slot = bytes.get(len_usize(FRAME_HEAD_LEN)..len_usize(head.frame_len));
        let slot = slot.ok_or(FrameFault::Incomplete)?;
        let state = head.check_slot(slot, salt)?;
        if !head.batch_possible() {
            return Err(FrameFault::Batch);
        }
        let payload = head.payload(state, slot).ok_or(FrameFault::Incomplete)?;
        let FrameHead { floor_back, chain, header, .. } = head;
        Ok(BareFrame { floor_back, chain, header, payload })
    }

    /// Its bytes in a segment of this salt.
    #[must_use]
    pub fn encode(&self, salt: u32) -> Vec<u8> {
        let mut out = Vec::new();
        encode_frame(&mut out, salt, self.floor_back, &self.chain, &self.header, &self.payload);
        out
    }
}

/// A segment's header, decoded and written again; `None` where it is none.
#[must_use]
pub fn rewritten_header(bytes: &[u8]) -> Option<Vec<u8>> {
    SegmentHeader::decode(bytes).ok().map(|header| header.encode())
}

/// A footer, decoded and written again; `None` where it is none.
#[must_use]
pub fn rewritten_footer(bytes: &[u8], salt: u32) -> Option<Vec<u8>> {
    Footer::decode(bytes, salt).ok().map(|footer| footer.encode(salt))
}

/// A mark slot, decoded and written again; `None` where it is empty or damaged.
#[must_use]
pub fn rewritten_mark(bytes: &[u8]) -> Option<Vec<u8>> {
    match Slot::decode(bytes) {
        Slot::Valid(mark) => Some(mark.encode().to_vec()),
        Slot::Empty | Slot::Damaged => None,
    }
}
