//! Every length of every file.

use super::kind::{Damage, Row};
use super::sample::Sample;

/// Files that say nothing of the ledger: one length is as good as another.
const SAYING_NOTHING: [&str; 4] = ["LOCK", "LOCK.next", "ckpt.lock", "reserve"];

pub(super) fn each(sample: &Sample, step: usize, each: &mut dyn FnMut(Damage)) {
    for (name, bytes) in &sample.files {
        each(Damage::of(Row::FileMissing, name).remove(name));
        let step = match SAYING_NOTHING.contains(&name.as_str()) {
            true => 1_021,
            false => step.max(1),
        };
        for len in (0..bytes.len()).step_by(step) {
            let mut cut: Vec<u8> = bytes.iter().take(len).copied().collect();
            let what = format!("{name} to {len} of {} bytes", bytes.len());
            each(Damage::of(Row::Cut, &what).put(name, cut.clone()));
            cut.resize(bytes.len(), 0);
            each(Damage::of(Row::Zeroed, &what).put(name, cut));
        }
    }
}
