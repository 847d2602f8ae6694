//! Reading everything again: what a summary keeps of its span.
//!
//! Slow on purpose, and by other means than the planner: sets of strings, no numbers of
//! terms, no inverted lists, no heap. What the two share is what has to be the same: which
//! items may be sources, where words end, how much an item and a term count.

mod represented;

use std::collections::{BTreeMap, BTreeSet};

use memlith_event::Key;
use memlith_log::Seq;
use memlith_salience::Log2;

use crate::audit::represented::{Scored, scored, top};
use crate::exemplars::PRESERVED_PERCENT;
use crate::identity::{entity, named};
use crate::lists::place;
use crate::plan::readable;
use crate::vocabulary::read;
use crate::weight::{WEIGHT_ONE, weight};
use crate::{
    Bodies, FINDINGS_MAX, Finding, Group, Identity, IdentityKind, Item, Plan, Reason, Source,
    SpanId, Summarised, SummaryId, View, Words,
};

/// Shares of its span that a summary keeps, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// Items that have to be cited, and are, with the right hash.
    pub cited: Share,
    /// Identities of these items that the summary or an exemplar names.
    pub identities: Share,
    /// The weight of these items' top decile by salience, and of it what is represented:
    /// quoted, or with [`crate::COVERED_PERCENT`] of its terms in what is quoted.
    pub salience: Share,
    /// Faults that were found, at most [`FINDINGS_MAX`].
    pub findings: Vec<Finding>,
    /// The greatest level of the items.
    greatest: Log2,
    scored: Vec<Scored>,
}

/// Shares of their spans that the summaries of a plan keep, and what is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanAudit {
    /// Of all summaries.
    pub cited: Share,
    /// Of all summaries.
    pub identities: Share,
    /// The top deciles of the summaries, together.
    pub salience: Share,
    /// Salience share of the summary that preserves least, in thousandths; 1,000 without a summary.
    pub salience_least_per_mille: u32,
    /// The top decile of all items that have to be cited, whatever their spans: what decays
    /// is of the newest spans, and each can quote only a part of its own.
    pub salience_overall: Share,
    /// Faults that were found, each with its summary.
    pub findings: Vec<(SummaryId, Finding)>,
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Share {
    /// The part.
    pub part: u64,
    /// The whole.
    pub whole: u64,
}

/// Audits a summary that stands, or is to stand, at sequence `at`; the view is that of just
/// before it.
///
/// Cost: of the items of its span, n log n in their words; and once in the view's items.
#[must_use]
pub fn audit(view: &View<'_>, bodies: &dyn Bodies, summary: &Summarised, at: Seq) -> Audit {
    let items = by_seq(view);
    Auditing { items: &items, bodies, summary, at, findings: Vec::new() }.run()
}

/// Audits the summaries of a plan, each as if it were written next.
#[must_use]
pub fn audit_plan(view: &View<'_>, bodies: &dyn Bodies, plan: &Plan) -> PlanAudit {
    let items = by_seq(view);
    let at = view.seq.next();
    let mut cited_by: BTreeMap<Seq, SummaryId> = BTreeMap::new();
    let (mut audits, mut findings) = (Vec::new(), Vec::new());
    for summary in &plan.summaries {
        let body = summary.body();
        let auditing = Auditing { items: &items, bodies, summary: &body, at, findings: Vec::new() };
        let mut audit = auditing.run();
        for source in &summary.sources {
            if cited_by.insert(source.seq, summary.id).is_some_and(|other| other != summary.id) {
                audit.findings.push(Finding::Twice { seq: source.seq });
            }
        }
        findings.extend(audit.findings.drain(..).map(|finding| (summary.id, finding)));
        audits.push(audit);
    }
    PlanAudit::of(&audits, findings)
}

impl Share {
    /// The part in thousandths of the whole, rounded down; all of nothing.
    #[must_use]
    pub fn per_mille(self) -> u32 {
        let part = u128::from(self.part) * 1_000;
        let share = part.checked_div(u128::from(self.whole)).unwrap_or(1_000);
        u32::try_from(share).unwrap_or(u32::MAX)
    }

    fn plus(self, other: Share) -> Share {
        let Share { part, whole } = other;
        Share { part: self.part.saturating_add(part), whole: self.whole.saturating_add(whole) }
    }

    /// The share in proportion, of a whole that weighs `by / 2^32` as much.
    fn scaled(self, by: u64) -> Share {
        let scaled = |of: u64| {
            let product = u128::from(of) * u128::from(by) / u128::from(WEIGHT_ONE);
            u64::try_from(product).unwrap_or(u64::MAX)
        };
        Share { part: scaled(self.part), whole: scaled(self.whole) }
    }
}

impl PlanAudit {
    fn of(audits: &[Audit], findings: Vec<(SummaryId, Finding)>) -> PlanAudit {
        let greatest = audits.iter().map(|audit| audit.greatest).max().unwrap_or(Log2::ZERO);
        let all: Vec<Scored> = audits.iter().flat_map(|audit| audit.scored.clone()).collect();
        let sum = |of: &dyn Fn(&Audit) -> Share| {
            audits.iter().map(of).fold(Share::default(), Share::plus)
        };
        let least = audits.iter().map(|audit| audit.salience.per_mille()).min();
        PlanAudit {
            cited: sum(&|audit| audit.cited),
            identities: sum(&|audit| audit.identities),
            salience: sum(&|audit| audit.salience.scaled(weight(audit.greatest, greatest))),
            salience_least_per_mille: least.unwrap_or(1_000),
            salience_overall: top(&all),
            findings,
        }
    }
}

fn by_seq<'a>(view: &View<'a>) -> BTreeMap<Seq, &'a Item> {
    view.items.iter().map(|item| (item.seq, item)).collect()
}

struct Auditing<'a> {
    items: &'a BTreeMap<Seq, &'a Item>,
    bodies: &'a dyn Bodies,
    summary: &'a Summarised,
    at: Seq,
    findings: Vec<Finding>,
}

/// An item that has to be cited, and what it says.
type Wanted<'a> = (&'a Item, Words<'a>);

impl<'a> Auditing<'a> {
    fn run(mut self) -> Audit {
        if let Err(error) = self.summary.check() {
            self.find(Finding::Limit(error));
        }
        let wanted = self.wanted();
        let cited = self.check_sources(&wanted);
        self.check_claims();
        self.check_quotes();
        let identities = self.check_identities(&wanted);
        let scored = scored(&wanted, &self.summary.exemplars);
        let salience = top(&scored);
        if salience.per_mille() < PRESERVED_PER_MILLE {
            self.find(Finding::Unpreserved { share: salience });
        }
        let levels = wanted.iter().map(|(item, _)| item.level);
        let greatest = levels.max().unwrap_or(Log2::ZERO);
        Audit { cited, identities, salience, findings: self.findings, greatest, scored }
    }

    fn find(&mut self, finding: Finding) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(finding);
        }
    }

    /// The primary items of the span.
    fn span(&self) -> impl Iterator<Item = &'a Item> + use<'a> {
        let Summarised { first, last, group, .. } = *self.summary;
        let range = if first <= last { first..=last } else { last..=last };
        let items: &'a BTreeMap<Seq, &'a Item> = self.items;
        let all = items.range(range).map(|(_, item)| *item);
        all.filter(move |item| item.is_primary() && Group::of(item) == Some(group))
    }

    fn wanted(&self) -> Vec<Wanted<'a>> {
        let bodies = self.bodies;
        let may = self.span().filter(|item| Reason::of(item).is_none());
        may.filter_map(|item| Some((item, readable(bodies, item).ok()?))).collect()
    }

    fn check_sources(&mut self, wanted: &[Wanted<'a>]) -> Share {
        let mut cited: BTreeMap<Seq, &Source> = BTreeMap::new();
        for source in &self.summary.sources {
            if cited.insert(source.seq, source).is_some() {
                self.find(Finding::Twice { seq: source.seq });
            }
            if let Some(finding) = self.wrong(source) {
                self.find(finding);
            }
        }
        let mut share = Share { part: 0, whole: wanted.len() as u64 };
        for (item, _) in wanted {
            match cited.get(&item.seq) {
                Some(source) => share.part += u64::from(source.hash == item.hash),
                None => self.find(Finding::NotCited { seq: item.seq }),
            }
        }
        share
    }

    /// Finds the worst fault of a citation.
    fn wrong(&self, source: &Source) -> Option<Finding> {
        let Source { seq, hash: found } = *source;
        if seq >= self.at {
            return Some(Finding::Later { seq });
        }
        let Some(item) = self.items.get(&seq) else {
            return Some(Finding::Missing { seq });
        };
        if item.hash != found {
            return Some(Finding::WrongHash { seq, expected: item.hash, found });
        }
        let within = (self.summary.first..=self.summary.last).contains(&seq);
        if !within || Group::of(item) != Some(self.summary.group) {
            return Some(Finding::OtherSpan { seq });
        }
        let reason = Reason::of(item).or_else(|| readable(self.bodies, item).err())?;
        Some(Finding::NotActive { seq, reason })
    }

    /// Compares what the summary says of itself with what it is.
    fn check_claims(&mut self) {
        let summary = self.summary;
        let cited = summary.sources.iter().filter_map(|source| self.items.get(&source.seq));
        if let Some(expected) = cited.map(|item| item.tier).min()
            && expected != summary.tier
        {
            self.find(Finding::WrongTier { expected, found: summary.tier });
        }
        let expected = SummaryId::of(&summary.sources);
        if expected != summary.id {
            self.find(Finding::WrongId { expected, found: summary.id });
        }
        let expected = SpanId::of(self.span());
        if expected != summary.span {
            self.find(Finding::WrongSpan { expected, found: summary.span });
        }
    }

    fn check_quotes(&mut self) {
        let summary = self.summary;
        let cited: BTreeSet<_> = summary.sources.iter().map(Source::id).collect();
        for exemplar in &summary.exemplars {
            let seq = exemplar.source.seq;
            if !cited.contains(&exemplar.source) {
                self.find(Finding::NoSource { seq });
            }
            let bytes = place(exemplar.start)..place(exemplar.end);
            let words = self.bodies.read(exemplar.source);
            let said = words.as_ref().and_then(|words| words.text.get(bytes));
            if said != Some(exemplar.text.as_str()) {
                self.find(Finding::NotVerbatim { seq });
            }
        }
    }

    /// Of what the wanted items name, what the summary or an exemplar does.
    fn check_identities(&mut self, wanted: &[Wanted<'a>]) -> Share {
        let (mut all, mut told) = (BTreeSet::new(), BTreeSet::new());
        for (item, words) in wanted {
            all.extend(named(read(&words.text)).into_iter().map(Identity::of));
            all.extend(words.entity.as_deref().and_then(entity).map(Identity::of));
            all.extend(item.session.map(session));
        }
        for identity in &self.summary.identities {
            if !all.contains(identity) {
                self.find(Finding::Invented { identity: identity.clone() });
            }
            told.insert(identity.clone());
        }
        for exemplar in &self.summary.exemplars {
            told.extend(named(&exemplar.text).into_iter().map(Identity::of));
        }
        told.extend(self.summary.group.session.map(session));
        Share { part: all.intersection(&told).count() as u64, whole: all.len() as u64 }
    }
}

/// [`PRESERVED_PERCENT`] in thousandths.
const PRESERVED_PER_MILLE: u32 = PRESERVED_PERCENT * 10;

fn session(key: Key) -> Identity {
    let text = key.0.iter().map(|byte| format!("{byte:02x}")).collect();
    Identity { kind: IdentityKind::Session, text }
}

#[cfg(test)]
mod tests;
