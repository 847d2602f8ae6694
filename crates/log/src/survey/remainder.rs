use std::io;
use std::ops::Range;

use crate::Error;
use crate::frame::{ALIGN, FRAME_HEAD_LEN, FrameHead, MIN_FRAME_LEN};
use crate::layout::{is_zero, len_usize, len64};
use crate::segment::Segment;
use crate::view::End;
use crate::walk::{next_magic, read_head};
use crate::window::Window;

/// Bytes behind the end of the valid frames in the active segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Remainder {
    /// The end of the last byte that is not zero, if there is one.
    pub(crate) nonzero_end: Option<u64>,
    /// The greatest floor that a frame there speaks of, as a count.
    pub(crate) floor: u64,
}

/// The block that is read where the mark says that nothing was written.
const BLOCK: u64 = 4_096;
const CHUNK: u64 = 64 << 10;
/// As little as a thread looks through at a time.
const PIECE_LEN: u64 = 4 << 20;
/// However long somebody made the file.
const PIECES_MAX: u64 = 1_024;

impl Remainder {
    /// Looks behind `end`; at one block if the mark says that this is enough.
    ///
    /// How many threads there may be is asked only where there is work for two: asking reads
    /// several files of the system.
    pub(crate) fn scan(
        segment: &Segment,
        end: &End,
        one_block: bool,
        threads: impl FnOnce() -> usize,
    ) -> Result<Remainder, Error> {
        let io = |error| Error::io("read", &segment.name)(error);
        let limit = segment.file.len().map_err(io)?;
        let mut remainder = Remainder::default();
        let mut window = segment.window(limit, false);
        if one_block && is_zero(window.get(end.offset, BLOCK).map_err(io)?) {
            return Ok(remainder);
        }
        remainder.nonzero_end = last_nonzero(segment, end.offset..limit, threads).map_err(io)?;
        if let Some(stop) = remainder.nonzero_end {
            remainder.floor =
                floor_behind(&mut window, segment.header.salt, end, stop).map_err(io)?;
        }
        Ok(remainder)
    }
}

/// The end of the last byte in `range` that is not zero.
fn last_nonzero(
    segment: &Segment,
    range: Range<u64>,
    threads: impl FnOnce() -> usize,
) -> io::Result<Option<u64>> {
    let piece = PIECE_LEN.max(range.end.saturating_sub(range.start) / PIECES_MAX);
    let starts: Vec<_> = range.clone().step_by(len_usize(piece)).collect();
    let threads = if starts.len() > 1 { threads() } else { 1 };
    let found = memlith_threads::in_order(threads, &starts, |start| {
        let limit = start.saturating_add(piece).min(range.end);
        last_nonzero_of_piece(&mut segment.window(limit, false), *start, limit)
    });
    found.into_iter().try_fold(None, |last, found| Ok(found?.or(last)))
}

fn last_nonzero_of_piece(window: &mut Window, start: u64, limit: u64) -> io::Result<Option<u64>> {
    let (mut at, mut last) = (start, None);
    while at < limit {
        let bytes = window.get(at, CHUNK.min(limit - at))?;
        if bytes.is_empty() {
            break;
        }
        if !is_zero(bytes) {
            let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count();
            last = Some(at + len64(bytes.len() - zeros));
        }
        at += len64(bytes.len());
    }
    Ok(last)
}

/// The greatest floor among the frames behind `end`.
///
/// Frames reached by stepping over valid heads count. Behind a bad head frames
/// are searched for, and one found so counts only if it is whole and claims no
/// more than the bytes between could hold: one who can read the salt can plant
/// a frame, and must not be able to make an unacknowledged tail look acknowledged.
fn floor_behind(window: &mut Window, salt: u32, end: &End, stop: u64) -> io::Result<u64> {
    let (mut at, mut floor, mut walking) = (end.offset, 0_u64, true);
    while at < stop {
        match read_head(window, salt, at)? {
            Ok(head) => {
                if walking || counts(window, salt, end, at, &head)? {
                    floor = floor.max(head.floor_count());
                }
                at = at.saturating_add(head.frame_len);
            }
            Err(_) => {
                walking = false;
                at = match next_magic(window, at.saturating_add(ALIGN), stop)? {
                    Some(found) => found,
                    None => break,
                };
            }
        }
    }
    Ok(floor)
}

fn counts(
    window: &mut Window,
    salt: u32,
    end: &End,
    at: u64,
    head: &FrameHead,
) -> io::Result<bool> {
    let frame = window.get(at, head.frame_len)?;
    let slot = frame.get(len_usize(FRAME_HEAD_LEN)..).unwrap_or_default();
    let whole = head.check_slot(slot, salt).is_ok() && head.batch_possible();
    let room = at.saturating_sub(end.offset) / MIN_FRAME_LEN;
    let believable = head.floor_count() <= end.expect.next.saturating_add(room);
    Ok(whole && head.header.seq.0 >= end.expect.next && believable)
}
