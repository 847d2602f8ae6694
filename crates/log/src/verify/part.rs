//! One segment's part of a verification, which needs no other segment.

use std::collections::BTreeSet;

use super::Level;
use super::erasures::Erasures;
use super::segments::Place;
use crate::env::Env;
use crate::finding::Finding;
use crate::footer::SPARSE_STEP;
use crate::frame::{ALIGN, FrameFault, SlotState};
use crate::hash::SegmentHasher;
use crate::layout::is_zero;
use crate::segment::Segment;
use crate::segment_header::{SEGMENT_HEADER_LEN, SegmentHeader};
use crate::stretch::{Checked, FRAMES_MAX, Stretch};
use crate::view::End;
use crate::walk::{Batch, Expect, next_magic, read_frame, read_head};
use crate::window::Window;
use crate::{Digest, Error, Seq, Timestamp};

/// A segment to be verified.
#[derive(Debug)]
pub(super) struct Task<'a> {
    pub(super) env: &'a Env,
    pub(super) level: Level,
    pub(super) place: Place,
    /// Where the log ends, if that is in this segment.
    pub(super) end: Option<End>,
}

/// Result of verifying one segment.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// What kept it from being opened as it should be.
    pub(super) refused: Vec<Finding>,
    /// None where it cannot be opened at all.
    pub(super) walked: Option<Walked>,
}

/// Counts and ends of what a walk through a segment saw.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) name: String,
    pub(super) header: SegmentHeader,
    pub(super) findings: Vec<Finding>,
    /// Sound records.
    pub(super) records: u64,
    /// What is due behind it.
    pub(super) after: Option<Expect>,
    /// The time of its first record, if that has to follow the time before it.
    pub(super) first_time: Option<Timestamp>,
    /// The least and the greatest sequence of the records that were walked.
    pub(super) range: Option<(Seq, Seq)>,
    pub(super) erasures: Erasures,
    /// What ended the verification here.
    pub(super) error: Option<Error>,
}

impl Task<'_> {
    pub(super) fn run(&self) -> Part {
        self.rerun(Timestamp(i64::MIN))
    }

    /// The same, knowing the time of the last record before the segment.
    pub(super) fn rerun(&self, before: Timestamp) -> Part {
        let mut part = Part::default();
        if self.place.is_missing {
            return part;
        }
        let Some(segment) = self.open(&mut part.refused) else { return part };
        let mut walked = Walked {
            name: segment.name.clone(),
            header: segment.header,
            findings: Vec::new(),
            records: 0,
            after: None,
            first_time: None,
            range: None,
            erasures: Erasures::default(),
            error: None,
        };
        walked.error = self.verify(&segment, before, &mut walked).err();
        part.walked = Some(walked);
        part
    }

    /// Opens the segment with or without a sound footer.
    fn open(&self, refused: &mut Vec<Finding>) -> Option<Segment> {
        let (storage, number) = (self.env.storage.as_ref(), self.place.number);
        let segment = match Segment::open(storage, number, !self.place.is_last) {
            Ok(segment) => segment,
            Err(error) => {
                refused.push(Finding::of(&error));
                Segment::open(storage, number, false).ok()?
            }
        };
        // What lies behind the end is a tail, and no footer.
        match (&segment.footer, &self.end) {
            (Some((_, offset)), Some(end)) if *offset != end.offset => {
                Some(segment.without_footer())
            }
            _ => Some(segment),
        }
    }

    fn verify(&self, segment: &Segment, before: Timestamp, part: &mut Walked) -> Result<(), Error> {
        if let (Level::Sealed, Some((footer, end))) = (self.level, &segment.footer) {
            if segment.byte_hash(*end)? == footer.byte_hash {
                part.records = footer.count;
                part.after = Some(Expect {
                    next: footer.last.next().0,
                    chain: footer.chain,
                    recorded_at: Timestamp(i64::MIN),
                    batch: Batch::Start,
                });
                return Ok(());
            }
            let what = "the bytes are not as they were sealed";
            part.findings.push(Finding::new(&segment.name, *end, None, what));
        }
        if let (Level::Sealed, Some(end), None) = (self.level, &self.end, &segment.footer) {
            // Whoever found the end has checked every frame before it.
            part.records = end.expect.next.saturating_sub(segment.header.base.0);
            part.after = Some(end.expect);
            return Ok(());
        }
        let mut walk = self.walk(segment, before)?;
        walk.run(part)?;
        walk.check_footer(part);
        part.after = walk.expect;
        Ok(())
    }

    /// A walk from the segment's start.
    fn walk<'s>(&self, segment: &'s Segment, before: Timestamp) -> Result<Walk<'s>, Error> {
        let limit = match (&self.end, &segment.footer) {
            (_, Some((_, offset))) => *offset,
            (Some(end), None) => end.offset,
            (None, None) => segment.file.len().map_err(Error::io("read", &segment.name))?,
        };
        let header = &segment.header;
        let start = Expect {
            next: header.base.0,
            chain: header.prev_chain,
            recorded_at: before,
            batch: Batch::Start,
        };
        let mut window = segment.window(limit, false);
        let mut hasher = SegmentHasher::new();
        let bytes = window.get(0, SEGMENT_HEADER_LEN).map_err(Error::io("read", &segment.name))?;
        hasher.update(bytes);
        Ok(Walk {
            segment,
            window,
            limit,
            offset: SEGMENT_HEADER_LEN,
            expect: Some(start),
            to_limit: self.end.is_some() || segment.is_sealed(),
            // Whoever found the end has checked the records before it.
            is_proven: self.end.is_some() && !segment.is_sealed(),
            all_sound: true,
            sound: 0,
            hasher,
            step: segment.footer.as_ref().map_or(SPARSE_STEP, |(footer, _)| footer.step()),
            sparse: Vec::new(),
        })
    }

    /// Shows `erasures` the records of a walked segment that are wanted.
    pub(super) fn look_for(
        &self,
        walked: &Walked,
        wanted: &BTreeSet<Seq>,
        erasures: &mut Erasures,
    ) -> Result<(), Error> {
        let Some(segment) = self.open(&mut Vec::new()) else { return Ok(()) };
        let io = || Error::io("read", &walked.name);
        let (mut walk, salt) = (self.walk(&segment, Timestamp(i64::MIN))?, walked.header.salt);
        while walk.offset < walk.limit {
            let at = walk.offset;
            let Ok(head) = read_head(&mut walk.window, salt, at).map_err(io())? else {
                walk.skip()?;
                continue;
            };
            if wanted.contains(&head.header.seq)
                && let Ok(frame) = read_frame(&mut walk.window, salt, at).map_err(io())?
            {
                erasures.see(&walked.name, &frame);
            }
            walk.offset = at.saturating_add(head.frame_len);
        }
        Ok(())
    }
}

/// Where a walk through one segment stands.
struct Walk<'a> {
    segment: &'a Segment,
    window: Window,
    limit: u64,
    offset: u64,
    /// None behind damage: then the next frame is taken as it stands.
    expect: Option<Expect>,
    /// Whether frames go on to the limit, so that a bad one is damage.
    to_limit: bool,
    /// Whether the records were checked already, and are only read.
    is_proven: bool,
    all_sound: bool,
    sound: u64,
    /// Over all bytes so far, as long as all are sound.
    hasher: SegmentHasher,
    /// The distance between the footer's sparse offsets.
    step: u64,
    sparse: Vec<(Seq, u64)>,
}

impl Walk<'_> {
    /// Visits every frame.
    fn run(&mut self, part: &mut Walked) -> Result<(), Error> {
        let mut stretch = Stretch::default();
        while self.offset < self.limit {
            let (start, salt) = (self.offset, self.segment.header.salt);
            let chain = self.expect.map_or_else(Digest::default, |expect| expect.chain);
            let bytes = match self.is_proven {
                true => stretch.read(&mut self.window, salt, start, FRAMES_MAX),
                false => stretch.fill(&mut self.window, salt, start, &chain, FRAMES_MAX),
            };
            let bytes = bytes.map_err(Error::io("read", &self.segment.name))?;
            if self.all_sound && self.segment.is_sealed() {
                self.hasher.update(bytes);
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
        match fault {
            Some(fault) if self.damaged(part, Some(frame), fault)? => return Ok(true),
            Some(_) => {}
            None => {
                self.sound += 1;
                part.records += 1;
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
        part.findings.push(Finding::new(&self.segment.name, self.offset, seq, fault.as_str()));
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
    fn skip(&mut self) -> Result<(), Error> {
        let next = next_magic(&mut self.window, self.offset + ALIGN, self.limit);
        let next = next.map_err(Error::io("read", &self.segment.name))?;
        self.offset = next.unwrap_or(self.limit);
        Ok(())
    }

    /// Compares the footer with the frames, where all of them are sound.
    fn check_footer(&self, part: &mut Walked) {
        let (Some((footer, offset)), true) = (&self.segment.footer, self.all_sound) else { return };
        let Some(end) = self.expect else { return };
        let mut add =
            |what| part.findings.push(Finding::new(&self.segment.name, *offset, None, what));
        let counted = footer.count == self.sound && footer.last == Seq(end.next.saturating_sub(1));
        if !counted || footer.chain != end.chain || end.batch != Batch::Start {
            add("the footer does not agree with the records");
        }
        let byte_hash = self.hasher.digest();
        if byte_hash != footer.byte_hash {
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
