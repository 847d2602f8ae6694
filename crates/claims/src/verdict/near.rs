use std::collections::BTreeSet;

use super::denial::{is_denied, is_given_up, is_negative};
use super::named::{is_of_us, names_a_value};
use super::parsed::Clause;
use super::template::{is_identifier, is_like, is_version, lead};
use super::term::{Kind, Term};
use super::words::Section;

/// Whether two clauses may say another value of one thing: the same thing with another value of one
/// kind, two thirds of the words of the shorter one before another value, or a value that the new
/// one says is over.
///
/// Source: our own; figures in ADR 0052. Cost: the product of their words.
pub(super) fn is_near(old: &Clause, new: &Clause) -> bool {
    let (before, after) = (old.beyond(new), new.beyond(old));
    let (all, others) = (old.distinct(), new.distinct());
    let shared = all - before.iter().map(|term| &term.key).collect::<BTreeSet<_>>().len();
    if shared == 0 || old.is_event() || is_of_another(old, new, (&before, &after)) {
        return false;
    }
    // One likes many things at a time.
    let likes =
        |clause: &Clause| clause.terms.iter().any(|term| term.known.is_form_of(Section::Likes));
    if likes(old) && likes(new) && !new.declares && !new.corrects {
        return false;
    }
    let named = names_a_value(old, new);
    let ours = named && is_of_us(old) && is_of_us(new);
    let object = old.content().last().is_some_and(|last| new.has(&last.key));
    let over = object && (is_denied(new) || is_given_up(new));
    // The same thing, and its value is said to be over: "staging runs on h3", "staging moved from h3".
    let first = old.content().next().is_some_and(|first| new.has(&first.key));
    let is_whole = before.len() <= 1 || (first && object);
    if ours || (is_whole && (named || over)) {
        return true;
    }
    // What isn't so either says nothing of the value that stands.
    if is_negative(new) && !is_negative(old) {
        return false;
    }
    if before.is_empty() || after.is_empty() {
        return false;
    }
    // "Deploys of the app" are others than "deploys".
    if after.iter().any(|term| ahead(new, term).is_some_and(|ahead| ahead.is(&["of"]))) {
        return false;
    }
    // Of two codes one may be beside the other: "never push to branch r1", "... to branch r2".
    let codes =
        before.iter().chain(&after).all(|term| term.kind == Kind::Code && !is_version(term));
    if codes && lead(old, &before) != Some("is") && !new.declares && !new.corrects {
        return false;
    }
    if after
        .iter()
        .any(|term| is_condition(new, term) && !before.iter().any(|own| is_like(own, term)))
        && !is_condition_of_both(old, &before)
    {
        return false;
    }
    let worded = |terms: &[&Term]| terms.iter().filter(|term| !term.is_typed()).count();
    let plain = |clause: &Clause| clause.content().filter(|term| !term.is_typed()).count();
    let shared_plain = plain(old) - worded(&before);
    let one_sided = worded(&before) == 0 || worded(&after) == 0;
    let typed = |own: &&Term| own.is_typed() && after.iter().any(|other| is_like(own, other));
    let same_kind = one_sided && before.iter().any(typed);
    if same_kind && first && shared_plain > 0 && shared_plain * 2 >= plain(old).min(plain(new)) {
        return true;
    }
    let most = shared > 1 && shared * 3 >= all.min(others) * 2;
    most && lead(old, &before) == lead(new, &after)
}

/// Whether a word stands behind a preposition: a place, a time or a case of its own.
fn is_condition(clause: &Clause, term: &Term) -> bool {
    ahead(clause, term).is_some_and(|ahead| ahead.known.is(Section::Prepositions))
}

/// The word before another, but for articles.
fn ahead<'c>(clause: &'c Clause, term: &Term) -> Option<&'c Term> {
    let before = clause.terms.iter().take_while(|one| !std::ptr::eq(*one, term));
    before.filter(|one| !one.is(&["the", "a", "an", "our", "my"])).last()
}

/// Whether the old one has a value behind a preposition as well: "at the Roxy" in the place of "at
/// the Ritz".
fn is_condition_of_both(old: &Clause, before: &[&Term]) -> bool {
    before.iter().any(|term| is_condition(old, term))
}

/// Whether they name two things of one kind: "room 204" and "room 206", "Dr Shah" and "Dr Shaw".
fn is_of_another(old: &Clause, new: &Clause, (before, after): (&[&Term], &[&Term])) -> bool {
    let numbered = |clause: &Clause, terms: &[&Term]| {
        terms.iter().any(|term| term.is_typed() && is_identifier(clause, term))
    };
    // "Use Jina" and "use Exa" are about what they are used for.
    let asks = |clause: &Clause| {
        clause.content().next().is_some_and(|first| first.known.is_form_of(Section::Imperatives))
    };
    let named = |clause: &Clause, terms: &[&Term]| {
        let first = clause.content().take(if asks(clause) { 0 } else { 2 });
        first.into_iter().any(|term| term.kind == Kind::Name && terms.contains(&term))
    };
    (numbered(old, before) && numbered(new, after)) || (named(old, before) && named(new, after))
}
