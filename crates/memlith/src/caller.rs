use std::collections::BTreeMap;

use memlith_event::{Actor, IdempotencyKey, Origin, Provenance, Rank, Scope, Via};
use memlith_log::{Seq, Tick, Timestamp};
use memlith_memory::Door;
use memlith_redact::redact;

use crate::error::Error;
use crate::write::command::clean;

/// Author of a question or command, and the scope of the call.
///
/// The embedding program decides the rank: what a caller claims of itself counts for
/// nothing. Reads see what the scope sees; writes belong to it.
///
/// ```
/// use memlith::{Caller, Rank};
///
/// let ana = Caller::user("acme", "ana"); // reads and writes what all of acme share
/// let coder = Caller::new("acme", "coder", Rank::Assistant);
/// let own = coder.clone().agent("coder"); // reads both, and writes what it alone reads
/// let once = coder.keyed("deploy 41"); // writes to all, once
/// # assert!(ana.scope == coder.scope && own.scope != coder.scope && once.key.is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Caller {
    /// The scope whose memories are read and written.
    pub scope: Scope<'static>,
    /// The caller's name.
    pub name: String,
    /// The caller's authority.
    pub rank: Rank,
    /// The origin of the words; by default the one that matches the rank.
    pub origin: Option<Origin>,
    /// How it came in.
    pub via: Via,
    /// The instant of the write or read; by default the clock's. A read takes any. A write
    /// of an earlier instant says what happened then; one that is up to five minutes ahead
    /// of the clock is taken for the clock's, and one that is further ahead is refused.
    pub now: Option<Timestamp>,
    /// The highest tier that what is written may have, where the caller trusts its
    /// source less than fully. A reviewer and the owner write at tier 4 all the same;
    /// of what [`Ledger::import_jsonl`](crate::Ledger::import_jsonl) copies for them it
    /// caps the rank too.
    pub tier_cap: Option<u8>,
    /// The caller's own name for this write: a write under a known key is not repeated.
    /// A key holds for the caller's name in its tenant, agent and subject.
    pub key: Option<IdempotencyKey>,
    /// The scope that sees the records which a write rests on; by default the caller's own.
    pub sources: Option<Scope<'static>>,
}

/// When a write happens, and what it will be numbered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The clock, read once for the batch.
    pub(crate) tick: Tick,
    pub(crate) next: Seq,
}

/// How far two clocks may differ: a write's instant is at most 5 minutes ahead of the ledger's.
const AHEAD_MAX_US: i64 = 5 * 60 * 1_000_000;

impl Caller {
    /// A person, in the scope that `tenant` shares.
    #[must_use]
    pub fn user(tenant: &str, name: &str) -> Caller {
        Caller::new(tenant, name, Rank::User)
    }

    /// A caller of the given rank, in the scope that `tenant` shares.
    #[must_use]
    pub fn new(tenant: &str, name: &str, rank: Rank) -> Caller {
        Caller {
            scope: Scope::tenant(tenant.to_owned()),
            name: name.to_owned(),
            rank,
            origin: None,
            via: Via::Live,
            now: None,
            tier_cap: None,
            key: None,
            sources: None,
        }
    }

    /// Puts the caller into the scope of one agent: it reads what all share and what is that
    /// agent's, and what it writes no other agent reads.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<String>) -> Caller {
        self.scope.agent = Some(agent.into().into());
        self
    }

    /// Makes the caller speak about one person or thing: it reads what all share and what is about
    /// that subject, and what it writes is about it.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Caller {
        self.scope.subject = Some(subject.into().into());
        self
    }

    /// Puts the caller into a session, which groups what is written and walls nothing off.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Caller {
        self.scope.session = Some(session.into().into());
        self
    }

    /// Puts the caller into a session that alone sees what it writes.
    #[must_use]
    pub fn session_only(mut self, session: impl Into<String>) -> Caller {
        self.scope.session_only = true;
        self.session(session)
    }

    /// Copies the caller for one call: what it writes under `key` a second time is not written
    /// again ([`WriteOutcome::AlreadyPresent`](crate::WriteOutcome)), and another write under it is
    /// refused ([`Error::KeyReused`]).
    #[must_use]
    pub fn keyed(&self, key: &str) -> Caller {
        Caller { key: Some(IdempotencyKey::of(&["caller", key])), ..self.clone() }
    }

    /// Copies the caller for one call, at the instant `now` in place of the clock's.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> Caller {
        Caller { now: Some(now), ..self.clone() }
    }

    /// The actor as the log names it: a secret in the name is taken out, for writing and
    /// for looking up alike.
    pub(crate) fn actor(&self) -> Actor<'static> {
        Actor::new(clean(self.name.clone(), &mut BTreeMap::new()), self.rank)
    }

    /// Refuses a scope that must not be written down.
    pub(crate) fn check_scope(scope: &Scope<'_>) -> Result<(), Error> {
        if scope.everywhere {
            return Err(Error::WriteEverywhere);
        }
        let names = [
            ("tenant", Some(&scope.tenant)),
            ("agent", scope.agent.as_ref()),
            ("subject", scope.subject.as_ref()),
            ("session", scope.session.as_ref()),
        ];
        for (coordinate, name) in names {
            let found = name.and_then(|name| redact(name).counts.into_keys().next());
            if let Some(rule) = found {
                return Err(Error::SecretScope { coordinate, rule: rule.name() });
            }
        }
        Ok(())
    }

    pub(crate) fn origin(&self) -> Origin {
        self.origin.unwrap_or(match self.rank {
            Rank::Engine => Origin::Derived,
            Rank::Web => Origin::Web,
            Rank::Tool => Origin::Tool,
            Rank::Assistant => Origin::Assistant,
            Rank::User | Rank::Reviewer | Rank::Owner => Origin::User,
        })
    }

    /// The door of a write.
    ///
    /// # Errors
    /// [`Error::NowAhead`], [`Error::WriteEverywhere`].
    pub(crate) fn door(
        &self,
        moment: Moment,
        copied_from: Option<Provenance>,
    ) -> Result<Door, Error> {
        if self.scope.everywhere {
            return Err(Error::WriteEverywhere);
        }
        check_now(self.now, moment.tick.recorded_at)?;
        Ok(self.door_of_a_read(moment, copied_from))
    }

    /// The door of what the engine writes for a caller that may look into the future.
    pub(crate) fn door_of_a_read(&self, moment: Moment, copied_from: Option<Provenance>) -> Door {
        let now = self.now.unwrap_or(moment.tick.raw);
        Door {
            sources: self.sources.clone(),
            scope: self.scope.clone(),
            actor: self.actor(),
            origin: self.origin(),
            via: self.via,
            tier_cap: self.tier_cap,
            occurred_at: now.min(moment.tick.recorded_at),
            now,
            key: self.key,
            copied_from,
            next: moment.next,
        }
    }
}

/// Refuses an instant that a write can't be of: it would be recorded before it happened.
///
/// # Errors
/// [`Error::NowAhead`].
pub(crate) fn check_now(now: Option<Timestamp>, clock: Timestamp) -> Result<(), Error> {
    match now {
        Some(now) if now > clock.plus_us(AHEAD_MAX_US) => Err(Error::NowAhead { now, clock }),
        Some(_) | None => Ok(()),
    }
}
