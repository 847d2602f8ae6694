use serde::{Deserialize, Serialize};

use crate::{Body, Event, Kind, Rank, Text, TombstoneEvent};

/// A role for the key of a node that writes a shared ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleGiven<'a> {
    /// The key with which the node signs: Ed25519, public.
    pub key: [u8; 32],
    /// The node's name, for people.
    #[serde(borrow)]
    pub name: Text<'a>,
    /// Its role; each includes those before it.
    pub role: Role,
}

/// The most that a node of a shared ledger may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// No event: seals of its own checkpoints and anchors of heads alone.
    Reader,
    /// Events of a user, an assistant, a tool or the web, and the engine's own.
    Writer,
    /// Those of a reviewer too.
    Reviewer,
    /// All: erasures, policies and roles too.
    Owner,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 4] = [Role::Reader, Role::Writer, Role::Reviewer, Role::Owner];

    /// The name under which it is given and printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Writer => "writer",
            Role::Reviewer => "reviewer",
            Role::Owner => "owner",
        }
    }

    /// The least role that may have written an event of this kind, of which the words are erased.
    #[must_use]
    pub fn needed_for_erased(kind: Kind) -> Role {
        match kind.number {
            160..=175 => Role::Reviewer,
            176..=191 => Role::Owner,
            _ => Role::Writer,
        }
    }

    /// The least role that may write the event of `body`: by the rank of its actor, and by what
    /// the event does, whatever rank it claims.
    #[must_use]
    pub fn needed_for(body: &Body<'_>) -> Role {
        let by_rank = match body.envelope.actor.rank {
            Rank::Owner => Role::Owner,
            Rank::Reviewer => Role::Reviewer,
            Rank::Engine | Rank::Web | Rank::Tool | Rank::Assistant | Rank::User => Role::Writer,
        };
        let by_event = match &body.event {
            Event::Policy(_) | Event::Tombstone(TombstoneEvent::Lifted(_)) => Role::Owner,
            Event::Review(_) => Role::Reviewer,
            Event::Session(_)
            | Event::Turn(_)
            | Event::Memory(_)
            | Event::Reconcile(_)
            | Event::Outcome(_)
            | Event::Compaction(_)
            | Event::Procedure(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Foreign(_)
            | Event::Tombstone(TombstoneEvent::Laid(_)) => Role::Writer,
        };
        by_rank.max(by_event)
    }
}

#[cfg(test)]
mod tests {
    use memlith_log::Timestamp;

    use super::*;
    use crate::{Actor, Envelope, PolicyEvent, Scope, SessionEvent, TrustPolicy};

    #[test]
    fn a_claimed_rank_and_a_deed_each_need_their_role() {
        let needed = |rank, event| {
            let actor = Actor::new("ana", rank);
            Role::needed_for(&Body {
                envelope: Envelope::new(Scope::default(), actor, Timestamp(1)),
                event,
            })
        };
        let ended = || Event::Session(SessionEvent::Ended);
        for (rank, role) in [
            (Rank::Engine, Role::Writer),
            (Rank::User, Role::Writer),
            (Rank::Reviewer, Role::Reviewer),
            (Rank::Owner, Role::Owner),
        ] {
            assert_eq!(needed(rank, ended()), role);
        }
        let policy = Event::Policy(PolicyEvent::TrustChosen(TrustPolicy::Open));
        assert_eq!(needed(Rank::User, policy), Role::Owner);
    }
}
