//! Events of other systems: redacted, recognised, appended in batches.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use memlith_event::{
    Body, Decided, Envelope, Event, Key, MemoryEvent, ReconcileEvent, Remembered, Scope, Slot,
    Surfaced, Text, TurnEvent, Via,
};
use memlith_import::{
    Dialect, Format, Imported, Options as ReadOptions, Reader, Reinforced, ReinforcementKind,
    Resume,
};
use memlith_log::{Durability, RecordId};
use memlith_memory::{Authority, Change, Command, Door};
use memlith_redact::{Rule, names_secret, redact};

use crate::caller::{Caller, Moment, check_now};
use crate::error::Error;
use crate::fold::state::State;
use crate::ledger::Ledger;
use crate::write::append::Urgency;

/// Result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReport {
    /// Events of the source that were appended; one can become several records.
    pub added: u64,
    /// Events that were there already.
    pub already_present: u64,
    /// Number of entries that were left out, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// How many secrets were taken out, by rule.
    pub redacted: BTreeMap<Rule, u64>,
    /// Whether an export of ours ended before its last line.
    pub cut: bool,
    /// How many records such an export lacks: none, where that line alone is gone.
    pub missing: u64,
    /// In which dialects the lines of a chained source verified, and how many in each.
    pub dialects: BTreeMap<Dialect, u64>,
    /// Where a transcript can be read on from once it has grown.
    pub resume: Option<Resume>,
    /// The sessions in which a person or an assistant said something that was appended, by key; none
    /// of sub-agents.
    pub sessions: BTreeMap<Key, Scope<'static>>,
}

/// One batch holds no more events of an import than this, and not much more bytes.
const BATCH_EVENTS: usize = 256;
const BATCH_BYTES: usize = 4 << 20;

/// Why what was erased here is left out.
pub(crate) const ERASED_HERE: &str = "erased-here";

/// Events on their way in.
#[derive(Default)]
struct Batch {
    bodies: Vec<Body<'static>>,
    bytes: usize,
}

impl Ledger {
    /// Appends the events of another system's records.
    ///
    /// Secrets are taken out of every string before anything is hashed. An event that
    /// is there already, by its own name, is not appended again. A session ends once its last
    /// line is 30 minutes older than [`ReadOptions::now`], the clock where that is absent,
    /// or where the source says that it was left. Memory is bounded
    /// whatever the length of the input. Durable when it returns; what was appended
    /// before an error stays.
    ///
    /// # Errors
    /// [`Error::Import`] names the line; [`Error::NowAhead`]; and the log's.
    pub fn import(
        &self,
        format: Format,
        input: impl BufRead,
        mut options: ReadOptions,
    ) -> Result<ImportReport, Error> {
        Caller::check_scope(&options.scope)?;
        check_now(options.now, self.now())?;
        options.now.get_or_insert_with(|| self.now());
        let mut report = ImportReport::default();
        let mut reader = Reader::new(format, input, options);
        let mut batch = Batch::default();
        let outcome = self.take_in(&mut reader, &mut batch, &mut report);
        // What was read before an error stays; a later import goes on from there.
        self.flush(&mut batch, &mut report)?;
        if report.added > 0 {
            self.locked(|writer, _, _| Ok(writer.sync()?))?;
        }
        report.dialects = reader.dialects();
        report.resume = reader.resume();
        outcome.map(|()| report)
    }

    fn take_in<R: BufRead>(
        &self,
        reader: &mut Reader<R>,
        batch: &mut Batch,
        report: &mut ImportReport,
    ) -> Result<(), Error> {
        for imported in reader {
            match imported? {
                Imported::Event(body) => self.accept(*body, batch, report)?,
                Imported::Reinforced(reinforced) => {
                    // Its targets have to be in the log before they can be named.
                    self.flush(batch, report)?;
                    let (corrections, said) = parted(*reinforced);
                    if self.reinforce(said, report)? {
                        self.roll_back_all(corrections)?;
                    }
                }
                Imported::Skipped { reason, .. } => {
                    *report.skipped.entry(reason.to_string()).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    fn accept(
        &self,
        mut body: Body<'static>,
        batch: &mut Batch,
        report: &mut ImportReport,
    ) -> Result<(), Error> {
        redact_body(&mut body, &mut report.redacted);
        let len = body.encode().len();
        if len > self.log.options().max_body_len as usize {
            *report.skipped.entry("body-too-long".to_owned()).or_default() += 1;
            return Ok(());
        }
        batch.bytes += len;
        batch.bodies.push(body);
        if batch.bodies.len() >= BATCH_EVENTS || batch.bytes >= BATCH_BYTES {
            self.flush(batch, report)?;
        }
        Ok(())
    }

    /// Appends what isn't there already, as one batch.
    fn flush(&self, batch: &mut Batch, report: &mut ImportReport) -> Result<(), Error> {
        let Batch { mut bodies, .. } = std::mem::take(batch);
        if bodies.is_empty() {
            return Ok(());
        }
        self.locked(|writer, state, moment| {
            let before = bodies.len();
            let mut met = BTreeSet::new();
            bodies.retain(|body| is_new(state, &body.envelope, &mut met));
            report.already_present += (before - bodies.len()) as u64;
            let new = std::mem::take(&mut bodies);
            for body in new {
                if self.barred(state, [&body])?.is_some() {
                    *report.skipped.entry(ERASED_HERE.to_owned()).or_default() += 1;
                } else {
                    bodies.push(body);
                }
            }
            for body in &mut bodies {
                let occurred_at = &mut body.envelope.occurred_at;
                *occurred_at = (*occurred_at).min(moment.tick.recorded_at);
            }
            if !bodies.is_empty() {
                self.append(
                    writer,
                    state,
                    moment.tick,
                    &bodies,
                    Urgency::Ordinary(Durability::Buffered),
                )?;
                report.added += bodies.len() as u64;
                bodies.iter().for_each(|body| note_session(body, &mut report.sessions));
            }
            Ok(())
        })
    }

    /// Appends another system's reinforcement of events that came before it; whether it is new.
    fn reinforce(&self, mut said: Reinforced, report: &mut ImportReport) -> Result<bool, Error> {
        redact_names(&mut said, &mut report.redacted);
        self.locked(|writer, state, moment| {
            let envelope = Envelope {
                via: Via::Import,
                key: Some(said.key),
                ..Envelope::new(
                    said.scope.clone(),
                    said.actor.clone(),
                    said.occurred_at.min(moment.tick.recorded_at),
                )
            };
            if !is_new(state, &envelope, &mut BTreeSet::new()) {
                report.already_present += 1;
                return Ok(false);
            }
            let (targets, missing) = resolve(state, &said);
            let (mut bodies, refused) = through_the_door(state, &said, &targets, envelope, moment);
            for (reason, count) in [("unresolved-target", missing), ("refused-target", refused)] {
                if count > 0 {
                    *report.skipped.entry(reason.to_owned()).or_default() += count;
                }
            }
            if bodies.is_empty() {
                return Ok(true);
            }
            for body in &mut bodies {
                redact_body(body, &mut report.redacted);
            }
            self.append(
                writer,
                state,
                moment.tick,
                &bodies,
                Urgency::Ordinary(Durability::Buffered),
            )?;
            report.added += 1;
            Ok(true)
        })
    }

    /// Takes back what prompts corrected that were taken back; what they ended goes on.
    fn roll_back_all(&self, corrections: Reinforced) -> Result<(), Error> {
        let known = |state: &State| Ok(resolve(state, &corrections).0);
        let found = match corrections.targets.is_empty() {
            true => Vec::new(),
            false => self.read(known)?,
        };
        let memlith_event::Actor { name, rank } = corrections.actor;
        let caller = Caller { scope: corrections.scope, ..Caller::new("", &name, rank) };
        for id in found {
            match self.roll_back(&caller, id, None) {
                // It ended nothing, or somebody of a higher rank said something of it since.
                Ok(_) | Err(Error::Rejected(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Notes the session of a turn.
fn note_session(body: &Body<'_>, sessions: &mut BTreeMap<Key, Scope<'static>>) {
    let Event::Turn(TurnEvent::Said(_)) = &body.event else { return };
    let scope = &body.envelope.scope;
    let is_of_agent = scope.session.as_deref().is_none_or(|name| name.contains('/'));
    if let Some(key) = scope.session_key().filter(|_| !is_of_agent) {
        sessions.entry(key).or_insert_with(|| scope.clone().into_owned());
    }
}

/// Takes the secrets out of every string of `body`; JSON stays JSON.
pub(crate) fn redact_body(body: &mut Body<'_>, counts: &mut BTreeMap<Rule, u64>) {
    body.each_text_mut(&mut |text| redact_text(text, counts));
    if let Event::Memory(MemoryEvent::Remembered(Remembered { slot: Some(slot), .. }))
    | Event::Reconcile(ReconcileEvent::Decided(Decided { slot: Some(slot), .. })) =
        &mut body.event
    {
        redact_named(slot, counts);
    }
    if let Event::Memory(MemoryEvent::Remembered(Remembered { metadata, .. })) = &mut body.event
        && !metadata.is_empty()
    {
        *metadata = (&without_named(metadata.to_map(), counts)).into();
    }
}

/// Takes the value out of a slot whose name says that it is a secret.
pub(crate) fn redact_named(slot: &mut Slot<'_>, counts: &mut BTreeMap<Rule, u64>) {
    if is_named_secret(&slot.predicate, &slot.value) {
        *counts.entry(Rule::Assignment).or_default() += 1;
        slot.value = Text::from(Rule::Assignment.mark());
    }
}

/// Takes the values out of the pairs whose keys say that they are secrets.
pub(crate) fn without_named(
    mut pairs: BTreeMap<String, String>,
    counts: &mut BTreeMap<Rule, u64>,
) -> BTreeMap<String, String> {
    for (_, value) in pairs.iter_mut().filter(|(key, value)| is_named_secret(key, value)) {
        *counts.entry(Rule::Assignment).or_default() += 1;
        Rule::Assignment.mark().clone_into(value);
    }
    pairs
}

/// Whether a name says that its value is a secret, which was not taken out yet.
fn is_named_secret(name: &str, value: &str) -> bool {
    let is_taken = || redact(value).text != value || value.contains(MARK);
    names_secret(name) && !is_taken()
}

/// How the mark of what was taken out begins.
const MARK: &str = "[REDACTED:";

/// Takes the secrets out of the names under which a reinforcement's targets are looked
/// up: the ledger knows them by what was left when they came in.
fn redact_names(said: &mut Reinforced, counts: &mut BTreeMap<Rule, u64>) {
    let scope = &mut said.scope;
    redact_text(&mut scope.tenant, counts);
    let optional = [&mut scope.agent, &mut scope.subject, &mut scope.session];
    optional.into_iter().flatten().for_each(|name| redact_text(name, counts));
    redact_text(&mut said.actor.name, counts);
    // They were counted where they came in.
    let names = said.targets.iter_mut().map(|target| &mut target.actor.name);
    names.for_each(|name| redact_text(name, &mut BTreeMap::new()));
}

pub(crate) fn redact_text(text: &mut Text<'_>, counts: &mut BTreeMap<Rule, u64>) {
    let redacted = redact(text);
    if !redacted.counts.is_empty() {
        for (rule, count) in &redacted.counts {
            *counts.entry(*rule).or_default() += count;
        }
        *text = Text::from(redacted.text.into_owned());
    }
}

/// Whether neither the ledger nor this batch knows the event's key.
fn is_new(state: &State, envelope: &Envelope<'_>, met: &mut BTreeSet<Key>) -> bool {
    let Some(key) = envelope.key else { return true };
    state.memory.known(key, &envelope.scope, &envelope.actor).is_none()
        && envelope.idempotency().is_none_or(|key| met.insert(key))
}

/// The targets that are in the ledger, ascending, and how many are not.
/// What is taken back with a prompt that corrected it, and the rest.
fn parted(mut said: Reinforced) -> (Reinforced, Reinforced) {
    let (corrections, rest) =
        std::mem::take(&mut said.targets).into_iter().partition(|target| target.is_correction);
    (Reinforced { targets: corrections, ..said.clone() }, Reinforced { targets: rest, ..said })
}

fn resolve(state: &State, said: &Reinforced) -> (Vec<RecordId>, u64) {
    let found = |target: &memlith_import::Target| {
        state.memory.known(target.key, &said.scope, &target.actor)
    };
    let mut targets: Vec<RecordId> = said.targets.iter().filter_map(found).collect();
    let missing = (said.targets.len() - targets.len()) as u64;
    targets.sort_unstable();
    targets.dedup();
    (targets, missing)
}

/// Turns another system's reinforcement into bodies, and counts the targets that it may not touch:
/// it is judged like any command of its actor.
fn through_the_door(
    state: &State,
    said: &Reinforced,
    targets: &[RecordId],
    envelope: Envelope<'static>,
    moment: Moment,
) -> (Vec<Body<'static>>, u64) {
    let Some(change) = change(said) else {
        let shown = |id: &&RecordId| {
            let authority = state.memory.authority(id.seq, moment.tick.raw);
            authority.is_some_and(Authority::is_shown)
        };
        let shown: Vec<RecordId> = targets.iter().filter(shown).copied().collect();
        let refused = (targets.len() - shown.len()) as u64;
        if shown.is_empty() {
            return (Vec::new(), refused);
        }
        let surfaced =
            Surfaced { targets: shown, weight: said.weight, receipt: None, beside: Vec::new() };
        let event = Event::Memory(MemoryEvent::Surfaced(surfaced));
        return (vec![Body { envelope, event }], refused);
    };
    let door = door(&envelope, moment);
    let decide = |targets: Vec<RecordId>| {
        state.memory.decide(&Command::Change { change: change.clone(), targets }, &door)
    };
    let (mut changed, mut disputed, mut refused) = (Vec::new(), Vec::new(), 0);
    for target in targets {
        match decide(vec![*target]).as_deref() {
            Ok([Body { event: Event::Reconcile(_), .. }, ..]) => disputed.push(*target),
            Ok(_) => changed.push(*target),
            Err(_) => refused += 1,
        }
    }
    let groups = [changed, disputed].into_iter().filter(|group| !group.is_empty());
    let mut bodies: Vec<Body<'static>> =
        groups.filter_map(|group| decide(group).ok()).flatten().collect();
    // One write, one key.
    bodies.iter_mut().skip(1).for_each(|body| body.envelope.key = None);
    (bodies, refused)
}

/// The change that a reinforcement asks for; a surfacing asks for none.
fn change(said: &Reinforced) -> Option<Change> {
    let weight = said.weight;
    match said.kind {
        ReinforcementKind::Surfaced => None,
        ReinforcementKind::Confirmed => Some(Change::Confirm { weight, verified: false }),
        ReinforcementKind::Promoted => Some(Change::Promote { weight }),
        ReinforcementKind::Invalidated => Some(Change::Invalidate { weight, reason: None }),
    }
}

fn door(envelope: &Envelope<'static>, moment: Moment) -> Door {
    Door {
        sources: None,
        scope: envelope.scope.clone(),
        actor: envelope.actor.clone(),
        origin: envelope.origin,
        via: envelope.via,
        tier_cap: envelope.tier_cap,
        occurred_at: envelope.occurred_at,
        now: moment.tick.raw,
        key: envelope.key,
        copied_from: None,
        next: moment.next,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use memlith_event::{Actor, IdempotencyKey, Rank, Said};
    use memlith_log::{Env, FixedClock, MemoryDisk, SeededRng, Timestamp};

    use super::*;
    use crate::Options;

    #[test]
    fn a_target_is_found_under_its_redacted_names() {
        let now = Timestamp(1_777_636_800_000_000);
        let env = Env {
            storage: Arc::new(MemoryDisk::new().process()),
            clock: Arc::new(FixedClock::new(now)),
            rng: Arc::new(SeededRng::new(7)),
        };
        let ledger = Ledger::create_in(env, Options::default()).unwrap();
        let name = |tail: &str| format!("sk-ant-api03-{}{tail}", "Zq7Xw2Lm9Rt4Vb8K".repeat(5));
        let scope = Scope { subject: Some(name("AA").into()), ..Scope::tenant("default") };
        let actor = Actor::new(name("BB"), Rank::User);
        let key = IdempotencyKey([1; 16]);
        let mut envelope = Envelope::new(scope.clone(), actor.clone(), now);
        envelope.key = Some(key);
        let said = Said { text: "The cat is called Momo.".into(), ..Said::default() };
        let body = Body { envelope, event: Event::Turn(TurnEvent::Said(said)) };
        let (mut batch, mut report) = (Batch::default(), ImportReport::default());
        ledger.accept(body, &mut batch, &mut report).unwrap();
        ledger.flush(&mut batch, &mut report).unwrap();
        let reinforced = Reinforced {
            kind: ReinforcementKind::Confirmed,
            targets: vec![memlith_import::Target {
                actor: actor.clone(),
                key,
                is_correction: false,
            }],
            weight: None,
            occurred_at: now,
            actor,
            scope,
            key: IdempotencyKey([2; 16]),
        };
        ledger.reinforce(reinforced, &mut report).unwrap();
        assert_eq!((report.added, report.skipped.len()), (2, 0), "{report:?}");
    }
}
