//! Checkpoints that the log did not seal.

use super::bytes::{put, renew_checkpoint, renew_checkpoint_header, sections_start, u64_at};
use super::kind::{Damage, Row};
use super::sample::{Sample, is_checkpoint};

pub(super) fn each(sample: &Sample, step: usize, each: &mut dyn FnMut(Damage)) {
    others(sample, each);
    for name in sample.checkpoints() {
        let file = sample.file(&name);
        fields(&name, &file, each);
        for at in (sections_start(&file)..file.len()).step_by(step.max(1) * 3) {
            let mut changed = file.clone();
            if let Some(byte) = changed.get_mut(at) {
                *byte ^= 1;
            }
            renew_checkpoint(&mut changed);
            each(
                Damage::of(Row::CheckpointContent, format!("{name}, byte {at}"))
                    .put(&name, changed),
            );
        }
    }
}

fn others(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    let row = Row::CheckpointOther;
    let mut sources = vec![("another ledger", &sample.other), ("another history", &sample.fork)];
    sources.extend(sample.older.iter().map(|older| ("before", older)));
    for (whose, files) in sources {
        let foreign = files.iter().filter(|(name, _)| is_checkpoint(name));
        for (name, bytes) in foreign {
            each(Damage::of(row, format!("{name} of {whose}")).put(name, bytes.clone()));
            for own in sample.checkpoints() {
                let what = format!("{name} of {whose} as {own}");
                each(Damage::of(row, what).put(&own, bytes.clone()));
            }
            // Without those that would be taken first.
            let mut alone = Damage::of(row, format!("{name} of {whose} alone"));
            for own in sample.checkpoints() {
                alone = alone.remove(&own);
            }
            each(alone.put(name, bytes.clone()));
        }
    }
    for name in sample.checkpoints() {
        let file = sample.file(&name);
        let mut parts: Vec<&str> = name.split('-').collect();
        for (at, value) in [(1, "2"), (2, "3"), (2, "9999"), (3, "1"), (4, "000000000000")] {
            let old = parts.get(at).copied().unwrap_or_default();
            if let Some(part) = parts.get_mut(at) {
                *part = value;
            }
            let to = parts.join("-");
            each(Damage::of(row, format!("{name} as {to}")).remove(&name).put(&to, file.clone()));
            if let Some(part) = parts.get_mut(at) {
                *part = old;
            }
        }
    }
}

/// The fields of a header, each another one under a sound digest and under the name that
/// belongs to it.
fn fields(name: &str, file: &[u8], each: &mut dyn FnMut(Damage)) {
    for at in (8..144).filter(|at| !(108..112).contains(at)) {
        for whole in [false, true] {
            let mut changed = file.to_vec();
            if let Some(byte) = changed.get_mut(at) {
                *byte ^= 1;
            }
            if whole {
                renew_checkpoint(&mut changed);
            } else {
                renew_checkpoint_header(&mut changed);
            }
            if changed == file {
                continue;
            }
            let what = format!("{name}, byte {at}, root renewed {whole}");
            each(Damage::of(Row::CheckpointField, &what).put(name, changed.clone()));
            let (n, epoch) = (u64_at(&changed, 24), u64_at(&changed, 100));
            let to = format!("ckpt-1-{n}-{epoch}-000000000000");
            let renamed = Damage::of(Row::CheckpointField, format!("{what}, as {to}"));
            each(renamed.remove(name).put(&to, changed));
        }
    }
    let n = u64_at(file, 24);
    for ahead in [1, 2, 1_000] {
        let mut changed = file.to_vec();
        put(&mut changed, 24, &(n + ahead).to_le_bytes());
        renew_checkpoint_header(&mut changed);
        let to = format!("ckpt-1-{}-{}-000000000000", n + ahead, u64_at(file, 100));
        let what = format!("{name}, {ahead} further, as {to}");
        each(Damage::of(Row::CheckpointField, what).put(&to, changed));
    }
}
