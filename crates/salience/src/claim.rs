use memlith_event::{
    Body, Event, ItemFacts, Key, MemoryEvent, Outcome, OutcomeEvent, Rank, ReconcileEvent,
    ReviewEvent, TaskResult, Weight,
};
use memlith_log::{RecordId, Seq, Timestamp};
use serde::{Serialize, Serializer};

use crate::{Change, PredictionError};

/// Claim of an event about items, before it is judged against each.
///
/// A later event of the vocabulary reaches salience by becoming a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Act that it claims.
    pub act: Act,
    /// The strength it states.
    pub weight: Option<Weight>,
    /// Where it is an outcome's: how surprising that was, which scales the table's strength.
    pub surprise: Option<PredictionError>,
    /// The rank of who says it.
    pub rank: Rank,
    /// Whether a verified outcome stands behind it.
    pub verified: bool,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// Actor and session: from one of them a sort of evidence counts once for a memory.
    pub witness: Key,
    /// The items, ascending, each once.
    pub targets: Vec<Seq>,
}

/// Statement about an item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Act {
    /// A checkout showed it.
    Surface,
    /// It is right.
    Confirm,
    /// It was said again.
    Restate,
    /// It was raised.
    Promote,
    /// It is wrong.
    Invalidate,
    /// It isn't wrong after all.
    Reconfirm,
    /// It led to a failure.
    Doubt,
    /// Review took it in.
    Accept,
}

/// Why a claim leaves an item's salience as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unmoved {
    /// The item's own status just before was another than the change needs.
    Status,
    /// The one who says it has no say in salience.
    Voice,
    /// Derived and accepted items are not raised by being shown.
    NotRaised,
    /// A doubt from below the item's guard: it disputes, it doesn't weaken.
    Guard,
    /// Another claim like it, by the same actor about the same memory in the same session.
    Repeated,
    /// The policy in force knows no such change.
    Policy,
}

impl Unmoved {
    /// The name under which it is printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unmoved::Status => "status",
            Unmoved::Voice => "voice",
            Unmoved::NotRaised => "not_raised",
            Unmoved::Guard => "guard",
            Unmoved::Repeated => "repeated",
            Unmoved::Policy => "policy",
        }
    }
}

impl Serialize for Unmoved {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// How much a voice counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    /// A user, reviewer or owner, or a verified outcome.
    Outside,
    /// The assistant: heard within the budget.
    Inside,
    /// The engine, the web, a file, an unverified tool.
    Unheard,
}

impl Claim {
    /// Returns the claim of `body`, or `None` where it says nothing about an existing item.
    #[must_use]
    pub fn of(body: &Body<'_>) -> Option<Claim> {
        let (act, targets): (Act, Vec<RecordId>) = match &body.event {
            Event::Memory(MemoryEvent::Surfaced(event)) => (Act::Surface, event.targets.clone()),
            Event::Memory(MemoryEvent::Confirmed(event)) => (Act::Confirm, event.targets.clone()),
            Event::Memory(MemoryEvent::Promoted(event)) => (Act::Promote, event.targets.clone()),
            Event::Memory(MemoryEvent::Invalidated(event)) => {
                (Act::Invalidate, event.targets.clone())
            }
            Event::Memory(MemoryEvent::Reconfirmed(event)) => {
                (Act::Reconfirm, event.targets.clone())
            }
            Event::Reconcile(ReconcileEvent::Decided(decided)) => match decided.outcome {
                // A revived row was said again too: that it was stale is a label.
                Outcome::Restated(id) | Outcome::Revived(id) => (Act::Restate, vec![id]),
                // The reconfirmation that reopens a row is an event of its own.
                Outcome::Reopened(_)
                | Outcome::Disputed(_)
                | Outcome::Added
                | Outcome::Superseded(_)
                | Outcome::Corrected(_)
                | Outcome::Proposed(_)
                | Outcome::Skipped
                | Outcome::Settled(_) => return None,
            },
            Event::Outcome(OutcomeEvent::Reported(event)) => match event.result {
                TaskResult::Success => (Act::Confirm, event.targets.clone()),
                TaskResult::Failure => (Act::Doubt, event.targets.clone()),
                TaskResult::Partial => return None,
            },
            Event::Review(ReviewEvent::Accepted(event)) => (Act::Accept, event.targets.clone()),
            Event::Memory(
                MemoryEvent::Remembered(_)
                | MemoryEvent::Pinned(_)
                | MemoryEvent::Unpinned(_)
                | MemoryEvent::Elsewhere(_)
                | MemoryEvent::Embedded(_),
            )
            | Event::Session(_)
            | Event::Turn(_)
            | Event::Review(
                ReviewEvent::Rejected(_) | ReviewEvent::Deferred(_) | ReviewEvent::RolledBack(_),
            )
            | Event::Policy(_)
            | Event::Compaction(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_)
            | Event::Procedure(_)
            | Event::Foreign(_) => return None,
        };
        Some(Claim::by(body, act, targets))
    }

    fn by(body: &Body<'_>, act: Act, targets: Vec<RecordId>) -> Claim {
        let envelope = &body.envelope;
        let (weight, verified) = match &body.event {
            Event::Memory(MemoryEvent::Confirmed(event)) => (event.weight, event.verified),
            Event::Memory(MemoryEvent::Promoted(event)) => (event.weight, false),
            Event::Memory(MemoryEvent::Surfaced(event)) => (event.weight, false),
            Event::Memory(MemoryEvent::Invalidated(event)) => (event.weight, false),
            Event::Outcome(OutcomeEvent::Reported(event)) => (None, event.verified),
            Event::Memory(_)
            | Event::Session(_)
            | Event::Turn(_)
            | Event::Reconcile(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Compaction(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_)
            | Event::Procedure(_)
            | Event::Foreign(_) => (None, false),
        };
        let surprise = match &body.event {
            Event::Outcome(OutcomeEvent::Reported(event)) => event
                .expected
                .and_then(|expected| PredictionError::between(expected, event.result.millionths())),
            Event::Memory(_)
            | Event::Session(_)
            | Event::Turn(_)
            | Event::Reconcile(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Compaction(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_)
            | Event::Procedure(_)
            | Event::Foreign(_) => None,
        };
        let mut targets: Vec<Seq> = targets.into_iter().map(|id| id.seq).collect();
        targets.sort_unstable();
        targets.dedup();
        Claim {
            act,
            weight,
            surprise,
            rank: envelope.actor.rank,
            verified,
            occurred_at: envelope.occurred_at,
            witness: envelope.witness(),
            targets,
        }
    }

    /// The strength that the claim gives `change`: the one it states, or the table's as an
    /// outcome's surprise scales it; `None` for the table's own.
    #[must_use]
    pub fn strength(&self, change: Change) -> Option<Weight> {
        let scaled = || Some(self.surprise?.scales(change.strength()?));
        self.weight.or_else(scaled)
    }

    /// The change that the claim makes to an item of these facts, or why it makes none.
    ///
    /// Whether the witness said so before is not known here: see [`crate::Salience`].
    ///
    /// # Errors
    /// [`Unmoved`]: the claim is no change of salience. Nothing is wrong with the event.
    pub fn judged(&self, item: &ItemFacts) -> Result<Change, Unmoved> {
        // An outcome can bear out an item or fail it; it holds no authority over one.
        let by_outcome = self.verified && matches!(self.act, Act::Confirm | Act::Doubt);
        let voice = Voice::of(self.rank, by_outcome);
        let change = match (self.act, voice) {
            (Act::Surface, _) => Change::Surfaced,
            (Act::Confirm, Voice::Outside) => Change::ConfirmedOutside,
            (Act::Confirm, Voice::Inside) => Change::ConfirmedInside,
            (Act::Restate, Voice::Outside) => Change::Restated,
            (Act::Promote, Voice::Outside) => Change::Promoted,
            (Act::Invalidate, Voice::Outside | Voice::Inside) => Change::Invalidated,
            (Act::Reconfirm, Voice::Outside) => Change::ReconfirmedOutside,
            // An unheard voice can only take back what an unheard voice did, which is nothing.
            (Act::Reconfirm, Voice::Inside | Voice::Unheard) => Change::ReconfirmedInside,
            (Act::Doubt, Voice::Outside) if self.verified => Change::Doubted,
            (Act::Accept, Voice::Outside) => Change::Accepted,
            (Act::Confirm | Act::Invalidate, Voice::Unheard)
            | (Act::Restate | Act::Promote | Act::Accept, Voice::Inside | Voice::Unheard)
            | (Act::Doubt, _) => return Err(Unmoved::Voice),
        };
        if item.own != change.needs() {
            return Err(Unmoved::Status);
        }
        let is_raised = !item.derived && !item.accepted;
        if change == Change::Surfaced && !is_raised {
            return Err(Unmoved::NotRaised);
        }
        if change == Change::Doubted && self.rank.level() < item.guard {
            return Err(Unmoved::Guard);
        }
        Ok(change)
    }
}

impl Voice {
    fn of(rank: Rank, verified: bool) -> Voice {
        match (rank, verified) {
            (Rank::User | Rank::Reviewer | Rank::Owner, _) | (_, true) => Voice::Outside,
            (Rank::Assistant, false) => Voice::Inside,
            (Rank::Engine | Rank::Web | Rank::Tool, false) => Voice::Unheard,
        }
    }
}
