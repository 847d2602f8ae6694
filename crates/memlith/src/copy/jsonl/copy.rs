//! An export copied into a ledger with content: new ids, the same door.

use std::io::BufRead;

use memlith_event::{
    Body, Difference, Embedded, Envelope, Event, IdempotencyKey, Link, LinkKind, MemoryEvent,
    Mined, Outcome, OutcomeEvent, ProcedureEvent, Provenance, Rank, ReconcileEvent, Remembered,
    Reported, ReviewEvent, Slot, Surfaced, Text, Via,
};
use memlith_log::{Durability, LedgerId, Payload, Record, RecordId, RestoredRecord, Seq, Writer};
use memlith_memory::{
    Change, Command, Door, Judgement, Likeness, ProposedProcedure, Remember, Taken, TaskReport,
};
use memlith_recall::ModelVector;

use super::likeness::{Contests, Stood, as_there};
use super::{Ceiling, Line, Lines, Moved};
use crate::caller::Moment;
use crate::copy::import::{ERASED_HERE, ImportReport, redact_body};
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::write::append::Urgency;

impl Ledger {
    /// Writes what an export holds and this ledger doesn't.
    pub(crate) fn copy<R: BufRead>(
        &self,
        foreign: Foreign,
        first: Vec<Line>,
        input: &mut Lines<R>,
        moved: &mut Moved,
        report: &mut ImportReport,
    ) -> Result<(), Error> {
        let before = report.added;
        let mut first = first.into_iter();
        let mut considered = None;
        let mut contests = Contests::default();
        while let Some(line) = first.next().map_or_else(|| input.record(), |line| Ok(Some(line)))? {
            let restored = line.restored().map_err(|reason| input.refuse(reason))?;
            let id = line.id();
            let here = self.log.read(line.seq).ok().filter(|record| record.id() == id);
            let is_erased_here = here.as_ref().is_some_and(|here| lost(here, &restored));
            if here.is_some() && !is_erased_here {
                report.already_present += 1;
                moved.insert(line.seq, id);
                continue;
            }
            let considered = match considered {
                // No earlier import refused it: it was here.
                _ if is_erased_here => None,
                Some(seq) => seq,
                None => *considered.insert(self.copied_up_to(foreign.ledger)?),
            };
            let record = Provenance { ledger: foreign.ledger, id };
            let from = From { record, considered, ceiling: foreign.ceiling };
            self.copy_record(&restored, from, (moved, &mut contests), report)?;
        }
        if report.added > before {
            self.locked(|writer, _, _| Ok(writer.sync()?))?;
        }
        Ok(())
    }

    /// The last record of the other ledger that was copied here. Cost: a pass over the log.
    fn copied_up_to(&self, ledger: LedgerId) -> Result<Option<Seq>, Error> {
        let mut last = None;
        for record in self.log.scan(Seq::GENESIS, self.refresh()?.seq) {
            let record = record?;
            let body = body_of(&record).ok().flatten();
            let from = body.and_then(|body| body.envelope.copied_from);
            last = last.max(from.filter(|from| from.ledger == ledger).map(|from| from.id.seq));
        }
        Ok(last)
    }

    fn copy_record(
        &self,
        restored: &RestoredRecord,
        from: From,
        (moved, contests): (&mut Moved, &mut Contests),
        report: &mut ImportReport,
    ) -> Result<(), Error> {
        let kind = memlith_event::Kind {
            number: restored.header.kind,
            version: restored.header.kind_version,
        };
        let mut skip = |reason: &str| *report.skipped.entry(reason.to_owned()).or_default() += 1;
        let Payload::Present { body, .. } = &restored.payload else {
            skip("erased");
            return Ok(());
        };
        if kind.number < memlith_log::FIRST_EVENT_KIND {
            skip("log-level");
            return Ok(());
        }
        let Ok(mut body) = Body::decode(kind, body) else {
            skip("unknown-kind");
            return Ok(());
        };
        redact_body(&mut body, &mut report.redacted);
        self.locked(|writer, state, moment| {
            let copy = Copy { ledger: self, state, moment, from, moved, contests };
            copy.write(writer, &body, report)
        })?;
        *contests = Contests::decided(from.record.id.seq, &body);
        Ok(())
    }
}

/// Whether a record was erased here that an export still has the words of.
pub(super) fn lost(here: &Record, there: &RestoredRecord) -> bool {
    matches!(here.payload, Payload::Erased { .. })
        && matches!(there.payload, Payload::Present { .. })
}

/// Ledger that an export says it is of, and how far it is believed.
#[derive(Clone, Copy)]
pub(crate) struct Foreign {
    pub(crate) ledger: LedgerId,
    pub(crate) ceiling: Ceiling,
}

/// Where a record comes from, and how far it is believed.
#[derive(Clone, Copy)]
struct From {
    record: Provenance,
    ceiling: Ceiling,
    /// The last record that an earlier import came to: up to there, what isn't here was
    /// refused. Tried again it might succeed, out of its turn, and no import would ever
    /// be the last to append something.
    considered: Option<Seq>,
}

/// One record on its way in.
struct Copy<'a> {
    ledger: &'a Ledger,
    state: &'a State,
    moment: Moment,
    from: From,
    moved: &'a mut Moved,
    /// Contradictions that the decision before the record found.
    contests: &'a Contests,
}

impl Copy<'_> {
    fn write(
        self,
        writer: &mut Writer<'_>,
        body: &Body<'_>,
        report: &mut ImportReport,
    ) -> Result<(), Error> {
        let door = self.door(&body.envelope);
        let known = door.key.and_then(|key| self.state.memory.known(key, &door.scope, &door.actor));
        if let Some(known) = known {
            // The key is that of the write, which may have said an older row again.
            self.moved.insert(self.from.record.id.seq, self.ledger.row_of(known)?);
            report.already_present += 1;
            return Ok(());
        }
        if self.from.considered.is_some_and(|last| self.from.record.id.seq <= last) {
            *report.skipped.entry("refused-before".to_owned()).or_default() += 1;
            return Ok(());
        }
        let bodies = match self.decided(body, &door)? {
            Ok(bodies) => bodies,
            Err(reason) => {
                *report.skipped.entry(reason.to_owned()).or_default() += 1;
                return Ok(());
            }
        };
        if self.ledger.barred(self.state, bodies.iter().chain([body]))?.is_some() {
            *report.skipped.entry(ERASED_HERE.to_owned()).or_default() += 1;
            return Ok(());
        }
        let appended = self.ledger.append(
            writer,
            self.state,
            self.moment.tick,
            &bodies,
            Urgency::Ordinary(Durability::Buffered),
        )?;
        let row = bodies.iter().zip(&appended).find(|(body, _)| body.event.is_item());
        let again = bodies.iter().find_map(|body| match &body.event {
            Event::Reconcile(ReconcileEvent::Decided(decided)) => match &decided.outcome {
                Outcome::Restated(id) | Outcome::Revived(id) | Outcome::Reopened(id) => Some(*id),
                Outcome::Added
                | Outcome::Superseded(_)
                | Outcome::Corrected(_)
                | Outcome::Proposed(_)
                | Outcome::Disputed(_)
                | Outcome::Skipped
                | Outcome::Settled(_) => None,
            },
            Event::Session(_)
            | Event::Turn(_)
            | Event::Memory(_)
            | Event::Outcome(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Compaction(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_)
            | Event::Procedure(_)
            | Event::Foreign(_) => None,
        });
        if let Some(id) = row.map(|(_, appended)| appended.id).or(again) {
            self.moved.insert(self.from.record.id.seq, id);
        }
        report.added += appended.len() as u64;
        Ok(())
    }

    /// Decides what the record becomes here, or why nothing; an acceptance by what is read of the
    /// log.
    fn decided<'b>(
        &self,
        body: &Body<'b>,
        door: &Door,
    ) -> Result<Result<Vec<Body<'b>>, &'static str>, Error> {
        match &body.event {
            Event::Review(event @ ReviewEvent::Accepted(_)) => {
                self.acceptance(event, &body.envelope, door)
            }
            Event::Review(_)
            | Event::Session(_)
            | Event::Turn(_)
            | Event::Memory(_)
            | Event::Outcome(_)
            | Event::Reconcile(_)
            | Event::Policy(_)
            | Event::Compaction(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_)
            | Event::Procedure(_)
            | Event::Foreign(_) => Ok(self.bodies(body, door)),
        }
    }

    /// The door that the record's own actor came through, as an import, with no more
    /// authority than the importer's.
    fn door(&self, envelope: &Envelope<'_>) -> Door {
        let occurred_at = envelope.occurred_at.min(self.moment.tick.recorded_at);
        let Provenance { ledger, id } = self.from.record;
        let mut envelope = envelope.clone().into_owned();
        self.from.ceiling.lower(&mut envelope);
        Door {
            sources: None,
            scope: envelope.scope,
            actor: envelope.actor,
            origin: envelope.origin,
            via: Via::Import,
            tier_cap: envelope.tier_cap,
            occurred_at,
            now: self.moment.tick.raw,
            key: Some(IdempotencyKey::of(&["jsonl", &ledger.to_string(), &id.to_string()])),
            copied_from: Some(self.from.record),
            next: self.moment.next,
        }
    }

    /// Makes the bodies that the record becomes here, or says why there are none.
    fn bodies<'b>(&self, body: &Body<'b>, door: &Door) -> Result<Vec<Body<'b>>, &'static str> {
        let decide =
            |command: &Command| self.state.memory.decide(command, door).map_err(|_| "rejected");
        match &body.event {
            Event::Session(_) | Event::Turn(_) | Event::Foreign(_) => {
                Ok(vec![self.as_it_is(body, door)])
            }
            Event::Reconcile(ReconcileEvent::Decided(decided)) => match &decided.outcome {
                Outcome::Restated(row) if decided.weighing.is_some() => {
                    let said = self.said(&decided.text, decided.slot.as_ref(), &body.envelope);
                    self.as_there(&said, &[*row], (Stood::Again, &[]), door)
                }
                Outcome::Restated(_) | Outcome::Revived(_) | Outcome::Reopened(_) => {
                    decide(&Command::Remember(self.said(
                        &decided.text,
                        decided.slot.as_ref(),
                        &body.envelope,
                    )))
                }
                Outcome::Disputed(ids) => decide(&Command::Dispute {
                    targets: self.moved_targets(ids),
                    reason: (!decided.text.is_empty()).then(|| decided.text.to_string()),
                }),
                Outcome::Added
                | Outcome::Superseded(_)
                | Outcome::Corrected(_)
                | Outcome::Proposed(_)
                | Outcome::Settled(_) => Err("decided-anew"),
                // It was not worth a row where it was written.
                Outcome::Skipped => Err("skipped"),
            },
            Event::Outcome(OutcomeEvent::Reported(reported)) => {
                decide(&Command::Report(self.report(reported, &body.envelope, door)))
            }
            Event::Review(event) => decide(&self.review(event).ok_or("unresolved-target")?),
            // It names records of its own ledger; what they say is summarised here anew.
            Event::Compaction(_) => Err("summary"),
            Event::Tombstone(_) => Err("tombstone"),
            // Its range names records of its own ledger.
            Event::Job(_) => Err("job"),
            Event::Delivery(_) => Err("delivery"),
            Event::Procedure(ProcedureEvent::Mined(mined)) => {
                decide(&Command::Mine(self.procedure(mined, &body.envelope)))
            }
            // A policy is its own ledger's.
            Event::Policy(_) => Err("policy"),
            Event::Memory(event) => self.memory_bodies(event, body, door, &decide),
        }
    }

    fn memory_bodies(
        &self,
        event: &MemoryEvent<'_>,
        body: &Body<'_>,
        door: &Door,
        decide: &dyn Fn(&Command) -> Result<Vec<Body<'static>>, &'static str>,
    ) -> Result<Vec<Body<'static>>, &'static str> {
        let change = |change, targets: &[RecordId]| {
            let targets = self.moved_targets(targets);
            decide(&Command::Change { change, targets })
        };
        let reason = |text: &Option<Text<'_>>| text.as_ref().map(ToString::to_string);
        match event {
            MemoryEvent::Remembered(row) => {
                let command = self.remember(row, &body.envelope);
                let Command::Remember(said) = &command else { return decide(&command) };
                let instead: Vec<RecordId> = body.envelope.linked(LinkKind::Supersedes).collect();
                let against = self.contests.of(self.from.record.id.seq);
                self.as_there(said, &instead, (Stood::Instead, against), door)
            }
            MemoryEvent::Surfaced(surfaced) => {
                let targets = self.moved_targets(&surfaced.targets);
                if targets.is_empty() {
                    return Err("unresolved-target");
                }
                let event = MemoryEvent::Surfaced(Surfaced {
                    targets,
                    weight: surfaced.weight,
                    receipt: None,
                    beside: Vec::new(),
                });
                Ok(vec![Body { envelope: envelope(door, Vec::new()), event: Event::Memory(event) }])
            }
            MemoryEvent::Confirmed(event) => change(
                Change::Confirm {
                    weight: event.weight,
                    // An outcome is a tool's; below it there is nobody to have verified one.
                    verified: event.verified && door.actor.rank >= Rank::Tool,
                },
                &event.targets,
            ),
            MemoryEvent::Promoted(event) => {
                change(Change::Promote { weight: event.weight }, &event.targets)
            }
            MemoryEvent::Pinned(target) => change(Change::Pin, &[*target]),
            MemoryEvent::Unpinned(target) => change(Change::Unpin, &[*target]),
            MemoryEvent::Elsewhere(_) => Err("said-of-another-ledger"),
            MemoryEvent::Invalidated(event) => change(
                Change::Invalidate { weight: event.weight, reason: reason(&event.reason) },
                &event.targets,
            ),
            MemoryEvent::Reconfirmed(event) => {
                change(Change::Reconfirm { reason: reason(&event.reason) }, &event.targets)
            }
            MemoryEvent::Embedded(event) => decide(&self.embed(event, door)?),
        }
    }

    /// A write that stands to `rows` as it did where it was written, as far as they are here.
    fn as_there(
        &self,
        said: &Remember,
        rows: &[RecordId],
        (stood, against): (Stood, &[(RecordId, Option<Difference>)]),
        door: &Door,
    ) -> Result<Vec<Body<'static>>, &'static str> {
        let memory = &self.state.memory;
        let decided = match self.likeness_there(rows, stood, against) {
            Some(likeness) => memory.decide_by_likeness(said, &likeness, door),
            None => memory.decide(&Command::Remember(said.clone()), door),
        };
        decided.map_err(|_| "rejected")
    }

    fn likeness_there(
        &self,
        rows: &[RecordId],
        stood: Stood,
        against: &[(RecordId, Option<Difference>)],
    ) -> Option<Likeness> {
        let here =
            |one: &(RecordId, Option<Difference>)| Some((*self.moved.get(&one.0.seq)?, one.1));
        let against: Vec<_> = against.iter().filter_map(here).collect();
        as_there(&self.moved_targets(rows), stood, &against)
    }

    /// An acceptance, judged anew by the lowered rank: what is accepted takes the place of what
    /// it did where it was accepted, and stands beside what it did there.
    fn acceptance(
        &self,
        event: &ReviewEvent<'_>,
        envelope: &Envelope<'_>,
        door: &Door,
    ) -> Result<Result<Vec<Body<'static>>, &'static str>, Error> {
        let memory = &self.state.memory;
        let Some(Command::Review { targets, reason, .. }) = self.review(event) else {
            return Ok(Err("unresolved-target"));
        };
        let Some(target) = targets.first() else { return Ok(Err("unresolved-target")) };
        let Some((said, scope)) = self.ledger.words_of_waiting(self.state, *target)? else {
            let command = Command::Review { judgement: Judgement::Accept, targets, reason };
            return Ok(memory.decide(&command, door).map_err(|_| "rejected"));
        };
        let instead: Vec<RecordId> = envelope.linked(LinkKind::Supersedes).collect();
        let beside = envelope.linked(LinkKind::Considered);
        let against = self.contests.of_acceptance(self.from.record.id.seq, beside);
        let likeness = self.likeness_there(&instead, Stood::Instead, &against);
        let taken = Taken { said, scope, likeness };
        let decided = memory.decide_acceptance(*target, reason.as_deref(), &taken, door);
        Ok(decided.map_err(|_| "rejected"))
    }

    fn remember(&self, row: &Remembered<'_>, envelope: &Envelope<'_>) -> Command {
        let mut remember = self.said(&row.text, row.slot.as_ref(), envelope);
        remember.validity = row.validity;
        remember.metadata = row.metadata.to_map();
        if let Some(reason) = row.pending {
            let considered: Vec<RecordId> = envelope.linked(LinkKind::Considered).collect();
            let against = self.moved_targets(&considered);
            return Command::Propose { what: remember, reason, against };
        }
        let corrects = envelope.linked(LinkKind::Corrects).next();
        match corrects.and_then(|id| self.moved.get(&id.seq)) {
            Some(target) => Command::Correct { target: *target, with: remember },
            None => Command::Remember(remember),
        }
    }

    fn said(&self, text: &str, slot: Option<&Slot<'_>>, envelope: &Envelope<'_>) -> Remember {
        let sources: Vec<RecordId> = envelope.linked(LinkKind::RestsOn).collect();
        Remember {
            text: text.to_owned(),
            slot: slot.cloned().map(Slot::into_owned),
            rests_on: self.moved_targets(&sources),
            ..Remember::default()
        }
    }

    /// Makes the command that gives the vector to the item here; as wide as the others of its
    /// model.
    fn embed(&self, event: &Embedded<'_>, door: &Door) -> Result<Command, &'static str> {
        let vector = ModelVector::of_event(&event.vector).ok_or("no-vector")?;
        let known = self.state.recall.dimensions(&door.scope.tenant, vector.model());
        if known.is_some_and(|known| known != vector.dimensions()) {
            return Err("other-dimensions");
        }
        let moved = self.moved_targets(&[event.target]);
        let target = *moved.first().ok_or("unresolved-target")?;
        Ok(Command::Embed(vec![Embedded { target, vector: vector.embedding() }]))
    }

    /// Judged anew, by the lowered rank; what the reviewer decided about is not.
    fn review(&self, event: &ReviewEvent<'_>) -> Option<Command> {
        let targets = self.moved_targets(event.targets());
        let target = *targets.first()?;
        let (judgement, reason) = match event {
            ReviewEvent::Accepted(reviewed) => (Judgement::Accept, &reviewed.reason),
            ReviewEvent::Rejected(reviewed) => (Judgement::Reject, &reviewed.reason),
            ReviewEvent::Deferred(reviewed) => (Judgement::Defer, &reviewed.reason),
            ReviewEvent::RolledBack(event) => {
                let reason = event.reason.as_ref().map(ToString::to_string);
                return Some(Command::RollBack { target, reason });
            }
        };
        let reason = reason.as_ref().map(ToString::to_string);
        Some(Command::Review { judgement, targets, reason })
    }

    fn procedure(&self, mined: &Mined<'_>, envelope: &Envelope<'_>) -> ProposedProcedure {
        let mut mined = mined.clone().into_owned();
        for contrast in &mut mined.contrast {
            let source = contrast.source.and_then(|id| self.moved.get(&id.seq));
            contrast.source = source.copied();
        }
        let sources: Vec<RecordId> = envelope.linked(LinkKind::RestsOn).collect();
        ProposedProcedure { mined, rests_on: self.moved_targets(&sources) }
    }

    fn report(&self, said: &Reported<'_>, envelope: &Envelope<'_>, door: &Door) -> TaskReport {
        let shown_in: Vec<RecordId> = envelope.linked(LinkKind::ShownIn).collect();
        TaskReport {
            targets: self.moved_targets(&said.targets),
            result: said.result,
            // As of a confirmation.
            verified: said.verified && door.actor.rank >= Rank::Tool,
            expected: said.expected,
            // A purpose that isn't known here is none: the outcome stands without it.
            purpose: said.purpose.as_ref().and_then(|name| name.parse().ok()),
            note: said.note.as_ref().map(ToString::to_string),
            shown_in: self.moved_targets(&shown_in).first().copied(),
        }
    }

    fn as_it_is<'b>(&self, body: &Body<'b>, door: &Door) -> Body<'b> {
        let links = body.envelope.links.iter().filter_map(|link| {
            self.moved.get(&link.target.seq).map(|target| Link { kind: link.kind, target: *target })
        });
        Body { envelope: envelope(door, links.collect()), event: body.event.clone() }
    }

    fn moved_targets(&self, targets: &[RecordId]) -> Vec<RecordId> {
        let mut moved: Vec<RecordId> =
            targets.iter().filter_map(|id| self.moved.get(&id.seq).copied()).collect();
        moved.sort_unstable();
        moved.dedup();
        moved
    }
}

fn envelope(door: &Door, links: Vec<Link>) -> Envelope<'static> {
    Envelope {
        scope: door.scope.clone(),
        actor: door.actor.clone(),
        origin: door.origin,
        via: door.via,
        tier_cap: door.tier_cap,
        occurred_at: door.occurred_at,
        links,
        key: door.key,
        copied_from: door.copied_from,
    }
}
