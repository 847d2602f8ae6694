use std::collections::BTreeMap;

use memlith_event::{
    Actor, Embedded, Envelope, IdempotencyKey, Link, LinkKind, Origin, PendingReason, PolicyEvent,
    Provenance, Scope, Slot, Summarised, Validity, Via, Weight,
};
use memlith_log::{RecordId, Seq, Timestamp};

use crate::procedure::ProposedProcedure;
use crate::report::TaskReport;
use crate::review::Judgement;

/// Something that an actor wants to be so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Write an assertion, reconciled with what exists.
    Remember(Remember),
    /// Replace an assertion that was wrong from its start.
    Correct {
        /// The memory that was wrong.
        target: RecordId,
        /// The assertion that is right.
        with: Remember,
    },
    /// Change items that exist.
    Change {
        /// The change.
        change: Change,
        /// To which: each once, at least one.
        targets: Vec<RecordId>,
    },
    /// Write an assertion that waits for review, whoever writes it: a copy of one that
    /// waited where it was written.
    Propose {
        /// The assertion.
        what: Remember,
        /// Why it waits.
        reason: PendingReason,
        /// The rows that it would displace, and so disputes, besides those it meets here.
        against: Vec<RecordId>,
    },
    /// Give items vectors of one model.
    Embed(Vec<Embedded<'static>>),
    /// Say what an answer came to that cited items.
    Report(TaskReport),
    /// Review memories that wait.
    Review {
        /// The reviewer's judgement.
        judgement: Judgement,
        /// Which: each once; one alone is accepted at a time.
        targets: Vec<RecordId>,
        /// Why.
        reason: Option<String>,
    },
    /// Propose a procedure for review.
    Mine(ProposedProcedure),
    /// Take back the memory that a decision made; what it ended goes on.
    RollBack {
        /// The memory.
        target: RecordId,
        /// Why.
        reason: Option<String>,
    },
    /// Choose how events move salience, or how far sources are trusted; or give a role.
    Choose(PolicyEvent<'static>),
    /// Dispute items without taking them out, whoever does it: a copy of a dispute.
    Dispute {
        /// Which: each once, at least one.
        targets: Vec<RecordId>,
        /// Why.
        reason: Option<String>,
    },
    /// Write a summary of a span, as it was planned.
    Summarise(Box<Summarise>),
}

/// A summary to write: it rests on its sources, and leaves with any of them.
///
/// That its words are theirs, and its identity that of their hashes, is the planner's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summarise {
    /// The content of the summary.
    pub summary: Summarised<'static>,
    /// The items that it rests on, ascending.
    pub sources: Vec<RecordId>,
}

/// An assertion to write.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Remember {
    /// The assertion in words.
    pub text: String,
    /// As entity, predicate and value, where known.
    pub slot: Option<Slot<'static>>,
    /// When it holds.
    pub validity: Validity,
    /// The records that it rests on, at most [`Remember::SOURCES_MAX`]; it leaves with them.
    pub rests_on: Vec<RecordId>,
    /// Pairs of key and value that the caller keeps beside it: at most 64, of at most 64 KiB in
    /// all. A write that makes no row of its own leaves those of the row that stands.
    pub metadata: BTreeMap<String, String>,
}

impl From<&str> for Remember {
    fn from(text: &str) -> Remember {
        Remember::new(text)
    }
}

impl From<String> for Remember {
    fn from(text: String) -> Remember {
        Remember::new(text)
    }
}

/// A change to items that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Say that they are right.
    Confirm {
        /// A strength other than 1.5.
        weight: Option<Weight>,
        /// Whether a verified outcome stands behind it.
        verified: bool,
    },
    /// Raise them with authority.
    Promote {
        /// A strength other than 2.0.
        weight: Option<Weight>,
    },
    /// Show it before all others.
    Pin,
    /// Take the pin off.
    Unpin,
    /// Declare memories wrong, withdraw records.
    Invalidate {
        /// A strength other than 0.2.
        weight: Option<Weight>,
        /// Why.
        reason: Option<String>,
    },
    /// Take an invalidation back.
    Reconfirm {
        /// Why.
        reason: Option<String>,
    },
}

impl Change {
    /// Says that items are right.
    #[must_use]
    pub fn confirm() -> Change {
        Change::Confirm { weight: None, verified: false }
    }

    /// Raises items with authority.
    #[must_use]
    pub fn promote() -> Change {
        Change::Promote { weight: None }
    }

    /// Declares memories wrong.
    #[must_use]
    pub fn invalidate(reason: impl Into<String>) -> Change {
        Change::Invalidate { weight: None, reason: Some(reason.into()) }
    }

    /// Takes an invalidation back.
    #[must_use]
    pub fn reconfirm(reason: impl Into<String>) -> Change {
        Change::Reconfirm { reason: Some(reason.into()) }
    }
}

/// Header of all events of a command: who commands, for whom, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Door {
    /// The scope of the events; also what the actor may see.
    pub scope: Scope<'static>,
    /// Where what it rests on is seen, if that is not where it is written: a person's own
    /// word is filed under nobody's project, and the turn it was said in is of one.
    pub sources: Option<Scope<'static>>,
    /// The actor that commands.
    pub actor: Actor<'static>,
    /// The origin of the words.
    pub origin: Origin,
    /// How it came in.
    pub via: Via,
    /// The importer's cap on the tier.
    pub tier_cap: Option<u8>,
    /// When it happened; not after `now`.
    pub occurred_at: Timestamp,
    /// The instant for which labels are computed.
    pub now: Timestamp,
    /// The writer's own name for this write.
    pub key: Option<IdempotencyKey>,
    /// The record this is a copy of.
    pub copied_from: Option<Provenance>,
    /// The sequence that the first event of the command will get.
    pub next: Seq,
}

impl Door {
    /// An envelope of what is written through it, with these links.
    #[must_use]
    pub fn envelope(&self, links: Vec<Link>) -> Envelope<'static> {
        Envelope {
            scope: self.scope.clone(),
            actor: self.actor.clone(),
            origin: self.origin,
            via: self.via,
            tier_cap: self.tier_cap,
            occurred_at: self.occurred_at,
            links,
            key: self.key,
            copied_from: self.copied_from,
        }
    }
}

impl Remember {
    /// Maximum number of records that a memory rests on.
    pub const SOURCES_MAX: usize = 1_024;

    /// An assertion in words alone, which holds from now on.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Remember {
        Remember { text: text.into(), ..Remember::default() }
    }

    /// States the property and its value; a property has any number of values.
    #[must_use]
    pub fn slot(
        mut self,
        entity: impl Into<String>,
        predicate: impl Into<String>,
        value: impl Into<String>,
    ) -> Remember {
        self.slot = Some(Slot {
            entity: entity.into().into(),
            predicate: predicate.into().into(),
            value: value.into().into(),
            single: false,
        });
        self
    }

    /// States the property and the one value that it has at a time: another one ends it.
    #[must_use]
    pub fn single(
        self,
        entity: impl Into<String>,
        predicate: impl Into<String>,
        value: impl Into<String>,
    ) -> Remember {
        let mut said = self.slot(entity, predicate, value);
        said.slot = said.slot.map(|slot| Slot { single: true, ..slot });
        said
    }

    /// Keeps a pair beside it.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Remember {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// States the first instant at which it holds.
    #[must_use]
    pub fn valid_from(mut self, from: Timestamp) -> Remember {
        self.validity.from = Some(from);
        self
    }

    /// States the first instant at which it holds no more.
    #[must_use]
    pub fn valid_until(mut self, until: Timestamp) -> Remember {
        self.validity.until = Some(until);
        self
    }

    /// States what it rests on: it leaves and comes back with them.
    #[must_use]
    pub fn rests_on(mut self, sources: impl IntoIterator<Item = RecordId>) -> Remember {
        self.rests_on.extend(sources);
        self
    }

    pub(crate) fn links(&self) -> Vec<Link> {
        let rests_on = |target: &RecordId| Link { kind: LinkKind::RestsOn, target: *target };
        self.rests_on.iter().map(rests_on).collect()
    }
}
