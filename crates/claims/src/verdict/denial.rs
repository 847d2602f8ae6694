use super::parsed::Clause;
use super::term::{Kind, Term};
use super::words::{self, Section};

/// Whether a clause says that what the old one says is no longer so: "no longer", "not any more",
/// or that what it speaks of was given up, left or sold.
///
/// It has every word of the old one but its verb, and none of its own, but for what comes instead:
/// "left Heroku for Fly".
pub(super) fn ends(old: &Clause, new: &Clause) -> bool {
    let denied = is_denied(new);
    let quits = phrase(new, Section::Quits);
    let left = LEFT.iter().find(|(verb, _)| new.terms.iter().any(|term| term.text == *verb));
    if is_lifted(old, new) {
        return true;
    }
    if is_negative(old) || !(denied || quits.is_some() || left.is_some()) {
        return false;
    }
    let of_phrase = |term: &Term| {
        let within = |(at, count): (usize, usize)| {
            new.terms.iter().skip(at).take(count).any(|one| std::ptr::eq(one, term))
        };
        quits.is_some_and(within) || left.is_some_and(|(verb, _)| term.text == *verb)
    };
    let own = new.beyond(old);
    if !own
        .iter()
        .all(|term| term.kind == Kind::Date || of_phrase(term) || comes_instead(new, term))
    {
        return false;
    }
    let missing = old.beyond(new);
    let shared = old.content().count() - missing.len();
    // Of "I smoke ten a day" the verb alone is given up, and all that it is said with.
    let missing: Vec<&Term> = match quits {
        Some(_) if shared > 0 => missing.into_iter().filter(|term| !term.is_typed()).collect(),
        Some(_) | None => missing,
    };
    let verb_of_left = |verb: &Term| left.is_some_and(|(_, of)| of.contains(&verb.text.as_str()));
    let is_verb = |verb: &Term| {
        let first = old.content().next() == Some(verb);
        old.may_be_verb(verb) && (!first || super::named::is_of_us(old))
    };
    let likes = old.terms.iter().any(|term| term.known.is_form_of(Section::Likes));
    match missing.as_slice() {
        [] if left.is_some() => old.terms.iter().any(verb_of_left),
        [] => shared > 0 && !(quits.is_some() && likes),
        [verb] if left.is_some() => shared > 0 && verb_of_left(verb),
        [verb] => shared > usize::from(denied) && is_verb(verb) && !likes,
        _ => false,
    }
}

/// Whether a clause says that what the old one forbids is allowed again.
fn is_lifted(old: &Clause, new: &Clause) -> bool {
    let Some((at, count)) = phrase(new, Section::Allowed).filter(|_| is_negative(old)) else {
        return false;
    };
    let of_phrase =
        |term: &Term| new.terms.iter().skip(at).take(count).any(|one| std::ptr::eq(one, term));
    // "Never use Docker" is said of Docker; "never use Docker in CI" of more.
    let missing = old.beyond(new);
    let is_verb = |term: &Term| old.content().next() == Some(term) || old.may_be_verb(term);
    let shared = old.content().count() - missing.len();
    shared > 0
        && new.beyond(old).iter().all(|term| of_phrase(term))
        && missing.len() < 2
        && missing.iter().all(|term| is_verb(term))
}

/// Whether a clause says that something is no longer so.
pub(super) fn is_denied(clause: &Clause) -> bool {
    let not = clause.terms.iter().any(|term| term.is(&["not", "never"]));
    phrase(clause, Section::NoLonger).is_some()
        || (not && phrase(clause, Section::AnyMore).is_some())
}

/// Whether a clause says that something was given up.
pub(super) fn is_given_up(clause: &Clause) -> bool {
    phrase(clause, Section::Quits).is_some()
}

/// Where a phrase of a list stands, and how many words it has.
fn phrase(clause: &Clause, section: Section) -> Option<(usize, usize)> {
    let at = |at| Some((at, words::phrase(clause.terms.iter().skip(at), section)?));
    (0..clause.terms.len()).find_map(at)
}

/// Whether a word stands behind "for", as what takes the place of what was left.
fn comes_instead(clause: &Clause, term: &Term) -> bool {
    let behind = clause.terms.iter().skip_while(|one| !one.is(&["for"]));
    behind.clone().count() <= 4 && behind.skip(1).any(|one| std::ptr::eq(one, term))
}

pub(super) fn is_negative(clause: &Clause) -> bool {
    clause.terms.iter().any(|term| term.is(&["not", "no", "never", "nobody", "without"]))
}

/// Verbs that end what these verbs say, and nothing else of it.
#[rustfmt::skip]
const LEFT: &[(&str, &[&str])] = &[
    ("left", &["work", "works", "working", "live", "lives", "is", "am", "are", "play", "plays", "attend", "attends", "study", "studies", "joined", "host", "hosts", "use", "uses"]),
    ("sold", &["own", "owns", "have", "has", "drive", "drives", "ride", "rides", "keep", "keeps"]),
];
