use memlith_event::Purpose;
use serde::{Serialize, Serializer};

use crate::answerability::{is_evidence, is_near};
use crate::find::{CANDIDATES_MAX, End};
use crate::{Ask, Error, View};

/// Whether there is anything on a question, by the index alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Knowledge {
    /// The answer in a word.
    pub known: Known,
    /// The items that may be shown and have anything of the query; at most 600.
    pub found: u32,
    /// Those that are on the point, or of a day or an actor that the query names.
    pub near: u32,
    /// Those that may be taken for evidence.
    pub evidence: u32,
    /// The best relevance among those found; 0 where there are none. Ratios mean something
    /// among the items of one query, not across queries.
    pub relevance: i64,
    /// The greatest share of the query that one of them has, in millionths; written as a share.
    #[serde(serialize_with = "share")]
    pub coverage: i64,
}

/// How likely it is that a checkout answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Known {
    /// Nothing is on the point.
    #[default]
    Nothing,
    /// Something is, and is no evidence.
    Possible,
    /// There is evidence.
    Likely,
}

impl Known {
    /// The name that is printed.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Known::Nothing => "nothing",
            Known::Possible => "possible",
            Known::Likely => "likely",
        }
    }
}

impl Serialize for Known {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

fn share<S: Serializer>(millionths: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    let millionths = i32::try_from(*millionths).unwrap_or(i32::MAX);
    serializer.serialize_f64(f64::from(millionths) / 1e6)
}

/// Whether there is anything on `ask`: what [`crate::checkout`] would find, without the words.
///
/// Where a general checkout of any budget says `answer`, this says likely; where it says
/// `ask`, this says nothing, and the reverse. Reads no body: the index, statuses and salience
/// alone. Nothing is changed, and nothing learned.
///
/// Source: `docs/model.md`, "Answerability". Cost: a search.
///
/// # Errors
/// [`Error`]: an empty or endless query.
pub fn knows(view: &View<'_>, ask: &Ask<'_>) -> Result<Knowledge, Error> {
    ask.check()?;
    let found = view.find(ask, End::default(), CANDIDATES_MAX).candidates;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let near = count(found.iter().filter(|found| is_near(found)).count());
    let evidence = found.iter().filter(|found| {
        let (disputed, _) = view.memory.is_disputed(found.item.id.seq);
        is_evidence(found, disputed, Purpose::General)
    });
    let evidence = count(evidence.count());
    let known = match (evidence, near) {
        (1.., _) => Known::Likely,
        (0, 1..) => Known::Possible,
        (0, 0) => Known::Nothing,
    };
    Ok(Knowledge {
        known,
        found: count(found.len()),
        near,
        evidence,
        relevance: found.iter().map(|found| found.relevance).max().unwrap_or(0),
        coverage: found.iter().map(|found| found.signals.coverage).max().unwrap_or(0),
    })
}
