use memlith_log::{LedgerId, RecordId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Actor, Key, Link, LinkKind, Origin, Scope, Tier, Via};

/// Header of every event: whose, by whom, how it came, when, and what it refers to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope<'a> {
    /// The scope that the event belongs to.
    #[serde(borrow)]
    pub scope: Scope<'a>,
    /// The actor that did it.
    pub actor: Actor<'a>,
    /// The origin of its words.
    pub origin: Origin,
    /// How it came in.
    pub via: Via,
    /// The importer's cap on the tier, where it trusts its source less than fully.
    pub tier_cap: Option<u8>,
    /// When it happened; never after the record's `recorded_at`.
    pub occurred_at: Timestamp,
    /// The records that it refers to, and how.
    pub links: Vec<Link>,
    /// The key under which a repeated write of the same thing is recognised.
    pub key: Option<IdempotencyKey>,
    /// The record of another ledger that this one was copied from.
    pub copied_from: Option<Provenance>,
}

/// A writer's own name for one write; unique for its actor in (tenant, agent, subject).
///
/// Never a plain hash of content: that would tell what was written after an erasure.
/// Text form 32 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdempotencyKey(pub [u8; 16]);

/// A record of another ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The other ledger.
    pub ledger: LedgerId,
    /// The record's id there.
    pub id: RecordId,
}

impl<'a> Envelope<'a> {
    /// A live event of `actor`, spoken by the origin that matches its rank, without links.
    #[must_use]
    pub fn new(scope: Scope<'a>, actor: Actor<'a>, occurred_at: Timestamp) -> Envelope<'a> {
        use crate::Rank;
        let origin = match actor.rank {
            Rank::Engine => Origin::Derived,
            Rank::Web => Origin::Web,
            Rank::Tool => Origin::Tool,
            Rank::Assistant => Origin::Assistant,
            Rank::User | Rank::Reviewer | Rank::Owner => Origin::User,
        };
        Envelope {
            scope,
            actor,
            origin,
            via: Via::Live,
            tier_cap: None,
            occurred_at,
            links: Vec::new(),
            key: None,
            copied_from: None,
        }
    }

    /// The tier of a primary item in this envelope.
    #[must_use]
    pub fn tier(&self) -> Tier {
        Tier::of(self.origin, self.tier_cap, self.actor.rank)
    }

    /// The targets of the links of one kind, in order.
    pub fn linked(&self, kind: LinkKind) -> impl Iterator<Item = RecordId> + '_ {
        self.links.iter().filter(move |link| link.kind == kind).map(|link| link.target)
    }

    /// The name of the actor in the session, by which evidence counts once; having no session
    /// is a session of its own.
    ///
    /// The cell is left out on purpose: an item has one, and an actor that writes the same
    /// session under another agent or subject is still the same witness.
    #[must_use]
    pub fn witness(&self) -> Key {
        let session = self.scope.session.as_deref();
        let present = [u8::from(session.is_some())];
        let session = session.unwrap_or_default();
        Key::of("witness", &[self.actor.name.as_bytes(), &present, session.as_bytes()])
    }

    /// The key of the idempotency key: per tenant, agent, subject and actor.
    #[must_use]
    pub fn idempotency(&self) -> Option<Key> {
        self.key?;
        self.idempotency_in(self.scope.cell())
    }

    /// Returns the key as [`Envelope::idempotency`] does, with the key of the scope's cell at hand.
    #[must_use]
    pub fn idempotency_in(&self, cell: Key) -> Option<Key> {
        Some(self.key?.for_actor_in(cell, &self.actor))
    }

    /// Copies the envelope, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Envelope<'static> {
        Envelope {
            scope: self.scope.into_owned(),
            actor: self.actor.into_owned(),
            origin: self.origin,
            via: self.via,
            tier_cap: self.tier_cap,
            occurred_at: self.occurred_at,
            links: self.links,
            key: self.key,
            copied_from: self.copied_from,
        }
    }
}

impl IdempotencyKey {
    /// The key under which folded state looks this up: the same words of two actors,
    /// or in two cells of (tenant, agent, subject), never meet. Otherwise one subject's
    /// write could be answered with the id of another's.
    #[must_use]
    pub fn for_actor(self, scope: &Scope<'_>, actor: &Actor<'_>) -> Key {
        self.for_actor_in(scope.cell(), actor)
    }

    /// The key as [`IdempotencyKey::for_actor`] gives it, with the key of the scope's cell at hand.
    #[must_use]
    pub fn for_actor_in(self, cell: Key, actor: &Actor<'_>) -> Key {
        Key::of("idempotency", &[&cell.0, actor.name.as_bytes(), &self.0])
    }

    /// The key of the write that a source system calls by `parts`, e.g. tool, session, line.
    #[must_use]
    pub fn of(parts: &[&str]) -> IdempotencyKey {
        let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        IdempotencyKey(Key::of("source", &parts).0)
    }
}
