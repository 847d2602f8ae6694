//! The oracle's rules for summaries: for their sources, their standing, their place in a
//! pack.

use memlith::{Authority, Caller, Ledger, RecordId, read::OwnStatus};

use super::likening::wording_of;
use super::naive::{Naive, NaiveSummary, word_of};

/// Every new summary cites what stood just before it, and each item once.
pub(super) fn check_new(before: &Naive, now: &Naive, written: &[RecordId]) -> Result<(), String> {
    let mut cited = Vec::new();
    for id in written {
        let Some(summary) = of(now, *id) else {
            return Err(format!("wrong: {id} is no summary"));
        };
        if summary.sources.len() < 2 {
            return Err(format!("wrong: {id} cites {:?}", summary.sources));
        }
        for source in &summary.sources {
            let stood = before.is_active(*source) && before.stale(*source).is_none();
            if !stood || cited.contains(source) {
                return Err(format!("wrong: {id} cites what is gone, or told twice"));
            }
            cited.push(*source);
        }
    }
    Ok(())
}

/// After a compaction the first span of what everybody sees has a summary, if it is over and
/// enough of it stands beyond doubt.
///
/// A compaction looks from the last record on where the clock was set back behind it: a span
/// with an end between the two, of which it makes what it then is, is passed over.
pub(super) fn check_first_span(
    naive: &Naive,
    [time, latest]: [i64; 2],
    length: usize,
) -> Result<(), String> {
    let is_counted = |at: &usize| {
        naive.is_for_all(*at)
            && naive
                .items
                .get(*at)
                .is_some_and(|item| !item.derived && item.own != OwnStatus::Erased)
    };
    let counted: Vec<usize> = (0..naive.items.len()).filter(is_counted).collect();
    let Some((span, [_, ..])) = counted.split_at_checked(length) else { return Ok(()) };
    let stands = |at: &usize| {
        naive.is_eligible(*at, time) && !naive.is_outdated(*at, time) && naive.is_undisturbed(*at)
    };
    let ends = |at: &usize| naive.items.get(*at).and_then(|item| item.until);
    if span.iter().filter_map(ends).any(|until| (time..=latest).contains(&until)) {
        return Ok(());
    }
    let is_gone = |at: &usize| !naive.is_active(*at) || naive.stale(*at).is_some();
    let (sources, rest): (Vec<usize>, Vec<usize>) = span.iter().copied().partition(|at| stands(at));
    if sources.len() < 2 || !rest.iter().all(is_gone) {
        return Ok(());
    }
    let mut all = naive.summaries.iter().enumerate();
    let is_it = |(at, summary): (usize, &NaiveSummary)| {
        summary.sources == sources && naive.standing(at) == Authority::Active
    };
    match all.any(is_it) {
        true => Ok(()),
        false => Err(format!("wrong: {sources:?} of {span:?} are not summarised")),
    }
}

/// Checks that shown items may be shown, and that an item asked for by its own words is shown,
/// if it may, or a summary of it; never both. Another item that says the same, guarded as much,
/// may stand for it.
pub(super) fn compare(
    naive: &Naive,
    time: i64,
    shown: &[RecordId],
    asked: usize,
) -> Result<(), String> {
    check_shown(naive, time, shown)?;
    let tells = |id: &RecordId| {
        let says_it = |at| at == asked || says_as_much(naive, at, asked);
        let cites = |summary: &NaiveSummary| summary.sources.contains(&asked);
        naive.items.iter().position(|item| item.id == *id).is_some_and(says_it)
            || of(naive, *id).is_some_and(cites)
    };
    if naive.is_shown(asked, time) && !shown.iter().any(tells) {
        let id = naive.items.get(asked).map(|item| item.id).unwrap_or_default();
        return Err(format!("wrong: {id} is not shown"));
    }
    Ok(())
}

/// Checks that shown items may be shown, and that no summary is beside a source of it.
pub(super) fn check_shown(naive: &Naive, time: i64, shown: &[RecordId]) -> Result<(), String> {
    for id in shown {
        let found = naive.items.iter().position(|item| item.id == *id);
        if !found.is_some_and(|at| naive.is_shown(at, time) || naive.is_run_shown(at))
            && !eligible(naive, *id, time)
        {
            return Err(format!("wrong: {id} is shown"));
        }
        let sources = of(naive, *id).map(|summary| summary.sources.as_slice()).unwrap_or_default();
        let beside =
            |source: &usize| naive.items.get(*source).is_some_and(|item| shown.contains(&item.id));
        if sources.iter().any(beside) {
            return Err(format!("wrong: {id} is shown beside its source"));
        }
    }
    Ok(())
}

/// Whether one item says what another does, guarded no less.
fn says_as_much(naive: &Naive, one: usize, other: usize) -> bool {
    let (one, other) = (naive.items.get(one), naive.items.get(other));
    one.zip(other).is_some_and(|(one, other)| {
        one.guard >= other.guard && says_the_same(&one.text, &other.text)
    })
}

/// Whether two texts have the same words that count.
fn says_the_same(one: &str, other: &str) -> bool {
    match (wording_of(one), wording_of(other)) {
        (Some(one), Some(other)) => one.variant == other.variant,
        _ => word_of(one) == word_of(other),
    }
}

/// Whether a checkout may show the summary called `id`. What it quotes may not be of the
/// future; what it doesn't quote may.
pub(super) fn eligible(naive: &Naive, id: RecordId, time: i64) -> bool {
    let at = naive.summaries.iter().position(|summary| summary.id == id);
    let now = |source: &usize| naive.is_eligible(*source, time);
    at.is_some_and(|at| {
        let summary = naive.summaries.get(at);
        naive.standing(at) == Authority::Active
            && summary.is_some_and(|summary| {
                summary.sources.iter().any(now) && naive.trusts_all(&summary.sources)
            })
    })
}

/// Every summary stands as it has to.
pub(super) fn check(naive: &Naive, ledger: &Ledger) -> Result<(), String> {
    let ana = Caller::user("default", "ana");
    for (at, summary) in naive.summaries.iter().enumerate() {
        let shown = ledger.show(&ana, summary.id).map_err(|error| format!("refused: {error}"))?;
        let expected = naive.standing(at);
        if shown.authority != expected {
            return Err(format!("wrong: {} is {}, not {expected}", summary.id, shown.authority));
        }
    }
    let audit = ledger.audit().summaries(&ana).map_err(|error| format!("refused: {error}"))?;
    match audit.findings.first() {
        None => Ok(()),
        Some((id, finding)) => Err(format!("wrong: summary {id}: {finding}")),
    }
}

fn of(naive: &Naive, id: RecordId) -> Option<&NaiveSummary> {
    naive.summaries.iter().find(|summary| summary.id == id)
}
