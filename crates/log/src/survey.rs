//! Finds the end of the log and what is behind it: rules 1 to 4 of opening.
//!
//! Invariants: 1. a survey changes no byte; 2. the end is a batch end of which
//! every frame was checked, or lies where an earlier survey or an admitted
//! checkpoint put it; 3. the mark is read before the frames, so that a writer
//! that goes on meanwhile cannot look like a loss.

mod load;
mod remainder;

use std::sync::Arc;

use crate::env::{Env, LogOptions};
use crate::finding::Finding;
use crate::frame::FrameFault;
use crate::kind::LogEvent;
use crate::mark_file::{MARK_NAME, MarkReading};
use crate::segment::{Segment, footer_at, segment_name};
use crate::stretch::{Checked, FRAMES_MAX, Stretch};
use crate::tail::Walked;
use crate::view::{End, View};
use crate::walk::{Batch, Expect};
use crate::{Error, Seq};

pub(crate) use load::{no_segment, segment_numbers};
pub(crate) use remainder::Remainder;

/// Result of opening and scanning the segments.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) view: View,
    pub(crate) mark: MarkReading,
    /// Bytes behind the end in the active segment.
    pub(crate) remainder: Remainder,
    pub(crate) findings: Vec<Finding>,
    /// Whether an erasure, or its completion, was passed.
    pub(crate) erasure_seen: bool,
    /// Records walked of the last segment, where nothing of it was known.
    pub(crate) walked: Option<Walked>,
    stop: Stop,
}

/// Why the walk ended.
#[derive(Clone, Copy, Debug)]
struct Stop {
    fault: FrameFault,
    offset: u64,
    seq: u64,
}

/// How far behind the end is looked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Depth {
    /// Nothing, unless the end lies before the floor: a reader's catch-up.
    Frames,
    /// One block if the mark is clean, else everything.
    Remainder,
    /// Everything, whatever the mark says.
    All,
}

/// The part of the log that the caller knows already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) view: &'a View,
    /// The epoch of the mark when this handle last held the lock, if nothing
    /// behind the end needs another look while it still stands.
    pub(crate) settled_epoch: Option<u64>,
}

pub(crate) fn survey(
    env: &Env,
    options: &LogOptions,
    known: Option<Known<'_>>,
    depth: Depth,
) -> Result<Survey, Error> {
    let view = match known {
        Some(known) if load::is_current(env, known.view)? => known.view.clone(),
        Some(known) => {
            let fresh = load::load(env, options)?;
            load::keep_end(fresh, known.view)?
        }
        None => load::load(env, options)?,
    };
    if let Some(known) = known {
        load::confirm_end(&view, known.view)?;
    }
    let ledger = view.active()?.header.ledger;
    let mark = MarkReading::read(env.storage.as_ref(), ledger)?;
    let stop =
        Stop { fault: FrameFault::Magic, offset: view.end.offset, seq: view.end.expect.next };
    let findings = mark.findings();
    let remainder = Remainder::default();
    let walked = match known {
        None if depth == Depth::Remainder => Some(Walked::of(view.active()?)),
        _ => None,
    };
    let erasure_seen = false;
    let mut survey = Survey { view, mark, remainder, findings, erasure_seen, walked, stop };
    survey.view.floor = survey.view.floor.max(survey.mark.floor_count());
    survey.forward(env, options)?;
    let settled = known.and_then(|known| known.settled_epoch).is_some_and(|epoch| {
        let unmoved = known.is_some_and(|known| known.view.end == survey.view.end);
        unmoved && survey.mark.mark().is_some_and(|mark| mark.epoch == epoch)
    });
    survey.look_behind(env, settled, depth)?;
    while survey.view.floor > survey.view.end.expect.next {
        // A writer may have gone on since the walk, or sealed and so cut the segment: only a
        // walk that finds nothing new counts. Of a verification, one that came as far as was
        // acknowledged looks no further: a writer that never rests always leaves something.
        let before = survey.view.end;
        survey.forward(env, options)?;
        let stands = survey.view.end == before;
        let again = if stands || depth == Depth::Remainder { Depth::All } else { Depth::Frames };
        survey.look_behind(env, false, again)?;
        if stands {
            break;
        }
    }
    Ok(survey)
}

/// Whether the folder holds a segment.
pub(crate) fn any_segment(env: &Env) -> Result<bool, Error> {
    Ok(!load::segment_numbers(env)?.is_empty())
}

/// The known view over the files as they are named at the moment.
pub(crate) fn reopen(env: &Env, options: &LogOptions, known: &View) -> Result<View, Error> {
    load::keep_end(load::load(env, options)?, known)
}

/// The view of a ledger of which nothing was known, without a look behind its end.
pub(crate) fn open_single(env: &Env, options: &LogOptions) -> Result<View, Error> {
    Ok(survey(env, options, None, Depth::Frames)?.view)
}

impl Survey {
    /// Walks whole batches from the known end as far as they hold.
    fn forward(&mut self, env: &Env, options: &LogOptions) -> Result<(), Error> {
        loop {
            self.walk_active()?;
            let active = self.view.active()?.clone();
            if !active.is_sealed() && !self.seal_noticed(&active)? {
                return Ok(());
            }
            if !load::successor_exists(env, &active)? {
                return Ok(());
            }
            let fresh = load::load(env, options)?;
            self.view = load::keep_end(fresh, &self.view)?;
            if self.view.active()?.header.number == active.header.number {
                return Err(load::no_regular_file(active.header.number.saturating_add(1)));
            }
        }
    }

    fn walk_active(&mut self) -> Result<(), Error> {
        let active = self.view.active()?.clone();
        if active.is_sealed() {
            return Ok(());
        }
        let limit = active.frames_limit()?;
        let mut window = active.window(limit, false);
        let mut stretch = Stretch::default();
        let (mut expect, mut offset) = (self.view.end.expect, self.view.end.offset);
        let mut targets = Vec::new();
        loop {
            let start = offset;
            let bytes = stretch
                .fill(&mut window, active.header.salt, offset, &expect.chain, FRAMES_MAX)
                .map_err(Error::io("read", &active.name))?;
            let mut fault = stretch.stop();
            for frame in stretch.frames() {
                let next = match admit(&expect, frame) {
                    Ok(next) => next,
                    Err(bad) => {
                        fault = Some(bad);
                        break;
                    }
                };
                self.pass(&active, frame, frame.slot(bytes, start), &mut targets);
                (expect, offset) = (next, frame.end());
                if expect.batch == Batch::Start {
                    self.view.end = End { expect, offset };
                    self.view.hide(targets.drain(..));
                }
            }
            if let Some(fault) = fault {
                self.stop = Stop { fault, offset, seq: expect.next };
                return Ok(());
            }
        }
    }

    /// Notes what a frame that the walk passes says.
    fn pass(
        &mut self,
        active: &Arc<Segment>,
        frame: &Checked,
        slot: &[u8],
        targets: &mut Vec<Seq>,
    ) {
        let header = &frame.head.header;
        active.note(header.seq, frame.offset);
        self.view.floor = self.view.floor.max(frame.head.floor_count());
        if let Some(LogEvent::Erasure { targets: named, .. }) = frame.log_event(slot) {
            targets.extend(named.into_iter().map(|(seq, _)| seq));
        }
        self.erasure_seen |= matches!(header.kind, 1 | 2);
        let record = self.walked.is_some().then(|| frame.record(slot)).flatten();
        let kept = |walked: &mut Walked| {
            record.is_some_and(|record| walked.keep(active, record, frame.head.frame_len))
        };
        // Whoever folds the end next needs all of it.
        self.walked = self.walked.take_if(kept);
    }

    /// Whether the active segment was sealed meanwhile; then the view says so too.
    fn seal_noticed(&mut self, active: &Arc<Segment>) -> Result<bool, Error> {
        let end = self.view.end;
        let limit = active.file.len().map_err(Error::io("read", &active.name))?;
        let mut window = active.window(limit, false);
        let footer = footer_at(&mut window, active.header.salt, end.offset)
            .map_err(Error::io("read", &active.name))?;
        let Some(footer) = footer else { return Ok(false) };
        let fits = footer.last.next().0 == end.expect.next
            && footer.chain == end.expect.chain
            && footer.first == active.header.base;
        if !fits {
            return Ok(false);
        }
        self.view.replace_active(Segment::new(
            active.header,
            active.file.clone(),
            Some((footer, end.offset)),
        ));
        Ok(true)
    }

    fn look_behind(&mut self, env: &Env, settled: bool, depth: Depth) -> Result<(), Error> {
        let active = self.view.active()?.clone();
        self.remainder = Remainder::default();
        let lost = self.view.floor > self.view.end.expect.next;
        if active.is_sealed() || settled || depth == Depth::Frames && !lost {
            return Ok(());
        }
        let unmoved = self.mark.mark().is_some_and(|mark| {
            mark.clean
                && mark.boot_id == env.storage.boot_id()
                && mark.seq.next().0 == self.view.end.expect.next
        });
        let one_block = unmoved && !lost && depth == Depth::Remainder;
        let threads = || env.storage.readers();
        self.remainder = Remainder::scan(&active, &self.view.end, one_block, threads)?;
        self.view.floor = self.view.floor.max(self.remainder.floor);
        Ok(())
    }

    /// Rules 3, 7 and 4, in this order; rule 1 was checked on the way.
    ///
    /// With `past_loss` a lost tail is a finding.
    pub(crate) fn verdict(&mut self, options: &LogOptions) -> Result<(), Error> {
        let active = self.view.active()?.clone();
        let (end, floor) = (self.view.end.expect.next, self.view.floor);
        if self.stop.fault == FrameFault::Newer && !active.is_sealed() {
            return Err(Error::NewerFormat { file: active.name.clone(), offset: self.stop.offset });
        }
        self.check_mark()?;
        let successor_gone = self.successor_is_gone()?;
        let whole = floor <= end && !successor_gone;
        if whole && end > 0 {
            return Ok(());
        }
        let stop = self.stop;
        let error = if successor_gone {
            Error::SegmentMissing {
                file: segment_name(active.header.number.saturating_add(1)),
                evidence: format!("{}, which is sealed, while the mark is gone too", active.name),
                acknowledged: Some(end),
            }
        } else if end > 0 && active.is_sealed() {
            // A footer that holds ends its segment: what was acknowledged behind it had a file.
            Error::SegmentMissing {
                file: segment_name(active.header.number.saturating_add(1)),
                evidence: format!("the mark, and {}, which ends before it", active.name),
                acknowledged: Some(floor),
            }
        } else if end > 0 && self.remainder.nonzero_end.is_none() {
            Error::TailLost { file: active.name.clone(), end, synced: floor }
        } else {
            Error::frame(&active.name, stop.offset, Seq(stop.seq), stop.fault)
        };
        if options.read_past_loss && options.read_only && end > 0 {
            let what = error.to_string();
            self.findings.push(Finding::new(&active.name, stop.offset, Some(Seq(end)), what));
            return Ok(());
        }
        Err(error)
    }

    /// Whether the last segment has lost its successor: it is sealed, and there is no mark.
    ///
    /// Who seals a segment leaves the mark in place, so that no crash leaves this.
    pub(crate) fn successor_is_gone(&self) -> Result<bool, Error> {
        Ok(self.mark.missing && self.view.active()?.is_sealed())
    }

    fn check_mark(&mut self) -> Result<(), Error> {
        let Some((slot, mark)) = self.mark.best else { return Ok(()) };
        let end = &self.view.end.expect;
        if mark.seq.0 >= end.next {
            return Ok(());
        }
        let (found, ends_batch) = if mark.seq.next().0 == end.next {
            (end.chain, true)
        } else {
            let (head, _) = self.view.frame_head(mark.seq)?;
            (head.chain, head.header.ends_batch())
        };
        let offset = crate::mark::SLOT_OFFSETS.get(slot).copied().unwrap_or_default();
        if found != mark.chain {
            if self.loss_was_accepted(&mark)? {
                return Ok(());
            }
            return Err(Error::HeadMismatch { seq: mark.seq, expected: mark.chain, found });
        }
        if !ends_batch {
            let what = "the mark is not at the end of a batch";
            self.findings.push(Finding::new(MARK_NAME, offset, Some(mark.seq), what));
        }
        Ok(())
    }

    /// Whether the mark speaks of the tail whose loss the active segment begins
    /// by accepting: the writer died before it could renew the mark.
    fn loss_was_accepted(&self, mark: &crate::mark::Mark) -> Result<bool, Error> {
        let base = self.view.active()?.header.base;
        if base.0 >= self.view.end.expect.next {
            return Ok(false);
        }
        let frame = self.view.frame(base)?;
        let Some(LogEvent::LossAccepted(loss)) = frame.log_event() else { return Ok(false) };
        Ok(loss.old_chain == mark.chain && loss.synced == mark.seq.next().0)
    }
}

/// Returns the expectation behind `frame`, if it is the one due.
fn admit(expect: &Expect, frame: &Checked) -> Result<Expect, FrameFault> {
    expect.admits(&frame.head, frame.state?, &frame.link)
}

impl View {
    /// Puts `segment` in the place of the last one.
    pub(crate) fn replace_active(&mut self, segment: Segment) {
        let mut segments: Vec<_> = self.segments.as_ref().clone();
        segments.pop();
        segments.push(Arc::new(segment));
        self.segments = Arc::new(segments);
    }
}
