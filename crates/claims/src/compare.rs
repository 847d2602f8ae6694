use crate::claim::{Cardinality, Claim};
use crate::guard::{Difference, Guard, veto};
use crate::millionths::Millionths;
use crate::statement::Statement;
use crate::thresholds::Thresholds;

/// What a new statement is to one that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It says the same: no new row.
    Restatement,
    /// It takes the place of what stands.
    Supersede,
    /// Both stay, and each is marked with the other.
    Contested,
    /// Something else: both stay.
    Add,
    /// What the words don't decide: for an arbiter, or the midpoint.
    Band,
}

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The same normalised text.
    Text,
    /// The same slot and the same value.
    SlotValue,
    /// The same slot and value, and one says more.
    SlotDetail,
    /// The same single slot, another value.
    OtherValue,
    /// One denies the value that the other states.
    Denied,
    /// The same slot, and both values may hold: there are many, or one is denied or past.
    BesideIt,
    /// The same property, whose number of values is not known.
    UnknownCardinality,
    /// Another property, or of something else.
    OtherSlot,
    /// A guard differs.
    Guard(Guard),
    /// The same words but for fillers and endings.
    Words,
    /// The cosine, against the thresholds of its model.
    Cosine,
    /// Nothing says that they are alike.
    Nothing,
}

/// A verdict with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What the new statement is.
    pub verdict: Verdict,
    /// The step that said so.
    pub reason: Reason,
    /// What guards see, whichever step decided.
    pub differences: Vec<Difference>,
}

/// From this likeness of words on, texts that differ in what a guard watches are about one
/// thing, where no cosine says it. Set on the tuned half of `crates/claims/pairs.jsonl`.
const ABOUT_THE_SAME: Millionths = Millionths(800_000);

/// Says what `new` is to `old`, which stands and was before.
///
/// In this order: the same text; the slots of their claims; guards, which veto a
/// restatement; the same words; the cosine of their vectors, where there is one.
/// Source: `docs/model.md` section 4. Cost: linear in both.
#[must_use]
pub fn compare(
    old: &Statement,
    new: &Statement,
    cosine: Option<Millionths>,
    thresholds: &Thresholds,
) -> Comparison {
    let differences = old.differences(new);
    let of = |(verdict, reason)| Comparison { verdict, reason, differences: differences.clone() };
    if !new.normal.is_empty() && old.normal == new.normal {
        return of((Verdict::Restatement, Reason::Text));
    }
    let claims = slots_of(old, new, &differences);
    if let Some(decided) = claims.filter(|(verdict, _)| *verdict != Verdict::Band) {
        return of(decided);
    }
    let veto = veto(old, new, &differences, claims.is_some());
    if let Some(guard) = veto.filter(|guard| *guard != Guard::Word) {
        return of((against(old, new, cosine, thresholds, guard), Reason::Guard(guard)));
    }
    if let Some(open) = claims {
        return of(open);
    }
    if let (Some(own), Some(other)) = (&old.words, &new.words)
        && !own.stems.is_empty()
        && own.stems == other.stems
    {
        return of((Verdict::Restatement, Reason::Words));
    }
    of(by_cosine(veto.is_some(), cosine, thresholds))
}

/// What the slots of their claims say; a band is for guards first.
pub(crate) fn slots_of(
    old: &Statement,
    new: &Statement,
    differences: &[Difference],
) -> Option<(Verdict, Reason)> {
    by_claims(old.claim.as_ref()?, new.claim.as_ref()?, differences)
}

fn by_claims(old: &Claim, new: &Claim, differences: &[Difference]) -> Option<(Verdict, Reason)> {
    let unknown = [old, new].map(|claim| claim.cardinality).contains(&Cardinality::Unknown);
    if !old.same_slot(new) {
        // Two properties of one thing with one value may be one property by two names.
        let alias = old.entity == new.entity && old.value == new.value;
        return (!unknown && !alias).then_some((Verdict::Add, Reason::OtherSlot));
    }
    if old.past != new.past {
        return Some((Verdict::Add, Reason::BesideIt));
    }
    Some(match (old.value == new.value, old.negated == new.negated) {
        (true, true) if old.detail == new.detail && differences.iter().all(is_of_form) => {
            (Verdict::Restatement, Reason::SlotValue)
        }
        (true, true) => (Verdict::Band, Reason::SlotDetail),
        (true, false) => (Verdict::Supersede, Reason::Denied),
        // "8081 for metrics" is not the value of what "8080" is the value of.
        (false, true) if restricts(old) || restricts(new) => return None,
        (false, true) if new.negated => (Verdict::Add, Reason::BesideIt),
        (false, true) => match new.cardinality {
            Cardinality::Single if !new.past => (Verdict::Supersede, Reason::OtherValue),
            Cardinality::Single | Cardinality::Many => (Verdict::Add, Reason::BesideIt),
            // What a thing is like says nothing of what else it is like.
            Cardinality::Unknown if new.predicate == "is" => return None,
            Cardinality::Unknown => (Verdict::Band, Reason::UnknownCardinality),
        },
        (false, false) if unknown => return None,
        (false, false) => (Verdict::Add, Reason::BesideIt),
    })
}

/// Whether what a claim says besides may limit it to a part of what it is about; since when
/// it is so does not.
fn restricts(claim: &Claim) -> bool {
    let first = claim.detail.split(' ').next().unwrap_or_default();
    !matches!(first, "" | "since" | "last" | "ago" | "starting" | "effective" | "from" | "only")
}

/// Whether the difference is of the words of a claim, which the grammar has weighed: a name
/// for the same thing, or a verb and its opposite.
fn is_of_form(difference: &Difference) -> bool {
    match difference.guard {
        Guard::Direction | Guard::Negation | Guard::Name => true,
        Guard::Number | Guard::Unit | Guard::Date | Guard::Word => false,
    }
}

/// What a guard's veto leaves: contested where both speak of one thing, and something else
/// where they speak of things of other names.
fn against(
    old: &Statement,
    new: &Statement,
    cosine: Option<Millionths>,
    thresholds: &Thresholds,
    guard: Guard,
) -> Verdict {
    let near = cosine.is_some_and(|cosine| cosine >= thresholds.add);
    let one_thing = near || old.likeness(new) >= ABOUT_THE_SAME;
    if guard != Guard::Name && one_thing { Verdict::Contested } else { Verdict::Add }
}

fn by_cosine(
    vetoed: bool,
    cosine: Option<Millionths>,
    thresholds: &Thresholds,
) -> (Verdict, Reason) {
    match cosine {
        Some(cosine) if cosine >= thresholds.restatement && vetoed => {
            (Verdict::Contested, Reason::Guard(Guard::Word))
        }
        Some(cosine) if cosine >= thresholds.restatement => (Verdict::Restatement, Reason::Cosine),
        Some(cosine) if cosine >= thresholds.add => (Verdict::Band, Reason::Cosine),
        Some(_) => (Verdict::Add, Reason::Cosine),
        None => (Verdict::Add, Reason::Nothing),
    }
}

#[cfg(test)]
mod tests;
