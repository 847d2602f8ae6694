use std::time::Duration;

use serde_json::{Value, json};

use crate::counts::Counts;
use crate::damage::Damages;
use crate::faults::Faults;
use crate::laws::Verdicts;
use crate::random::Tally;

/// Result of a campaign, in one line of a table.
///
/// The campaigns on the real machine print the same object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of cases that were tried, equal states included.
    pub tried: u64,
    /// States that are told apart by a hash of the disk; 0 where none is taken.
    pub distinct: u64,
    /// A typed error, and after it everything acknowledged was there.
    pub refused: u64,
    /// Something acknowledged was gone.
    pub lost: u64,
    /// Something was there that should not be, or was not as it was.
    pub wrong: u64,
    /// The ledger did not open or did not go on.
    pub unopened: u64,
    /// Anything else worth a word.
    pub note: String,
}

impl Summary {
    /// The line of a campaign of this name as an object.
    #[must_use]
    pub fn to_json(&self, name: &str, wall: Duration) -> Value {
        let Summary { tried, distinct, refused, lost, wrong, unopened, note } = self;
        json!({
            "name": name, "tried": tried, "distinct": distinct, "refused": refused,
            "lost": lost, "wrong": wrong, "unopened": unopened, "skipped": null,
            "note": note, "wall_ms": u64::try_from(wall.as_millis()).unwrap_or(u64::MAX),
        })
    }
}

impl From<&Counts> for Summary {
    fn from(counts: &Counts) -> Summary {
        let [lost, wrong, unopened] = counts.harms();
        let note = format!("{} of {} cells without a state", counts.empty_cells(), Counts::CELLS);
        let (tried, distinct) = (counts.states, counts.distinct);
        Summary { tried, distinct, refused: 0, lost, wrong, unopened, note }
    }
}

impl From<&Faults> for Summary {
    fn from(faults: &Faults) -> Summary {
        let (all, pairs) = (faults.total(), faults.pairs.values().map(|pair| pair.tried));
        Summary {
            tried: all.tried,
            distinct: 0,
            refused: all.refused,
            lost: all.lost,
            wrong: all.wrong,
            unopened: all.stuck,
            note: format!("{} survived; {} were pairs", all.survived, pairs.sum::<u64>()),
        }
    }
}

impl From<&Tally> for Summary {
    fn from(tally: &Tally) -> Summary {
        let wrong = u64::try_from(tally.failures.len()).unwrap_or(u64::MAX);
        let (steps, answers) = (tally.played.steps, tally.played.answers);
        let kinds = tally.kinds();
        let note = format!("{steps} operations of {kinds} kinds, {answers} answers compared");
        Summary { tried: tally.sessions, wrong, note, ..Summary::default() }
    }
}

impl From<&Verdicts> for Summary {
    fn from(verdicts: &Verdicts) -> Summary {
        let note = format!("{} laws, {} cases", verdicts.laws.len(), verdicts.cases());
        let (tried, wrong) = (verdicts.histories, verdicts.violations());
        Summary { tried, wrong, note, ..Summary::default() }
    }
}

impl From<&Damages> for Summary {
    fn from(damages: &Damages) -> Summary {
        let [refused, found, harmless, not_promised, harm] = damages.outcomes();
        let states = damages.states();
        Summary {
            tried: states,
            distinct: states,
            refused,
            wrong: harm,
            note: format!("{found} found, {harmless} harmless, {not_promised} not promised"),
            ..Summary::default()
        }
    }
}
