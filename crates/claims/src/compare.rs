use crate::claim::{Cardinality, Claim};
use crate::guard::{Difference, Guard};
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
    /// One word stands in another's place, and might be its opposite.
    OneWord,
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
    let claims = match (&old.claim, &new.claim) {
        (Some(own), Some(other)) => by_claims(own, other, &differences),
        (_, _) => None,
    };
    if let Some(decided) = claims.filter(|(verdict, _)| *verdict != Verdict::Band) {
        return of(decided);
    }
    if let Some(decided) = by_guards(old, new, cosine, thresholds, &differences, claims) {
        return of(decided);
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
    of(by_cosine(old, new, cosine, thresholds))
}

/// What the slots say; a band is for guards first.
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
        Guard::Number | Guard::Unit | Guard::Date => false,
    }
}

/// Guards: what differs there is no restatement; it is contested where both speak of one
/// thing, and something else where they speak of things of other names.
fn by_guards(
    old: &Statement,
    new: &Statement,
    cosine: Option<Millionths>,
    thresholds: &Thresholds,
    differences: &[Difference],
    claims: Option<(Verdict, Reason)>,
) -> Option<(Verdict, Reason)> {
    // What one says besides the other's claim doesn't speak against it.
    let counts = |difference: &&Difference| claims.is_none() || difference.is_mutual();
    let first = differences.iter().find(counts)?.guard;
    let name = differences.iter().any(|difference| difference.guard == Guard::Name);
    if name {
        return Some((Verdict::Add, Reason::Guard(Guard::Name)));
    }
    let near = cosine.is_some_and(|cosine| cosine >= thresholds.add);
    if near || old.likeness(new) >= ABOUT_THE_SAME {
        return Some((Verdict::Contested, Reason::Guard(first)));
    }
    Some((Verdict::Add, Reason::Guard(first)))
}

fn by_cosine(
    old: &Statement,
    new: &Statement,
    cosine: Option<Millionths>,
    thresholds: &Thresholds,
) -> (Verdict, Reason) {
    // What no guard has looked at is never taken for a restatement by its likeness.
    let guarded = old.words.is_some() && new.words.is_some();
    match cosine {
        Some(cosine) if cosine >= thresholds.restatement && old.differs_in_one_word(new) => {
            (Verdict::Contested, Reason::OneWord)
        }
        Some(cosine) if cosine >= thresholds.restatement && guarded => {
            (Verdict::Restatement, Reason::Cosine)
        }
        Some(cosine) if cosine >= thresholds.add => (Verdict::Band, Reason::Cosine),
        Some(_) => (Verdict::Add, Reason::Cosine),
        None => (Verdict::Add, Reason::Nothing),
    }
}

#[cfg(test)]
mod tests;
