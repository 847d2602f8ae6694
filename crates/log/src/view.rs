use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::env::{LogOptions, Position, Resume};
use crate::footer::SPARSE_STEP;
use crate::frame::{FRAME_HEAD_LEN, FrameFault, FrameHead, SlotState};
use crate::layout::len_usize;
use crate::segment::{LOOKUP_AHEAD, Segment};
use crate::stretch::Stretch;
use crate::tail::Tail;
use crate::walk::{BadFrame, Batch, Expect, Frame};
use crate::window::Window;
use crate::{Digest, Error, Payload, Record, Seq, Timestamp};

/// The log up to a batch end, as one handle knows it; cheap to copy.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// At least one; all but the last are sealed.
    pub(crate) segments: Arc<Vec<Arc<Segment>>>,
    pub(crate) end: End,
    /// The records known to be synced: D + 1.
    pub(crate) floor: u64,
    /// Records whose erasure was seen in the walk; their bodies are not shown.
    pub(crate) erased: Arc<BTreeSet<Seq>>,
}

/// The end of the validated prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct End {
    pub(crate) expect: Expect,
    /// Offset of the next frame in the last segment.
    pub(crate) offset: u64,
}

/// The last record of a log, as known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Head {
    /// Its position; a batch end.
    pub seq: Seq,
    /// The chain there.
    pub chain: Digest,
    /// Its time.
    pub recorded_at: Timestamp,
}

impl View {
    pub(crate) fn head(&self) -> Head {
        let expect = &self.end.expect;
        Head {
            seq: Seq(expect.next.saturating_sub(1)),
            chain: expect.chain,
            recorded_at: expect.recorded_at,
        }
    }

    pub(crate) fn active(&self) -> Result<&Arc<Segment>, Error> {
        self.segments.last().ok_or_else(|| Error::NoLedger { folder: String::new() })
    }

    /// The segment that holds `seq`, and where its frames end as far as they are validated.
    pub(crate) fn segment_of(&self, seq: Seq) -> Result<(&Arc<Segment>, u64), Error> {
        let end = self.end.expect.next;
        if seq.0 >= end {
            return Err(Error::OutOfRange { seq, end });
        }
        let after = self.segments.partition_point(|segment| segment.header.base <= seq);
        let segment = after.checked_sub(1).and_then(|index| self.segments.get(index));
        let segment = segment.ok_or(Error::OutOfRange { seq, end })?;
        let limit = match &segment.footer {
            Some((_, offset)) => *offset,
            None => self.end.offset,
        };
        Ok((segment, limit))
    }

    pub(crate) fn frame(&self, seq: Seq) -> Result<Frame, Error> {
        let (segment, limit) = self.segment_of(seq)?;
        segment.read(&mut segment.lookup_window(limit).short(LOOKUP_AHEAD), seq)
    }

    /// The head of the frame of `seq`, without its slot.
    pub(crate) fn frame_head(&self, seq: Seq) -> Result<(FrameHead, u64), Error> {
        let (segment, limit) = self.segment_of(seq)?;
        segment.find_head(seq, limit)
    }

    /// Hides the bodies of `targets`: who sees an erasure sees nothing of what it takes.
    pub(crate) fn hide(&mut self, targets: impl IntoIterator<Item = Seq>) {
        let mut targets = targets.into_iter().peekable();
        if targets.peek().is_some() {
            let mut erased = self.erased.as_ref().clone();
            erased.extend(targets);
            self.erased = Arc::new(erased);
        }
    }

    pub(crate) fn position(&self, seq: Seq) -> Result<Position, Error> {
        let (segment, _) = self.segment_of(seq)?;
        let (head, offset) = self.frame_head(seq)?;
        Ok(Position { seq, chain: head.chain, segment: segment.header.number, offset })
    }

    pub(crate) fn resume(&self, seq: Seq) -> Result<Resume, Error> {
        let (segment, _) = self.segment_of(seq)?;
        Ok(Resume { position: self.position(seq)?, before: segment.known_through(seq) })
    }

    /// A record without its body if that is to be erased.
    pub(crate) fn show(&self, mut record: Record) -> Record {
        if let Payload::Present { blind, body } = &record.payload
            && self.erased.contains(&record.seq)
        {
            let payload_digest = crate::hash::payload_digest(blind, body);
            record.payload = Payload::Erased { payload_digest };
        }
        record
    }
}

/// The records of a range, one after another, each verified with its link.
///
/// Ends after the first error of a head or link; an error of a payload alone is
/// followed by the next record, whose link is then taken from the stored chain.
#[derive(Debug)]
pub struct Scan {
    view: View,
    options: LogOptions,
    tail: Tail,
    next: u64,
    end: u64,
    place: Option<Place>,
}

#[derive(Debug)]
struct Place {
    segment: Arc<Segment>,
    window: Window,
    offset: u64,
    limit: u64,
    expect: Expect,
    stretch: Stretch,
    /// How many of its frames were given out.
    given: usize,
    /// The offset of the frame that was noted last.
    noted: u64,
}

impl Scan {
    pub(crate) fn new(view: View, options: LogOptions, from: Seq, to: Seq) -> Scan {
        let end = to.0.saturating_add(1).min(view.end.expect.next);
        Scan { view, options, tail: Tail::default(), next: from.0, end, place: None }
    }

    /// Takes from `tail` what it holds.
    pub(crate) fn over(self, tail: &Tail) -> Scan {
        Scan { tail: tail.within(&self.view.segments), ..self }
    }

    fn enter(&mut self) -> Result<Place, Error> {
        let seq = Seq(self.next);
        let (segment, limit) = self.view.segment_of(seq)?;
        let mut window = segment.window(limit, self.options.mmap);
        let (offset, chain) = segment.find(&mut window, seq)?;
        let from_start = seq == segment.header.base;
        let (before, mut stretch) = match self.place.take() {
            Some(place) => (Some(place.expect), place.stretch),
            None => (None, Stretch::default()),
        };
        stretch.clear();
        let expect = match before {
            Some(expect) if expect.next == self.next => {
                if expect.chain != segment.header.prev_chain {
                    let fault = FrameFault::Link;
                    return Err(Error::frame(&segment.name, 0, seq, fault));
                }
                expect
            }
            Some(_) | None => Expect {
                next: self.next,
                chain,
                recorded_at: Timestamp(i64::MIN),
                batch: if from_start { Batch::Start } else { Batch::Any },
            },
        };
        let segment = segment.clone();
        Ok(Place { segment, window, offset, limit, expect, stretch, given: 0, noted: offset })
    }

    fn step(&mut self) -> Result<Record, Error> {
        if let Some(record) = self.tail.get(Seq(self.next)) {
            self.place = None;
            self.next = self.next.saturating_add(1);
            return Ok(self.view.show(record.clone()));
        }
        let mut place = match self.place.take() {
            Some(place) if place.offset < place.limit => place,
            other => {
                self.place = other;
                self.enter()?
            }
        };
        let seq = Seq(self.next);
        let left = len_usize(self.end.saturating_sub(self.next));
        let read = place.frame(left, self.options.read_past_loss);
        let frame = match read.map_err(Error::io("read", &place.segment.name))? {
            Ok(frame) => frame,
            Err(bad) => {
                let error = Error::frame(&place.segment.name, place.offset, seq, bad.fault);
                if let Some(head) = bad.head.filter(|head| head.header.seq == seq) {
                    place.pass(&head);
                    self.next = self.next.saturating_add(1);
                    self.place = Some(place);
                } else {
                    self.next = self.end;
                }
                return Err(error);
            }
        };
        let (name, offset) = (&place.segment.name, place.offset);
        let expected = place.expect.admits(&frame.head, frame.state, &place.link());
        expected.map_err(|fault| Error::frame(name, offset, seq, fault))?;
        if offset.saturating_sub(place.noted) >= SPARSE_STEP {
            place.segment.note(seq, offset);
            place.noted = offset;
        }
        place.pass(&frame.head);
        self.place = Some(place);
        self.next = self.next.saturating_add(1);
        Ok(self.view.show(frame.into_record()))
    }
}

impl Place {
    /// The frame at the offset, with a copy of its body; `left` more are wanted at the most.
    ///
    /// With `past_loss` one of which the payload alone is damaged counts as destroyed.
    fn frame(&mut self, left: usize, past_loss: bool) -> std::io::Result<Result<Frame, BadFrame>> {
        if self.given >= self.stretch.frames().len() {
            let (salt, chain) = (self.segment.header.salt, &self.expect.chain);
            self.stretch.fill(&mut self.window, salt, self.offset, chain, left)?;
            self.given = 0;
        }
        let Some(checked) = self.stretch.frames().get(self.given) else {
            let fault = self.stretch.stop().unwrap_or(FrameFault::Incomplete);
            return Ok(Err(BadFrame { fault, head: None }));
        };
        let head = checked.head.clone();
        let state = match checked.state {
            Ok(state) => state,
            // As it would be once the loss is accepted.
            Err(FrameFault::SlotCrc) if past_loss => SlotState::Destroyed,
            Err(fault) => return Ok(Err(BadFrame { fault, head: Some(head) })),
        };
        let (offset, record_hash) = (checked.offset, checked.record_hash);
        let bytes = self.window.get(offset, head.frame_len)?;
        let Some(payload) =
            head.payload(state, bytes.get(len_usize(FRAME_HEAD_LEN)..).unwrap_or_default())
        else {
            return Ok(Err(BadFrame { fault: FrameFault::Length, head: Some(head) }));
        };
        Ok(Ok(Frame { offset, head, state, record_hash, payload }))
    }

    /// Returns the chain that is due behind the frame at the offset.
    fn link(&self) -> Digest {
        self.stretch.frames().get(self.given).map_or_else(Digest::default, |frame| frame.link)
    }

    /// Goes on behind the frame at the offset.
    fn pass(&mut self, head: &FrameHead) {
        self.expect = Expect::after(head);
        self.offset = self.offset.saturating_add(head.frame_len);
        self.given += 1;
    }
}

impl Iterator for Scan {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let before = self.next;
        let step = self.step();
        if step.is_err() && self.next == before {
            self.next = self.end;
        }
        Some(step)
    }
}
