//! Records in the wrong place, from elsewhere, or changed.

use std::ops::Range;

use super::bytes::{
    footer, frames, frames_end, part, put, renew_frame, renew_segment, u32_at, u64_at,
};
use super::kind::{Damage, Row};
use super::sample::{Sample, frames_from};

pub(super) fn each(sample: &Sample, step: usize, each: &mut dyn FnMut(Damage)) {
    for name in sample.segments() {
        let segment = sample.file(&name);
        let frames = frames(&segment);
        for (at, frame) in frames.iter().enumerate() {
            moved(&name, &segment, &frames, at, each);
            from_another_ledger(sample, &name, &segment, frame, each);
            fields(&name, &segment, frame, each);
            bytes(&name, &segment, frame, step, each);
        }
    }
    stale(sample, each);
}

/// A damage as it is, and with sound checksums.
fn both(row: Row, name: &str, what: &str, changed: Vec<u8>, each: &mut dyn FnMut(Damage)) {
    let mut renewed = changed.clone();
    each(Damage::of(row, format!("{name}, {what}")).put(name, changed));
    renew_segment(&mut renewed);
    each(Damage::of(row, format!("{name}, {what}, renewed")).put(name, renewed));
}

fn moved(
    name: &str,
    segment: &[u8],
    frames: &[Range<usize>],
    at: usize,
    each: &mut dyn FnMut(Damage),
) {
    let Some(frame) = frames.get(at) else { return };
    let own = part(segment, frame.clone());
    let before = part(segment, 0..frame.start);
    let behind = segment.get(frame.end..).unwrap_or_default();
    // A file keeps its length: what follows moves, and zeros are taken or come in.
    let fit = |mut bytes: Vec<u8>| {
        if footer(segment).is_none() {
            bytes.resize(segment.len(), 0);
        }
        bytes
    };
    both(Row::Deleted, name, &format!("frame {at}"), fit([before, behind].concat()), each);
    let doubled = fit([before, own, own, behind].concat());
    both(Row::Doubled, name, &format!("frame {at}"), doubled, each);
    for (to, target) in frames.iter().enumerate().filter(|(to, _)| *to != at) {
        let what = format!("frame {at} and frame {to}");
        let other = part(segment, target.clone());
        if to > at {
            let between = part(segment, frame.end..target.start);
            let rest = segment.get(target.end..).unwrap_or_default();
            let swapped = [before, other, between, own, rest].concat();
            both(Row::Swapped, name, &what, swapped, each);
        }
        if other.len() == own.len() || to + 1 == at || at + 1 == to {
            let over = [before, other, behind].concat();
            both(Row::Overwritten, name, &format!("frame {at} by frame {to}"), fit(over), each);
        }
    }
}

fn from_another_ledger(
    sample: &Sample,
    name: &str,
    segment: &[u8],
    frame: &Range<usize>,
    each: &mut dyn FnMut(Damage),
) {
    for (whose, files) in [("another ledger", &sample.other), ("another history", &sample.fork)] {
        let Some(foreign) = files.get(name) else { continue };
        let foreign = part(foreign, frame.clone());
        if foreign.len() != frame.len() || !foreign.starts_with(b"MLF1") {
            continue;
        }
        let mut changed = segment.to_vec();
        put(&mut changed, frame.start, foreign);
        let what = format!("offset {} of {whose}", frame.start);
        both(Row::Foreign, name, &what, changed, each);
    }
}

/// Fields of the head that a reader goes by, each another one under sound checksums.
fn fields(name: &str, segment: &[u8], frame: &Range<usize>, each: &mut dyn FnMut(Damage)) {
    let u32s = |at: usize| u32_at(segment, frame.start + at);
    let u64s = |at: usize| u64_at(segment, frame.start + at);
    let low = |value: u64| value.to_le_bytes().to_vec();
    let edits: Vec<(&str, usize, Vec<u8>)> = vec![
        ("floor unknown", 12, vec![255; 4]),
        ("floor one nearer", 12, u32s(12).wrapping_sub(1).to_le_bytes().to_vec()),
        ("floor one further", 12, u32s(12).wrapping_add(1).to_le_bytes().to_vec()),
        ("slot erased", 16, vec![1]),
        ("slot destroyed", 16, vec![2]),
        ("chain", 24, vec![0x5a; 32]),
        ("sequence one more", 56, low(u64s(56).wrapping_add(1))),
        ("sequence one less", 56, low(u64s(56).wrapping_sub(1))),
        ("time earlier", 64, low(u64s(64).wrapping_sub(1))),
        ("time later", 64, low(u64s(64).wrapping_add(1))),
        ("kind", 76, vec![200, 0]),
        ("own kind", 76, vec![2, 0]),
        ("version", 78, vec![9]),
        ("flags", 80, vec![2]),
        ("batch position", 82, vec![1, 0]),
        ("batch length", 84, vec![9, 0]),
        ("batch of one", 82, vec![0, 0, 1, 0]),
    ];
    for (what, at, value) in edits {
        let mut changed = segment.to_vec();
        put(&mut changed, frame.start + at, &value);
        renew_segment(&mut changed);
        let what = format!("{name}, frame at {}, {what}", frame.start);
        each(Damage::of(Row::Field, what).put(name, changed));
    }
}

/// Bytes of head and slot, each another one under sound checksums.
fn bytes(
    name: &str,
    segment: &[u8],
    frame: &Range<usize>,
    step: usize,
    each: &mut dyn FnMut(Damage),
) {
    for at in (frame.start + 56..frame.end).step_by(step.max(1) * 5) {
        let mut changed = segment.to_vec();
        if let Some(byte) = changed.get_mut(at) {
            *byte ^= 1;
        }
        renew_segment(&mut changed);
        each(Damage::of(Row::Content, format!("{name}, byte {at}")).put(name, changed));
    }
}

/// Frames that follow by their numbers, and not by the chain; nearer and further behind.
fn stale(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    let Some(name) = sample.segments().last().cloned() else { return };
    let (segment, end) = (sample.file(&name), frames_end(&sample.file(&name)));
    let Some(fork) = sample.fork.get(&name) else { return };
    let frames = frames(&segment);
    let Some(last) = frames.last() else { return };
    let next = u64_at(&segment, last.start + 56) + 1;
    let salted = fork.get(56..60) == segment.get(56..60);
    let mut candidates = vec![("of this one, again", part(&segment, last.clone()).to_vec())];
    if salted {
        candidates.push(("of another history", frames_from(fork, next)));
        candidates.push(("all of another history", frames_from(fork, 0)));
    }
    // A whole frame of the right number that claims nothing, linked to something else.
    let mut numbered = segment.clone();
    put(&mut numbered, last.start + 56, &next.to_le_bytes());
    put(&mut numbered, last.start + 82, &[0, 0, 1, 0]);
    put(&mut numbered, last.start + 12, &[255; 4]);
    renew_frame(&mut numbered, last.clone());
    candidates.push(("with the number that is due", part(&numbered, last.clone()).to_vec()));
    candidates.push(("nothing but garbage", vec![0xa5; 24]));
    for (whose, bytes) in candidates.iter().filter(|(_, bytes)| !bytes.is_empty()) {
        for gap in [0, 8, 520, 4_104] {
            for rebooted in [false, true] {
                // Behind the block that is looked at, a clean mark of this boot is believed.
                let at = end + gap;
                if at + bytes.len() > segment.len() || gap > 4_096 && !rebooted {
                    continue;
                }
                let mut changed = segment.clone();
                put(&mut changed, at, bytes);
                let what = format!("{name} at {at}, {whose}, restarted {rebooted}");
                let mut damage = Damage::of(Row::Stale, what).put(&name, changed);
                (damage.rebooted, damage.repairs) = (rebooted, true);
                each(damage);
            }
        }
    }
}
