//! Frame after frame through a segment, or a piece of one, past whatever is damaged.

use super::part::Walked;
use crate::finding::{Finding, FindingKind};
use crate::footer::SPARSE_STEP;
use crate::frame::{ALIGN, FrameFault, SlotState};
use crate::hash::SegmentHasher;
use crate::layout::is_zero;
use crate::segment::Segment;
use crate::segment_header::SEGMENT_HEADER_LEN;
use crate::stretch::{Checked, FRAMES_MAX, Stretch};
use crate::walk::{Expect, next_magic};
use crate::window::Window;
use crate::{Digest, Error, Seq, Timestamp};

/// Where a walk through one segment stands.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    segment: &'a Segment,
    pub(super) window: Window,
    pub(super) limit: u64,
    pub(super) offset: u64,
    /// None behind damage, and where a piece begins: then the next frame is taken as it stands.
    pub(super) expect: Option<Expect>,
    /// Whether frames go on to the limit, so that a bad one is damage.
    to_limit: bool,
    /// Whether the records were checked already, and are only read.
    is_proven: bool,
    pub(super) all_sound: bool,
    sound: u64,
    /// Over all bytes so far, as long as all are sound; none of a piece.
    hasher: Option<SegmentHasher>,
    /// The first frame that was passed.
    pub(super) first: Option<Checked>,
    /// The distance between the footer's sparse offsets.
    step: u64,
    pub(super) sparse: Vec<(Seq, u64)>,
}

impl<'a> Walk<'a> {
    /// Through all frames before `limit`, from the time before the segment on.
    pub(super) fn whole(
        segment: &'a Segment,
        limit: u64,
        before: Timestamp,
    ) -> Result<Walk<'a>, Error> {
        let start = Expect { recorded_at: before, ..segment.header.expect() };
        let mut walk = Walk::piece(segment, SEGMENT_HEADER_LEN, limit);
        walk.expect = Some(start);
        walk.to_limit = segment.is_sealed();
        let mut hasher = SegmentHasher::new();
        let bytes = walk.window.get(0, SEGMENT_HEADER_LEN);
        hasher.update(bytes.map_err(Error::io("read", &segment.name))?);
        walk.hasher = segment.is_sealed().then_some(hasher);
        Ok(walk)
    }

    /// Through the frames of a sealed segment from one at `offset` to where one begins at `limit`.
    pub(super) fn piece(segment: &'a Segment, offset: u64, limit: u64) -> Walk<'a> {
        Walk {
            segment,
            window: segment.window(limit, false),
            limit,
            offset,
            expect: None,
            to_limit: true,
            is_proven: false,
            all_sound: true,
            sound: 0,
            hasher: None,
            first: None,
            step: segment.footer.as_ref().map_or(SPARSE_STEP, |(footer, _)| footer.step()),
            sparse: Vec::new(),
        }
    }

    /// Returns the walk through frames that whoever found the log's end has checked.
    pub(super) fn proven(mut self) -> Walk<'a> {
        (self.is_proven, self.to_limit) = (true, true);
        self
    }

    /// Visits every frame.
    pub(super) fn run(&mut self, part: &mut Walked) -> Result<(), Error> {
        let mut stretch = Stretch::default();
        while self.offset < self.limit {
            let (start, salt) = (self.offset, self.segment.header.salt);
            let chain = self.expect.map_or_else(Digest::default, |expect| expect.chain);
            let bytes = match self.is_proven {
                true => stretch.read(&mut self.window, salt, start, FRAMES_MAX),
                false => stretch.fill(&mut self.window, salt, start, &chain, FRAMES_MAX),
            };
            let bytes = bytes.map_err(Error::io("read", &self.segment.name))?;
            if let (true, Some(hasher)) = (self.all_sound, &mut self.hasher) {
                hasher.update(bytes);
            }
            for frame in stretch.frames() {
                note(part, frame, frame.slot(bytes, start));
            }
            for frame in stretch.frames() {
                if self.pass(part, frame)? {
                    return Ok(());
                }
            }
            if let Some(fault) = stretch.stop()
                && self.damaged(part, None, fault)?
            {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Goes on behind a frame; true where the log ends at it.
    fn pass(&mut self, part: &mut Walked, frame: &Checked) -> Result<bool, Error> {
        let fault = match (frame.state, &self.expect) {
            (Err(fault), _) => Some(fault),
            (Ok(_), _) if self.is_proven => None,
            (Ok(state), Some(expect)) => expect.admits(&frame.head, state, &frame.link).err(),
            (Ok(_), None) => None,
        };
        self.note_place(part, frame);
        self.first.get_or_insert_with(|| frame.clone());
        match fault {
            Some(fault) if self.damaged(part, Some(frame), fault)? => return Ok(true),
            Some(_) => {}
            None => {
                self.sound += 1;
                part.records += 1;
                if let (Ok(SlotState::Destroyed), Some(expect)) = (frame.state, &self.expect) {
                    part.erasures.note_destroyed(frame.head.header.seq, expect.chain);
                }
            }
        }
        self.expect = Some(Expect::after(&frame.head));
        self.offset = frame.end();
        Ok(false)
    }

    /// Notes where the frame stands, for the footer and for what stands before the segment.
    fn note_place(&mut self, part: &mut Walked, frame: &Checked) {
        let header = &frame.head.header;
        let boundary = self.sparse.last().map_or(0, |(_, at)| (at + 1).next_multiple_of(self.step));
        if self.all_sound && frame.offset >= boundary {
            self.sparse.push((header.seq, frame.offset));
        }
        let is_first = frame.offset == SEGMENT_HEADER_LEN && frame.state.is_ok();
        if is_first && header.seq == self.segment.header.base && !header.may_step_back() {
            part.first_time = Some(header.recorded_at);
        }
    }

    /// Tells of a bad frame; true where it is only the end of a log that has damage.
    fn damaged(
        &mut self,
        part: &mut Walked,
        frame: Option<&Checked>,
        fault: FrameFault,
    ) -> Result<bool, Error> {
        if self.is_plain_end(fault)? {
            return Ok(true);
        }
        self.all_sound = false;
        let due = self.expect.map(|expect| expect.seq());
        let seq = due.or_else(|| frame.map(|frame| frame.head.header.seq));
        let finding = Finding::new(&self.segment.name, self.offset, seq, fault.as_str());
        let kind = match fault {
            FrameFault::Link => FindingKind::ChainBreak,
            FrameFault::Incomplete
            | FrameFault::Magic
            | FrameFault::Length
            | FrameFault::HeadCrc
            | FrameFault::SlotCrc
            | FrameFault::Newer
            | FrameFault::Reserved
            | FrameFault::Seq
            | FrameFault::Time
            | FrameFault::Batch => FindingKind::Corrupt,
        };
        part.findings.push(finding.of_kind(kind));
        if frame.is_none() {
            self.expect = None;
            self.skip()?;
        }
        Ok(false)
    }

    /// Whether a damaged log's last segment just ends here, in zeros.
    fn is_plain_end(&mut self, fault: FrameFault) -> Result<bool, Error> {
        let ends = matches!(fault, FrameFault::Magic | FrameFault::Incomplete);
        if self.to_limit || !ends {
            return Ok(false);
        }
        let bytes =
            self.window.get(self.offset, ALIGN).map_err(Error::io("read", &self.segment.name))?;
        Ok(is_zero(bytes))
    }

    /// Goes to where the next frame may begin.
    pub(super) fn skip(&mut self) -> Result<(), Error> {
        let next = next_magic(&mut self.window, self.offset + ALIGN, self.limit);
        let next = next.map_err(Error::io("read", &self.segment.name))?;
        self.offset = next.unwrap_or(self.limit);
        Ok(())
    }

    /// Compares the footer with the frames, where all of them are sound.
    pub(super) fn check_footer(&self, part: &mut Walked) {
        let (Some((footer, offset)), true) = (&self.segment.footer, self.all_sound) else { return };
        let Some(end) = self.expect else { return };
        let mut add =
            |what| part.findings.push(Finding::new(&self.segment.name, *offset, None, what));
        if !footer.ends(self.sound, &end) {
            add("the footer does not agree with the records");
        }
        let byte_hash = self.hasher.as_ref().map(SegmentHasher::digest);
        if byte_hash != Some(footer.byte_hash) {
            add("the bytes are not as they were sealed");
        } else if self.sparse != footer.sparse {
            add("the footer's offsets do not agree with the records");
        }
    }
}

/// Notes what the record of a sound frame says.
fn note(part: &mut Walked, frame: &Checked, slot: &[u8]) {
    let Ok(state) = frame.state else { return };
    let header = &frame.head.header;
    let (first, last) = part.range.unwrap_or((header.seq, header.seq));
    part.range = Some((first.min(header.seq), last.max(header.seq)));
    if state != SlotState::Present || header.kind < crate::FIRST_EVENT_KIND {
        part.erasures.note(header, state, frame.log_event(slot));
    }
}
