//! The mark, the lock, and what is set aside.

use super::bytes::{frames, part, put, renew_mark, u64_at};
use super::kind::{Damage, Row};
use super::sample::Sample;

const SLOTS: [usize; 2] = [0, 4_096];

pub(super) fn each(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    others(sample, each);
    fields(sample, each);
    aside(sample, each);
}

fn others(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    let row = Row::MarkOther;
    each(Damage::of(row, "missing").remove("mark"));
    let sources = [("another ledger", &sample.other), ("another history", &sample.fork)];
    for (whose, files) in sources {
        if let Some(mark) = files.get("mark") {
            each(Damage::of(row, format!("of {whose}")).put("mark", mark.clone()));
        }
    }
    for (age, files) in sample.older.iter().enumerate() {
        if let Some(mark) = files.get("mark") {
            each(Damage::of(row, format!("as in {age}")).put("mark", mark.clone()));
        }
    }
    for slot in SLOTS {
        let mut mark = sample.file("mark");
        put(&mut mark, slot, &[0; 128]);
        each(Damage::of(row, format!("slot at {slot} never written")).put("mark", mark));
    }
    let mut swapped = sample.file("mark");
    for (from, to) in [(0, 4_096), (4_096, 0)] {
        let slot = part(&sample.file("mark"), from..from + 128).to_vec();
        put(&mut swapped, to, &slot);
    }
    each(Damage::of(row, "slots swapped").put("mark", swapped));
}

/// One byte of the mark after another, and the sequences of every record.
fn fields(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    let mark = sample.file("mark");
    for slot in SLOTS {
        for at in slot + 8..slot + 128 {
            for bit in [0, 7] {
                let mut changed = mark.clone();
                if let Some(byte) = changed.get_mut(at) {
                    *byte ^= 1 << bit;
                }
                renew_mark(&mut changed, slot);
                let what = format!("byte {at} bit {bit}");
                each(Damage::of(Row::MarkField, what).put("mark", changed));
            }
        }
    }
    for name in sample.segments() {
        let segment = sample.file(&name);
        for frame in frames(&segment) {
            let mut changed = mark.clone();
            for slot in SLOTS {
                put(&mut changed, slot + 24, part(&segment, frame.start + 56..frame.start + 64));
                put(&mut changed, slot + 40, part(&segment, frame.start + 24..frame.start + 56));
                renew_mark(&mut changed, slot);
            }
            let what = format!("at record {}", u64_at(&segment, frame.start + 56));
            each(Damage::of(Row::MarkField, what).put("mark", changed));
        }
    }
}

/// Damages files that say nothing of the ledger and so must not keep it from going on.
fn aside(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    let last = sample.segments().last().map(|name| sample.file(name)).unwrap_or_default();
    let frames: Vec<u8> =
        frames(&last).into_iter().flat_map(|frame| part(&last, frame).to_vec()).collect();
    for name in ["LOCK", "LOCK.next", "ckpt.lock", "reserve", "next.tmp", "ckpt.tmp"] {
        let harmless = |what: String, bytes: Option<Vec<u8>>| {
            let mut damage = Damage::of(Row::Aside, format!("{name} {what}"));
            damage = match bytes {
                Some(bytes) => damage.put(name, bytes),
                None => damage.remove(name),
            };
            damage.repairs = true;
            damage
        };
        each(harmless("missing".into(), None));
        each(harmless("empty".into(), Some(Vec::new())));
        for len in [1, 100, 4_096, 8_192] {
            each(harmless(format!("{len} bytes of 0xa5"), Some(vec![0xa5; len])));
            let mut late = vec![0; len];
            put(&mut late, len - 1, &[1]);
            each(harmless(format!("{len} bytes, the last not zero"), Some(late)));
        }
        each(harmless("a segment".into(), Some(last.clone())));
        each(harmless("frames".into(), Some([vec![0; 1_024], frames.clone()].concat())));
    }
}
