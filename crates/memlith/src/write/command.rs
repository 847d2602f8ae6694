//! Calls that write, and their results.

use std::collections::BTreeMap;

use memlith_event::{
    Body, Event, MemoryEvent, Outcome, OutcomeEvent, OwnStatus, ReconcileEvent, Scope,
};
use memlith_log::{Appended, Durability, RecordId, Seq};
use memlith_memory::{Change, Command, Judgement, Remember, TaskReport};
use memlith_redact::{Rule, redact};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::caller::Caller;
use crate::copy::import::{redact_named, redact_text, without_named};
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::write::append::Urgency;
use crate::write::near::NearMemory;
use crate::write::reconcile::Write;

/// Result of a write.
///
/// A write that was understood and refused nothing may still not be in force: it waits for
/// review, is disputed, or was there already: [`Written::status`] says which.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a write may wait for review or only dispute: ask `status`, or take its `id`"]
#[non_exhaustive]
pub struct Written {
    /// The item: the new row, or the one that was said again.
    pub id: RecordId,
    /// The record that was appended last; where nothing was, the one that stood already.
    pub seq: Seq,
    /// The outcome that was decided.
    pub outcome: WriteOutcome,
    /// How many secrets were taken out, by rule.
    pub redacted: BTreeMap<Rule, u64>,
    /// The memories that stand beside it and that it may have made out of date, at most three,
    /// the newest first: whoever writes decides whether to correct one.
    pub near: Vec<NearMemory>,
    /// Whether the item waits for review.
    pub(crate) waits: bool,
}

/// The result of a write in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It stands as a new memory.
    Added,
    /// It stands in the place of others: [`Written::superseded`].
    Replaced,
    /// It stands beside others that it contradicts: [`Written::contested`].
    MayReplace,
    /// A memory said it already, under the same key or in the same words; no row was added.
    Known,
    /// An arbiter thought it not worth a row.
    Skipped,
    /// It waits for review, and is not shown until somebody accepts it.
    Waiting,
    /// The items were changed as asked.
    Changed,
    /// The caller's rank is too low: the items stand, and are marked as disputed.
    Disputed,
}

/// The effect of a call that writes: a decision, a change, a review, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a write may wait for review or only dispute"]
pub enum WriteOutcome {
    /// An assertion was reconciled with what is there.
    Decided {
        /// The outcome of the decision.
        outcome: Outcome,
        /// Whether the new row waits for review.
        pending: bool,
        /// The memories that the new row stands beside and contradicts.
        contested: Vec<RecordId>,
    },
    /// Items were changed.
    Changed,
    /// A reviewer said so of items that waited.
    Reviewed {
        /// The reviewer's judgement.
        judgement: Judgement,
        /// The memories that gave way to the one that was accepted.
        displaced: Vec<RecordId>,
    },
    /// The caller's rank is below the guard of the items, which are now disputed and stand.
    Disputed,
    /// The caller wrote this before, under the same key; nothing was appended.
    AlreadyPresent,
    /// A memory says all of it in other words; it was reinforced, and no row appended.
    Redundant,
}

impl Written {
    /// The result in one word.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.outcome {
            _ if self.waits => Status::Waiting,
            WriteOutcome::Decided { outcome, contested, .. } => match outcome {
                Outcome::Added | Outcome::Settled(_) if contested.is_empty() => Status::Added,
                Outcome::Added | Outcome::Settled(_) => Status::MayReplace,
                Outcome::Superseded(_) | Outcome::Corrected(_) => Status::Replaced,
                Outcome::Restated(_) | Outcome::Revived(_) | Outcome::Reopened(_) => Status::Known,
                Outcome::Proposed(_) => Status::Waiting,
                Outcome::Disputed(_) => Status::Disputed,
                Outcome::Skipped => Status::Skipped,
            },
            WriteOutcome::AlreadyPresent | WriteOutcome::Redundant => Status::Known,
            WriteOutcome::Changed | WriteOutcome::Reviewed { .. } => Status::Changed,
            WriteOutcome::Disputed => Status::Disputed,
        }
    }

    /// Whether what was asked for now holds: not where it waits, only disputes, or was skipped.
    #[must_use]
    pub fn is_in_force(&self) -> bool {
        !matches!(self.status(), Status::Waiting | Status::Disputed | Status::Skipped)
    }

    /// The rows that gave way to it.
    #[must_use]
    pub fn superseded(&self) -> Vec<RecordId> {
        self.outcome.displaced()
    }

    /// The rows that it stands beside and contradicts.
    #[must_use]
    pub fn contested(&self) -> &[RecordId] {
        self.outcome.contested()
    }
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Written", 7)?;
        out.serialize_field("id", &self.id)?;
        out.serialize_field("seq", &self.seq)?;
        out.serialize_field("outcome", self.outcome.label())?;
        out.serialize_field("displaced", &self.superseded())?;
        out.serialize_field("contested", self.contested())?;
        out.serialize_field("near", &self.near)?;
        out.serialize_field("redacted", &self.redacted)?;
        out.end()
    }
}

impl WriteOutcome {
    /// The memories that the new row stands beside and contradicts.
    #[must_use]
    pub fn contested(&self) -> &[RecordId] {
        match self {
            WriteOutcome::Decided { contested, .. } => contested,
            WriteOutcome::Changed
            | WriteOutcome::Reviewed { .. }
            | WriteOutcome::Disputed
            | WriteOutcome::AlreadyPresent
            | WriteOutcome::Redundant => &[],
        }
    }

    /// The rows that gave way to what was written.
    #[must_use]
    pub fn displaced(&self) -> Vec<RecordId> {
        match self {
            WriteOutcome::Decided { outcome, .. } => displaced(outcome.clone()),
            WriteOutcome::Reviewed { displaced, .. } => displaced.clone(),
            WriteOutcome::Changed
            | WriteOutcome::Disputed
            | WriteOutcome::AlreadyPresent
            | WriteOutcome::Redundant => Vec::new(),
        }
    }

    /// The word for it in output.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            WriteOutcome::Decided { pending: true, .. } => "pending",
            WriteOutcome::Decided { outcome, .. } => match outcome {
                Outcome::Added => "added",
                Outcome::Restated(_) => "restated",
                Outcome::Revived(_) => "revived",
                Outcome::Superseded(_) => "superseded",
                Outcome::Corrected(_) => "corrected",
                Outcome::Proposed(_) => "proposed",
                Outcome::Disputed(_) => "disputed",
                Outcome::Reopened(_) => "reopened",
                Outcome::Skipped => "skipped",
                Outcome::Settled(_) => "settled",
            },
            WriteOutcome::Changed => "changed",
            WriteOutcome::Reviewed { judgement, .. } => judgement.participle(),
            WriteOutcome::Disputed => "disputed",
            WriteOutcome::AlreadyPresent => "already_present",
            WriteOutcome::Redundant => "redundant",
        }
    }
}

impl Ledger {
    /// Writes an assertion, reconciled with what exists: a text, or a [`Remember`].
    ///
    /// ```
    /// # use memlith::{Caller, Ledger, Options, Remember};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let ledger = Ledger::create(folder.path().join("ledger"), Options::default())?;
    /// let ana = Caller::user("default", "ana");
    /// let first = ledger.remember(&ana, "Staging runs Postgres 14.")?;
    /// let second = Remember::new("Staging is on 15 now.").single("staging", "postgres", "15");
    /// let second = ledger.remember(&ana.keyed("deploy 41"), second.rests_on([first.id]))?;
    /// assert!(second.is_in_force());
    /// # Ok::<(), memlith::Error>(())
    /// ```
    ///
    /// It is compared with nothing beyond the caller's tenant, agent and subject: what an
    /// agent writes for itself alone neither ends nor disputes what all share.
    ///
    /// Secrets are taken out before anything is compared or hashed. Appends one batch:
    /// the decision and, where it makes one, the row. Durable as the ledger's options say.
    ///
    /// A write that would displace what is guarded above its writer is no error: it waits
    /// for review ([`Status::Waiting`]), and what it speaks against is marked as disputed.
    ///
    /// # Errors
    /// [`Error::Rejected`] where the text is empty or was declared wrong or erased before,
    /// [`Error::KeyReused`] for another write under a known key, [`Error::NowAhead`],
    /// [`Error::SecretScope`], and the log's.
    pub fn remember(
        &self,
        caller: &Caller,
        remember: impl Into<Remember>,
    ) -> Result<Written, Error> {
        let (remember, redacted) = without_secrets(remember.into());
        let (remember, redacted) = (&remember, &redacted);
        self.reconcile(&Write { caller, remember, redacted, only_new: false })
    }

    /// Replaces an assertion that was wrong from its start. The new one is seen where the old one
    /// was: it has its agent and its subject, whoever corrects it.
    ///
    /// # Errors
    /// Those of [`Ledger::remember`].
    pub fn correct(
        &self,
        caller: &Caller,
        target: RecordId,
        with: impl Into<Remember>,
    ) -> Result<Written, Error> {
        let (with, redacted) = without_secrets(with.into());
        self.command(caller, &Command::Correct { target, with }, redacted)
    }

    /// Changes items: confirms, promotes, pins, invalidates, reconfirms.
    ///
    /// An invalidation always succeeds on a full disk, as long as the reserve lasts. One of
    /// what is guarded above the caller is no error: it only disputes
    /// ([`Status::Disputed`]).
    ///
    /// # Errors
    /// [`Error::Rejected`], [`Error::KeyReused`] for another change under a known key, and
    /// the log's.
    pub fn change(
        &self,
        caller: &Caller,
        change: Change,
        targets: impl AsRef<[RecordId]>,
    ) -> Result<Written, Error> {
        let targets = targets.as_ref();
        let mut redacted = BTreeMap::new();
        let change = match change {
            Change::Invalidate { weight, reason } => {
                Change::Invalidate { weight, reason: reason.map(|text| clean(text, &mut redacted)) }
            }
            Change::Reconfirm { reason } => {
                Change::Reconfirm { reason: reason.map(|text| clean(text, &mut redacted)) }
            }
            other @ (Change::Confirm { .. }
            | Change::Promote { .. }
            | Change::Pin
            | Change::Unpin) => other,
        };
        self.command(caller, &Command::Change { change, targets: targets.to_vec() }, redacted)
    }

    pub(crate) fn command(
        &self,
        caller: &Caller,
        command: &Command,
        redacted: BTreeMap<Rule, u64>,
    ) -> Result<Written, Error> {
        Caller::check_scope(&caller.scope)?;
        self.locked(|writer, state, moment| {
            if let Some(known) = self.already_written(caller, state, command, &redacted)? {
                return Ok(known);
            }
            let mut door = caller.door(moment, None)?;
            let mut bodies = state.memory.decide(command, &door)?;
            if let Command::Correct { target, .. } = command {
                // It is written where its target is seen: what all share is not ended by a note
                // of one user.
                let Scope { agent, subject, .. } = self.scope_of(*target)?;
                (door.scope.agent, door.scope.subject) = (agent, subject);
                bodies = state.memory.decide(command, &door)?;
            }
            let urgency = match command {
                Command::Change { change: Change::Invalidate { .. }, .. } => Urgency::Urgent,
                Command::Change { .. }
                | Command::Remember(_)
                | Command::Correct { .. }
                | Command::Embed(_)
                | Command::Report(_)
                | Command::Mine(_)
                | Command::Propose { .. }
                | Command::Review { .. }
                | Command::Summarise(_)
                | Command::RollBack { .. }
                | Command::Dispute { .. } => Urgency::Ordinary(self.options.durability),
                // The sync of the checkpoint that follows it may fail and take back what was
                // only buffered.
                Command::Choose(_) => Urgency::Ordinary(Durability::Immediate),
            };
            let appended = self.append(writer, state, moment.tick, &bodies, urgency)?;
            Ok(written(state, command, &bodies, &appended, redacted.clone()))
        })
    }

    /// The item that an idempotency key's record is about: itself, or what it names.
    pub(crate) fn row_of(&self, id: RecordId) -> Result<RecordId, Error> {
        let record = self.log.read(id.seq)?;
        let body = body_of(&record).map_err(|source| Error::Decode { seq: id.seq, source })?;
        Ok(body.and_then(|body| row_named(&body.event)).unwrap_or(id))
    }
}

/// The item that a command's first event names, where it isn't one itself.
pub(crate) fn row_named(event: &Event<'_>) -> Option<RecordId> {
    match event {
        Event::Reconcile(ReconcileEvent::Decided(decided)) => match &decided.outcome {
            Outcome::Restated(row) | Outcome::Revived(row) | Outcome::Reopened(row) => Some(*row),
            Outcome::Disputed(rows) => rows.first().copied(),
            Outcome::Added
            | Outcome::Superseded(_)
            | Outcome::Corrected(_)
            | Outcome::Proposed(_)
            | Outcome::Skipped => None,
            Outcome::Settled(row) => Some(*row),
        },
        Event::Memory(MemoryEvent::Confirmed(said)) => said.targets.first().copied(),
        Event::Memory(MemoryEvent::Promoted(said)) => said.targets.first().copied(),
        Event::Memory(MemoryEvent::Invalidated(said)) => said.targets.first().copied(),
        Event::Memory(MemoryEvent::Reconfirmed(said)) => said.targets.first().copied(),
        Event::Memory(MemoryEvent::Pinned(target) | MemoryEvent::Unpinned(target)) => Some(*target),
        Event::Memory(MemoryEvent::Embedded(said)) => Some(said.target),
        Event::Outcome(OutcomeEvent::Reported(said)) => said.targets.first().copied(),
        Event::Review(event) => event.targets().first().copied(),
        Event::Memory(
            MemoryEvent::Remembered(_) | MemoryEvent::Surfaced(_) | MemoryEvent::Elsewhere(_),
        )
        | Event::Session(_)
        | Event::Turn(_)
        | Event::Policy(_)
        | Event::Compaction(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Tombstone(_)
        | Event::Procedure(_)
        | Event::Foreign(_) => None,
    }
}

/// Whether the item waits for review.
pub(crate) fn waits(state: &State, id: RecordId) -> bool {
    state.memory.item(id.seq).is_some_and(|item| item.own == OwnStatus::Pending)
}

pub(crate) fn written(
    state: &State,
    command: &Command,
    bodies: &[Body<'_>],
    appended: &[Appended],
    redacted: BTreeMap<Rule, u64>,
) -> Written {
    let last = appended.last().map_or(Seq::GENESIS, |appended| appended.seq);
    let decided = bodies.iter().find_map(|body| {
        let Event::Reconcile(ReconcileEvent::Decided(decided)) = &body.event else { return None };
        Some((decided.outcome.clone(), decided.contests().to_vec()))
    });
    let (decided, contested) = decided.unzip();
    let contested = contested.unwrap_or_default();
    let row = bodies.iter().zip(appended).find_map(|(body, appended)| {
        let Event::Memory(MemoryEvent::Remembered(row)) = &body.event else { return None };
        Some((appended.id, row.pending.is_some()))
    });
    let named = match command {
        Command::RollBack { target, .. } => Some(*target),
        Command::Change { targets, .. }
        | Command::Dispute { targets, .. }
        | Command::Review { targets, .. }
        | Command::Report(TaskReport { targets, .. }) => targets.first().copied(),
        Command::Embed(vectors) => vectors.first().map(|one| one.target),
        Command::Remember(_)
        | Command::Correct { .. }
        | Command::Propose { .. }
        | Command::Summarise(_)
        | Command::Mine(_)
        | Command::Choose(_) => None,
    };
    let said_again = match &decided {
        Some(Outcome::Restated(id) | Outcome::Revived(id) | Outcome::Reopened(id)) => Some(*id),
        Some(_) | None => None,
    };
    let id = row.map(|(id, _)| id).or(said_again).or(named);
    let id = id.or_else(|| Some(appended.last()?.id)).unwrap_or_default();
    let pending = row.is_some_and(|(_, pending)| pending);
    let outcome = match (command, decided) {
        (Command::Review { judgement, .. }, decided) => {
            let displaced = decided.map(displaced).unwrap_or_default();
            WriteOutcome::Reviewed { judgement: *judgement, displaced }
        }
        (_, None) | (Command::Change { .. }, Some(Outcome::Settled(_))) => WriteOutcome::Changed,
        (_, Some(Outcome::Disputed(_))) => WriteOutcome::Disputed,
        (_, Some(outcome)) => WriteOutcome::Decided { outcome, pending, contested },
    };
    let waits = pending || said_again.is_some_and(|id| waits(state, id));
    Written { id, seq: last, outcome, redacted, waits, near: Vec::new() }
}

/// The rows that gave way.
fn displaced(outcome: Outcome) -> Vec<RecordId> {
    match outcome {
        Outcome::Superseded(rows) => rows,
        Outcome::Corrected(row) => vec![row],
        Outcome::Added
        | Outcome::Restated(_)
        | Outcome::Revived(_)
        | Outcome::Reopened(_)
        | Outcome::Proposed(_)
        | Outcome::Disputed(_)
        | Outcome::Skipped
        | Outcome::Settled(_) => Vec::new(),
    }
}

pub(crate) fn without_secrets(mut remember: Remember) -> (Remember, BTreeMap<Rule, u64>) {
    let mut redacted = BTreeMap::new();
    remember.text = clean(remember.text, &mut redacted);
    if let Some(slot) = &mut remember.slot {
        for text in [&mut slot.entity, &mut slot.predicate, &mut slot.value] {
            redact_text(text, &mut redacted);
        }
        redact_named(slot, &mut redacted);
    }
    let pairs = std::mem::take(&mut remember.metadata).into_iter();
    let mut clean_one = |text| clean(text, &mut redacted);
    let pairs = pairs.map(|(key, value)| (clean_one(key), clean_one(value))).collect();
    remember.metadata = without_named(pairs, &mut redacted);
    (remember, redacted)
}

pub(crate) fn clean(text: String, counts: &mut BTreeMap<Rule, u64>) -> String {
    let redacted = redact(&text);
    if redacted.counts.is_empty() {
        return text;
    }
    for (rule, count) in &redacted.counts {
        *counts.entry(*rule).or_default() += count;
    }
    redacted.text.into_owned()
}
