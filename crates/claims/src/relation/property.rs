use std::collections::BTreeSet;

use super::fact::{Fact, PREPOSITIONS};
use super::predicate::{BE, is_of_some};
use super::term::Term;
use super::value::{is_like, unit};
use crate::grammar::{Article, Sort};

/// What a sentence says one amount or moment of, whatever the order of its words.
struct Property<'a> {
    /// All that it says besides the value, without verbs of having and being and without "of".
    about: BTreeSet<&'a str>,
    value: &'a Term,
    /// The preposition in front of the value.
    prep: &'a str,
}

/// Whether `new` states another amount of what `old` states one of, in the same words or their
/// nouns: "logs are kept for 30 days" and "log retention is 90 days now".
pub(super) fn replaces(old: &[Term], new: &[Term], declared: bool) -> bool {
    let (Some(before), Some(after)) = (Property::of(old), Property::of(new)) else { return false };
    let amount = before.value.sort == Sort::Amount && !unit(&before.value.key).is_empty();
    before.about == after.about
        && before.about.len() > 1
        && before.value.key != after.value.key
        && is_like(before.value, after.value)
        && before.bounds() == after.bounds()
        && (declared || amount)
}

impl Property<'_> {
    fn of(terms: &[Term]) -> Option<Property<'_>> {
        let fact = Fact::of(terms)?;
        let indefinite = fact.subject.first()?.article == Article::Indefinite;
        let denied = terms.iter().any(|term| term.is(&["not", "no", "never", "and", "or"]));
        if indefinite || denied || fact.is_event() || is_of_some(&fact.subject) {
            return None;
        }
        let at = terms.iter().position(|term| term.sort != Sort::Plain)?;
        let value = terms.get(at)?;
        let before = at.checked_sub(1).and_then(|at| terms.get(at));
        let prep = before.filter(|term| term.is(PREPOSITIONS)).map_or("", |term| &term.text);
        let rest = terms.iter().enumerate().filter(|(place, _)| *place != at);
        let mut about = BTreeSet::new();
        for (_, term) in rest {
            if term.sort != Sort::Plain {
                return None;
            }
            // "To Rome" is another flight than "from Rome".
            let phrase = term.is(PREPOSITIONS) && !term.is(&["of"]) && term.text != prep;
            let says = term.is_content() && term.key != BE && !term.is(SETTING);
            if says || phrase {
                about.insert(term.key.as_str());
            }
        }
        Some(Property { about, value, prep })
    }

    /// Whether the value is where something begins or ends, or how much it is at most.
    fn bounds(&self) -> &str {
        if BOUNDS.contains(&self.prep) { self.prep } else { "" }
    }
}

/// Verbs that say of a value no more than that it is so.
const SETTING: &[&str] = &["set", "stands", "amounts", "comes"];

const BOUNDS: &[&str] =
    &["until", "till", "from", "after", "before", "by", "since", "within", "under", "over", "per"];
