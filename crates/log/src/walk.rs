//! Frame after frame through one segment, each checked against the one before it.

use std::io;

use crate::frame::{ALIGN, FRAME_HEAD_LEN, FRAME_MAGIC, FrameFault, FrameHead, SlotState};
use crate::hash::link;
use crate::kind::LogEvent;
use crate::layout::{len_usize, len64};
use crate::window::Window;
use crate::{Digest, Payload, Record, Seq, Timestamp};

/// Sequence, place in a batch and chain that the next frame must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Expect {
    pub(crate) next: u64,
    pub(crate) chain: Digest,
    pub(crate) recorded_at: Timestamp,
    pub(crate) batch: Batch,
}

/// Where in a batch the next frame must stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Batch {
    /// At a batch's start.
    Start,
    /// At this position of a batch this long.
    Within { pos: u16, len: u16 },
    /// Anywhere: the frame before was not looked at.
    Any,
}

/// A frame whose own checks hold.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) offset: u64,
    pub(crate) head: FrameHead,
    pub(crate) state: SlotState,
    /// Zero once destroyed.
    pub(crate) record_hash: Digest,
    pub(crate) payload: Payload,
}

/// A frame that fails a check, with its head if that much holds.
#[derive(Clone, Debug)]
pub(crate) struct BadFrame {
    pub(crate) fault: FrameFault,
    pub(crate) head: Option<FrameHead>,
}

/// Reads the head at `offset`.
pub(crate) fn read_head(
    window: &mut Window,
    salt: u32,
    offset: u64,
) -> io::Result<Result<FrameHead, FrameFault>> {
    if !offset.is_multiple_of(ALIGN) {
        return Ok(Err(FrameFault::Magic));
    }
    let remaining = window.limit().saturating_sub(offset);
    Ok(FrameHead::decode(window.get(offset, FRAME_HEAD_LEN)?, salt, remaining))
}

/// Where the next frame may begin, from `from` on and before `stop`.
pub(crate) fn next_magic(window: &mut Window, from: u64, stop: u64) -> io::Result<Option<u64>> {
    const CHUNK: u64 = 64 << 10;
    let mut at = from;
    while at < stop {
        let bytes = window.get(at, CHUNK.min(stop - at).next_multiple_of(ALIGN))?;
        let found = bytes.chunks(len_usize(ALIGN)).position(|word| word.starts_with(FRAME_MAGIC));
        if let Some(index) = found {
            return Ok(Some(at + len64(index) * ALIGN));
        }
        if bytes.is_empty() {
            break;
        }
        at += len64(bytes.len()).next_multiple_of(ALIGN);
    }
    Ok(None)
}

/// Reads the frame at `offset` and does the checks that need no other frame.
pub(crate) fn read_frame(
    window: &mut Window,
    salt: u32,
    offset: u64,
) -> io::Result<Result<Frame, BadFrame>> {
    let head = match read_head(window, salt, offset)? {
        Ok(head) => head,
        Err(fault) => return Ok(Err(BadFrame { fault, head: None })),
    };
    let frame = window.get(offset, head.frame_len)?;
    let slot = frame.get(len_usize(FRAME_HEAD_LEN)..).unwrap_or_default();
    let state = match head.check_slot(slot, salt) {
        Ok(state) => state,
        Err(fault) => return Ok(Err(BadFrame { fault, head: Some(head) })),
    };
    let record_hash = match head.slot_digest(state, slot) {
        Some(digest) => head.record_hash(&digest),
        None => Digest::default(),
    };
    let Some(payload) = head.payload(state, slot) else {
        return Ok(Err(BadFrame { fault: FrameFault::Length, head: Some(head) }));
    };
    Ok(Ok(Frame { offset, head, state, record_hash, payload }))
}

impl Expect {
    /// Checks that `frame` is the one due, and returns what is due after it.
    pub(crate) fn check(&self, frame: &Frame) -> Result<Expect, FrameFault> {
        self.admits(&frame.head, frame.state, &link(&self.chain, &frame.record_hash))
    }

    /// Checks a frame whose link behind the chain due here was worked out before.
    pub(crate) fn admits(
        &self,
        head: &FrameHead,
        state: SlotState,
        link: &Digest,
    ) -> Result<Expect, FrameFault> {
        let header = &head.header;
        if header.seq.0 != self.next {
            return Err(FrameFault::Seq);
        }
        if header.recorded_at < self.recorded_at && !header.may_step_back() {
            return Err(FrameFault::Time);
        }
        let due = match self.batch {
            Batch::Start => header.batch_pos == 0,
            Batch::Within { pos, len } => (header.batch_pos, header.batch_len) == (pos, len),
            Batch::Any => true,
        };
        if !due || !head.batch_possible() {
            return Err(FrameFault::Batch);
        }
        if state != SlotState::Destroyed && head.chain != *link {
            return Err(FrameFault::Link);
        }
        Ok(Expect::after(head))
    }

    /// Returns what must follow a frame with this head, if the head is true.
    pub(crate) fn after(head: &FrameHead) -> Expect {
        let header = &head.header;
        let batch = if header.ends_batch() {
            Batch::Start
        } else {
            Batch::Within { pos: header.batch_pos.saturating_add(1), len: header.batch_len }
        };
        Expect {
            next: header.seq.0.saturating_add(1),
            chain: head.chain,
            recorded_at: header.recorded_at,
            batch,
        }
    }

    pub(crate) fn seq(&self) -> Seq {
        Seq(self.next)
    }
}

impl Frame {
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.head.frame_len)
    }

    pub(crate) fn into_record(self) -> Record {
        Record::new(self.head.header, self.record_hash, self.head.chain, self.payload)
    }

    /// The log's own event in it, if it is one and its body is there.
    pub(crate) fn log_event(&self) -> Option<LogEvent> {
        match &self.payload {
            Payload::Present { body, .. } => {
                LogEvent::decode(self.head.header.kind, body).map(|(event, _)| event)
            }
            Payload::Erased { .. } | Payload::Destroyed => None,
        }
    }
}
