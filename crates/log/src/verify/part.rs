//! One segment's part of a verification, which needs no other segment.

use std::collections::BTreeSet;

use super::Level;
use super::erasures::Erasures;
use super::segments::Place;
use super::walk::Walk;
use crate::env::Env;
use crate::finding::Finding;
use crate::segment::Segment;
use crate::segment_header::SegmentHeader;
use crate::view::End;
use crate::walk::{Batch, Expect, read_frame, read_head};
use crate::{Error, Seq, Timestamp};

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
    /// Findings that kept it from being opened as it should be.
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
    /// Expectation of the record behind it.
    pub(super) after: Option<Expect>,
    /// The time of its first record, if that has to follow the time before it.
    pub(super) first_time: Option<Timestamp>,
    /// The least and the greatest sequence of the records that were walked.
    pub(super) range: Option<(Seq, Seq)>,
    pub(super) erasures: Erasures,
    /// Error that ended the verification here.
    pub(super) error: Option<Error>,
}

impl Task<'_> {
    pub(super) fn run(&self) -> Part {
        self.rerun(Timestamp(i64::MIN))
    }

    /// Verifies the segment, knowing the time of the last record before it.
    pub(super) fn rerun(&self, before: Timestamp) -> Part {
        let mut part = Part::default();
        if self.place.is_missing {
            return part;
        }
        let Some(segment) = self.open(&mut part.refused) else { return part };
        let mut walked = Walked::of(&segment);
        walked.error = self.verify(&segment, before, &mut walked).err();
        part.walked = Some(walked);
        part
    }

    /// The segment, if nothing but its frames is in question: it can be walked in pieces then.
    pub(super) fn sealed(&self) -> Option<Segment> {
        let mut refused = Vec::new();
        let is_walked = self.level == Level::Full && !self.place.is_missing;
        let segment = is_walked.then(|| self.open(&mut refused)).flatten()?;
        (refused.is_empty() && segment.is_sealed()).then_some(segment)
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
        let walk = Walk::whole(segment, limit, before)?;
        Ok(match (&self.end, segment.is_sealed()) {
            (Some(_), false) => walk.proven(),
            _ => walk,
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

impl Walked {
    /// Nothing yet of `segment`.
    pub(super) fn of(segment: &Segment) -> Walked {
        Walked {
            name: segment.name.clone(),
            header: segment.header,
            findings: Vec::new(),
            records: 0,
            after: None,
            first_time: None,
            range: None,
            erasures: Erasures::default(),
            error: None,
        }
    }

    /// Adds a later piece of the same segment.
    pub(super) fn append(&mut self, piece: Walked) {
        self.records += piece.records;
        self.range = match (self.range, piece.range) {
            (Some((first, _)), Some((_, last))) => Some((first, last)),
            (range, None) | (None, range) => range,
        };
        self.erasures.merge(piece.erasures);
    }
}
