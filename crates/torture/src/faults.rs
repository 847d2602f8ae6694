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

/// What an input or output fails with.
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

/// What came of one kind of trouble at every index.
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

/// What a campaign of faults counted.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// For each kind of trouble, at each kind of operation; `None` is a reading.
    pub outcomes: BTreeMap<(Trouble, Option<OperationKind>), Outcomes>,
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
    let (seeds, threads, step) = (campaign.seeds.clone(), campaign.threads, campaign.step);
    for faults in spread(seeds, threads, &|seed| Trial { workload, seed, step }.all()) {
        all.add(faults);
    }
    all
}

struct Trial<'a> {
    workload: &'a dyn Workload,
    seed: u64,
    /// Every so many indices are tried; 1 for all.
    step: usize,
}

impl Trial<'_> {
    fn all(&self) -> Faults {
        let disk = self.disk(FailedSync::Keep);
        disk.record();
        self.workload.run(&disk, &mut Story::on(&disk), self.seed);
        let (moments, reads) = (disk.take_moments(), disk.reads());
        let mut faults = Faults::default();
        for moment in moments.iter().step_by(self.step) {
            for trouble in Trouble::at(moment.kind()) {
                self.one(&mut faults, *trouble, At::Operation(moment.index), moment.kind());
            }
        }
        for read in (0..reads).step_by(self.step) {
            for trouble in Trouble::at(None) {
                self.one(&mut faults, *trouble, At::Read(read), None);
            }
        }
        faults
    }

    fn disk(&self, failing: FailedSync) -> SimDisk {
        SimDisk::new().seeded(self.seed).failing(failing)
    }

    fn one(&self, faults: &mut Faults, trouble: Trouble, at: At, kind: Option<OperationKind>) {
        let disk = self.disk(trouble.failing());
        disk.plan(Fault { at, kind: trouble.kind() });
        let mut story = Story::on(&disk);
        let ran = catch_unwind(AssertUnwindSafe(|| {
            self.workload.run(&disk, &mut story, self.seed);
        }));
        disk.mend();
        let outcomes = faults.outcomes.entry((trouble, kind)).or_default();
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
        let place = format!("seed {} {at:?} {trouble:?}", self.seed);
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

    /// What can go wrong with an operation of a kind; with a reading for `None`.
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
        for (words, (count, first)) in other.failures {
            self.failures.entry(words).or_insert((0, first)).0 += count;
        }
    }

    /// Everything together.
    #[must_use]
    pub fn total(&self) -> Outcomes {
        let mut total = Outcomes::default();
        self.outcomes.values().for_each(|outcomes| total.add(outcomes));
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
        writeln!(f, "{:<36}{}", "all", self.total())?;
        for (count, first) in self.failures.values() {
            writeln!(f, "  {count} times, first: {first}")?;
        }
        Ok(())
    }
}
