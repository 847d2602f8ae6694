//! Novelty of a write: what it adds to memories, and writes left out where they add nothing.

use std::collections::BTreeMap;

use memlith_checkout::{Ask, Noted, Novelty};
use memlith_event::{
    Body, Envelope, Event, IdempotencyKey, MemoryEvent, Origin, Rank, Surfaced, Validity,
};
use memlith_memory::{Door, Item, ItemFlags, Remember};

use crate::caller::{Caller, Moment};
use crate::error::Error;
use crate::fold::state::State;
use crate::ledger::Ledger;
use crate::read::bodies::LogBodies;
use crate::write::command::{Written, clean, without_secrets};
use crate::write::reconcile::{Write, is_added};

/// Decision about a write that is left out where it adds nothing.
#[derive(Default)]
pub(crate) struct Adding {
    /// The memory that says all of it.
    pub(crate) left_out: Option<Item>,
    /// The event that a memory was said again, in part or whole.
    pub(crate) reinforced: Option<Body<'static>>,
}

impl Ledger {
    /// Reports what `text` adds to the memories that the caller sees: by the index and the
    /// words of at most eight of them. Nothing is written.
    ///
    /// # Errors
    /// [`Error::Request`] for an empty or endless text, and the log's.
    pub fn novelty(&self, caller: &Caller, text: &str) -> Result<Novelty, Error> {
        Ok(self.noted(caller, text)?.novelty)
    }

    /// Does as [`Ledger::novelty`], with what was read for it: for measurements.
    ///
    /// # Errors
    /// Those of [`Ledger::novelty`].
    pub fn noted(&self, caller: &Caller, text: &str) -> Result<Noted, Error> {
        let text = clean(text.to_owned(), &mut BTreeMap::new());
        let now = self.instant(caller);
        let asker = &*caller.name;
        let ask = Ask { query: &text, asker, scope: &caller.scope, now, vector: None };
        self.read(|state| {
            let bodies = LogBodies::of(self);
            let view = self.view(state, &bodies);
            let noted = memlith_checkout::novelty(&view, &ask, &caller.actor())?;
            bodies.finish()?;
            Ok(noted)
        })
    }

    /// Writes an assertion as [`Ledger::remember`] does, unless a memory says all of it.
    ///
    /// One that adds nothing is not written: the memory that says it is reinforced as if it
    /// was shown, once for the caller's name and session, and is named by the outcome
    /// [`WriteOutcome::Redundant`](crate::WriteOutcome::Redundant). One that adds something is written, and what says part
    /// of it is reinforced likewise in the same batch. Everything else is as without: what is
    /// derived, what replaces, restates or contradicts, what waits for review.
    ///
    /// # Errors
    /// Those of [`Ledger::remember`].
    pub fn remember_new(
        &self,
        caller: &Caller,
        remember: impl Into<Remember>,
    ) -> Result<Written, Error> {
        let (remember, redacted) = without_secrets(remember.into());
        let (remember, redacted) = (&remember, &redacted);
        self.reconcile(&Write { caller, remember, redacted, only_new: true })
    }

    /// Decides about a write that is left out where it adds nothing, given what it is without that.
    pub(crate) fn adding(
        &self,
        state: &State,
        write: &Write<'_>,
        bodies: &[Body<'_>],
        moment: Moment,
    ) -> Result<Adding, Error> {
        if !is_plainly_added(bodies) {
            return Ok(Adding::default());
        }
        let Write { caller, remember, .. } = *write;
        let door = caller.door(moment, None)?;
        let (novelty, item) = self.novelty_of(state, remember, &door)?;
        let reinforced = item.as_ref().and_then(|item| reinforced(item, state, caller, &door));
        let stands_for = |item: &Item| replaces(item, remember, caller, &door);
        let is_said = matches!(novelty, Novelty::Redundant(_));
        let left_out = item.filter(stands_for).filter(|_| is_said);
        Ok(Adding { left_out, reinforced })
    }

    /// Returns the novelty of the text of a write, and the memory that says it.
    fn novelty_of(
        &self,
        state: &State,
        remember: &Remember,
        door: &Door,
    ) -> Result<(Novelty, Option<Item>), Error> {
        let bodies = LogBodies::of(self);
        let (query, asker, scope) = (&remember.text, &*door.actor.name, &door.scope);
        let ask = Ask { query, asker, scope, now: door.now, vector: None };
        // A text that is too long for a question is compared with nothing, and written.
        let noted = memlith_checkout::novelty(&self.view(state, &bodies), &ask, &door.actor);
        bodies.finish()?;
        let novelty = noted.unwrap_or_default().novelty;
        Ok((novelty, novelty.of().and_then(|id| state.memory.item(id.seq))))
    }
}

/// Whether a write met nothing: neither the same words nor its slot, and nothing makes it wait.
fn is_plainly_added(bodies: &[Body<'_>]) -> bool {
    let waits = |body: &Body<'_>| matches!(&body.event, Event::Memory(MemoryEvent::Remembered(row)) if row.pending.is_some());
    is_added(bodies) && !bodies.iter().any(waits)
}

/// Whether `item` can stand for the write: it says no less, to no fewer, of no less standing.
fn replaces(item: &Item, remember: &Remember, caller: &Caller, door: &Door) -> bool {
    let says_no_more = remember.slot.is_none()
        && remember.rests_on.is_empty()
        && remember.validity == Validity::default();
    let seen = !item.flags.has(ItemFlags::SESSION_ONLY) || door.scope.session_only;
    let stands = item.guard >= caller.rank.level().min(Rank::User.level());
    says_no_more && seen && stands
}

/// Returns a body that says that `item` was said again in other words: as if it was shown, once for
/// each name and session.
///
/// Being shown is what lies within the loop's own budget, whoever says it, and moves neither
/// guard nor justification: that words are alike is no evidence.
fn reinforced(item: &Item, state: &State, caller: &Caller, door: &Door) -> Option<Body<'static>> {
    let mut scope = caller.scope.clone();
    scope.session_only &= item.flags.has(ItemFlags::SESSION_ONLY);
    let id = item.id.to_string();
    let parts: Vec<&str> = ["novelty", &id].into_iter().chain(scope.session.as_deref()).collect();
    let key = IdempotencyKey::of(&parts);
    if state.memory.known(key, &scope, &caller.actor()).is_some() {
        return None;
    }
    let mut envelope = Envelope::new(scope, caller.actor(), door.occurred_at);
    envelope.actor.rank = Rank::Engine;
    envelope.origin = Origin::Derived;
    envelope.via = caller.via;
    envelope.key = Some(key);
    let surfaced =
        Surfaced { targets: vec![item.id], weight: None, receipt: None, beside: Vec::new() };
    Some(Body { envelope, event: Event::Memory(MemoryEvent::Surfaced(surfaced)) })
}
