use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use memlith_testkit::sim::{Chance, FailedSync, Moment, SimDisk};

use crate::counts::{Cell, Counts};
use crate::crash::Crash;
use crate::failure::Failure;
use crate::known::Known;
use crate::spread::spread;
use crate::story::Story;
use crate::workload::Workload;

/// How a crash campaign is run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The seeds; each is a run of its own.
    pub seeds: Range<u64>,
    /// Threads; the result does not depend on them.
    pub threads: usize,
    /// Crashes at every operation of a recovery.
    pub again: usize,
    /// Every so many operations of the run are crashed at; 1 for all.
    pub step: usize,
    /// Whether a run ends at its first harm, and no further one is begun then.
    pub until_harm: bool,
    /// Pairs of faults that are tried in each run, beside every single one.
    pub pairs: u64,
}

/// Crashes a workload at every operation, in every way, and each recovery at every
/// operation of its own.
#[must_use]
pub fn crash(workload: &dyn Workload, campaign: &Campaign) -> Counts {
    let mut all = Counts::default();
    let run = |seed| Enumeration::of(workload, campaign, seed).run();
    let is_last = |counts: &Counts| campaign.until_harm && counts.harms() != [0; 3];
    for counts in spread(campaign.seeds.clone(), campaign.threads, &run, &is_last) {
        all.add(counts);
    }
    all.finish();
    all
}

/// The crashes of one run.
struct Enumeration<'a> {
    workload: &'a dyn Workload,
    campaign: &'a Campaign,
    seed: u64,
    /// States that were lived on, each with how much was known.
    seen: BTreeSet<(u64, u64)>,
    counts: Counts,
}

/// A state and what is known of it.
struct State<'a> {
    cell: Cell,
    disk: SimDisk,
    known: Known,
    /// Tells one known from another.
    version: u64,
    place: &'a dyn Fn() -> String,
}

/// The disk of a run: every other seed takes back what a failed sync gave up.
pub(crate) fn disk(seed: u64) -> SimDisk {
    let failing = if seed.is_multiple_of(2) { FailedSync::Keep } else { FailedSync::Revert };
    SimDisk::new().seeded(seed).failing(failing)
}

impl<'a> Enumeration<'a> {
    fn of(workload: &'a dyn Workload, campaign: &'a Campaign, seed: u64) -> Enumeration<'a> {
        let (seen, counts) = (BTreeSet::new(), Counts::default());
        Enumeration { workload, campaign, seed, seen, counts }
    }

    fn run(mut self) -> Counts {
        let disk = disk(self.seed);
        disk.record();
        let mut story = Story::on(&disk);
        self.workload.run(&disk, &mut story, self.seed);
        for refusal in story.refusals() {
            self.counts.fail(&Failure::refused("in the run", refusal), &format!("{}", self.seed));
        }
        let (mut known, mut heard) = (Known::default(), 0);
        let moments = disk.take_moments();
        let offset = usize::try_from(self.seed).unwrap_or(0) % self.campaign.step;
        for (at, moment) in moments.iter().enumerate() {
            heard = story.retell(&mut known, heard, moment.index);
            if at % self.campaign.step == offset && !self.is_over() {
                self.first(moment, &known, heard);
            }
        }
        self.counts.compact();
        self.counts
    }

    fn is_over(&self) -> bool {
        self.campaign.until_harm && self.counts.harms() != [0; 3]
    }

    fn first(&mut self, moment: &Moment, known: &Known, heard: usize) {
        for (at, crash) in Crash::ROUND.into_iter().enumerate() {
            let parts = [self.seed, moment.index, number(at)];
            let disk = crash.strike(moment, &mut Chance::of(&parts));
            let place = || format!("seed {} operation {} {crash} {at}", self.seed, moment.index);
            let place: &dyn Fn() -> String = &{
                let text = place();
                move || text.clone()
            };
            let state = State {
                cell: Cell { after: None, crash, operation: moment.kind() },
                known: known.crashed(crash.is_power()),
                version: number(heard) << 1 | u64::from(crash.is_power()),
                disk,
                place,
            };
            let again = self.campaign.again > 0;
            let Some((known, story, moments)) = self.live(state, again) else { continue };
            self.again(crash, &known, &story, &moments, place);
        }
    }

    /// Crashes a recovery at every operation of its own.
    fn again(
        &mut self,
        first: Crash,
        known: &Known,
        story: &Story,
        moments: &[Moment],
        place: &dyn Fn() -> String,
    ) {
        let (mut known, mut heard) = (known.clone(), 0);
        let salt = self.counts.states;
        for (at, moment) in moments.iter().enumerate() {
            heard = story.retell(&mut known, heard, moment.index);
            if self.is_over() {
                return;
            }
            for turn in 0..self.campaign.again {
                let parts = [self.seed, salt, number(at), number(turn)];
                let mut chance = Chance::of(&parts);
                let round = Crash::ROUND.len();
                let Some(crash) = Crash::ROUND.get(chance.below(round)).copied() else { continue };
                let disk = crash.strike(moment, &mut chance);
                let again = || format!("{}, then operation {} {crash}", place(), moment.index);
                let state = State {
                    cell: Cell { after: Some(first), crash, operation: moment.kind() },
                    known: known.crashed(crash.is_power()),
                    // What is known after a second crash is seldom known twice.
                    version: salt << 8 | number(heard) << 1 | u64::from(crash.is_power()),
                    disk,
                    place: &again,
                };
                self.live(state, false);
            }
        }
    }

    /// Opens a ledger on a state, unless that was done; the story of what was done
    /// then, if it is asked for.
    fn live(&mut self, state: State<'_>, record: bool) -> Option<(Known, Story, Vec<Moment>)> {
        let digest = state.disk.digest();
        self.counts.state(state.cell, digest);
        if !self.seen.insert((digest, state.version)) {
            return None;
        }
        self.counts.lived += 1;
        if record {
            state.disk.record();
        }
        let mut story = Story::on(&state.disk);
        // What is appended now must differ from what was before the crash.
        let seed = Chance::of(&[self.seed, digest, state.version]).bits();
        let lived = catch_unwind(AssertUnwindSafe(|| {
            self.workload.live(&state.disk, &state.known, &mut story, seed)
        }));
        let lived = lived.unwrap_or_else(|_| Err(Failure::wrong("a panic")));
        if let Err(failure) = lived {
            self.counts.fail(&failure, &(state.place)());
            return None;
        }
        record.then(|| (state.known, story, state.disk.take_moments()))
    }
}

fn number(at: usize) -> u64 {
    u64::try_from(at).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine_workload::EngineWorkload;
    use crate::faults::fault;
    use crate::log_workload::LogWorkload;

    fn campaign(threads: usize, step: usize) -> Campaign {
        Campaign { seeds: 0..2, threads, again: 1, step, until_harm: false, pairs: 20 }
    }

    #[test]
    fn a_sample_of_crashes_harms_nothing_on_any_number_of_threads() {
        let log = LogWorkload { verified: 4 };
        let one = crash(&log, &campaign(1, 40));
        assert_eq!(one.harms(), [0; 3], "{one}");
        assert!(one.distinct > 2_000, "{one}");
        assert_eq!(one.to_string(), crash(&log, &campaign(3, 40)).to_string());
        let engine = crash(&EngineWorkload { verified: 1 }, &campaign(2, 150));
        assert_eq!(engine.harms(), [0; 3], "{engine}");
    }

    #[test]
    fn a_sample_of_faults_harms_nothing() {
        let faults = fault(&LogWorkload { verified: 1 }, &campaign(2, 17));
        assert!(faults.total().is_harmless(), "{faults}");
    }
}
