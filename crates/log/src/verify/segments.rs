use super::erasures::Erasures;
use super::part::{Part, Task, Walked};
use super::pieces::{Piece, join};
use super::{Level, Report};
use crate::env::Env;
use crate::finding::Finding;
use crate::segment::segment_name;
use crate::survey::segment_numbers;
use crate::view::End;
use crate::walk::Expect;
use crate::{Error, LedgerId, Seq};

/// Verifies every segment there is; `active_end` is where the last one ends, if it is sound.
///
/// Segments are walked beside each other, each from what its own header says is before it.
/// What they came to is then put together in their order, so that the report is the same
/// whatever the number of threads.
pub(super) fn verify_segments(
    env: &Env,
    threads: usize,
    report: &mut Report,
    active_end: Option<(u64, End)>,
    complete: bool,
) -> Result<(), Error> {
    let mut numbers = segment_numbers(env)?;
    numbers.sort_unstable();
    // Segments that a writer began since the end was found are left for the next time.
    numbers.retain(|number| active_end.is_none_or(|(active, _)| *number <= active));
    let level = report.level;
    let tasks: Vec<Task<'_>> = places(&numbers)
        .into_iter()
        .map(|place| Task { env, level, place, end: end_of(place, &numbers, active_end.as_ref()) })
        .collect();
    let parts = parts(threads, &tasks);
    let (mut erasures, mut expect) = (Erasures::default(), None);
    let (mut walked, mut sound) = (Vec::new(), true);
    for (task, part) in tasks.iter().zip(parts) {
        let joined = put_together(report, &mut erasures, task, part, expect)?;
        let last = joined.as_ref().and_then(|(after, walked)| last_of(*after, walked));
        sound = sound && extend(report, task, last);
        expect = joined.and_then(|(after, whole)| {
            walked.push((task, whole));
            after
        });
    }
    if level == Level::Full && complete {
        judge(&walked, &mut erasures)?;
        erasures.verdicts(report);
    }
    Ok(())
}

/// Runs every task: a sealed segment in pieces, and whole if those don't show that it is sound.
fn parts(threads: usize, tasks: &[Task<'_>]) -> Vec<Part> {
    let sealed: Vec<_> = tasks.iter().map(Task::sealed).collect();
    let pieces: Vec<Vec<Piece<'_>>> =
        sealed.iter().map(|one| one.iter().flat_map(Piece::of).collect()).collect();
    let all: Vec<_> = pieces.iter().flatten().collect();
    let mut walked = memlith_threads::in_order(threads, &all, |piece| piece.walk()).into_iter();
    let joined: Vec<_> = sealed
        .iter()
        .zip(&pieces)
        .map(|(one, pieces)| {
            let walked = walked.by_ref().take(pieces.len()).collect();
            one.as_ref().and_then(|segment| join(segment, walked))
        })
        .collect();
    let left: Vec<_> = tasks
        .iter()
        .zip(&joined)
        .filter(|(_, joined)| joined.is_none())
        .map(|(task, _)| task)
        .collect();
    let mut whole = memlith_threads::in_order(threads, &left, |task| task.run()).into_iter();
    let part = |joined: Option<Walked>| match joined {
        Some(walked) => Part { walked: Some(walked), refused: Vec::new() },
        None => whole.next().unwrap_or_default(),
    };
    joined.into_iter().map(part).collect()
}

/// The last record of a segment: behind it `after` is due, or a walk came no further.
fn last_of(after: Option<Expect>, walked: &Walked) -> Option<Seq> {
    let last = after.and_then(|after| after.next.checked_sub(1)).map(Seq);
    last.or(walked.range.map(|(_, last)| last))
}

/// Extends what holds by the segment of `task`, which ends with `last`; false where the next
/// one adds nothing to it.
///
/// Records that a finding names are taken off at the end: see [`Report::sound_through`].
fn extend(report: &mut Report, task: &Task<'_>, last: Option<Seq>) -> bool {
    let name = segment_name(task.place.number);
    let findings = || report.findings.iter().filter(|finding| finding.file == name);
    let begins = findings().all(|finding| finding.seq.is_some() || finding.offset > 0);
    if last.is_none() || !begins {
        return false;
    }
    let is_sound = findings().next().is_none();
    report.sound_through = last;
    is_sound
}

/// A segment that is there, or one that is missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) number: u64,
    pub(super) is_missing: bool,
    pub(super) is_last: bool,
}

/// Every number up to the last one, as far as it makes sense to go on.
fn places(numbers: &[u64]) -> Vec<Place> {
    let last = numbers.last().copied().unwrap_or(0);
    let mut places = Vec::new();
    for number in 0..=last {
        let is_missing = numbers.binary_search(&number).is_err();
        places.push(Place { number, is_missing, is_last: number == last });
        // A made-up name must not make this loop long.
        let none_before = numbers.first().is_none_or(|first| *first >= number);
        if is_missing && (none_before || last - number > 1 << 16) {
            break;
        }
    }
    places
}

fn end_of(place: Place, numbers: &[u64], active_end: Option<&(u64, End)>) -> Option<End> {
    active_end.filter(|_| numbers.last() == Some(&place.number)).map(|(_, end)| *end)
}

type Joined = Option<(Option<Expect>, Walked)>;

/// Adds what a segment came to, behind what the ones before it came to.
fn put_together(
    report: &mut Report,
    erasures: &mut Erasures,
    task: &Task<'_>,
    part: Part,
    expect: Option<Expect>,
) -> Result<Joined, Error> {
    if task.place.is_missing {
        let name = segment_name(task.place.number);
        report.add(Finding::new(name, 0, None, "the segment is missing"));
        return Ok(None);
    }
    part.refused.into_iter().for_each(|finding| report.add(finding));
    let Some(walked) = part.walked else { return Ok(None) };
    check_start(report, &walked, expect.as_ref());
    let mut walked = walked;
    if let Some(before) = expect
        && walked.first_time.is_some_and(|first| first < before.recorded_at)
    {
        // Only the first record looks back over the segment's start: what follows from its
        // time is seen by a walk that knows the time before it.
        walked = match task.rerun(before.recorded_at).walked {
            Some(again) => again,
            None => return Ok(None),
        };
    }
    report.records += walked.records;
    walked.findings.drain(..).for_each(|finding| report.add(finding));
    erasures.merge(std::mem::take(&mut walked.erasures));
    if let Some(error) = walked.error.take() {
        return Err(error);
    }
    Ok(Some((walked.after, walked)))
}

fn check_start(report: &mut Report, walked: &Walked, expect: Option<&Expect>) {
    let (header, name) = (&walked.header, &walked.name);
    let ledger: LedgerId = *report.ledger.get_or_insert(header.ledger);
    let start = (header.base, header.prev_chain);
    let (next, chain) = expect.map_or(start, |expect| (expect.seq(), expect.chain));
    if let Some(what) = header.misfit(ledger, next, chain) {
        report.add(Finding::new(name, 0, None, what));
    }
}

/// Looks at the records that erasures name, in the segments that hold one.
fn judge(walked: &[(&Task<'_>, Walked)], erasures: &mut Erasures) -> Result<(), Error> {
    let wanted = erasures.in_question();
    for (task, walked) in walked {
        let Some((first, last)) = walked.range else { continue };
        if wanted.range(first..=last).next().is_some() {
            task.look_for(walked, &wanted, erasures)?;
        }
    }
    Ok(())
}
