use std::collections::BTreeMap;
use std::fmt;

use memlith_testkit::sim::OperationKind;

use crate::crash::Crash;
use crate::failure::{Failure, Harm};

/// Counts of a crash campaign.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// States that were made, equal ones included.
    pub states: u64,
    /// States that a ledger was opened on; the others were equal to one of these,
    /// with the same known of it.
    pub lived: u64,
    /// Distinct states, by a hash of all that can be seen of a disk.
    pub distinct: u64,
    /// Distinct states in each cell.
    cells: Vec<u64>,
    lost: u64,
    wrong: u64,
    refused: u64,
    /// Failures by what they are but for numbers: how many, and the first of them.
    pub failures: BTreeMap<String, (u64, String)>,
    /// A cell and a hash for every state, until they are counted.
    hashes: Vec<u64>,
}

/// One of the table's cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    /// Whether it is a crash of a recovery, after which one.
    pub(crate) after: Option<Crash>,
    pub(crate) crash: Crash,
    pub(crate) operation: Option<OperationKind>,
}

/// First crashes; crashes of a recovery after a kill; and after a cut.
const STAGES: [&str; 3] = ["first crash", "crash again, after a kill", "crash again, after a cut"];
const COLUMNS: usize = OperationKind::ALL.len();
const HASH_BITS: u32 = 56;

impl Cell {
    /// `None` at the end of a run, where no operation is under way.
    fn index(self) -> Option<usize> {
        let stage = match self.after {
            None => 0,
            Some(first) if first.is_power() => 2,
            Some(_) => 1,
        };
        let operation = self.operation?;
        let column = OperationKind::ALL.iter().position(|kind| *kind == operation)?;
        Some((stage * Crash::ROWS + self.crash.row()) * COLUMNS + column)
    }
}

impl Counts {
    /// The cells of the table: stages, crashes and operations.
    pub const CELLS: usize = STAGES.len() * Crash::ROWS * COLUMNS;

    pub(crate) fn state(&mut self, cell: Cell, digest: u64) {
        self.states += 1;
        let index = cell.index().unwrap_or(Counts::CELLS);
        let index = u64::try_from(index).unwrap_or(0);
        self.hashes.push(index << HASH_BITS | digest >> (64 - HASH_BITS));
    }

    pub(crate) fn fail(&mut self, failure: &Failure, place: &str) {
        match failure.harm {
            Harm::Lost => self.lost += 1,
            Harm::Wrong => self.wrong += 1,
            Harm::Refused => self.refused += 1,
        }
        let words: String = failure.to_string().chars().filter(|c| !c.is_ascii_digit()).collect();
        let first = || (0, format!("{place}: {failure}"));
        self.failures.entry(words).or_insert_with(first).0 += 1;
    }

    /// Drops what is there twice, so that a long campaign stays small.
    pub(crate) fn compact(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        self.hashes.shrink_to_fit();
    }

    pub(crate) fn add(&mut self, other: Counts) {
        self.states += other.states;
        self.lived += other.lived;
        self.lost += other.lost;
        self.wrong += other.wrong;
        self.refused += other.refused;
        self.hashes.extend(other.hashes);
        for (words, (count, first)) in other.failures {
            self.failures.entry(words).or_insert((0, first)).0 += count;
        }
    }

    /// Counts what is distinct.
    pub(crate) fn finish(&mut self) {
        self.compact();
        self.cells = vec![0; Counts::CELLS + 1];
        for hash in &mut self.hashes {
            let cell = usize::try_from(*hash >> HASH_BITS).unwrap_or(Counts::CELLS);
            if let Some(count) = self.cells.get_mut(cell) {
                *count += 1;
            }
            *hash &= (1 << HASH_BITS) - 1;
        }
        self.compact();
        self.distinct = u64::try_from(self.hashes.len()).unwrap_or(u64::MAX);
        self.hashes = Vec::new();
    }

    /// Acknowledged and gone; not as it was; not to be opened.
    #[must_use]
    pub fn harms(&self) -> [u64; 3] {
        [self.lost, self.wrong, self.refused]
    }

    /// The cells without a state.
    #[must_use]
    pub fn empty_cells(&self) -> usize {
        self.cells.iter().take(Counts::CELLS).filter(|count| **count == 0).count()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (stage, cells) in STAGES.iter().zip(self.cells.chunks(Crash::ROWS * COLUMNS)) {
            write!(f, "{stage:<28}")?;
            for kind in OperationKind::ALL {
                write!(f, "{:>10}", kind.label())?;
            }
            writeln!(f)?;
            for (row, counts) in cells.chunks(COLUMNS).enumerate() {
                write!(f, "  {:<26}", Crash::row_label(row))?;
                for count in counts {
                    write!(f, "{count:>10}")?;
                }
                writeln!(f)?;
            }
        }
        let [lost, wrong, refused] = self.harms();
        writeln!(
            f,
            "{} states, {} distinct, {} lived on; {} cells without a state",
            self.states,
            self.distinct,
            self.lived,
            self.empty_cells(),
        )?;
        writeln!(f, "lost {lost}, wrong {wrong}, refused {refused}")?;
        for (count, first) in self.failures.values() {
            writeln!(f, "  {count} times, first: {first}")?;
        }
        Ok(())
    }
}
