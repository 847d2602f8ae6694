use super::fact::{Fact, keys};
use super::term::Term;

/// Whether `new` says that what `old` says is no longer so.
pub(super) fn replaces(old: &[Term], new: &[Term]) -> bool {
    let Some(rest) = denied(new) else { return false };
    let denies = |term: &Term| term.is(&["not", "no", "never"]);
    let lists = |term: &Term| term.is(&["and", "or"]);
    if old.iter().any(denies) || old.iter().any(lists) || rest.iter().any(denies) {
        return false;
    }
    let subject = Fact::of(old).map(|fact| keys(&fact.subject)).unwrap_or_default();
    let (old, new) = (keys(old), keys(&rest));
    new.is_subset(&old) && subject.is_subset(&new) && new.len() > 1
}

/// What a sentence says to be over, as if it were still so.
fn denied(terms: &[Term]) -> Option<Vec<Term>> {
    let at = |words: &[&str]| terms.iter().position(|term| term.is(words));
    let pair = |one: &str, two: &str| {
        let is_pair = |pair: &[Term]| matches!(pair, [a, b] if a.text == one && b.text == two);
        terms.windows(2).position(is_pair)
    };
    let without = |places: &[usize]| -> Vec<Term> {
        let kept = |(at, _): &(usize, &Term)| !places.contains(at);
        terms.iter().enumerate().filter(kept).map(|(_, term)| term.clone()).collect()
    };
    if let Some(start) = pair("no", "longer") {
        return Some(without(&[start, start + 1]));
    }
    if let (Some(not), Some(end)) =
        (at(&["not", "never", "no"]), pair("any", "more").or_else(|| pair("any", "longer")))
    {
        return Some(without(&[not, end, end + 1]));
    }
    let stopped = at(&["stopped", "ceased", "quit"])?;
    let next = terms.get(stopped + 1)?;
    next.text.ends_with("ing").then(|| without(&[stopped]))
}
