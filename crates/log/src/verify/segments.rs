use super::erasures::Erasures;
use super::{Level, Report};
use crate::env::Env;
use crate::finding::Finding;
use crate::frame::{ALIGN, FRAME_MAGIC, FrameFault};
use crate::layout::{len_usize, len64};
use crate::rotate::summarize;
use crate::segment::Segment;
use crate::segment_header::SEGMENT_HEADER_LEN;
use crate::survey::segment_numbers;
use crate::view::End;
use crate::walk::{Batch, Expect, read_frame};
use crate::window::Window;
use crate::{Error, LedgerId, Seq, Timestamp};

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
}

/// Verifies every segment there is; `active_end` is where the last one ends, if it is sound.
pub(super) fn verify_segments(
    env: &Env,
    report: &mut Report,
    active_end: Option<(u64, End)>,
    complete: bool,
) -> Result<(), Error> {
    let mut numbers = segment_numbers(env)?;
    numbers.sort_unstable();
    // Segments that a writer began since the end was found are left for the next time.
    numbers.retain(|number| active_end.is_none_or(|(active, _)| *number <= active));
    let last = numbers.last().copied().unwrap_or(0);
    let mut erasures = Erasures::default();
    let mut expect: Option<Expect> = None;
    for number in 0..=last {
        if !numbers.contains(&number) {
            let name = crate::segment::segment_name(number);
            report.add(Finding::new(name, 0, None, "the segment is missing"));
            expect = None;
            // A made-up name must not make this loop long.
            if numbers.iter().filter(|known| **known < number).count() == 0
                || last - number > 1 << 16
            {
                break;
            }
            continue;
        }
        let Some(segment) = open_any(env, report, number, number != last) else {
            expect = None;
            continue;
        };
        let end = active_end.as_ref().filter(|_| number == last).map(|(_, end)| end);
        // What lies behind the end is a tail, and no footer.
        let segment = match (&segment.footer, end) {
            (Some((_, offset)), Some(end)) if *offset != end.offset => segment.without_footer(),
            _ => segment,
        };
        check_start(report, &segment, expect.as_ref());
        expect = verify_segment(report, &mut erasures, &segment, expect, end)?;
    }
    if report.level == Level::Full && complete {
        erasures.verdicts(report);
    }
    Ok(())
}

/// Opens a segment with or without a sound footer.
fn open_any(env: &Env, report: &mut Report, number: u64, has_successor: bool) -> Option<Segment> {
    let storage = env.storage.as_ref();
    match Segment::open(storage, number, has_successor) {
        Ok(segment) => Some(segment),
        Err(error) => {
            report.add_error(&error);
            Segment::open(storage, number, false).ok()
        }
    }
}

fn check_start(report: &mut Report, segment: &Segment, expect: Option<&Expect>) {
    let header = &segment.header;
    let ledger: LedgerId = *report.ledger.get_or_insert(header.ledger);
    let mut add = |what| report.add(Finding::new(&segment.name, 0, None, what));
    if header.ledger != ledger {
        add("the segment belongs to another ledger");
    }
    let Some(expect) = expect else { return };
    if header.base.0 != expect.next {
        add("the segment does not begin where the one before it ends");
    } else if header.prev_chain != expect.chain {
        add("the segment follows another chain than the one before it");
    }
}

fn verify_segment(
    report: &mut Report,
    erasures: &mut Erasures,
    segment: &Segment,
    before: Option<Expect>,
    active_end: Option<&End>,
) -> Result<Option<Expect>, Error> {
    if let (Level::Sealed, Some((footer, end))) = (report.level, &segment.footer) {
        if segment.byte_hash(*end)? == footer.byte_hash {
            report.records += footer.count;
            return Ok(Some(Expect {
                next: footer.last.next().0,
                chain: footer.chain,
                recorded_at: Timestamp(i64::MIN),
                batch: Batch::Start,
            }));
        }
        let what = "the bytes are not as they were sealed";
        report.add(Finding::new(&segment.name, *end, None, what));
    }
    let limit = match (active_end, &segment.footer) {
        (_, Some((_, offset))) => *offset,
        (Some(end), None) => end.offset,
        (None, None) => segment.file.len().map_err(Error::io("read", &segment.name))?,
    };
    let header = &segment.header;
    let recorded_at = before.map_or(Timestamp(i64::MIN), |expect| expect.recorded_at);
    let start =
        Expect { next: header.base.0, chain: header.prev_chain, recorded_at, batch: Batch::Start };
    let mut walk = Walk {
        segment,
        window: Window::file(segment.file.clone(), limit),
        limit,
        offset: SEGMENT_HEADER_LEN,
        expect: Some(start),
        to_limit: active_end.is_some() || segment.is_sealed(),
    };
    let frames = walk.run(report, erasures)?;
    check_footer(report, segment, &walk, &frames)?;
    Ok(walk.expect)
}

impl Walk<'_> {
    /// Visits every frame; returns how many were sound, and whether all were.
    fn run(&mut self, report: &mut Report, erasures: &mut Erasures) -> Result<Frames, Error> {
        let mut frames = Frames { sound: 0, all_sound: true };
        while self.offset < self.limit {
            let at = self.offset;
            let read = read_frame(&mut self.window, self.segment.header.salt, at)
                .map_err(Error::io("read", &self.segment.name))?;
            let (head, fault) = match read {
                Ok(frame) => {
                    let fault = self.expect.and_then(|expect| expect.check(&frame).err());
                    let head = frame.head.clone();
                    if fault.is_none() {
                        frames.sound += 1;
                        report.records += 1;
                    }
                    erasures.see(&self.segment.name, frame);
                    (Some(head), fault)
                }
                Err(bad) => (bad.head, Some(bad.fault)),
            };
            if let Some(fault) = fault {
                if self.is_plain_end(fault)? {
                    break;
                }
                frames.all_sound = false;
                let due = self.expect.map(|expect| expect.seq());
                let seq = due.or_else(|| head.as_ref().map(|head| head.header.seq));
                report.add(Finding::new(&self.segment.name, at, seq, fault.as_str()));
            }
            match head {
                Some(head) => {
                    self.expect = Some(Expect::after(&head));
                    self.offset = at.saturating_add(head.frame_len);
                }
                None => {
                    self.expect = None;
                    self.offset = self.next_magic(at + ALIGN)?;
                }
            }
        }
        Ok(frames)
    }

    /// Whether a damaged log's last segment just ends here, in zeros.
    fn is_plain_end(&mut self, fault: FrameFault) -> Result<bool, Error> {
        let ends = matches!(fault, FrameFault::Magic | FrameFault::Incomplete);
        if self.to_limit || !ends {
            return Ok(false);
        }
        let bytes =
            self.window.get(self.offset, ALIGN).map_err(Error::io("read", &self.segment.name))?;
        Ok(crate::layout::is_zero(bytes))
    }

    fn next_magic(&mut self, from: u64) -> Result<u64, Error> {
        const CHUNK: u64 = 64 << 10;
        let mut at = from;
        while at < self.limit {
            let bytes =
                self.window.get(at, CHUNK).map_err(Error::io("read", &self.segment.name))?;
            let words = &mut bytes.chunks(len_usize(ALIGN));
            if let Some(index) = words.position(|word| word.starts_with(FRAME_MAGIC)) {
                return Ok(at + len64(index) * ALIGN);
            }
            at += CHUNK;
        }
        Ok(self.limit)
    }
}

struct Frames {
    sound: u64,
    all_sound: bool,
}

/// Compares the footer with the frames, where all of them are sound.
fn check_footer(
    report: &mut Report,
    segment: &Segment,
    walk: &Walk<'_>,
    frames: &Frames,
) -> Result<(), Error> {
    let (Some((footer, offset)), true) = (&segment.footer, frames.all_sound) else {
        return Ok(());
    };
    let mut add = |what| report.add(Finding::new(&segment.name, *offset, None, what));
    let Some(end) = walk.expect else { return Ok(()) };
    let counted = footer.count == frames.sound && footer.last == Seq(end.next.saturating_sub(1));
    if !counted || footer.chain != end.chain || end.batch != Batch::Start {
        add("the footer does not agree with the records");
    }
    let (byte_hash, sparse) = summarize(segment, *offset)?;
    if byte_hash != footer.byte_hash {
        add("the bytes are not as they were sealed");
    } else if sparse != footer.sparse {
        add("the footer's offsets do not agree with the records");
    }
    Ok(())
}
