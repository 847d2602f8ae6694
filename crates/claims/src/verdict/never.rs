use super::term::{Kind, Term};
use super::words::{Section, phrase};

/// How a clause is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    Asserts,
    Asks,
    Hedges,
    Reports,
    Past,
    Future,
    Adds,
}

impl Stance {
    pub(super) fn of(terms: &[Term]) -> Stance {
        let asks = terms.first().is_some_and(|first| starts(&[first], Section::Questions));
        let tables = [
            (asks, Stance::Asks),
            (has(terms, Section::Hedges), Stance::Hedges),
            (has(terms, Section::Reports), Stance::Reports),
            (has(terms, Section::Future) || is_coming(terms), Stance::Future),
            (has(terms, Section::Past) || was(terms), Stance::Past),
            (has(terms, Section::Adds) || too(terms) || is_one_more(terms), Stance::Adds),
        ];
        let found = tables.into_iter().find(|(holds, _)| *holds);
        found.map_or(Stance::Asserts, |(_, stance)| stance)
    }
}

/// Whether a phrase of a list stands anywhere.
fn has(terms: &[Term], section: Section) -> bool {
    let begins = terms.iter().enumerate().filter(|(_, term)| term.known.begins_a_stance());
    begins.map(|(at, _)| at).any(|at| {
        let rest: Vec<&Term> = terms.iter().skip(at).take(6).collect();
        starts(&rest, section)
    })
}

fn starts(terms: &[&Term], section: Section) -> bool {
    // Articles say nothing: "at the time" is "at time".
    let article = |term: &&Term| term.is(&["the", "a", "an"]);
    let words = terms.iter().copied().filter(|term| !article(term));
    phrase(words, section).is_some() && terms.first().is_some_and(|first| !article(first))
}

/// Whether a change is under way or dated: "is moving", "moves on 3 May", "tomorrow".
fn is_coming(terms: &[Term]) -> bool {
    let mut pairs = terms.iter().zip(terms.iter().skip(1));
    let moving = pairs.any(|(be, verb)| {
        be.known.is(Section::Be)
            && verb.text.ends_with("ing")
            && verb.known.is_form_of(Section::Change)
    });
    let present = terms.iter().any(|term| {
        term.text.ends_with('s')
            && term.text != "replaces"
            && term.known.is_form_of(Section::Change)
    });
    let dated = |term: &Term| matches!(term.kind, Kind::Date) && term.text != "today";
    moving
        || begins_on_a_day(terms)
        || terms.iter().any(|term| term.is(&["tomorrow"]))
        || (present && terms.iter().any(dated))
}

/// Whether it holds from a day on that is named: "from January", "starting Monday"; not "from
/// Monday to Friday", which is when it holds.
fn begins_on_a_day(terms: &[Term]) -> bool {
    const BEGINS: [&str; 5] = ["from", "starting", "beginning", "effective", "commencing"];
    let is_day = |term: &Term| matches!(term.kind, Kind::Date) && term.text != "today";
    (0..terms.len()).any(|at| {
        let begins = terms.get(at).is_some_and(|term| term.is(&BEGINS));
        let dated = terms.get(at + 1).is_some_and(is_day);
        let ranges =
            terms.get(at + 2).is_some_and(|term| term.is(&["to", "until", "till", "through"]));
        begins && dated && !ranges
    })
}

/// Whether it tells what was, and no word says that it is otherwise.
fn was(terms: &[Term]) -> bool {
    let at = terms.iter().position(|term| term.is(&["was", "were", "had"]));
    let changed = |term: &Term| {
        term.is(&["not", "now", "no"])
            || term.known.is_form_of(Section::Change) && !term.is(&["was"])
    };
    at.is_some() && !terms.iter().any(changed)
}

/// Whether "too" stands for "also": before no word that it measures.
fn too(terms: &[Term]) -> bool {
    let mut pairs = terms.iter().zip(terms.iter().skip(1).map(Some).chain([None]));
    let is_apart = |next: &Term| {
        next.broken || next.known.is(Section::Function) && !next.is(&["much", "many"])
    };
    pairs.any(|(term, next)| term.is(&["too"]) && next.is_none_or(is_apart))
}

fn is_one_more(terms: &[Term]) -> bool {
    let words: Vec<&str> = terms.iter().take(4).map(|term| term.text.as_str()).collect();
    if let ["there", "a" | "an", ..]
    | ["there", _, "a" | "an", ..]
    | ["there", _, _, "a" | "an"]
    | ["one", ..] = words.as_slice()
    {
        return true;
    }
    let mut pairs = terms.iter().zip(terms.iter().skip(1));
    pairs.any(|(article, term)| {
        article.is(&["a", "an"]) && term.is(&["second", "third", "fourth", "other"])
    })
}
