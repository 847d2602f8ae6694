//! Reading of plain sentences against memories that stand: the slot of what one claims, and which
//! of them it ends.

use std::collections::BTreeSet;

use memlith_checkout::Bodies;
use memlith_claims::{Parsed, Said, Verdict, verdict};
use memlith_event::{Actor, Body, Event, MemoryEvent, Origin, Outcome, ReconcileEvent};
use memlith_log::{RecordId, Seq};
use memlith_memory::{Door, Item, Remember, owner_of};
use memlith_recall::Wording;
use memlith_text::normalised;
use serde::Serialize;

use crate::error::Error;
use crate::fold::state::State;
use crate::ledger::Ledger;
use crate::read::bodies::LogBodies;
use crate::write::reconcile::is_added;
use crate::write::slot::{is_person, with_claimed_slot};

/// Maximum number of rows read and compared with one sentence: those that share most of its
/// rarest terms.
const COMPARED_MAX: usize = 24;

/// A write as it was understood.
#[derive(Default)]
pub(crate) struct Understood {
    /// The write with the slot of what it claims; none where it has no slot of its own.
    pub(crate) claimed: Option<Remember>,
    /// Bodies decided by what the words say; none where they say nothing that isn't known without.
    pub(crate) bodies: Option<Vec<Body<'static>>>,
    /// The memories that the write may replace, the best first.
    pub(crate) near: Vec<NearMemory>,
}

/// A memory that stands and that a write may have made out of date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NearMemory {
    /// Its id.
    pub id: RecordId,
    /// Its words, whole.
    pub text: String,
}

/// The memories that the words of a write end, and those that they may.
#[derive(Default)]
struct Judged {
    ended: Vec<RecordId>,
    near: Vec<NearMemory>,
}

/// Maximum number of near memories that a write names.
const NEAR_MAX: usize = 3;

impl Ledger {
    /// Decides a write without a slot by what its words say, and lists what it may replace.
    ///
    /// A memory is ended only where the words of both say so ([`verdict`]); its slot alone ends
    /// none. What isn't sure stands.
    ///
    /// Cost: bounded, however long the log: [`memlith_recall::Recall::sharing`], and the bodies
    /// of [`COMPARED_MAX`] rows.
    pub(crate) fn understood(
        &self,
        state: &State,
        remember: &Remember,
        door: &Door,
    ) -> Result<Understood, Error> {
        if remember.slot.is_some() {
            return Ok(Understood::default());
        }
        let claimed = with_claimed_slot(remember, door);
        let slotted = match &claimed {
            Some(claimed) => self.decided_exactly(state, claimed, door)?,
            None => Vec::new(),
        };
        let displaced = displaced(&slotted);
        let is_known = claimed.is_some() && displaced.is_empty() && !is_added(&slotted);
        if is_known {
            return Ok(Understood { claimed, bodies: Some(slotted), near: Vec::new() });
        }
        let Judged { ended, near } = self.judged(state, remember, &displaced, door)?;
        if !displaced.is_empty() && displaced.iter().all(|id| ended.contains(id)) {
            return Ok(Understood { claimed, bodies: Some(slotted), near });
        }
        // Where another value of its slot stands and isn't ended, it has no place there.
        let claimed = claimed.filter(|_| displaced.is_empty());
        let bodies = match ended.as_slice() {
            [] => claimed.is_some().then_some(slotted),
            ended => {
                let write = claimed.as_ref().unwrap_or(remember);
                Some(state.memory.decide_replacing(write, ended, door)?)
            }
        };
        Ok(Understood { claimed, bodies, near })
    }

    /// Judges the memories that share the rarest terms of the write, and those in `also`, by its
    /// words.
    fn judged(
        &self,
        state: &State,
        remember: &Remember,
        also: &[RecordId],
        door: &Door,
    ) -> Result<Judged, Error> {
        // The "I" of an assistant or a tool may be anybody whom it repeats.
        if door.origin != Origin::User && owner_of(&remember.text, &door.actor).is_some() {
            return Ok(Judged::default());
        }
        let relatable = state.memory.relatable(remember, door)?;
        let rows: Vec<Item> = Wording::of(&remember.text)
            .map(|wording| {
                let relatable = &mut |seq: Seq| relatable(seq);
                state.recall.sharing(&wording, &door.scope, COMPARED_MAX, relatable)
            })
            .unwrap_or_default();
        let ids: BTreeSet<RecordId> =
            rows.iter().map(|row| row.id).chain(also.iter().copied()).collect();
        let last = || last_of(state, door, &relatable);
        let about_one = is_person(&door.scope);
        let new = Said { text: &remember.text, speaker: &door.actor.name, about_one };
        let new = Parsed::of(&new);
        let mut judged = Judged::default();
        let bodies = LogBodies::of(self);
        bodies.will_need(&mut ids.iter().copied());
        for id in ids {
            bodies.body(id, &mut |body| {
                if let Event::Memory(MemoryEvent::Remembered(row)) = &body.event {
                    let author = &body.envelope.actor;
                    let old = Said { text: &row.text, speaker: &author.name, about_one };
                    let old = Parsed::of(&old);
                    if are_apart((&old, author), (&new, &door.actor)) {
                        return;
                    }
                    match verdict(&old, &new) {
                        Verdict::Ends => judged.ended.push(id),
                        Verdict::MayEnd => {
                            judged.near.push(NearMemory { id, text: row.text.to_string() });
                        }
                        Verdict::Same | Verdict::Unrelated => {}
                    }
                }
            });
        }
        // "Scratch that, it's 9090": nobody but the writer knows which.
        if let Some(last) = new.corrects_the_last().then(last).flatten() {
            bodies.body(last.id, &mut |body| {
                let text = body.event.item_text().unwrap_or_default().to_string();
                judged.near.push(NearMemory { id: last.id, text });
            });
        }
        bodies.finish()?;
        // The newest is the likeliest.
        judged.near.reverse();
        judged.near.truncate(NEAR_MAX);
        Ok(judged)
    }
}

/// Number of sequences looked back for what its writer said last.
const LOOKED_BACK: u64 = 256;

/// The last memory that the writer said in the scope and that stands.
fn last_of(state: &State, door: &Door, stands: &impl Fn(Seq) -> Option<Item>) -> Option<Item> {
    let head = state.next.previous()?;
    let first = Seq(head.0.saturating_sub(LOOKED_BACK));
    let own = state.memory.memories_between(first, head).into_iter().rev();
    own.filter_map(stands).find(|item| item.actor == door.actor.key())
}

/// Whether two actors said them, and one in the first person: nobody but the speaker ends what
/// that says, and it ends nothing of another's.
fn are_apart(
    (old, author): (&Parsed<'_>, &Actor<'_>),
    (new, speaker): (&Parsed<'_>, &Actor<'_>),
) -> bool {
    let is_own = |said: &Parsed<'_>, by: &Actor<'_>| {
        said.is_first_person() && !normalised(&by.name).is_empty()
    };
    let is_one = author.name == speaker.name && author.rank == speaker.rank;
    !is_one && (is_own(old, author) || is_own(new, speaker)) && author.key() != speaker.key()
}

/// Lists the memories that a decision ends, or would end where it waits.
fn displaced(bodies: &[Body<'_>]) -> Vec<RecordId> {
    let ids = bodies.iter().find_map(|body| {
        let Event::Reconcile(ReconcileEvent::Decided(decided)) = &body.event else { return None };
        let (Outcome::Superseded(ids) | Outcome::Proposed(ids)) = &decided.outcome else {
            return None;
        };
        Some(ids.clone())
    });
    ids.unwrap_or_default()
}
