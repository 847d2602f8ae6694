//! Which faded items stay out of an answer.

use memlith_event::{Body, Event, MemoryEvent};

use crate::Ask;
use crate::bodies::{Bodies, read};
use crate::candidate::Candidate;

/// Whether `candidate` has faded and something answers more than twice as well, unless
/// the query asks for it by name.
///
/// Only a primary item of at least its tier counts as better, and only one that is
/// guarded at least as much: nobody below an item's guard can push it out.
///
/// Source: `docs/model.md`, "Salience", "Attenuation".
pub(crate) fn is_left_out(
    candidate: &Candidate,
    among: &[Candidate],
    ask: &Ask<'_>,
    bodies: &dyn Bodies,
) -> bool {
    if !candidate.attenuated {
        return false;
    }
    let item = &candidate.item;
    let rivals = among.iter().filter(|rival| {
        let rival = &rival.item;
        !rival.is_derived() && rival.tier >= item.tier && rival.guard >= item.guard
    });
    let best = rivals.map(|rival| rival.relevance).max().unwrap_or(0);
    let faint = candidate.relevance.saturating_mul(2) < best;
    faint && !read(bodies, item.id, |body| is_named(ask.query, body)).unwrap_or(false)
}

/// Whether the query names the entity that the memory is about, or quotes words of it.
/// One who names a slot names its entity.
fn is_named(query: &str, body: &Body<'_>) -> bool {
    let Event::Memory(MemoryEvent::Remembered(memory)) = &body.event else { return false };
    let query_words = words(query);
    let entity = memory.slot.as_ref().map(|slot| words(&slot.entity)).unwrap_or_default();
    let text = words(&memory.text);
    contains(&query_words, &entity)
        || quotations(query).any(|phrase| contains(&text, &words(phrase)))
}

/// The letters and digits of `text` in lower case, as words.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Whether `part` is not empty and stands in `whole` word by word.
fn contains(whole: &[String], part: &[String]) -> bool {
    !part.is_empty() && whole.windows(part.len()).any(|window| window == part)
}

/// The texts between quotation marks. An apostrophe is none.
fn quotations(query: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c| matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{ab}' | '\u{bb}');
    let marks = query.chars().filter(|c| is_mark(*c)).count();
    // What follows the last mark is quoted only if that mark opens nothing.
    query.split(is_mark).take(marks).skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use memlith_event::{Actor, Envelope, Rank, Remembered, Scope, Slot};
    use memlith_log::Timestamp;

    use super::*;

    #[test]
    fn a_memory_is_named_by_its_entity_or_its_words() {
        let slot = Slot {
            entity: "build server".into(),
            predicate: "runs".into(),
            value: "Debian".into(),
            single: true,
        };
        let mut memory = Remembered::text("The build server runs Debian 13");
        memory.slot = Some(slot);
        let body = Body {
            envelope: Envelope::new(Scope::default(), Actor::new("a", Rank::User), Timestamp(0)),
            event: Event::Memory(MemoryEvent::Remembered(memory)),
        };
        for (query, named) in [
            ("what does the Build-Server run?", true),
            ("what does the server run?", false),
            ("which host says \"runs debian\"?", true),
            ("which host says \u{201c}Runs, Debian\u{201d}?", true),
            ("which host says runs debian?", false),
            ("which \"host\" says runs debian", false),
            ("an open mark: \"runs debian", false),
            ("empty \"\"", false),
        ] {
            assert_eq!(is_named(query, &body), named, "{query}");
        }
    }
}
