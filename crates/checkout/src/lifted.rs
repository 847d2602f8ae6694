//! A turn and the memory that was lifted from it are one item.

use memlith_claims::{Parsed, Said};
use memlith_event::{Event, LeftOutReason, MemoryEvent};
use memlith_log::{RecordId, Seq};
use memlith_memory::{Authority, Item, Memory};

use crate::bodies::read;
use crate::candidate::Candidate;
use crate::find::Found;
use crate::{Ask, View};

/// Maximum number of turns of a pack whose memories are looked at: the first.
const TURNS_MAX: usize = 24;

/// Maximum number of memories looked at for one turn.
const MEMORIES_MAX: usize = 8;

/// A memory that was lifted from a turn.
struct Lifted {
    item: Item,
    text: String,
    /// The item that took its place, where one did.
    successor: Option<RecordId>,
    /// Whether it was declared wrong.
    is_wrong: bool,
}

/// The fate of a turn in a pack.
enum Fate {
    Stands,
    /// The memory at this place of the candidates tells of it.
    ToldBy(usize),
    /// It tells of this memory, which is guarded less.
    Tells(RecordId),
    /// Its answer has ended, and this took its place.
    Older(RecordId),
    /// Its answer was declared wrong.
    Wrong,
}

/// Leaves out the turns whose words a found memory holds, and marks those whose words of the
/// question were lifted into a memory that has ended; those whose memory was declared wrong are
/// left out.
///
/// A memory guarded less than its turn is left out itself. The rest of a turn stands: a turn that
/// answers with words of its own is shown. Cost: bodies of [`TURNS_MAX`] turns and of
/// [`MEMORIES_MAX`] memories of each.
pub(crate) fn settle(found: &mut Found, view: &View<'_>, ask: &Ask<'_>) {
    let turns = found.candidates.iter().enumerate().filter(|(_, one)| one.item.is_record());
    let turns: Vec<usize> = turns.map(|(at, _)| at).take(TURNS_MAX).collect();
    let mut left_out = Vec::new();
    for at in turns {
        let Some(turn) = found.candidates.get(at) else { continue };
        match fate(turn, &found.candidates, view, ask) {
            Fate::Stands => {}
            Fate::ToldBy(by) => {
                let score = turn.score();
                left_out.push((turn.item.id, LeftOutReason::Duplicate));
                if let Some(memory) = found.candidates.get_mut(by) {
                    memory.least = memory.least.max(score);
                }
            }
            Fate::Tells(memory) => left_out.push((memory, LeftOutReason::Duplicate)),
            Fate::Wrong => left_out.push((turn.item.id, LeftOutReason::Authority)),
            Fate::Older(by) => {
                if let Some(turn) = found.candidates.get_mut(at) {
                    turn.later = Some(by);
                }
            }
        }
    }
    if left_out.is_empty() {
        return;
    }
    found.candidates.retain(|one| !left_out.iter().any(|(id, _)| *id == one.item.id));
    found.refused.extend(left_out.into_iter().map(|(id, why)| (id.seq, (id, why))));
    found.candidates.sort_by_cached_key(Candidate::order);
}

fn fate(turn: &Candidate, among: &[Candidate], view: &View<'_>, ask: &Ask<'_>) -> Fate {
    let lifted = lifted(view, turn.item.id.seq, ask);
    if lifted.is_empty() {
        return Fate::Stands;
    }
    let said =
        read(view.bodies, turn.item.id, |body| body.event.item_text().map(|text| text.to_string()));
    let Some(said) = said.flatten() else { return Fate::Stands };
    let answers = |text: &str| matches_of(text, ask.query);
    for one in lifted.iter().filter(|one| said.contains(one.text.trim_end_matches('.'))) {
        // What the rest of the turn says to the question is its own.
        let rest = said.replace(one.text.trim_end_matches('.'), " ");
        if answers(&rest) >= answers(&one.text).max(1) {
            continue;
        }
        if one.is_wrong {
            return Fate::Wrong;
        }
        if let Some(by) = one.successor {
            return Fate::Older(by);
        }
        let place = among.iter().position(|other| other.item.id == one.item.id);
        if let Some(place) = place {
            let is_guarded = one.item.guard >= turn.item.guard;
            return if is_guarded { Fate::ToldBy(place) } else { Fate::Tells(one.item.id) };
        }
    }
    Fate::Stands
}

/// The number of the question's words that a text has.
fn matches_of(text: &str, query: &str) -> usize {
    let said = |text| Parsed::of(&Said { text, speaker: "", about_one: false });
    let (text, query) = (said(text), said(query));
    text.words().intersection(&query.words()).count()
}

/// The memories that rest on a turn, as its words or what took their place.
fn lifted(view: &View<'_>, turn: Seq, ask: &Ask<'_>) -> Vec<Lifted> {
    let (memory, bodies) = (view.memory, view.bodies);
    // What lies outside the scope tells of nothing.
    let seen = |seq: Seq| memory.item(seq).filter(|item| Memory::sees(ask.scope, item));
    let resting = memory.resting_on(turn).filter(|seq| seen(*seq).is_some()).take(MEMORIES_MAX);
    let one = |seq: Seq| {
        let item = seen(seq).filter(|item| !item.is_summary())?;
        let authority = memory.authority(seq, ask.now)?;
        let is_over = authority == Authority::Superseded;
        let is_wrong = authority == Authority::Invalidated;
        if !is_over && !is_wrong && !authority.is_shown() {
            return None;
        }
        let by = memory.closed(seq).filter(|_| is_over).and_then(|(by, _)| seen(by));
        let successor = by.map(|by| by.id);
        if is_over && successor.is_none() {
            return None;
        }
        let text = read(bodies, item.id, |body| {
            let Event::Memory(MemoryEvent::Remembered(row)) = &body.event else { return None };
            Some(row.text.to_string())
        });
        Some(Lifted { item, text: text.flatten()?, successor, is_wrong })
    };
    resting.filter_map(one).collect()
}
