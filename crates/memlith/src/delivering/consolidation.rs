use memlith_event::{DeliveryEvent, Service, Switched};
use memlith_log::Timestamp;
use memlith_writeback::{Sink, sink_key};

use super::{DeliveryRun, Occasion, Route};
use crate::caller::Caller;
use crate::compaction::CompactOptions;
use crate::error::Error;
use crate::ledger::Ledger;

/// A sink, and what it gets when.
#[derive(Clone, Copy)]
pub struct Destination<'a> {
    /// The route: what the sink gets, and when.
    pub route: &'a Route,
    /// Where that goes.
    pub sink: &'a dyn Sink,
}

/// Result of a cycle's deliveries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consolidation {
    /// The batches that each sink was sent, in the order of the destinations.
    pub runs: Vec<Vec<DeliveryRun>>,
    /// Why deliveries are paused since now, where they are: a person should know.
    pub halted: Option<String>,
}

impl Consolidation {
    /// Name of the action in an agent that budgets its heartbeat.
    ///
    /// Source: Feature 007 of Dionysus.
    pub const ACTION: &str = "CONSOLIDATE_MEMORY";

    /// Cost of the action to a heartbeat.
    pub const COST: u32 = 2;
}

impl std::fmt::Debug for Destination<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Destination").field("route", &self.route).finish_non_exhaustive()
    }
}

impl Ledger {
    /// Summarises the sessions that ended, as which they are delivered, and serves every sink:
    /// what a caller does each cycle, and `memlith deliver --cycle`.
    ///
    /// # Errors
    /// Those of [`Ledger::compact`] and [`Ledger::deliver`].
    pub fn cycle(
        &self,
        caller: &Caller,
        to: &[Destination<'_>],
        occasion: Occasion,
        now: Timestamp,
    ) -> Result<Consolidation, Error> {
        self.compact(caller, &CompactOptions::default())?;
        self.serve(to, occasion, now)
    }

    /// [`Ledger::deliver`] to every sink; one that fails keeps nothing from the others.
    ///
    /// # Errors
    /// The log's.
    pub fn serve(
        &self,
        to: &[Destination<'_>],
        occasion: Occasion,
        now: Timestamp,
    ) -> Result<Consolidation, Error> {
        let mut done = Consolidation::default();
        for one in to {
            let halted = self.halt(&one.route.name)?;
            done.halted = done.halted.or(halted);
        }
        for one in to {
            done.runs.push(self.deliver(one.route, one.sink, occasion, now)?);
        }
        Ok(done)
    }

    /// Pauses a sink behind a burst of deletions that nobody has looked at; why, where it does.
    pub(super) fn halt(&self, sink: &str) -> Result<Option<String>, Error> {
        let key = sink_key(sink);
        if self.answered(|| self.snapshot(), |state| Ok(state.outbox.burst(key)))?.is_none() {
            return Ok(None);
        }
        self.locked(self.options.lock_timeout, |writer, state, moment| {
            let Some(burst) = state.outbox.burst(key) else { return Ok(None) };
            let reason = format!(
                "{} records were erased or taken out within 60 s, the last with record {} at {}: \
                 see that it was meant, then memlith deliver --resume {sink}",
                burst.count, burst.seq, burst.at
            );
            let switched =
                Switched { sink: sink.into(), to: Service::Paused, reason: reason.as_str().into() };
            let event = DeliveryEvent::Switched(switched);
            self.note_delivery(writer, (state, moment), event, self.options.durability)?;
            Ok(Some(reason))
        })
    }
}
