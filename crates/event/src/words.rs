use std::borrow::Cow;

use crate::{
    Body, CompactionEvent, DeliveryEvent, Event, JobEvent, MemoryEvent, OutcomeEvent, PolicyEvent,
    ProcedureEvent, ReconcileEvent, ReviewEvent, SessionEvent, Slot, Text, TombstoneEvent,
    TurnEvent,
};

impl Event<'_> {
    /// The words of an item: what excerpts are cut from and citations show.
    ///
    /// `None` for an event that is no item ([`Event::is_item`]).
    #[must_use]
    pub fn item_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Event::Turn(TurnEvent::Said(said)) => Some(match &said.caption {
                None => Cow::Borrowed(said.text.as_str()),
                Some(caption) if said.text.is_empty() => {
                    Cow::Owned(format!("[picture: {caption}]"))
                }
                Some(caption) => Cow::Owned(format!("{}\n[picture: {caption}]", said.text)),
            }),
            Event::Turn(TurnEvent::ToolRan(ran)) => {
                let outcome = match (ran.exit_code, ran.ok) {
                    (Some(code), _) => format!("\n[exit code {code}]"),
                    (None, Some(false)) => "\n[failed]".to_owned(),
                    (None, Some(true) | None) => String::new(),
                };
                let text = format!("{} {}\n{}{outcome}", ran.tool, ran.arguments, ran.output);
                Some(Cow::Owned(text))
            }
            Event::Memory(MemoryEvent::Remembered(memory)) => {
                Some(Cow::Borrowed(memory.text.as_str()))
            }
            Event::Compaction(CompactionEvent::Summarised(summary)) => {
                Some(Cow::Owned(summary.text()))
            }
            Event::Foreign(foreign) => {
                Some(Cow::Owned(format!("{} {}", foreign.kind, foreign.json)))
            }
            Event::Procedure(ProcedureEvent::Mined(mined)) => Some(Cow::Owned(mined.text())),
            Event::Memory(_)
            | Event::Session(_)
            | Event::Reconcile(_)
            | Event::Outcome(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_) => None,
        }
    }
}

impl Body<'_> {
    /// Visits every string that came from outside, so that no way in can forget one.
    ///
    /// Names (tenant, agent, subject, session, actor, tool, entity, predicate) are
    /// visited too: a secret can stand in any of them.
    pub fn each_text_mut(&mut self, visit: &mut dyn FnMut(&mut Text<'_>)) {
        let scope = &mut self.envelope.scope;
        visit(&mut scope.tenant);
        [&mut scope.agent, &mut scope.subject, &mut scope.session]
            .into_iter()
            .flatten()
            .for_each(&mut *visit);
        visit(&mut self.envelope.actor.name);
        match &mut self.event {
            Event::Session(event) => each_in_session(event, visit),
            Event::Turn(event) => each_in_turn(event, visit),
            Event::Memory(event) => each_in_memory(event, visit),
            Event::Reconcile(ReconcileEvent::Decided(decided)) => {
                visit(&mut decided.text);
                each_in_slot(&mut decided.slot, visit);
                decided.model.iter_mut().for_each(&mut *visit);
                let weighing = decided.weighing.as_mut();
                let said = weighing.and_then(|weighing| weighing.arbitration.as_mut());
                said.map(|said| &mut said.by).into_iter().for_each(visit);
            }
            Event::Outcome(OutcomeEvent::Reported(reported)) => {
                let words = [&mut reported.purpose, &mut reported.note];
                words.into_iter().flatten().for_each(visit);
            }
            Event::Review(
                ReviewEvent::Accepted(reviewed)
                | ReviewEvent::Rejected(reviewed)
                | ReviewEvent::Deferred(reviewed),
            ) => reviewed.reason.iter_mut().for_each(visit),
            Event::Review(ReviewEvent::RolledBack(event)) => {
                event.reason.iter_mut().for_each(visit);
            }
            Event::Policy(
                PolicyEvent::SalienceChosen(_)
                | PolicyEvent::TrustChosen(_)
                | PolicyEvent::WritesChosen(_)
                | PolicyEvent::RoleGiven(_),
            )
            | Event::Tombstone(TombstoneEvent::Laid(_) | TombstoneEvent::Lifted(_)) => {}
            Event::Compaction(CompactionEvent::Summarised(summary)) => {
                summary.quotes.iter_mut().for_each(|quote| visit(&mut quote.text));
                summary.mentions.iter_mut().for_each(|mention| visit(&mut mention.text));
            }
            Event::Delivery(event) => match event {
                DeliveryEvent::Attempted(attempt) => visit(&mut attempt.sink),
                DeliveryEvent::Settled(settled) => {
                    [&mut settled.sink, &mut settled.reason].into_iter().for_each(visit);
                }
                DeliveryEvent::Switched(switched) => {
                    [&mut switched.sink, &mut switched.reason].into_iter().for_each(visit);
                }
            },
            Event::Job(event) => match event {
                JobEvent::Attempted(attempted) => visit(&mut attempted.extractor),
                JobEvent::Replied(replied) => visit(&mut replied.reply),
                JobEvent::Failed(failed) => visit(&mut failed.reason),
                JobEvent::Taught(taught) => taught.each_text_mut(visit),
                JobEvent::Queued(_) | JobEvent::Applied(_) => {}
            },
            Event::Procedure(ProcedureEvent::Mined(mined)) => mined.each_text_mut(visit),
            Event::Foreign(foreign) => {
                visit(&mut foreign.kind);
                visit(&mut foreign.json);
            }
        }
    }
}

fn each_in_session(event: &mut SessionEvent<'_>, visit: &mut dyn FnMut(&mut Text<'_>)) {
    match event {
        SessionEvent::Started(started) => {
            visit(&mut started.tool);
            let optional = [
                &mut started.directory,
                &mut started.branch,
                &mut started.parent,
                &mut started.title,
            ];
            optional.into_iter().flatten().for_each(visit);
        }
        SessionEvent::Ended => {}
    }
}

fn each_in_turn(event: &mut TurnEvent<'_>, visit: &mut dyn FnMut(&mut Text<'_>)) {
    match event {
        TurnEvent::Said(said) => {
            visit(&mut said.text);
            said.caption.iter_mut().for_each(visit);
        }
        TurnEvent::ToolRan(ran) => {
            [&mut ran.tool, &mut ran.arguments, &mut ran.output].into_iter().for_each(visit);
        }
    }
}

fn each_in_memory(event: &mut MemoryEvent<'_>, visit: &mut dyn FnMut(&mut Text<'_>)) {
    match event {
        MemoryEvent::Remembered(memory) => {
            visit(&mut memory.text);
            each_in_slot(&mut memory.slot, visit);
            memory.metadata.each_text_mut(visit);
        }
        MemoryEvent::Surfaced(surfaced) => {
            if let Some(receipt) = &mut surfaced.receipt {
                visit(&mut receipt.query);
                let scope = &mut receipt.scope;
                visit(&mut scope.tenant);
                let optional = [&mut scope.agent, &mut scope.subject, &mut scope.session];
                optional.into_iter().flatten().for_each(&mut *visit);
                visit(&mut receipt.purpose);
                receipt.hints.each_mut().for_each(&mut *visit);
                receipt.vector.iter_mut().for_each(|vector| visit(&mut vector.model));
            }
        }
        MemoryEvent::Invalidated(invalidated) => invalidated.reason.iter_mut().for_each(visit),
        MemoryEvent::Reconfirmed(reconfirmed) => reconfirmed.reason.iter_mut().for_each(visit),
        MemoryEvent::Embedded(embedded) => visit(&mut embedded.vector.model),
        MemoryEvent::Elsewhere(said) => said.reason.iter_mut().for_each(visit),
        MemoryEvent::Confirmed(_)
        | MemoryEvent::Promoted(_)
        | MemoryEvent::Pinned(_)
        | MemoryEvent::Unpinned(_) => {}
    }
}

fn each_in_slot(slot: &mut Option<Slot<'_>>, visit: &mut dyn FnMut(&mut Text<'_>)) {
    if let Some(slot) = slot {
        [&mut slot.entity, &mut slot.predicate, &mut slot.value].into_iter().for_each(visit);
    }
}
