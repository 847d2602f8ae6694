//! What a new English sentence makes of an older one, by their words alone.
//!
//! Nothing true may be ended, so what isn't sure is not a replacement:
//!
//! 1. Of what is asked, doubted, reported, planned, past or added nothing follows
//!    ([`stance`]).
//! 2. The sentence is read without openers and without clauses that say why or when
//!    ([`reading`]).
//! 3. A reading replaces the older sentence where it says so with a verb or a word of change
//!    ([`event`], [`denial`]), or states another value of the same thing in the same words
//!    ([`template`]) or in the same property ([`fact`]).
//!
//! In all of them every word of the new sentence that is neither its value nor a word of
//! change has to be in the older one: what brings a place, a platform or a condition of its
//! own is about something else.
//!
//! Sources: the tables are our own, from how people word changes of projects, appointments,
//! households and tools.

mod adjective;
mod cue;
mod denial;
mod departure;
mod event;
mod fact;
mod lemma;
mod parsed;
mod predicate;
mod property;
mod reading;
mod role;
mod slot;
mod spelling;
mod stance;
mod template;
mod term;
mod topic;
mod value;

use crate::grammar::Article;
use fact::Fact;
pub use parsed::Parsed;
use reading::Reading;
use term::Term;

/// What a new sentence makes of an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// It says the same.
    Same,
    /// It says that what the older one says is no longer so.
    Replaces,
    /// It says another value of the same thing, and whether the older one ended isn't sure.
    Contrary,
    /// It says something else, or both are true.
    Beside,
}

/// A sentence, and who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said<'a> {
    /// The sentence.
    pub text: &'a str,
    /// Whom "I" and "my" mean, as "ana" or "user:ana"; empty where nobody is named.
    pub speaker: &'a str,
    /// Whether it was said of one thing that is known from elsewhere, so that "she", "they"
    /// and "it" mean that one.
    pub about_one: bool,
}

/// Says what `new` makes of `old`, which was said before it.
///
/// Pure and total. Sentences that aren't English are the same or beside each other. Cost: the
/// product of their lengths, which are bounded; a longer text is compared as a whole.
///
/// ```
/// use memlith_claims::{Relation, Said, relation};
///
/// let said = |text| Said { text, speaker: "user:mo", about_one: false };
/// let old = said("The kiln is set to 1,060 degrees.");
/// assert_eq!(relation(&old, &said("We lowered the kiln to 1,020 degrees.")), Relation::Replaces);
/// assert_eq!(relation(&old, &said("For porcelain the kiln is set to 1,240 degrees.")), Relation::Beside);
/// ```
#[must_use]
pub fn relation(old: &Said<'_>, new: &Said<'_>) -> Relation {
    relation_of(&Parsed::of(old), &Parsed::of(new))
}

/// Says what `new` makes of `old`, as [`relation`] does, where each is taken apart once for
/// many comparisons.
#[must_use]
pub fn relation_of(old: &Parsed<'_>, new: &Parsed<'_>) -> Relation {
    let one_speaker = is_of_one_speaker(old, new);
    let (Some(before), Some(after)) = (old.terms(), new.terms()) else {
        let same = one_speaker && old.is_worded_as(new);
        return if same { Relation::Same } else { Relation::Beside };
    };
    let (own, others) = (old.is_first_person(), new.is_first_person());
    if !one_speaker && own && others {
        return Relation::Beside;
    }
    if old.is_worded_as(new) {
        return if one_speaker || (!own && !others) { Relation::Same } else { Relation::Beside };
    }
    if !old.asserts() || !new.asserts_behind_opener() {
        return Relation::Beside;
    }
    if !one_speaker && !is_common(before, after) {
        return Relation::Beside;
    }
    let found = match slot::replaces(old, new) {
        true => Relation::Replaces,
        false => strongest(before, after),
    };
    // Who "she" is nobody can tell, so that another one may be meant each time.
    let about_one = old.said.about_one && new.said.about_one;
    match found {
        Relation::Replaces if is_of_somebody(before) && !about_one => Relation::Contrary,
        Relation::Same | Relation::Replaces | Relation::Contrary | Relation::Beside => found,
    }
}

/// Says whether `new`, which was said later, has another value of what `old` speaks of, by the
/// words that both have and the kinds of those that differ, whatever tells of the change.
///
/// Not where `asked`, the question, names what `old` alone has: then it answers better.
/// Weaker than [`Relation::Replaces`]: it says which of two to show first, and ends nothing.
#[must_use]
pub fn is_later_value(old: &Parsed<'_>, new: &Parsed<'_>, asked: &Parsed<'_>) -> bool {
    let (Some(before), Some(after)) = (old.terms(), new.terms()) else { return false };
    let ours = is_of_one_speaker(old, new) || is_common(before, after);
    ours && old.asserts()
        && new.asserts_behind_opener()
        && topic::says_another(old, new)
        && !topic::is_asked_for(asked, old, new)
}

fn is_of_one_speaker(old: &Parsed<'_>, new: &Parsed<'_>) -> bool {
    old.said.speaker == new.said.speaker
}

/// Whether a sentence names what it is about by a pronoun of the third person.
fn is_of_somebody(terms: &[Term]) -> bool {
    let subject = Fact::of(terms).map(|fact| fact.subject).unwrap_or_default();
    subject.first().is_some_and(|first| first.is(&["he", "she", "they", "it"]))
}

/// Whether two speakers mean one thing: by its name, or because it is "ours". A bare "the
/// rent" is each speaker's own.
fn is_common(old: &[Term], new: &[Term]) -> bool {
    let ours = |terms: &[Term]| terms.iter().any(|term| term.is(&["we", "our", "us"]));
    // The name has to be what is spoken of: many fly to Rome, each on a flight of their own.
    let first = old.iter().find(|term| term.is_content()).filter(|first| first.proper);
    let shared = first.is_some_and(|first| {
        let inside =
            |terms: &[Term]| terms.iter().skip(1).any(|term| term.key == first.key && term.proper);
        let same = |term: &&Term| term.key == first.key;
        let met = new.iter().find(same).is_some_and(|term| {
            term.first_person || first.first_person || term.owner || inside(new) || inside(old)
        });
        first.article != Article::Definite && met
    });
    shared || (ours(old) && ours(new)) || (is_of_all(old) && is_of_all(new))
}

/// Whether a sentence is about a thing that has a name for everybody: "the API", "the billing
/// service", "staging". "The rent" or "breakfast" are everybody's own.
fn is_of_all(terms: &[Term]) -> bool {
    let subject = Fact::of(terms).map(|fact| fact.subject).unwrap_or_default();
    let own = subject.iter().any(|term| term.owner || term.first_person);
    let things = subject.iter().filter(|term| term.is_content()).count();
    let named = |term: &Term| term.proper || term.is(ENVIRONMENTS);
    !own && (things >= 2 || subject.iter().any(named))
}

/// What every team calls by the same word.
const ENVIRONMENTS: &[&str] =
    &["staging", "production", "prod", "dev", "qa", "ci", "main", "backend", "frontend"];

/// The first relation that any reading of the new sentence gives, in the order of the enum.
fn strongest(old: &[Term], new: &[Term]) -> Relation {
    let subject = Fact::of(old).map(|fact| fact.subject).unwrap_or_default();
    let readings = Reading::all(new, &subject);
    // "We keep it in a box" is that it is kept in a box.
    let turned = reading::turned(old).unwrap_or_default();
    let found = readings.iter().map(|reading| {
        let ends = event::replaces(&turned, &reading.terms)
            || (reading.declared
                && !reading.event_only
                && fact::replaces(&turned, &reading.terms, true));
        if ends { Relation::Replaces } else { of_reading(old, reading) }
    });
    found.min().unwrap_or(Relation::Beside)
}

fn of_reading(old: &[Term], new: &Reading) -> Relation {
    let replaces = event::replaces(old, &new.terms)
        || (!denies(&new.terms) && role::replaces(old, &new.terms, new.declared))
        || denial::replaces(old, &new.terms)
        || departure::replaces(old, &new.terms)
        || (!new.event_only
            && !denies(&new.terms)
            && (fact::replaces(old, &new.terms, new.declared)
                || property::replaces(old, &new.terms, new.declared)));
    if replaces {
        return Relation::Replaces;
    }
    if new.event_only || denies(&new.terms) {
        return Relation::Beside;
    }
    template::relation(old, &new.terms, new.declared)
}

/// Whether a reading says what isn't so: it states no value that another one gives way to.
fn denies(terms: &[Term]) -> bool {
    terms.iter().any(|term| term.is(&["not", "never"]))
}

#[cfg(test)]
mod tests;
