use super::parsed::Clause;
use super::term::Term;
use super::words::{Section, phrase};

/// The old value that a clause names, and where its words stand.
struct Named {
    from: usize,
    to: usize,
    /// Whether something is said to go from the value to another.
    moved: bool,
}

/// Whether a clause names what the old one says as what it took the place of: "from X to Y",
/// "instead of X", "Y replaced X", "not X".
///
/// The named value is the whole of the old one's, what else the old one says stands in the new one
/// but for its verb, and the new one has no place or condition of its own.
pub(super) fn ends(old: &Clause, new: &Clause) -> bool {
    found(new).iter().any(|named| takes(old, new, named))
}

/// Whether a clause names a value that the old one has.
pub(super) fn names_a_value(old: &Clause, new: &Clause) -> bool {
    found(new).iter().any(|named| {
        let mut value = value_of(new, named).peekable();
        value.peek().is_some() && value.all(|term| old.has(&term.key))
    })
}

fn value_of<'c>(clause: &'c Clause, named: &Named) -> impl Iterator<Item = &'c Term> {
    let (from, to) = (named.from, named.to);
    clause.terms.get(from..to).unwrap_or_default().iter().filter(|term| term.content)
}

fn takes(old: &Clause, new: &Clause, named: &Named) -> bool {
    let value: Vec<&Term> = value_of(new, named).collect();
    let is_value = |term: &Term| value.iter().any(|one| one.key == term.key);
    if value.is_empty() || !value.iter().all(|term| old.has(&term.key)) {
        return false;
    }
    let rest: Vec<&Term> = old.content().filter(|term| !is_value(term)).collect();
    // The verb stands before the value; a thing of its own is named by the new one too.
    let missing: Vec<&&Term> = rest.iter().filter(|term| !new.has(&term.key)).collect();
    let first_value = old.terms.iter().position(|term| term.content && is_value(term));
    let is_verb = |term: &Term| {
        let at = old.terms.iter().position(|one| one == term);
        let only = old.content().next() == Some(term);
        at < first_value && old.may_be_verb(term) && (!only || is_of_us(old))
    };
    let subject_stays = match missing.as_slice() {
        [] => true,
        [verb] => is_verb(verb),
        _ => false,
    };
    subject_stays && !has_own_condition(old, new, named)
}

/// Whether the first words are "we" or "I": what comes then is the verb.
pub(super) fn is_of_us(clause: &Clause) -> bool {
    clause.terms.first().is_some_and(|first| first.is(&["i", "we", "our", "my"]))
}

/// Whether the new one has a phrase with a preposition that the old one lacks, besides the values.
fn has_own_condition(old: &Clause, new: &Clause, named: &Named) -> bool {
    let mut inside = false;
    let mut values = true;
    new.terms.iter().enumerate().any(|(at, term)| {
        if (named.from..named.to).contains(&at) {
            (inside, values) = (false, true);
            return false;
        }
        // "For Y" behind the old value is the new one.
        let follows = at == named.to && term.is(&["for", "with", "by"]);
        if follows
            || term.is(&["to", "with", "by", "from", "into", "arrow"])
            || term.known.is_form_of(Section::Change)
        {
            (inside, values) = (false, true);
        } else if term.known.is(Section::Prepositions) {
            inside = true;
        }
        let own = term.content && !old.has(&term.key) && !term.is_moment();
        // "Hana's parents moved from Osaka" is about the parents.
        let subject = at < named.from && (!values || named.moved);
        own && (inside || subject)
    })
}

/// The values that a clause says are replaced.
fn found(new: &Clause) -> Vec<Named> {
    let mut found = Vec::new();
    let terms = &new.terms;
    let is = |at: usize, words: &[&str]| terms.get(at).is_some_and(|term| term.is(words));
    for at in 0..terms.len() {
        // Behind "from X" a new value has to follow: "the train from Bonn" names a place.
        if is(at, &["from"]) {
            let end = end_of(terms, at + 1);
            if is(end, &["to", "into", "onto"]) {
                found.push(Named { from: at + 1, to: end, moved: true });
            }
        }
        if is(at, &["arrow"]) && at > 0 {
            found.push(Named { from: at - 1, to: at, moved: false });
        }
        let behind = phrase(terms.iter().skip(at), Section::Instead);
        if let Some(count) = behind {
            found.push(Named { from: at + count, to: end_of(terms, at + count), moved: false });
        }
        if terms.get(at).is_some_and(|term| term.known.is_form_of(Section::Replaces)) {
            let end = end_of(terms, at + 1);
            let passive = at
                .checked_sub(1)
                .and_then(|at| terms.get(at))
                .is_some_and(|before| before.known.is(Section::Be));
            match passive {
                true if is(end, &["by", "with", "for"]) || is(at + 1, &["by", "with", "for"]) => {
                    found.push(Named { from: 0, to: at - 1, moved: false });
                }
                true => {}
                false => found.push(Named { from: at + 1, to: end, moved: true }),
            }
        }
        if is(at, &["not"]) && at > 0 && terms.get(at).is_some_and(|term| term.broken) {
            found.push(Named { from: at + 1, to: end_of(terms, at + 1), moved: false });
        }
    }
    found
}

/// Where a value that begins at `at` ends: at a preposition, a part, or after five words.
fn end_of(terms: &[Term], at: usize) -> usize {
    let stops = |term: &Term| {
        term.broken || term.known.is(Section::Prepositions) || term.is(&["to", "and", "now"])
    };
    let rest = terms.iter().enumerate().skip(at);
    rest.take(6)
        .find(|(place, term)| *place > at && stops(term))
        .map_or(terms.len().min(at + 6), |(place, _)| place)
}
