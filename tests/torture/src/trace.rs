use std::fmt::Write;

use memlith_testkit::sim::{At, Fault};

use crate::campaign::disk;
use crate::faults::Trouble;
use crate::story::Story;
use crate::workload::Workload;

/// Characters of a telling that are shown.
const SHOWN: usize = 120;

/// Every operation of a run, with what was told between; for one who looks into a failure.
#[must_use]
pub fn trace(workload: &dyn Workload, seed: u64, fault: Option<(At, Trouble)>) -> String {
    let disk = match fault {
        Some((at, trouble)) => {
            let disk = disk(seed).failing(trouble.failing());
            disk.plan(Fault { at, kind: trouble.kind() });
            disk
        }
        None => disk(seed),
    };
    disk.record();
    let mut story = Story::on(&disk);
    workload.run(&disk, &mut story, seed);
    let mut text = String::new();
    let mut told = story.tellings().peekable();
    for moment in disk.take_moments() {
        while let Some((_, telling)) = told.next_if(|(at, _)| *at <= moment.index) {
            let telling: String = format!("{telling:?}").chars().take(SHOWN).collect();
            let _ = writeln!(text, "       {telling}");
        }
        let (index, reads) = (moment.index, moment.reads);
        let _ = writeln!(text, "{index:>6} {reads:>6} {}", moment.describe());
    }
    for refusal in story.refusals() {
        let _ = writeln!(text, "refused: {refusal}");
    }
    text
}
