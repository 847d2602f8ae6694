//! Offering a memory that a worker keeps to its session to all who share its scope.

use memlith_event::{CandidateKind, Event, MemoryEvent, Scope, Slot, Validity};
use memlith_log::RecordId;
use memlith_memory::{ItemFlags, Rejection, Remember};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::body_of;
use crate::write::command::Written;
use crate::write::review::Review;

impl Review<'_> {
    /// Offers a memory that one session keeps to itself to all who share its tenant, agent
    /// and subject: as a claim that says the same, rests on it, and waits for review.
    ///
    /// The caller is of that session. Until review accepts the claim nobody else sees any of
    /// it; accepted, it takes its place among what all see, and leaves with what it rests on. What
    /// it would end there, and which other offers contradict it, [`Review`](crate::write::Review) says.
    ///
    /// # Errors
    /// [`Error::NoRecord`] for what the caller's session doesn't see, [`Error::NotSessionOnly`]
    /// for what others see already, [`Error::Rejected`] for what doesn't stand, and the log's.
    pub fn offer(&self, caller: &Caller, id: RecordId) -> Result<Written, Error> {
        let shown = self.ledger.show(caller, id)?;
        if !shown.item.flags.has(ItemFlags::SESSION_ONLY) {
            return Err(Error::NotSessionOnly { id });
        }
        if !shown.authority.is_shown() {
            let authority = shown.authority;
            return Err(Rejection::Status { id, authority, command: "offered" }.into());
        }
        let body = body_of(&shown.record)
            .map_err(|source| Error::Decode { seq: id.seq, source })?
            .map(|body| body.event);
        let Some(Event::Memory(MemoryEvent::Remembered(said))) = body else {
            return Err(Error::NotSessionOnly { id });
        };
        let from = shown.assertion.map(|assertion| assertion.valid_from);
        let claim = Remember {
            text: said.text.to_string(),
            slot: said.slot.map(Slot::into_owned),
            validity: Validity { from, until: said.validity.until },
            rests_on: vec![id],
            metadata: said.metadata.to_map(),
        };
        let scope = Scope { session_only: false, ..caller.scope.clone() };
        let caller = Caller { scope, ..caller.clone() };
        self.propose(&caller, CandidateKind::Claim, claim)
    }
}
