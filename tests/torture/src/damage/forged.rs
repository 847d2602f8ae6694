//! Checkpoints that the log did not seal.

use memlith::prove::FOLD_VERSION;

use super::bytes::{
    is_hint, put, renew_checkpoint, renew_checkpoint_digest, renew_run, run_data, run_root, u64_at,
};
use super::kind::{Damage, Row};
use super::sample::{Sample, is_checkpoint, is_run};

pub(super) fn each(sample: &Sample, step: usize, each: &mut dyn FnMut(Damage)) {
    others(sample, each);
    for name in sample.checkpoints() {
        fields(&name, &sample.file(&name), each);
    }
    for name in sample.runs() {
        let file = sample.file(&name);
        for at in (run_data(&file)..file.len()).step_by(step.max(1) * 3) {
            contents(sample, &name, &file, at, each);
        }
    }
}

/// A run with another byte under sound digests: alone, and with the checkpoints that name it
/// made to name what it is now.
fn contents(sample: &Sample, name: &str, file: &[u8], at: usize, each: &mut dyn FnMut(Damage)) {
    let mut changed = file.to_vec();
    if let Some(byte) = changed.get_mut(at) {
        *byte ^= 1;
    }
    renew_run(&mut changed);
    let (old, new) = (run_root(file), run_root(&changed));
    let what = format!("{name}, byte {at}");
    each(Damage::of(Row::CheckpointContent, &what).put(name, changed.clone()));
    let root: String = new.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let renamed = match name.rsplit_once('-') {
        Some((start, _)) => format!("{start}-{root}"),
        None => name.to_owned(),
    };
    let mut whole = Damage::of(Row::CheckpointContent, format!("{what}, as {renamed}"));
    for checkpoint in sample.checkpoints() {
        let mut naming = sample.file(&checkpoint);
        let place = naming.windows(32).position(|window| window == old);
        if let Some(place) = place {
            put(&mut naming, place, &new);
            renew_checkpoint(&mut naming);
            whole = whole.put(&checkpoint, naming);
        }
    }
    each(whole.remove(name).put(&renamed, changed));
}

fn others(sample: &Sample, each: &mut dyn FnMut(Damage)) {
    let row = Row::CheckpointOther;
    let mut sources = vec![("another ledger", &sample.other), ("another history", &sample.fork)];
    sources.extend(sample.older.iter().map(|older| ("before", older)));
    for (whose, files) in sources {
        let foreign = files.iter().filter(|(name, _)| is_checkpoint(name));
        // With the runs that it names, but for those that are here under the same name.
        let runs = files.iter().filter(|(name, _)| is_run(name) && sample.file(name).is_empty());
        let with_runs = |damage: Damage| {
            runs.clone().fold(damage, |damage, (name, bytes)| damage.put(name, bytes.clone()))
        };
        for (name, bytes) in foreign {
            let plain = Damage::of(row, format!("{name} of {whose}"));
            each(with_runs(plain).put(name, bytes.clone()));
            for own in sample.checkpoints() {
                let what = format!("{name} of {whose} as {own}");
                each(with_runs(Damage::of(row, what)).put(&own, bytes.clone()));
            }
            // Without those that would be taken first.
            let mut alone = with_runs(Damage::of(row, format!("{name} of {whose} alone")));
            for own in sample.checkpoints() {
                alone = alone.remove(&own);
            }
            each(alone.put(name, bytes.clone()));
        }
    }
    for name in sample.checkpoints() {
        let file = sample.file(&name);
        let mut parts: Vec<&str> = name.split('-').collect();
        for (at, value) in [(1, "3"), (2, "3"), (2, "9999"), (3, "1"), (4, "000000000000")] {
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
    for at in (8..file.len().saturating_sub(32)).filter(|at| !is_hint(file, *at)) {
        for whole in [false, true] {
            let mut changed = file.to_vec();
            if let Some(byte) = changed.get_mut(at) {
                *byte ^= 1;
            }
            if whole {
                renew_checkpoint(&mut changed);
            } else {
                renew_checkpoint_digest(&mut changed);
            }
            if changed == file {
                continue;
            }
            let what = format!("{name}, byte {at}, root renewed {whole}");
            each(Damage::of(Row::CheckpointField, &what).put(name, changed.clone()));
            let (n, epoch) = (u64_at(&changed, 24), u64_at(&changed, 104));
            let to = format!("ckpt-{FOLD_VERSION}-{n}-{epoch}-000000000000");
            let renamed = Damage::of(Row::CheckpointField, format!("{what}, as {to}"));
            each(renamed.remove(name).put(&to, changed));
        }
    }
    let n = u64_at(file, 24);
    for ahead in [1, 2, 1_000] {
        let mut changed = file.to_vec();
        put(&mut changed, 24, &(n + ahead).to_le_bytes());
        renew_checkpoint_digest(&mut changed);
        let to = format!("ckpt-{FOLD_VERSION}-{}-{}-000000000000", n + ahead, u64_at(file, 104));
        let what = format!("{name}, {ahead} further, as {to}");
        each(Damage::of(Row::CheckpointField, what).put(&to, changed));
    }
}
