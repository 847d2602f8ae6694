use super::fact::{Fact, keys};
use super::term::Term;
use super::value::is_other_state;
use crate::grammar::Sort;

/// Whether `new` says that what `old` says is no longer so.
pub(super) fn replaces(old: &[Term], new: &[Term]) -> bool {
    if cancelled(old, new) || gone(old, new) || works_again(old, new) || is_off(old, new) {
        return true;
    }
    if reopened(old, new) {
        return true;
    }
    let Some(rest) = denied(new) else { return false };
    let denies = |term: &Term| term.is(&["not", "no", "never"]);
    let lists = |term: &Term| term.is(&["and", "or"]);
    if old.iter().any(denies) || old.iter().any(lists) || rest.iter().any(denies) {
        return false;
    }
    // "We get the newspaper": of most of its words nothing can be told but that they are these.
    let words = |terms: &[Term]| -> Vec<String> {
        let plain = terms.iter().filter(|term| !term.is(&["do", "does"]));
        plain.map(|term| term.key.clone()).collect()
    };
    if old.len() > 2 && words(old) == words(&rest) {
        return true;
    }
    let subject = Fact::of(old).map(|fact| keys(&fact.subject)).unwrap_or_default();
    let (old, new) = (keys(old), keys(&rest));
    new.is_subset(&old) && subject.is_subset(&new) && new.len() > 1
}

/// "We dropped support for IE 11", "the fax machine was removed": what one had is gone.
fn gone(old: &[Term], new: &[Term]) -> bool {
    let Some(fact) = Fact::of(old) else { return false };
    let Some(at) = new.iter().position(|term| term.past && term.is(GONE)) else { return false };
    let (before, after) =
        (new.get(..at).unwrap_or_default(), new.get(at + 1..).unwrap_or_default());
    let denied = new.iter().any(|term| term.is(&["not", "never", "almost"]));
    let passive = before.last().is_some_and(Term::is_be);
    let (thing, agent) = if passive { (before, after) } else { (after, before) };
    let aside =
        |term: &&Term| !term.is(&["support", "rid", "of", "up", "using", "down", "altogether"]);
    let thing: Vec<Term> = thing.iter().filter(aside).cloned().collect();
    let subject = keys(&fact.subject);
    let mut all = keys(&thing);
    let had = keys(&fact.value);
    let by_the_same = subject.is_subset(&keys(agent)) || subject.is_subset(&all);
    all.retain(|word| !subject.contains(word));
    HAD.contains(&fact.verb.as_str())
        && !denied
        && by_the_same
        && !had.is_empty()
        && all == had
        && fact.tail.is_empty()
}

/// "The picnic was cancelled" ends that it is on Saturday.
fn cancelled(old: &[Term], new: &[Term]) -> bool {
    let Some(fact) = Fact::of(old) else { return false };
    let off = new.windows(2).position(
        |pair| matches!(pair, [called, off] if called.is(&["called"]) && off.is(&["off"])),
    );
    let at = off.or_else(|| new.iter().position(|term| term.is(CANCELLED)));
    let Some(at) = at else { return false };
    let before = new.get(..at).unwrap_or_default();
    let behind = new.get(at + 1..).unwrap_or_default();
    let done = before.last().is_some_and(|term| term.is_be() || term.is(&["got"]));
    let dated = fact
        .value
        .iter()
        .chain(&fact.tail)
        .any(|term| !matches!(term.sort, Sort::Plain | Sort::Amount));
    done && dated
        && before.iter().all(|term| !term.is(&["not", "never"]))
        && keys(before) == keys(&fact.subject)
        && keys(behind).is_empty()
}

/// Participles of what doesn't take place.
const CANCELLED: &[&str] = &["cancelled", "canceled", "abolished", "scrapped"];

/// "The lift works again" ends "the lift is out of order".
fn works_again(old: &[Term], new: &[Term]) -> bool {
    let Some(fact) = Fact::of(old) else { return false };
    let works =
        new.iter().position(|term| term.is(&["works", "work", "working", "runs", "running"]));
    let Some(at) = works else { return false };
    let subject = keys(new.get(..at).unwrap_or_default());
    let behind = new.get(at + 1..).unwrap_or_default();
    let stood = old.get(fact.verb_at + 1..).unwrap_or_default();
    let broken = |term: &Term| term.is(BROKEN);
    let denied = new.iter().any(|term| term.is(&["not", "no"]));
    fact.is_copula()
        && !denied
        && stood.iter().any(broken)
        && subject == keys(&fact.subject)
        && behind.iter().all(|term| term.is(&["again", "fine", "now"]))
}

/// "The museum is open again" ends "the museum is closed for repairs".
fn reopened(old: &[Term], new: &[Term]) -> bool {
    let (Some(fact), Some(other)) = (Fact::of(old), Fact::of(new)) else { return false };
    let why = |tail: &[Term]| {
        tail.first().is_none_or(|first| first.is(&["for", "because", "since", "until", "due"]))
    };
    let behind = |terms: &[Term], fact: &Fact| -> Option<(Term, Vec<Term>)> {
        let is = terms.get(fact.verb_at).filter(|verb| verb.is_be())?;
        let (state, rest) = terms.get(fact.verb_at + 1..)?.split_first()?;
        (!is.past).then(|| (state.clone(), rest.to_vec()))
    };
    let (Some((own, reason)), Some((state, rest))) = (behind(old, &fact), behind(new, &other))
    else {
        return false;
    };
    !reason.is_empty()
        && why(&reason)
        && rest.is_empty()
        && keys(&fact.subject) == keys(&other.subject)
        && is_other_state(&own, &state)
}

/// "Tess is off the list", "the bug in the parser is gone".
fn is_off(old: &[Term], new: &[Term]) -> bool {
    let at = |words: &[&str]| new.iter().position(|term| term.is(words));
    let on = old.iter().any(|term| term.is(&["on"]));
    let off = at(&["off"])
        .filter(|at| on && at.checked_sub(1).and_then(|at| new.get(at)).is_some_and(Term::is_be));
    let last = new.last().is_some_and(|last| last.is(&["gone"])).then(|| new.len() - 1);
    let there = old.first().is_some_and(|first| first.is(&["there"]));
    let Some(at) = off.or(last.filter(|_| there)) else { return false };
    let rest: Vec<Term> = new
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .map(|(_, term)| term.clone())
        .collect();
    let said = keys(&rest);
    !said.is_empty() && said == keys(old)
}

/// Words for what doesn't work.
const BROKEN: &[&str] =
    &["broken", "down", "order", "service", "defective", "faulty", "stuck", "dead", "offline"];

/// Participles of what one has no more.
const GONE: &[&str] = &[
    "dropped",
    "gone",
    "removed",
    "discontinued",
    "abolished",
    "scrapped",
    "sold",
    "retired",
    "ditched",
    "abandoned",
    "deleted",
    "got",
    "gave",
    "stopped",
    "cancelled",
    "canceled",
    "ended",
];

/// Verbs of having and using, by their stems.
const HAD: &[&str] = &[
    "hav", "us", "support", "own", "driv", "offer", "serv", "sell", "keep", "rent", "need",
    "expos", "provid", "includ", "ship", "subscrib", "pay", "play",
];

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
    let up = pair("gave", "up").or_else(|| pair("given", "up"));
    let stopped = up.or_else(|| at(&["stopped", "ceased", "quit"]))?;
    let end = stopped + usize::from(up.is_some());
    let next = terms.get(end + 1)?;
    next.text.ends_with("ing").then(|| without(&[stopped, end]))
}
