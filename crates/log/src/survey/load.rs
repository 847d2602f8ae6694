use std::collections::BTreeSet;
use std::sync::Arc;

use crate::env::{Env, LogOptions, Position};
use crate::files::remains;
use crate::layout::len64;
use crate::mark_file::MarkReading;
use crate::segment::{Segment, segment_name, segment_number};
use crate::segment_header::SEGMENT_HEADER_LEN;
use crate::view::{End, View};
use crate::walk::{Expect, read_frame};
use crate::{Error, Seq};

/// Opens every segment and checks that they join; the end is put at the last
/// verified position or at the start of the last segment. Rule 1.
pub(super) fn load(env: &Env, options: &LogOptions) -> Result<View, Error> {
    let mut numbers: Vec<u64> = segment_numbers(env)?;
    numbers.sort_unstable();
    let Some(last) = numbers.last().copied() else {
        return Err(no_segment(env)?);
    };
    let mut files = Vec::with_capacity(numbers.len());
    for (number, found) in numbers.iter().enumerate() {
        if *found != len64(number) {
            return Err(Error::SegmentMissing {
                file: segment_name(len64(number)),
                evidence: segment_name(*found),
                acknowledged: None,
            });
        }
        files.push(Segment::open_file(env.storage.as_ref(), *found)?);
    }
    // What is read of each comes in one wave.
    for (file, number) in files.iter().zip(&numbers) {
        Segment::will_need_ends(file.as_ref(), *number)?;
    }
    let mut segments: Vec<Arc<Segment>> = Vec::new();
    for (file, number) in files.into_iter().zip(numbers) {
        let segment = Segment::of_file(&segment_name(number), file, number, number != last)?;
        let segment = if number == last { with_proven_footer(segment)? } else { segment };
        if let Some(before) = segments.last() {
            check_join(before, &segment)?;
        }
        segments.push(Arc::new(segment));
    }
    // The footer of the last segment says how far it goes, but its writer may have
    // died before the sync: only a successor proves that there was one.
    let floor = segments.last().map_or(0, |segment| segment.header.base.0);
    let end = start_of_walk(&segments, options)?;
    let erased = Arc::new(BTreeSet::new());
    Ok(View { segments: Arc::new(segments), end, floor, erased })
}

/// The last segment, with its footer only if that holds for its bytes.
///
/// A footer is written before what it seals is synced: of what a power cut leaves, it may
/// be the last part and the only one. The same bytes then are the tail of a segment in use.
fn with_proven_footer(segment: Segment) -> Result<Segment, Error> {
    let Some((footer, end)) = &segment.footer else { return Ok(segment) };
    let holds = segment.byte_hash(*end)? == footer.byte_hash;
    Ok(if holds { segment } else { segment.without_footer() })
}

pub(crate) fn segment_numbers(env: &Env) -> Result<Vec<u64>, Error> {
    let names = match env.storage.list("") {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        names => names.map_err(Error::io("list", "the folder"))?,
    };
    Ok(names.iter().filter_map(|name| segment_number(name)).collect())
}

/// Why a folder without segments can't be opened: there is no ledger, or its first segment is
/// gone.
pub(crate) fn no_segment(env: &Env) -> Result<Error, Error> {
    let storage = env.storage.as_ref();
    let remains = match remains(storage) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Vec::new()
        }
        remains => remains?,
    };
    if remains.is_empty() {
        return Ok(Error::NoLedger { folder: storage.describe() });
    }
    let file = segment_name(0);
    let acknowledged = Some(MarkReading::read_of_any(storage)?.floor_count());
    let acknowledged = acknowledged.filter(|count| *count > 0);
    Ok(Error::SegmentMissing { file, evidence: remains.join(", "), acknowledged })
}

fn broken(name: &str, what: &'static str) -> Error {
    Error::Corrupt { file: name.to_owned(), offset: 0, seq: None, what }
}

/// The error for a segment's name that is there, but that no listing of files gives: a link, a
/// folder or a pipe.
pub(super) fn no_regular_file(number: u64) -> Error {
    broken(&segment_name(number), "a segment has to be a regular file; put the file itself here")
}

fn check_join(before: &Segment, segment: &Segment) -> Result<(), Error> {
    let (header, name) = (&segment.header, &segment.name);
    let Some((footer, _)) = &before.footer else { return Ok(()) };
    let misfit = header.misfit(before.header.ledger, footer.last.next(), footer.chain);
    misfit.map_or(Ok(()), |what| Err(broken(name, what)))
}

/// Whether the last segment of `view` is still the file of its name.
pub(super) fn is_current(env: &Env, view: &View) -> Result<bool, Error> {
    let active = view.active()?;
    let named = env.storage.file_identity(&active.name);
    let here = active.identity()?;
    Ok(named.is_ok_and(|named| named == here))
}

pub(super) fn successor_exists(env: &Env, segment: &Segment) -> Result<bool, Error> {
    let number = segment.header.number.saturating_add(1);
    match env.storage.file_identity(&segment_name(number)) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("read", segment_name(number))(error)),
    }
}

/// Takes what a handle knew over into a fresh view of the same ledger.
///
/// A log that lost what the handle has seen is refused: its reader would be
/// told two histories.
pub(super) fn keep_end(mut fresh: View, known: &View) -> Result<View, Error> {
    let (old, new) = (known.active()?, fresh.active()?);
    if old.header.ledger != new.header.ledger {
        return Err(broken(&new.name, "the segment belongs to another ledger"));
    }
    let same_segment = old.header == new.header && !new.is_sealed();
    if same_segment && known.end.expect.next > fresh.end.expect.next {
        fresh.end = known.end;
    }
    fresh.floor = fresh.floor.max(known.floor);
    fresh.erased = known.erased.clone();
    Ok(fresh)
}

/// Confirms that the last record which a handle knew still stands, if it wasn't known to be
/// synced.
///
/// A sync that fails may take it back, whoever wrote it, and another process may have gone
/// on in its place: what stands behind it then is not a tail.
pub(super) fn confirm_end(view: &View, known: &View) -> Result<(), Error> {
    let Expect { next, chain, .. } = known.end.expect;
    let Some(seq) = Seq(next).previous().filter(|seq| seq.0 >= known.floor) else {
        return Ok(());
    };
    match view.frame_head(seq) {
        Ok((head, _)) if head.chain == chain => Ok(()),
        Err(error @ Error::Io { .. }) => Err(error),
        Ok(_) | Err(_) => Err(Error::TakenBack { seq }),
    }
}

fn start_of_walk(segments: &[Arc<Segment>], options: &LogOptions) -> Result<End, Error> {
    let Some((last, before)) = segments.split_last() else {
        return Err(Error::NoLedger { folder: String::new() });
    };
    if let Some((footer, offset)) = &last.footer {
        let expect = sealed_end(last, footer.last)?;
        return Ok(End { expect, offset: *offset });
    }
    if let Some(known) = &options.resume
        && let Some(end) = resume(last, &known.position)?
    {
        for (seq, offset) in &known.before {
            last.note(*seq, *offset);
        }
        last.note(known.position.seq, known.position.offset);
        return Ok(end);
    }
    let expect = match before.last() {
        Some(before) => sealed_end(before, Seq(last.header.base.0.saturating_sub(1)))?,
        None => last.header.expect(),
    };
    Ok(End { expect, offset: SEGMENT_HEADER_LEN })
}

/// Returns the expectation behind the last record of a sealed segment, by its head and footer.
fn sealed_end(segment: &Segment, last: Seq) -> Result<Expect, Error> {
    let (footer, limit) = match &segment.footer {
        Some((footer, offset)) => (footer, *offset),
        None => return Err(broken(&segment.name, "the segment has a successor but no footer")),
    };
    let mut window = segment.window(limit, false).short(16 << 10);
    let (offset, _) = segment.find(&mut window, last)?;
    let head = crate::walk::read_head(&mut window, segment.header.salt, offset)
        .map_err(Error::io("read", &segment.name))?
        .map_err(|fault| Error::frame(&segment.name, offset, last, fault))?;
    let ends_there = offset.saturating_add(head.frame_len) == limit;
    if head.header.seq != last || head.chain != footer.chain || !ends_there {
        return Err(Error::Corrupt {
            file: segment.name.clone(),
            offset,
            seq: Some(last),
            what: "the last record is not the one that the footer names",
        });
    }
    if !head.header.ends_batch() {
        return Err(Error::Corrupt {
            file: segment.name.clone(),
            offset,
            seq: Some(last),
            what: "the segment ends inside a batch",
        });
    }
    Ok(Expect::after(&head))
}

/// The end behind `position`, if the record there is whole and the one it names.
fn resume(segment: &Segment, position: &Position) -> Result<Option<End>, Error> {
    if position.segment != segment.header.number {
        return Ok(None);
    }
    let limit = segment.frames_limit()?;
    let mut window = segment.window(limit, false).short(16 << 10);
    let read = read_frame(&mut window, segment.header.salt, position.offset)
        .map_err(Error::io("read", &segment.name))?;
    let Ok(frame) = read else { return Ok(None) };
    let header = &frame.head.header;
    let named = header.seq == position.seq && frame.head.chain == position.chain;
    if !named || !header.ends_batch() || !frame.head.batch_possible() {
        return Ok(None);
    }
    Ok(Some(End { expect: Expect::after(&frame.head), offset: frame.end() }))
}
