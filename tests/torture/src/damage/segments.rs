//! Whole segments, and their headers and footers.

use super::bytes::{HEADER_LEN, footer, frames, part, put, renew_segment, u64_at};
use super::kind::{Damage, Files, Row};
use super::sample::{Sample, is_checkpoint};

pub(super) fn each(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    let names = sample.segments();
    for (at, name) in names.iter().enumerate() {
        let segment = sample.file(name);
        for other in names.iter().skip(at + 1) {
            let what = format!("{name} and {other}");
            let swapped = Damage::of(Row::SegmentsSwapped, what);
            each(swapped.put(name, sample.file(other)).put(other, segment.clone()));
        }
        for number in 0..=names.len() + 1 {
            let to = format!("seg-{number:010}");
            doubled(&to, name, segment.clone(), each);
        }
        for (whose, files) in [("another ledger", &sample.other), ("another history", &sample.fork)]
        {
            if let Some(foreign) = files.get(name) {
                let what = format!("{name} of {whose}");
                each(Damage::of(Row::SegmentForeign, what).put(name, foreign.clone()));
            }
        }
        for (age, files) in sample.older.iter().enumerate() {
            if let Some(old) = files.get(name) {
                let what = format!("{name} as in {age}");
                let mut damage = Damage::of(Row::SegmentOlder, what).put(name, old.clone());
                damage.not_promised = from_before_an_erasure(old, &segment);
                each(damage);
            }
        }
        header_fields(name, &segment, each);
        footers(sample, name, &segment, each);
    }
    for (whose, files) in [("another ledger", &sample.other), ("another history", &sample.fork)] {
        let mut damage = Damage::of(Row::SegmentForeign, format!("all segments of {whose}"));
        for name in &names {
            damage = damage.remove(name);
        }
        for (name, bytes) in files.iter().filter(|(name, _)| name.starts_with("seg-")) {
            damage = damage.put(name, bytes.clone());
        }
        each(damage);
    }
    last_gone(sample, each);
}

/// Whether `old` is the same segment with a body that is erased in it.
fn from_before_an_erasure(old: &[u8], segment: &[u8]) -> bool {
    let (old_frames, frames) = (frames(old), frames(segment));
    let state = |bytes: &[u8], at: usize| bytes.get(at + 16).copied();
    let erased = |at: usize| state(segment, at) == Some(1) && state(old, at) == Some(0);
    old_frames == frames && frames.iter().any(|frame| erased(frame.start))
}

fn doubled(to: &str, name: &str, segment: Vec<u8>, each: &mut dyn FnMut(Damage)) {
    let mut numbered = segment.clone();
    let number: u64 = to.trim_start_matches("seg-").parse().unwrap_or(0);
    put(&mut numbered, 32, &number.to_le_bytes());
    renew_segment(&mut numbered);
    each(Damage::of(Row::SegmentsSwapped, format!("{name} as {to}")).put(to, segment));
    let what = format!("{name} as {to}, numbered so");
    each(Damage::of(Row::SegmentsSwapped, what).put(to, numbered));
}

fn header_fields(name: &str, segment: &[u8], each: &mut dyn FnMut(Damage)) {
    for at in 8..HEADER_LEN {
        for (renewed, label) in [(true, "all renewed"), (false, "as it is")] {
            let mut changed = segment.to_vec();
            if let Some(byte) = changed.get_mut(at) {
                *byte ^= 1;
            }
            if renewed {
                renew_segment(&mut changed);
            }
            let what = format!("{name}, header byte {at}, {label}");
            each(Damage::of(Row::SegmentField, what).put(name, changed));
        }
    }
}

fn footers(sample: &Sample, name: &str, segment: &[u8], each: &mut dyn FnMut(Damage)) {
    let Some(own) = footer(segment) else { return };
    for at in own.start + 12..own.end {
        let mut changed = segment.to_vec();
        if let Some(byte) = changed.get_mut(at) {
            *byte ^= 1;
        }
        renew_segment(&mut changed);
        let what = format!("{name}, footer byte {}, renewed", at - own.start);
        each(Damage::of(Row::SegmentField, what).put(name, changed));
    }
    for other in sample.segments().iter().filter(|other| *other != name) {
        let bytes = sample.file(other);
        let Some(theirs) = footer(&bytes) else { continue };
        let mut changed = part(segment, 0..own.start).to_vec();
        changed.extend(part(&bytes, theirs));
        let what = format!("{name}, footer of {other}");
        each(Damage::of(Row::SegmentField, &what).put(name, changed.clone()));
        renew_segment(&mut changed);
        each(Damage::of(Row::SegmentField, format!("{what}, renewed")).put(name, changed));
    }
}

/// Removes the files whose loss the guarantees name as not to be seen, and each part alone.
fn last_gone(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    let Some(last) = sample.segments().last().cloned() else { return };
    let base = u64_at(&sample.file(&last), 40);
    let checkpoints = |files: &Files| -> Vec<(String, u64)> {
        let names = files.iter().filter(|(name, _)| is_checkpoint(name));
        names.map(|(name, bytes)| (name.clone(), u64_at(bytes, 24))).collect()
    };
    let ahead = checkpoints(&sample.files).iter().any(|(_, n)| *n >= base);
    let gone = |what: &str| Damage::of(Row::LastGone, format!("{last} {what}")).remove(&last);
    each(gone("alone"));
    let mut with_mark = gone("and mark").remove("mark");
    with_mark.not_promised = !ahead;
    each(with_mark);
    // As many more as hold what a checkpoint covers: then that one is ahead of the log.
    let newest = checkpoints(&sample.files).into_iter().map(|(_, n)| n).max();
    if let Some(newest) = newest {
        let mut shorter = Damage::of(Row::LastGone, "all behind a checkpoint's start, and mark");
        let mut names = sample.segments();
        while let Some(name) = names.pop().filter(|_| !names.is_empty()) {
            let begins = u64_at(&sample.file(&name), 40);
            shorter = shorter.remove(&name);
            if begins <= newest {
                break;
            }
        }
        each(shorter.remove("mark"));
    }
    for (with_mark, what) in [(false, "and checkpoints"), (true, "and mark and checkpoints")] {
        let mut damage = gone(what);
        for (name, _) in checkpoints(&sample.files) {
            damage = damage.remove(&name);
        }
        if with_mark {
            damage = damage.remove("mark");
            damage.not_promised = true;
        }
        each(damage);
    }
}
