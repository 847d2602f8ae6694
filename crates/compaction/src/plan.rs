use std::collections::BTreeMap;

use memlith_event::Tier;
use memlith_log::Seq;
use memlith_salience::Log2;

use crate::coverage::Coverage;
use crate::exemplars::{DECILE, Limits, choose, top_decile};
use crate::identity::{Named, entity, heaviest, named};
use crate::lists::place;
use crate::span::{Span, cut};
use crate::vocabulary::{READ_BYTES_MAX, read};
use crate::weight::weight;
use crate::words::has_word;
use crate::{
    Bodies, Error, Excluded, Exemplar, Group, Item, Reason, Rules, Source, SpanId, Summary,
    SummaryId, View, Words,
};

/// Summaries that are to be written, and spans that get none, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Plan {
    /// The summaries that are missing, by the sequence of their spans.
    pub summaries: Vec<Summary>,
    /// The spans that get none, by sequence.
    pub passed_over: Vec<PassedOver>,
    /// The items that belong to no span.
    pub left_out: Vec<Excluded>,
    /// The work that it took.
    pub work: Work,
}

/// A span that gets no summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// The group that the span is of.
    pub group: Group,
    /// Its identity as far as it was read; one that is open gets another as it grows.
    pub span: SpanId,
    /// The sequence of its first primary item.
    pub first: Seq,
    /// The sequence of the last so far.
    pub last: Seq,
    /// Its primary items.
    pub items: usize,
    /// Why.
    pub reason: Passed,
}

/// Why a span gets no summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// It can still grow, or the log behind it is too short.
    Open,
    /// Too few of its items can be sources.
    Few {
        /// How many.
        sources: usize,
    },
    /// A summary of the same sources was written.
    Written {
        /// Which.
        id: SummaryId,
    },
}

/// Operations that were counted: what a plan costs on any machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Work {
    /// Words of the sources that were read.
    pub words: u64,
    /// Entries of inverted lists that were followed.
    pub postings: u64,
    /// Entries that were put into a heap.
    pub heap: u64,
}

/// A place in the order by salience.
type Level = (Log2, Seq);

/// A possible source with what it says.
struct Candidate<'a> {
    item: &'a Item,
    words: Words<'a>,
}

/// Plans the summaries of the closed spans of a view.
///
/// A pure function: the order of items doesn't matter, and a later view of the same ledger
/// gives a summary of the same identity of every span whose sources are the same. One that
/// was written isn't planned again, whatever its saliences have become. What a summary quotes
/// depends on the other spans of the plan as well: what is salient among all is quoted more.
///
/// Memory: the texts of one span at a time, each read twice. Cost: n log n in the words.
///
/// # Errors
/// [`Error`] for rules outside of their limits, an item that is there twice, and one that is
/// past the view.
pub fn plan(view: &View<'_>, bodies: &dyn Bodies, rules: &Rules) -> Result<Plan, Error> {
    rules.check()?;
    let cut = cut(view, rules)?;
    let mut plan = Plan { left_out: cut.left_out, ..Plan::default() };
    let mut due = Vec::new();
    for span in &cut.spans {
        match due_levels(span, view, bodies, rules) {
            Ok(levels) => due.push((span, levels)),
            Err(reason) => plan.passed_over.push(PassedOver::new(span, reason)),
        }
    }
    let called = called(due.iter().flat_map(|(_, levels)| levels).copied().collect());
    for (span, _) in due {
        plan.summaries.push(summarise(span, bodies, called, rules, &mut plan.work));
    }
    Ok(plan)
}

/// The places of a span's sources in the order by salience, where it is to be summarised.
fn due_levels(
    span: &Span<'_>,
    view: &View<'_>,
    bodies: &dyn Bodies,
    rules: &Rules,
) -> Result<Vec<Level>, Passed> {
    if !span.closed {
        return Err(Passed::Open);
    }
    let (candidates, _) = candidates(&span.items, bodies);
    if candidates.len() < rules.sources_min {
        return Err(Passed::Few { sources: candidates.len() });
    }
    let id = SummaryId::of(&sources(&candidates));
    if view.written.contains(&id) {
        return Err(Passed::Written { id });
    }
    Ok(levels(&candidates))
}

/// The last place of the top decile of all sources that are to be summarised.
fn called(mut all: Vec<Level>) -> Option<Level> {
    let count = all.len().div_ceil(DECILE);
    let last = count.checked_sub(1)?;
    let (_, last, _) = all.select_nth_unstable_by_key(last, |(level, seq)| level.order(*seq));
    Some(*last)
}

fn summarise(
    span: &Span<'_>,
    bodies: &dyn Bodies,
    called: Option<Level>,
    rules: &Rules,
    work: &mut Work,
) -> Summary {
    let (candidates, left_out) = candidates(&span.items, bodies);
    let sources = sources(&candidates);
    let weights = weights(&candidates);
    let identities = heaviest(&identities(&candidates, &weights));
    let tiers = candidates.iter().map(|one| one.item.tier);
    Summary {
        id: SummaryId::of(&sources),
        span: span.id(),
        group: span.group,
        first: span.first(),
        last: span.last(),
        tier: tiers.min().unwrap_or(Tier(1)),
        exemplars: exemplars(&candidates, weights, called, rules, work),
        sources,
        identities,
        left_out,
    }
}

fn sources(candidates: &[Candidate<'_>]) -> Vec<Source> {
    candidates.iter().map(|one| Source::from(one.item)).collect()
}

fn levels(candidates: &[Candidate<'_>]) -> Vec<Level> {
    candidates.iter().map(|one| (one.item.level, one.item.seq)).collect()
}

/// The items that can be sources, and the others.
fn candidates<'a>(
    items: &[&'a Item],
    bodies: &'a dyn Bodies,
) -> (Vec<Candidate<'a>>, Vec<Excluded>) {
    let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
    for &item in items {
        let read = match Reason::of(item) {
            Some(reason) => Err(reason),
            None => readable(bodies, item),
        };
        match read {
            Ok(words) => candidates.push(Candidate { item, words }),
            Err(reason) => left_out.push(Excluded { id: item.id(), reason }),
        }
    }
    (candidates, left_out)
}

/// The words of an item that has some.
pub(crate) fn readable<'a>(bodies: &'a dyn Bodies, item: &Item) -> Result<Words<'a>, Reason> {
    let words = bodies.read(item.id()).ok_or(Reason::Unreadable)?;
    if has_word(read(&words.text)) { Ok(words) } else { Err(Reason::Wordless) }
}

fn weights(candidates: &[Candidate<'_>]) -> Vec<u64> {
    let levels = candidates.iter().map(|one| one.item.level);
    let greatest = levels.clone().max().unwrap_or(Log2::ZERO);
    levels.map(|level| weight(level, greatest)).collect()
}

/// The names among the candidates, with the weight of those that have each.
fn identities<'a>(candidates: &'a [Candidate<'_>], weights: &[u64]) -> BTreeMap<Named<'a>, u64> {
    let mut all: BTreeMap<Named<'_>, u64> = BTreeMap::new();
    for (one, weight) in candidates.iter().zip(weights) {
        let of_slot = one.words.entity.as_deref().and_then(entity);
        for named in named(read(&one.words.text)).into_iter().chain(of_slot) {
            *all.entry(named).or_default() += weight;
        }
    }
    all
}

fn exemplars(
    candidates: &[Candidate<'_>],
    weights: Vec<u64>,
    called: Option<Level>,
    rules: &Rules,
    work: &mut Work,
) -> Vec<Exemplar> {
    let texts: Vec<&str> = candidates.iter().map(|one| read(&one.words.text)).collect();
    let coverage = Coverage::of(&texts, weights, rules.excerpt_bytes());
    work.words += coverage.words as u64;
    let levels = levels(candidates);
    let called: Vec<u32> = (0_u32..)
        .zip(&levels)
        .filter(|(_, (level, seq))| {
            called.is_some_and(|(last, at)| level.order(*seq) <= last.order(at))
        })
        .map(|(item, _)| item)
        .collect();
    let own = rules.exemplars(candidates.len());
    let limits = Limits { own, all: rules.exemplars_max().min(called.len()).max(own) };
    let chosen = choose(&coverage, (&top_decile(&levels), &called), limits, work);
    let quoted = chosen.into_iter().filter_map(|number| {
        let one = candidates.get(place(number))?;
        let bytes = coverage.excerpts.get(place(number))?.clone();
        let text = one.words.text.get(bytes.clone())?.to_owned();
        let offset = |at: usize| u32::try_from(at.min(READ_BYTES_MAX)).unwrap_or(0);
        let (start, end) = (offset(bytes.start), offset(bytes.end));
        Some(Exemplar { source: one.item.id(), start, end, text })
    });
    quoted.collect()
}

impl PassedOver {
    fn new(span: &Span<'_>, reason: Passed) -> PassedOver {
        PassedOver {
            group: span.group,
            span: span.id(),
            first: span.first(),
            last: span.last(),
            items: span.primary().count(),
            reason,
        }
    }
}

#[cfg(test)]
mod tests;
