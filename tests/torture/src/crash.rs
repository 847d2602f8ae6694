use std::fmt;

use memlith_testkit::sim::{Chance, Cut, Moment, Progress, SimDisk};

/// A way to end a run at some moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Crash {
    /// The power fails.
    Cut(Cut),
    /// Every process is killed.
    Kill(Progress),
}

impl Crash {
    /// Every crash; those that leave something to chance stand there several times.
    pub(crate) const ROUND: [Crash; 15] = [
        Crash::Kill(Progress::Before),
        Crash::Kill(Progress::Within),
        Crash::Kill(Progress::After),
        Crash::Cut(Cut::Nothing),
        Crash::Cut(Cut::Everything),
        Crash::Cut(Cut::NamesOnly),
        Crash::Cut(Cut::Sectors),
        Crash::Cut(Cut::Sectors),
        Crash::Cut(Cut::Sectors),
        Crash::Cut(Cut::Torn),
        Crash::Cut(Cut::Torn),
        Crash::Cut(Cut::Torn),
        Crash::Cut(Cut::Garbage),
        Crash::Cut(Cut::Garbage),
        Crash::Cut(Cut::Garbage),
    ];

    /// The rows of a table.
    pub(crate) const ROWS: usize = 7;

    /// The row of a table that it belongs to.
    pub(crate) fn row(self) -> usize {
        match self {
            Crash::Kill(_) => 0,
            Crash::Cut(Cut::Nothing) => 1,
            Crash::Cut(Cut::Everything) => 2,
            Crash::Cut(Cut::NamesOnly) => 3,
            Crash::Cut(Cut::Sectors) => 4,
            Crash::Cut(Cut::Torn) => 5,
            Crash::Cut(Cut::Garbage) => 6,
        }
    }

    /// The name of a row.
    pub(crate) fn row_label(row: usize) -> &'static str {
        const LABELS: [&str; Crash::ROWS] = [
            "killed",
            "cut, nothing kept",
            "cut, everything kept",
            "cut, names kept, bytes not",
            "cut, any sectors",
            "cut, torn sectors",
            "cut, garbage in sectors",
        ];
        LABELS.get(row).copied().unwrap_or_default()
    }

    pub(crate) fn is_power(self) -> bool {
        match self {
            Crash::Cut(_) => true,
            Crash::Kill(_) => false,
        }
    }

    /// Returns the disk that the crash leaves.
    pub(crate) fn strike(self, moment: &Moment, chance: &mut Chance) -> SimDisk {
        match self {
            Crash::Cut(cut) => moment.cut(cut, chance),
            Crash::Kill(progress) => moment.killed(progress, chance),
        }
    }
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Crash::Cut(cut) => write!(f, "cut({})", cut.label()),
            Crash::Kill(progress) => write!(f, "kill({progress:?})"),
        }
    }
}
