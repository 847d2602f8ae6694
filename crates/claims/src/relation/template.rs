use super::Relation;
use super::fact::Fact;
use super::predicate::{has_one_value, is_of_some};
use super::role::is_exclusive;
use super::term::Term;
use super::value::{Kind, common, is_other_state};

/// What `new` makes of `old` where both are the same words but for one part.
pub(super) fn relation(old: &[Term], new: &[Term], declared: bool) -> Relation {
    let front = old.iter().zip(new).take_while(|(own, other)| is_same(own, other)).count();
    let most = old.len().min(new.len()) - front;
    let backwards = old.iter().rev().zip(new.iter().rev());
    let behind = backwards.take(most).take_while(|(own, other)| is_same(own, other)).count();
    let (end, new_end) = (old.len() - behind, new.len() - behind);
    let part = old.get(front..end).unwrap_or_default();
    let new_part = new.get(front..new_end).unwrap_or_default();
    if part.is_empty() && new_part.is_empty() {
        return Relation::Same;
    }
    if let ([own], [other]) = (part, new_part)
        && front > 0
        && !is_of_some(old)
        && old.get(front - 1).is_some_and(|term| term.is_be() || term.past)
        && behind == 0
        && is_other_state(own, other)
    {
        return Relation::Replaces;
    }
    let (Some(fact), Some(new_fact)) = (Fact::of(old), Fact::of(new)) else {
        return Relation::Beside;
    };
    let Some(kind) = common(part, new_part) else { return Relation::Beside };
    if end <= fact.verb_at {
        let whole = front == 0 && end == fact.verb_at && new_end == new_fact.verb_at;
        let exclusive = whole && kind == Kind::Name && is_exclusive(&fact);
        return if exclusive { Relation::Replaces } else { Relation::Beside };
    }
    // Being called Rex and being a terrier are no values of one kind.
    if fact.participle != new_fact.participle || front < fact.value_at.min(new_fact.value_at) {
        return Relation::Beside;
    }
    // A name or a noun in front of another phrase is what is spoken of, not its value.
    let inside = behind > 0
        && matches!(kind, Kind::Name | Kind::Words)
        && new.get(new_end).is_some_and(|next| next.is(super::fact::PREPOSITIONS));
    if inside {
        return Relation::Beside;
    }
    let typed = !matches!(kind, Kind::Name | Kind::Words);
    if !typed && fact.prep != new_fact.prep {
        return Relation::Beside;
    }
    if has_one_value(&fact, &new_fact, kind, declared) {
        Relation::Replaces
    } else {
        Relation::Contrary
    }
}

fn is_same(own: &Term, other: &Term) -> bool {
    own.key == other.key && own.sort == other.sort && own.past == other.past
}
