//! One frame: a record as it lies in a segment; `docs/format.md` section "Frame".

use crate::hash::{payload_digest, record_hash};
use crate::header::RecordHeader;
use crate::layout::{Fields, Fixed, crc, is_zero, len_usize, len64};
use crate::{Digest, Payload};

/// The longest body of the format, whatever a ledger is configured to take.
pub const MAX_BODY_LEN: u32 = 16 << 20;
/// The most records in a batch.
pub const MAX_BATCH_RECORDS: u16 = 4_096;
/// The most bytes of frames in a batch.
pub const MAX_BATCH_LEN: u64 = 32 << 20;
/// The length of a frame before its slot.
pub const FRAME_HEAD_LEN: u64 = 4 + 4 + 4 + 4 + 4 + 4 + 32 + 32;
/// The shortest slot: it must be able to hold a payload digest.
pub const MIN_SLOT_LEN: u64 = 32;
/// The shortest frame.
pub const MIN_FRAME_LEN: u64 = FRAME_HEAD_LEN + MIN_SLOT_LEN;
/// `floor_back` of a frame whose writer did not know what was synced.
pub const FLOOR_UNKNOWN: u32 = u32::MAX;
/// The largest distance that `floor_back` can say.
pub(crate) const FLOOR_FAR: u32 = u32::MAX - 1;

pub(crate) const FRAME_MAGIC: &[u8; 4] = b"MLF1";
pub(crate) const BLIND_LEN: u64 = 16;
/// Frames begin at multiples of this.
pub(crate) const ALIGN: u64 = 8;

const _: () = assert!(FRAME_HEAD_LEN == 88);
const _: () = assert!(MIN_FRAME_LEN == 120);

/// State of a frame's slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotState {
    Present,
    Erased,
    Destroyed,
}

/// The first 88 bytes of a frame, decoded; magic, length and head CRC hold.
#[derive(Clone, Debug)]
pub(crate) struct FrameHead {
    pub(crate) frame_len: u64,
    pub(crate) floor_back: u32,
    slot_state: u8,
    reserved_zero: bool,
    crc_slot: u32,
    pub(crate) chain: Digest,
    pub(crate) header: RecordHeader,
    header_bytes: [u8; 32],
}

/// Why bytes are not the frame that was expected there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameFault {
    /// Fewer bytes remain than a frame needs.
    Incomplete,
    /// No frame begins here.
    Magic,
    /// The length is not one that the header's payload can have.
    Length,
    /// The first 88 bytes do not match their checksum.
    HeadCrc,
    /// The slot does not match its checksum.
    SlotCrc,
    /// Reserved bytes or padding are not zero.
    Reserved,
    /// A slot state or flag of a newer format.
    Newer,
    /// Another sequence number was due.
    Seq,
    /// The time lies before the predecessor's.
    Time,
    /// The position in the batch, or the distance to the floor, cannot be.
    Batch,
    /// The chain does not follow from the record and its predecessor.
    Link,
}

impl FrameFault {
    /// The fault in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            FrameFault::Incomplete => "incomplete frame",
            FrameFault::Magic => "no frame begins here",
            FrameFault::Length => "impossible frame length",
            FrameFault::HeadCrc => "head checksum mismatch",
            FrameFault::SlotCrc => "payload checksum mismatch",
            FrameFault::Reserved => "reserved bytes or padding not zero",
            FrameFault::Newer => "slot state or flag of a newer format",
            FrameFault::Seq => "unexpected sequence number",
            FrameFault::Time => "time before the predecessor's",
            FrameFault::Batch => "impossible place in the batch or distance to the floor",
            FrameFault::Link => "the chain does not follow from the record",
        }
    }
}

/// The slot of `payload_len` body bytes.
pub(crate) fn slot_len(payload_len: u32) -> u64 {
    (BLIND_LEN + u64::from(payload_len)).next_multiple_of(ALIGN).max(MIN_SLOT_LEN)
}

/// The frame of `payload_len` body bytes.
#[must_use]
pub fn frame_len(payload_len: u32) -> u64 {
    FRAME_HEAD_LEN + slot_len(payload_len)
}

/// Content that a slot is to hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content<'a> {
    Present { blind: &'a [u8; 16], body: &'a [u8] },
    Erased { payload_digest: &'a Digest },
    Destroyed,
}

impl<'a> From<&'a Payload> for Content<'a> {
    fn from(payload: &'a Payload) -> Content<'a> {
        match payload {
            Payload::Present { blind, body } => Content::Present { blind, body },
            Payload::Erased { payload_digest } => Content::Erased { payload_digest },
            Payload::Destroyed => Content::Destroyed,
        }
    }
}

impl Content<'_> {
    /// The slot state that says so.
    pub(crate) fn state(self) -> u8 {
        match self {
            Content::Present { .. } => 0,
            Content::Erased { .. } => 1,
            Content::Destroyed => 2,
        }
    }
}

/// Appends the frame of a record to `out`; the caller has checked the limits.
pub(crate) fn encode_frame(
    out: &mut Vec<u8>,
    salt: u32,
    floor_back: u32,
    chain: &Digest,
    header: &RecordHeader,
    payload: &Payload,
) {
    let (start, content) = (out.len(), Content::from(payload));
    begin_frame(out, header, content);
    if let Some(frame) = out.get_mut(start..) {
        finish_frame(frame, salt, floor_back, chain, &header.encode(), content.state());
    }
}

/// Appends a frame whose head is zeros yet: the slot, and room before it.
pub(crate) fn begin_frame(out: &mut Vec<u8>, header: &RecordHeader, content: Content<'_>) {
    let start = out.len();
    let len = start.saturating_add(len_usize(frame_len(header.payload_len)));
    out.resize(start.saturating_add(len_usize(FRAME_HEAD_LEN)), 0);
    match content {
        Content::Present { blind, body } => {
            out.extend_from_slice(blind);
            out.extend_from_slice(body);
        }
        Content::Erased { payload_digest } => out.extend_from_slice(&payload_digest.0),
        Content::Destroyed => {}
    }
    out.resize(len, 0);
}

/// Writes the head of a frame whose slot is in its place; `header` is the encoded one.
pub(crate) fn finish_frame(
    frame: &mut [u8],
    salt: u32,
    floor_back: u32,
    chain: &Digest,
    header: &[u8; RecordHeader::LEN],
    state: u8,
) {
    const REST_LEN: usize = 80;
    const _: () = assert!(REST_LEN as u64 + 8 == FRAME_HEAD_LEN);
    let len = u32::try_from(frame.len()).unwrap_or(u32::MAX);
    let Some((head, slot)) = frame.split_at_mut_checked(len_usize(FRAME_HEAD_LEN)) else { return };
    let rest = Fixed::<REST_LEN>::new()
        .u32(len)
        .u32(floor_back)
        .bytes(&[state, 0, 0, 0])
        .u32(crc(salt, &[slot]))
        .bytes(&chain.0)
        .bytes(header)
        .whole();
    let crc_head = crc(salt, &[FRAME_MAGIC, &rest]);
    const WHOLE_LEN: usize = REST_LEN + 8;
    let whole = Fixed::<WHOLE_LEN>::new().bytes(FRAME_MAGIC).u32(crc_head).bytes(&rest).whole();
    head.copy_from_slice(&whole);
}

impl FrameHead {
    /// Decodes the frame head that `bytes` begins with.
    ///
    /// `remaining` is the number of bytes from here to the end of what may hold
    /// frames. The order of the checks is the format's: nothing is believed
    /// before its checksum, and no length is used before its bound.
    pub(crate) fn decode(bytes: &[u8], salt: u32, remaining: u64) -> Result<FrameHead, FrameFault> {
        let head = bytes.get(..len_usize(FRAME_HEAD_LEN)).ok_or(FrameFault::Incomplete)?;
        let (magic, rest) = head.split_first_chunk::<4>().ok_or(FrameFault::Incomplete)?;
        if magic != FRAME_MAGIC {
            return Err(FrameFault::Magic);
        }
        let (stored_crc, rest) = rest.split_first_chunk::<4>().ok_or(FrameFault::Incomplete)?;
        let decoded = FrameHead::fields(rest).ok_or(FrameFault::Incomplete)?;
        let payload_len = decoded.header.payload_len;
        if payload_len > MAX_BODY_LEN || decoded.frame_len != frame_len(payload_len) {
            return Err(FrameFault::Length);
        }
        if decoded.frame_len > remaining {
            return Err(FrameFault::Incomplete);
        }
        let sound = u32::from_le_bytes(*stored_crc) == crc(salt, &[magic, rest]);
        if !sound {
            return Err(FrameFault::HeadCrc);
        }
        Ok(decoded)
    }

    fn fields(rest: &[u8]) -> Option<FrameHead> {
        let mut fields = Fields(rest);
        let frame_len = u64::from(fields.u32()?);
        let floor_back = fields.u32()?;
        let slot_state = fields.u8()?;
        let zeros = fields.array::<3>()?;
        let crc_slot = fields.u32()?;
        let chain = fields.digest()?;
        let header_bytes = fields.array::<32>()?;
        let reserved_zero = is_zero(&zeros) && header_bytes.last_chunk::<2>() == Some(&[0, 0]);
        Some(FrameHead {
            frame_len,
            floor_back,
            slot_state,
            reserved_zero,
            crc_slot,
            chain,
            header: RecordHeader::decode(&header_bytes)?,
            header_bytes,
        })
    }

    /// The length of the slot behind this head.
    pub(crate) fn slot_len(&self) -> u64 {
        self.frame_len.saturating_sub(FRAME_HEAD_LEN)
    }

    /// Returns the state that the head gives for the slot; `None` in a newer format.
    pub(crate) fn slot_state(&self) -> Option<SlotState> {
        match self.slot_state {
            0 => Some(SlotState::Present),
            1 => Some(SlotState::Erased),
            2 => Some(SlotState::Destroyed),
            _ => None,
        }
    }

    /// The records known to be synced when this frame was written: D + 1.
    pub(crate) fn floor_count(&self) -> u64 {
        if self.floor_back == FLOOR_UNKNOWN {
            return 0;
        }
        (self.header.seq.0.saturating_add(1)).saturating_sub(u64::from(self.floor_back))
    }

    /// Whether the batch fields and the distance to the floor can be.
    pub(crate) fn batch_possible(&self) -> bool {
        let header = &self.header;
        let in_batch = header.batch_pos < header.batch_len && header.batch_len <= MAX_BATCH_RECORDS;
        let floor_back = u64::from(self.floor_back);
        let floor = self.floor_back == FLOOR_UNKNOWN
            || floor_back > u64::from(header.batch_pos)
                && floor_back <= header.seq.0.saturating_add(1);
        in_batch && floor
    }

    /// Checks the slot against this head: its checksum, then reserved bytes and padding.
    pub(crate) fn check_slot(&self, slot: &[u8], salt: u32) -> Result<SlotState, FrameFault> {
        if len64(slot.len()) != self.slot_len() {
            return Err(FrameFault::Incomplete);
        }
        if self.crc_slot != crc(salt, &[slot]) {
            return Err(FrameFault::SlotCrc);
        }
        let state = self.slot_state().ok_or(FrameFault::Newer)?;
        if !self.header.flags.all_known() {
            return Err(FrameFault::Newer);
        }
        let used = match state {
            SlotState::Present => BLIND_LEN + u64::from(self.header.payload_len),
            SlotState::Erased => MIN_SLOT_LEN,
            SlotState::Destroyed => 0,
        };
        let padding = slot.get(len_usize(used)..).unwrap_or_default();
        if !self.reserved_zero || !is_zero(padding) {
            return Err(FrameFault::Reserved);
        }
        Ok(state)
    }

    /// The payload digest that a checked slot holds or hashes to; none once destroyed.
    pub(crate) fn slot_digest(&self, state: SlotState, slot: &[u8]) -> Option<Digest> {
        match state {
            SlotState::Present => {
                let (blind, body) = slot.split_first_chunk::<16>()?;
                let body = body.get(..len_usize(u64::from(self.header.payload_len)))?;
                Some(payload_digest(blind, body))
            }
            SlotState::Erased => slot.first_chunk::<32>().map(|digest| Digest(*digest)),
            SlotState::Destroyed => None,
        }
    }

    /// The hashed header as it lies in the frame.
    pub(crate) fn header_bytes(&self) -> &[u8; 32] {
        &self.header_bytes
    }

    /// The record hash, given the payload digest.
    pub(crate) fn record_hash(&self, payload_digest: &Digest) -> Digest {
        record_hash(&self.header_bytes, payload_digest)
    }

    /// The payload in a checked slot.
    pub(crate) fn payload(&self, state: SlotState, slot: &[u8]) -> Option<Payload> {
        Some(match state {
            SlotState::Present => {
                let (blind, body) = slot.split_first_chunk::<16>()?;
                let body = body.get(..len_usize(u64::from(self.header.payload_len)))?;
                Payload::Present { blind: *blind, body: body.to_vec() }
            }
            SlotState::Erased => {
                Payload::Erased { payload_digest: Digest(*slot.first_chunk::<32>()?) }
            }
            SlotState::Destroyed => Payload::Destroyed,
        })
    }
}

#[cfg(test)]
mod tests;
