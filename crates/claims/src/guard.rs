use std::ops::Range;

use crate::opposites::other_side;
use crate::statement::{Statement, Words};
use memlith_text::Quantity;
use memlith_text::squeezed;
use memlith_text::{Feature, unmatched};

/// In what two texts may differ so that neither restates the other, however alike they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// One says that it is not so.
    Negation,
    /// Another number.
    Number,
    /// Another unit of an equal number.
    Unit,
    /// Another day, date or time of day.
    Date,
    /// Another name or identifier.
    Name,
    /// The opposite: before and after, to and from, or who did it to whom.
    Direction,
    /// One word in another's place, which may be its opposite, or a text too long to be taken
    /// apart: nobody can tell. It vetoes a restatement and nothing else.
    Word,
}

/// A difference that a guard sees, with its places in bytes; a side that lacks it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Which guard.
    pub(crate) guard: Guard,
    /// Where, in the first text.
    pub(crate) left: Option<Range<usize>>,
    /// Where, in the second.
    pub(crate) right: Option<Range<usize>>,
}

impl Difference {
    /// Whether each side has what the other has not.
    pub(crate) fn is_mutual(&self) -> bool {
        self.left.is_some() && self.right.is_some()
    }
}

/// The guard that keeps two texts from saying the same, of these differences: a name, which
/// makes it another matter, else the first, else a word.
///
/// Of two that claim the same of one thing what one says besides doesn't count.
pub(crate) fn veto(
    left: &Statement,
    right: &Statement,
    differences: &[Difference],
) -> Option<Guard> {
    let one_claim = left.claim().zip(right.claim()).is_some_and(|(own, other)| own.agrees(other));
    let counts = |difference: &&Difference| !one_claim || difference.is_mutual();
    let first = differences.iter().find(counts).map(|difference| difference.guard);
    let name = differences.iter().any(|difference| difference.guard == Guard::Name);
    let unsure = left.is_unread() || right.is_unread() || left.differs_in_one_word(right);
    let first = first.map(|first| if name { Guard::Name } else { first });
    first.or(unsure.then_some(Guard::Word))
}

/// Differences between two texts, at most one of each guard, in the order of
/// [`Guard`]. Cost: linear in both, but for sorting.
pub(crate) fn differences(left: &Words, right: &Words) -> Vec<Difference> {
    let negations = unmatched(&left.negations, &right.negations);
    let mut found: Vec<Difference> = seen(Guard::Negation, negations).into_iter().collect();
    found.extend(quantities(&left.quantities, &right.quantities));
    found.extend(seen(Guard::Date, unmatched(&left.moments, &right.moments)));
    found.extend(names(left, right));
    found.extend(directions(left, right));
    found
}

fn seen(guard: Guard, (left, right): (Vec<&Feature>, Vec<&Feature>)) -> Option<Difference> {
    let place = |list: &[&Feature]| list.first().map(|feature| feature.range.clone());
    let (left, right) = (place(&left), place(&right));
    (left.is_some() || right.is_some()).then_some(Difference { guard, left, right })
}

/// Of the numbers that differ, the same ones in other units are a difference of units.
fn quantities(left: &[Quantity], right: &[Quantity]) -> Option<Difference> {
    let features = |list: &[Quantity]| -> Vec<Feature> {
        list.iter().map(|quantity| quantity.feature.clone()).collect()
    };
    let (own, others) = (features(left), features(right));
    let (own, others) = unmatched(&own, &others);
    let at = |list: &[Quantity], feature: &&Feature| {
        list.iter().find(|quantity| quantity.feature.range == feature.range).cloned()
    };
    let of = |list, features: &[&Feature]| features.first().and_then(|first| at(list, first));
    let unit = match (of(left, &own), of(right, &others)) {
        (Some(left), Some(right)) => left.number == right.number && left.unit != right.unit,
        (_, _) => false,
    };
    seen(if unit { Guard::Unit } else { Guard::Number }, (own, others))
}

/// Names that each side has alone. One that only one side has may be implied on the other.
fn names(left: &Words, right: &Words) -> Option<Difference> {
    let (own, others) = unmatched(&left.names, &right.names);
    let absent = |names: Vec<&Feature>, words: &Words| -> Option<Range<usize>> {
        let absent = |name: &&Feature| {
            let is_name = |lower: &str| {
                let bare = lower.strip_suffix("'s").unwrap_or(lower);
                squeezed(bare) == name.form
            };
            !words.tokens.iter().any(|token| is_name(&token.lower))
                && !words.pairs.contains(&name.form)
        };
        names.into_iter().find(absent).map(|name| name.range.clone())
    };
    let (left, right) = (absent(own, right)?, absent(others, left)?);
    Some(Difference { guard: Guard::Name, left: Some(left), right: Some(right) })
}

/// Opposites, or the same words in other parts.
fn directions(left: &Words, right: &Words) -> Option<Difference> {
    let (own, others) = unmatched(&left.turns, &right.turns);
    for turn in &own {
        let other = other_side(&turn.form);
        if let Some(opposite) = others.iter().find(|feature| feature.form == other) {
            return seen(Guard::Direction, (vec![*turn], vec![*opposite]));
        }
    }
    // The same words in another order: names and nouns may have changed their parts.
    let sorted = |words: &Words| {
        let mut stems = words.stems.clone();
        stems.sort_unstable();
        stems
    };
    if left.stems == right.stems || sorted(left) != sorted(right) {
        return None;
    }
    let mut pairs = left.tokens.iter().zip(&right.tokens);
    let (own, other) = pairs.find(|(own, other)| own.lower != other.lower)?;
    let (left, right) = (Some(own.range.clone()), Some(other.range.clone()));
    Some(Difference { guard: Guard::Direction, left, right })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guards(left: &str, right: &str) -> Vec<Guard> {
        let differences = Statement::of(left).differences(&Statement::of(right));
        differences.into_iter().map(|difference| difference.guard).collect()
    }

    #[test]
    fn each_guard_sees_its_difference_both_ways() {
        for (left, right, expected) in [
            ("allergic to peanuts", "not allergic to peanuts", Guard::Negation),
            ("It works on Mac", "It doesn\u{2019}t work on Mac", Guard::Negation),
            ("She cant drive", "She can drive", Guard::Negation),
            ("favourite number is 7", "favourite number is 11", Guard::Number),
            ("has two dogs", "has three dogs", Guard::Number),
            ("The timeout is 30 ms", "The timeout is 30 s", Guard::Unit),
            ("costs $20", "costs \u{20ac}20", Guard::Unit),
            ("Standup is on Monday", "Standup is on Friday", Guard::Date),
            ("call at 6pm", "call at 7pm", Guard::Date),
            ("Ana prefers tea", "Bob prefers tea", Guard::Name),
            ("owned by api-gateway", "owned by api-server", Guard::Name),
            ("callback after 6pm", "callback before 6pm", Guard::Direction),
            ("the cache is enabled", "the cache is disabled", Guard::Direction),
            ("backups go to S3", "backups come from S3", Guard::Direction),
            ("Ana pays Bob", "Bob pays Ana", Guard::Direction),
            ("the dog bit the man", "the man bit the dog", Guard::Direction),
        ] {
            assert!(guards(left, right).contains(&expected), "{left} / {right}");
            assert!(guards(right, left).contains(&expected), "{right} / {left}");
        }
    }

    #[test]
    fn what_says_the_same_differs_in_nothing() {
        for (left, right) in [
            ("The timeout is 30 s", "The timeout is thirty seconds"),
            ("Ana lives in Pune", "ana lives in pune"),
            ("call after 6pm", "call after 18:00"),
            ("prefers e-mail", "prefers email"),
            ("Uses Sign-Up forms", "Uses sign up forms"),
            ("does not eat meat", "doesn't eat meat"),
        ] {
            assert_eq!(guards(left, right), [], "{left} / {right}");
        }
    }

    #[test]
    fn a_difference_has_its_places() {
        let (left, right) = ("starts at 9:00 in Oslo", "starts at 9:30 in Oslo");
        let found = Statement::of(left).differences(&Statement::of(right));
        let [Difference { guard: Guard::Date, left: Some(own), right: Some(other) }] = &found[..]
        else {
            panic!("{found:?}");
        };
        assert_eq!((&left[own.clone()], &right[other.clone()]), ("9:00", "9:30"));
    }

    #[test]
    fn what_one_says_besides_differs_unless_both_claim_the_same() {
        // A denial restated what it denies: each claimed something of one property, and then
        // nothing counted that one of them alone has.
        for (old, new, expected) in [
            ("Jens is vegetarian", "Jens is not vegetarian", Some(Guard::Negation)),
            ("Jens is not vegetarian", "Jens is vegetarian", Some(Guard::Negation)),
            ("lives in Pune", "moved to Pune last year", None),
            ("Ana moved to Pune", "Ana moved to Pune in 2019", None),
            ("the hall smells of roses", "the hall smells of petrol", Some(Guard::Word)),
            ("the hall smells of roses", "the hall smells of roses again", None),
            ("Ana said 5 to Bob", "Ana said 6 to Tom", Some(Guard::Name)),
        ] {
            assert_eq!(Statement::of(old).veto(&Statement::of(new)), expected, "{old} / {new}");
        }
        let long = "word ".repeat(600);
        let (long, longer) = (Statement::of(&long), Statement::of(&format!("{long} more")));
        assert_eq!(long.veto(&longer), Some(Guard::Word), "nobody can tell");
    }
}
