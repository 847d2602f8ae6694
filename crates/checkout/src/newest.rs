//! Of items that say different values of one thing the newest comes first, and the others say
//! that they are older: also where nobody could be sure enough to end one.

use memlith_claims::{Parsed, Relation, Said, is_later_value, relation_of};
use memlith_event::{Event, MemoryEvent};
use memlith_log::{RecordId, Seq, Timestamp};

use crate::bodies::read;
use crate::candidate::Candidate;
use crate::{Ask, Bodies};

/// Maximum number of memories compared with each other: what is shown whole, and as many.
const COMPARED_MAX: usize = 12;

/// A longer text says more than one thing, in bytes. Source: [`relation_of`].
const TEXT_MAX: usize = 320;

/// A memory whose words are compared.
struct Statement {
    /// Its place among the candidates.
    at: usize,
    id: RecordId,
    text: String,
    speaker: String,
    when: (Timestamp, Seq),
    guard: u8,
}

/// Puts the newest of the memories that say different values of one thing before the others,
/// and marks these: by what their words replace, and by [`is_later_value`] where no word of
/// change is understood.
///
/// Only what is guarded as much as the older one passes it: no low rank moves what a higher one
/// said. Nothing is left out for it.
///
/// Source: `docs/model.md`, "Order". Cost: bodies of [`COMPARED_MAX`] memories, each two compared.
pub(crate) fn put_first(candidates: &mut [Candidate], bodies: &dyn Bodies, ask: &Ask<'_>) {
    let statements = statements(candidates, bodies);
    // All of a room have the same subject.
    let about_one = ask.scope.subject.is_some();
    let parsed: Vec<Parsed<'_>> = statements
        .iter()
        .map(|one| Said { text: &one.text, speaker: &one.speaker, about_one })
        .map(|said| Parsed::of(&said))
        .collect();
    let asked = Parsed::of(&Said { text: ask.query, speaker: "", about_one });
    let mut is_moved = false;
    for (old, before) in statements.iter().zip(&parsed) {
        let says_later = |(new, after): &(&Statement, &Parsed<'_>)| {
            new.when > old.when && new.guard >= old.guard && is_other_value(before, after, &asked)
        };
        let pairs = statements.iter().zip(&parsed);
        let newest = pairs.filter(says_later).max_by_key(|(new, _)| new.when);
        let Some((newest, _)) = newest else { continue };
        let Some(older) = candidates.get_mut(old.at) else { continue };
        older.later = Some(newest.id);
        let above = older.score().saturating_add(1);
        if let Some(newer) = candidates.get_mut(newest.at) {
            newer.least = newer.least.max(above);
            is_moved = true;
        }
    }
    if is_moved {
        candidates.sort_by_cached_key(Candidate::order);
    }
}

fn is_other_value(old: &Parsed<'_>, new: &Parsed<'_>, asked: &Parsed<'_>) -> bool {
    match relation_of(old, new) {
        Relation::Replaces => true,
        Relation::Contrary => is_of_one_property(old, new),
        Relation::Beside => is_later_value(old, new, asked),
        Relation::Same => false,
    }
}

/// Whether two texts state one property of one thing: two numbered rules differ in more.
fn is_of_one_property(old: &Parsed<'_>, new: &Parsed<'_>) -> bool {
    let pair = old.claim().zip(new.claim());
    pair.is_some_and(|(old, new)| (&old.entity, &old.predicate) == (&new.entity, &new.predicate))
}

/// The first short memories among the candidates that nobody else than a person or an agent
/// worded.
fn statements(candidates: &[Candidate], bodies: &dyn Bodies) -> Vec<Statement> {
    let is_memory = |one: &Candidate| !one.item.is_record() && !one.item.is_derived();
    let first = candidates.iter().enumerate().filter(|(_, one)| is_memory(one)).take(COMPARED_MAX);
    let first: Vec<(usize, &Candidate)> = first.collect();
    // One alone is older than nothing.
    if first.len() < 2 {
        return Vec::new();
    }
    bodies.will_need(&mut first.iter().map(|(_, one)| one.item.id));
    let statement = |(at, one): (usize, &Candidate)| {
        let said = read(bodies, one.item.id, |body| {
            let Event::Memory(MemoryEvent::Remembered(memory)) = &body.event else { return None };
            let short = memory.text.len() <= TEXT_MAX;
            short.then(|| (memory.text.to_string(), body.envelope.actor.name.to_string()))
        });
        let (text, speaker) = said.flatten()?;
        let (id, guard) = (one.item.id, one.item.guard);
        Some(Statement { at, id, text, speaker, when: (one.item.occurred_at, id.seq), guard })
    };
    first.into_iter().filter_map(statement).collect()
}
