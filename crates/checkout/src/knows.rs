use memlith_event::Purpose;
use serde::{Serialize, Serializer};

use crate::evidence::{is_evidence, is_near};
use crate::find::{CANDIDATES_MAX, End, Found};
use crate::{Ask, Error, View};

/// Whether there is anything on a question, by the index alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Knowledge {
    /// The items that may be shown and have anything of the query; at most 600.
    pub found: u32,
    /// Those that are on the point, or of a day or an actor that the query names.
    pub near: u32,
    /// Those that may be taken for evidence, by all but their words.
    pub evidence: u32,
    /// Names and identifiers of the question that none of them has; at most 8.
    pub nowhere: Vec<String>,
    /// The best relevance among those found; 0 where there are none. Ratios mean something
    /// among the items of one query, not across queries.
    pub relevance: i64,
    /// The greatest share of the query that one of them has, in millionths; written as a share.
    #[serde(serialize_with = "share")]
    pub coverage: i64,
}

fn share<S: Serializer>(millionths: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    let millionths = i32::try_from(*millionths).unwrap_or(i32::MAX);
    serializer.serialize_f64(f64::from(millionths) / 1e6)
}

/// Whether there is anything on `ask`: what [`crate::checkout`] would find, without the words.
///
/// Reads no body: the index, statuses and salience alone. Nothing is changed, and nothing learned.
/// That something was found doesn't say that the answer is in there: no engine without a reader can
/// tell.
///
/// Source: `docs/model.md`, "Evidence". Cost: a search.
///
/// # Errors
/// [`Error`]: an empty or endless query.
pub fn knows(view: &View<'_>, ask: &Ask<'_>) -> Result<Knowledge, Error> {
    ask.check()?;
    let Found { candidates: found, nowhere, .. } = view.find(ask, End::default(), CANDIDATES_MAX);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let near = count(found.iter().filter(|found| is_near(found)).count());
    let evidence = found.iter().filter(|found| {
        let (disputed, _) = view.memory.is_disputed(found.item.id.seq);
        is_evidence(found, disputed, Purpose::General)
    });
    let evidence = count(evidence.count());
    Ok(Knowledge {
        found: count(found.len()),
        near,
        evidence,
        nowhere,
        relevance: found.iter().map(|found| found.relevance).max().unwrap_or(0),
        coverage: found.iter().map(|found| found.signals.coverage).max().unwrap_or(0),
    })
}
