use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use memlith_testkit::sim::{
    At, Chance, Cut, FailedSync, Fault, FaultKind, Moment, OperationKind, Progress, SimDisk,
};

use crate::campaign::Campaign;
use crate::crash::Crash;
use crate::failure::{Failure, Harm};
use crate::known::Known;
use crate::spread::spread;
use crate::story::Story;
use crate::workload::Workload;

/// A way in which an input or output fails.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trouble {
    /// An operation other than a sync fails with `EIO`.
    OperationError,
    /// An operation other than a sync fails with `ENOSPC`.
    Full,
    /// A write gets part of the way.
    ShortWrite,
    /// A sync fails; its bytes stay visible.
    SyncKept,
    /// A sync fails; its bytes are taken back.
    SyncReverted,
    /// A reading fails with `EIO`.
    ReadError,
    /// A reading has one bit wrong.
    ReadFlip,
}

/// Counted outcomes of one kind of trouble, tried at every index.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcomes {
    /// Indices that were tried.
    pub tried: u64,
    /// Nobody noticed.
    pub survived: u64,
    /// A typed error, and after it everything acknowledged was there.
    pub refused: u64,
    /// Something acknowledged was gone.
    pub lost: u64,
    /// Something was not as it should be.
    pub wrong: u64,
    /// The ledger did not open, or did not go on, though the fault was gone.
    pub stuck: u64,
}

/// Counts of a campaign of faults.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// For each kind of trouble, at each kind of operation; `None` is a reading.
    pub outcomes: BTreeMap<(Trouble, Option<OperationKind>), Outcomes>,
    /// For pairs of faults, by the first.
    pub pairs: BTreeMap<Trouble, Outcomes>,
    /// Failures by what they are but for numbers: how many, and the first of them.
    pub failures: BTreeMap<String, (u64, String)>,
}

/// Has every operation and every reading of a workload go wrong once, in every way.
///
/// Afterwards the fault is gone: everything acknowledged must be there for the next
/// process, and after a power cut as well.
#[must_use]
pub fn fault(workload: &dyn Workload, campaign: &Campaign) -> Faults {
    let mut all = Faults::default();
    let run = |seed| Trial { workload, seed, campaign }.all();
    let is_last = |faults: &Faults| campaign.until_harm && !faults.failures.is_empty();
    for faults in spread(campaign.seeds.clone(), campaign.threads, &run, &is_last) {
        all.add(faults);
    }
    all
}

/// Something that goes wrong, when, and at what kind of operation.
#[derive(Clone, Copy, Debug)]
struct Strike {
    trouble: Trouble,
    at: At,
    kind: Option<OperationKind>,
}

/// The second of two faults strikes, half of the time, within so many steps of the first.
const NEAR: usize = 12;

struct Trial<'a> {
    workload: &'a dyn Workload,
    seed: u64,
    campaign: &'a Campaign,
}

impl Trial<'_> {
    fn all(&self) -> Faults {
        let disk = self.disk(FailedSync::Keep);
        disk.record();
        self.workload.run(&disk, &mut Story::on(&disk), self.seed);
        let (moments, reads) = (disk.take_moments(), disk.reads());
        // The last moment is the end, at which no operation is under way.
        let operations = moments.iter().filter(|moment| moment.kind().is_some());
        let operations: Vec<_> =
            operations.map(|moment| (At::Operation(moment.index), moment.kind())).collect();
        let reads: Vec<_> = (0..reads).map(|read| (At::Read(read), None)).collect();
        let mut faults = Faults::default();
        for places in [&operations, &reads] {
            for (at, kind) in places.iter().step_by(self.campaign.step) {
                for trouble in Trouble::at(*kind) {
                    self.strike(&mut faults, &[Strike { trouble: *trouble, at: *at, kind: *kind }]);
                }
            }
        }
        for turn in 0..self.campaign.pairs {
            let mut chance = Chance::of(&[self.seed, turn]);
            let first = self.choose(&mut chance, [&operations, &reads], None);
            let near = first.filter(|_| chance.once_in(2)).map(|first| first.at);
            let second = self.choose(&mut chance, [&operations, &reads], near);
            if let (Some(first), Some(second)) = (first, second) {
                self.strike(&mut faults, &[first, second]);
            }
        }
        faults
    }

    /// Any trouble anywhere, or soon after `near`.
    fn choose(
        &self,
        chance: &mut Chance,
        places: [&Vec<(At, Option<OperationKind>)>; 2],
        near: Option<At>,
    ) -> Option<Strike> {
        let of_reads = match near {
            Some(At::Read(_)) => true,
            Some(At::Operation(_) | At::Next(..)) => false,
            None => chance.once_in(2),
        };
        let places = places.get(usize::from(of_reads))?;
        let first = near.and_then(|near| places.iter().position(|(at, _)| *at == near));
        let (start, count) = match first {
            Some(first) => (first + 1, NEAR),
            None => (0, places.len()),
        };
        let (at, kind) = places.get(start + chance.below(count))?;
        let troubles = Trouble::at(*kind);
        let trouble = troubles.get(chance.below(troubles.len()))?;
        Some(Strike { trouble: *trouble, at: *at, kind: *kind })
    }

    fn disk(&self, failing: FailedSync) -> SimDisk {
        SimDisk::new().seeded(self.seed).failing(failing)
    }

    /// A run in which one thing goes wrong, or two do.
    fn strike(&self, faults: &mut Faults, strikes: &[Strike]) {
        let Some(Strike { trouble, kind, .. }) = strikes.first().copied() else { return };
        let reverts = strikes.iter().find(|strike| strike.trouble == Trouble::SyncReverted);
        let disk = self.disk(reverts.map_or(trouble, |strike| strike.trouble).failing());
        for strike in strikes {
            disk.plan(Fault { at: strike.at, kind: strike.trouble.kind() });
        }
        let mut story = Story::on(&disk);
        let ran = catch_unwind(AssertUnwindSafe(|| {
            self.workload.run(&disk, &mut story, self.seed);
        }));
        disk.mend();
        let outcomes = match strikes {
            [_] => faults.outcomes.entry((trouble, kind)).or_default(),
            _ => faults.pairs.entry(trouble).or_default(),
        };
        outcomes.tried += 1;
        let lived = match ran {
            Ok(()) => self.afterwards(&disk, &story),
            Err(_) => Err(Failure::wrong("a panic")),
        };
        let Err(failure) = lived else {
            match story.refusals() {
                [] => outcomes.survived += 1,
                _ => outcomes.refused += 1,
            }
            return;
        };
        match failure.harm {
            Harm::Lost => outcomes.lost += 1,
            Harm::Wrong => outcomes.wrong += 1,
            Harm::Refused => outcomes.stuck += 1,
        }
        let places: Vec<_> =
            strikes.iter().map(|strike| format!("{:?} {:?}", strike.at, strike.trouble)).collect();
        let place = format!("seed {} {}", self.seed, places.join(" and "));
        let first = story.refusals().first().map_or("", String::as_str);
        let text = format!("{trouble:?}: {failure}");
        let words: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
        let first = || (0, format!("{place}: {failure} (refused before: {first:?})"));
        faults.failures.entry(words).or_insert_with(first).0 += 1;
    }

    /// With the fault gone: killed, and with the power cut in two ways.
    fn afterwards(&self, disk: &SimDisk, story: &Story) -> Result<(), Failure> {
        let moment: Moment = disk.moment();
        let mut known = Known::default();
        story.retell(&mut known, 0, u64::MAX);
        let crashes =
            [Crash::Kill(Progress::Before), Crash::Cut(Cut::Nothing), Crash::Cut(Cut::Sectors)];
        for crash in crashes {
            let disk = crash.strike(&moment, &mut Chance::of(&[self.seed, moment.index]));
            let known = known.crashed(crash.is_power());
            let lived = catch_unwind(AssertUnwindSafe(|| {
                self.workload.live(&disk, &known, &mut Story::on(&disk), self.seed)
            }));
            let lived = lived.unwrap_or_else(|_| Err(Failure::wrong("a panic")));
            lived.map_err(|failure| Failure {
                what: format!("after {crash}: {}", failure.what),
                ..failure
            })?;
        }
        Ok(())
    }
}

impl Trouble {
    /// Every trouble.
    pub const ALL: [Trouble; 7] = [
        Trouble::OperationError,
        Trouble::Full,
        Trouble::ShortWrite,
        Trouble::SyncKept,
        Trouble::SyncReverted,
        Trouble::ReadError,
        Trouble::ReadFlip,
    ];

    /// Returns the kinds of trouble of an operation; those of a reading for `None`.
    fn at(kind: Option<OperationKind>) -> &'static [Trouble] {
        match kind {
            None => &[Trouble::ReadError, Trouble::ReadFlip],
            Some(OperationKind::Write) => {
                &[Trouble::OperationError, Trouble::Full, Trouble::ShortWrite]
            }
            Some(OperationKind::Sync) => &[Trouble::SyncKept, Trouble::SyncReverted],
            Some(OperationKind::SyncFolder) => &[Trouble::SyncKept],
            Some(
                OperationKind::Create
                | OperationKind::Resize
                | OperationKind::Reserve
                | OperationKind::Rename
                | OperationKind::Remove
                | OperationKind::CreateFolder,
            ) => &[Trouble::OperationError, Trouble::Full],
        }
    }

    pub(crate) fn kind(self) -> FaultKind {
        match self {
            Trouble::OperationError
            | Trouble::SyncKept
            | Trouble::SyncReverted
            | Trouble::ReadError => FaultKind::Fail(io::ErrorKind::Other),
            Trouble::Full => FaultKind::Fail(io::ErrorKind::StorageFull),
            Trouble::ShortWrite => FaultKind::Short,
            Trouble::ReadFlip => FaultKind::Flip,
        }
    }

    pub(crate) fn failing(self) -> FailedSync {
        if self == Trouble::SyncReverted { FailedSync::Revert } else { FailedSync::Keep }
    }

    fn label(self) -> &'static str {
        match self {
            Trouble::OperationError => "EIO",
            Trouble::Full => "ENOSPC",
            Trouble::ShortWrite => "short write",
            Trouble::SyncKept => "sync fails, bytes stay",
            Trouble::SyncReverted => "sync fails, bytes go",
            Trouble::ReadError => "EIO on reading",
            Trouble::ReadFlip => "bit flip on reading",
        }
    }
}

impl Faults {
    fn add(&mut self, other: Faults) {
        for (key, outcomes) in other.outcomes {
            self.outcomes.entry(key).or_default().add(&outcomes);
        }
        for (trouble, outcomes) in other.pairs {
            self.pairs.entry(trouble).or_default().add(&outcomes);
        }
        for (words, (count, first)) in other.failures {
            self.failures.entry(words).or_insert((0, first)).0 += count;
        }
    }

    /// Everything together.
    #[must_use]
    pub fn total(&self) -> Outcomes {
        let mut total = Outcomes::default();
        let all = self.outcomes.values().chain(self.pairs.values());
        all.for_each(|outcomes| total.add(outcomes));
        total
    }
}

impl Outcomes {
    fn add(&mut self, other: &Outcomes) {
        self.tried += other.tried;
        self.survived += other.survived;
        self.refused += other.refused;
        self.lost += other.lost;
        self.wrong += other.wrong;
        self.stuck += other.stuck;
    }

    /// Whether every index was survived, or refused without harm.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.tried > 0 && self.tried == self.survived + self.refused
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for count in [self.tried, self.survived, self.refused, self.lost, self.wrong, self.stuck] {
            write!(f, "{count:>10}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<36}", "fault at")?;
        for column in ["tried", "survived", "refused", "lost", "wrong", "stuck"] {
            write!(f, "{column:>10}")?;
        }
        writeln!(f)?;
        for ((trouble, kind), outcomes) in &self.outcomes {
            let kind = kind.map_or("read", OperationKind::label);
            writeln!(f, "{:<36}{outcomes}", format!("{}, {kind}", trouble.label()))?;
        }
        for (trouble, outcomes) in &self.pairs {
            writeln!(f, "{:<36}{outcomes}", format!("{}, then another", trouble.label()))?;
        }
        writeln!(f, "{:<36}{}", "all", self.total())?;
        for (count, first) in self.failures.values() {
            writeln!(f, "  {count} times, first: {first}")?;
        }
        Ok(())
    }
}
