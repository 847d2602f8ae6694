//! Records on their way to other stores: claimed, sent, and noted.

use std::time::Instant;

use memlith::compaction::CompactOptions;
use memlith::log::{Attempt, Service, Switched};
use memlith::log::{DeliveryEvent, Event};
use memlith::storage::Durability;
use memlith::transaction::{State, Transaction};
use memlith::{Caller, Error, Ledger, Rank, Seq, Timestamp};
use memlith_queues::{Deliverable, Parcel, Wanted, sink_key};

use crate::batch::{Batch, Sink, Verdict};
use crate::settle::settled;
use crate::terms::{Moment as Situation, Take, Terms};

/// Where records go: a sink by its name, what it gets, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The sink's name: what it got is known by it.
    pub name: String,
    /// The kinds of items that the sink gets.
    pub kinds: Vec<Deliverable>,
    /// When.
    pub terms: Terms,
    /// How long a worker may be at one batch before another takes it, in microseconds: longer
    /// than the sink's own patience.
    pub claim_us: i64,
}

/// Why it is asked for deliveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occasion {
    /// The caller's cycle, where it counts them.
    pub cycle: Option<u64>,
    /// Whether the caller has just begun.
    pub is_start: bool,
}

/// Result of a batch that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeliveryRun {
    /// The record of the attempt.
    pub attempt: Seq,
    /// The batch.
    pub batch: String,
    /// The number of items that were sent.
    pub sent: usize,
    /// The number of them that the sink has not.
    pub failed: usize,
    /// Why not.
    pub reason: String,
    /// When they are tried again; never where `None` and some failed.
    pub retry_at: Option<Timestamp>,
    /// Whether a person should know: something is dead, or the sink can't be reached.
    pub is_alarming: bool,
    /// How long the sink took, in milliseconds.
    pub duration_ms: u32,
    /// The nodes that it says it made.
    pub nodes: u64,
    /// The edges that it says it made.
    pub edges: u64,
}

/// The actor of what the engine notes of deliveries.
const WORKER: &str = "memlith";

/// Deliveries of one ledger: what is due is claimed in the log, sent, and noted there.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    pub(crate) ledger: &'a Ledger,
}

/// A sink, and what it gets when.
#[derive(Clone, Copy)]
pub struct Destination<'a> {
    /// The route: what the sink gets, and when.
    pub route: &'a Route,
    /// Where that goes.
    pub sink: &'a dyn Sink,
}

/// Result of serving every sink once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served {
    /// The batches that each sink was sent, in the order of the destinations.
    pub runs: Vec<Vec<DeliveryRun>>,
    /// Why deliveries are paused since now, where they are: a person should know.
    pub halted: Option<String>,
}

impl std::fmt::Debug for Destination<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Destination").field("route", &self.route).finish_non_exhaustive()
    }
}

impl<'a> Delivery<'a> {
    /// The deliveries of `ledger`.
    #[must_use]
    pub fn of(ledger: &'a Ledger) -> Delivery<'a> {
        Delivery { ledger }
    }

    /// Sends what is due at `now`: first what is to be tried again, then what `occasion` and the
    /// route's terms make due of what waits.
    ///
    /// A batch is claimed under the lock, durably, with all that it names, and sent under none:
    /// a crash at any point leaves it claimed, and the same batch is sent again under the same
    /// name once the claim ends. No two workers have one item at once. A sink that can't be
    /// reached is left alone until the next attempt is due, and keeps nothing of another sink
    /// waiting. A burst of deletions pauses it: ten records of those that are delivered, erased or
    /// taken out within 60 seconds.
    ///
    /// Cost: a row for each item, and its body.
    ///
    /// # Errors
    /// The log's. That the sink failed is an answer.
    ///
    /// See also [`Delivery::cycle`].
    pub fn deliver(
        &self,
        route: &Route,
        sink: &dyn Sink,
        occasion: Occasion,
        now: Timestamp,
    ) -> Result<Vec<DeliveryRun>, Error> {
        let mut runs = Vec::new();
        if self.halt(&route.name)?.is_some() {
            return Ok(runs);
        }
        let again = |state: &State| state.outbox().due_again(sink_key(&route.name), now);
        if self.send_all(route, sink, now, &again, &mut runs)? {
            return Ok(runs);
        }
        let wanted = route.wanted();
        let most = route.terms.batch_size.max(1);
        let take = self
            .ledger
            .read(|state| Ok(route.terms.due(self.situation(state, &wanted, occasion, now)?)))?;
        let Some(take) = take else { return Ok(runs) };
        let next = |state: &State| state.outbox().next(&wanted, most);
        match take {
            Take::All => self.send_all(route, sink, now, &next, &mut runs).map(drop)?,
            Take::Oldest => runs.extend(self.send_next(route, sink, now, &next)?),
        }
        Ok(runs)
    }

    /// Summarises the sessions that ended, of every scope, as which they are delivered, and serves
    /// every sink: what a caller does each cycle, and `memlith deliver run --cycle`.
    ///
    /// Cost: a pass over the log, besides that of [`Delivery::deliver`].
    ///
    /// # Errors
    /// Those of [`Ledger::compact`] and [`Delivery::deliver`].
    pub fn cycle(
        &self,
        to: &[Destination<'_>],
        occasion: Occasion,
        now: Timestamp,
    ) -> Result<Served, Error> {
        let mut worker = Caller::new("default", WORKER, Rank::Owner);
        worker.now = Some(now);
        self.ledger.compact(&worker, &CompactOptions { everywhere: true, ..Default::default() })?;
        self.serve(to, occasion, now)
    }

    /// [`Delivery::deliver`] to every sink; one that fails keeps nothing from the others.
    ///
    /// # Errors
    /// The log's.
    pub fn serve(
        &self,
        to: &[Destination<'_>],
        occasion: Occasion,
        now: Timestamp,
    ) -> Result<Served, Error> {
        let mut done = Served::default();
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
    pub(crate) fn halt(&self, sink: &str) -> Result<Option<String>, Error> {
        let key = sink_key(sink);
        if self.ledger.read(|state| Ok(state.outbox().burst(key)))?.is_none() {
            return Ok(None);
        }
        self.ledger.transaction(|tx| {
            let Some(burst) = tx.state().outbox().burst(key) else { return Ok(None) };
            let reason = format!(
                "{} records were erased or taken out within 60 s, the last with record {} at {}: \
                 see that it was meant, then memlith deliver resume {sink}",
                burst.count, burst.seq, burst.at
            );
            let switched =
                Switched { sink: sink.into(), to: Service::Paused, reason: reason.as_str().into() };
            let event = DeliveryEvent::Switched(switched);
            note(tx, event, Durability::Immediate)?;
            Ok(Some(reason))
        })
    }

    /// Pauses a sink, resumes it, tries again what is dead, or sends all anew.
    ///
    /// # Errors
    /// The log's.
    pub fn switch(&self, name: &str, to: Service, reason: &str) -> Result<(), Error> {
        let switched = Switched { sink: name.into(), to, reason: reason.into() };
        self.ledger.transaction(|tx| {
            let event = DeliveryEvent::Switched(switched.clone());
            note(tx, event, Durability::Immediate).map(drop)
        })
    }

    /// Sends parcels until there is none, or the sink can't be reached; whether it can't.
    fn send_all(
        &self,
        route: &Route,
        sink: &dyn Sink,
        now: Timestamp,
        next: &dyn Fn(&State) -> Option<Parcel>,
        runs: &mut Vec<DeliveryRun>,
    ) -> Result<bool, Error> {
        while let Some(run) = self.send_next(route, sink, now, next)? {
            runs.push(run);
        }
        let row = self.ledger.read(|state| Ok(state.outbox().sink(sink_key(&route.name))))?;
        Ok(row.paused || row.not_before > now)
    }

    fn send_next(
        &self,
        route: &Route,
        sink: &dyn Sink,
        now: Timestamp,
        next: &dyn Fn(&State) -> Option<Parcel>,
    ) -> Result<Option<DeliveryRun>, Error> {
        let Some((attempt, parcel, batch)) = self.claim_parcel(route, now, next)? else {
            return Ok(None);
        };
        #[expect(clippy::disallowed_methods, reason = "how long a sink takes is told, not folded")]
        let begun = Instant::now();
        let verdict = if batch.items.is_empty() {
            Verdict::Done { results: Vec::new(), nodes_created: 0, edges_created: 0 }
        } else {
            sink.deliver(&batch, now.0.div_euclid(1_000_000))
        };
        let duration_ms = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        let (mut settled, is_alarming) = settled(&parcel, &batch, verdict, route, now);
        settled.attempt = attempt;
        settled.duration_ms = duration_ms;
        self.ledger.transaction(|tx| {
            let event = DeliveryEvent::Settled(settled.clone());
            note(tx, event, Durability::Buffered).map(drop)
        })?;
        Ok(Some(DeliveryRun {
            attempt,
            batch: batch.id,
            sent: batch.items.len(),
            failed: settled.failed.len(),
            reason: settled.reason.to_string(),
            retry_at: settled.retry_at,
            is_alarming,
            duration_ms,
            nodes: settled.nodes,
            edges: settled.edges,
        }))
    }

    /// Claims a parcel, durably, and reads what is in it.
    fn claim_parcel(
        &self,
        route: &Route,
        now: Timestamp,
        next: &dyn Fn(&State) -> Option<Parcel>,
    ) -> Result<Option<(Seq, Parcel, Batch)>, Error> {
        let key = sink_key(&route.name);
        let may = |state: &State| {
            let row = state.outbox().sink(key);
            let is_open =
                !row.paused && row.not_before <= now && state.outbox().burst(key).is_none();
            is_open.then(|| next(state)).flatten()
        };
        // Most often there is none, and nobody has to wait for a lock to know.
        if self.ledger.read(|state| Ok(may(state)))?.is_none() {
            return Ok(None);
        }
        self.ledger.transaction(|tx| {
            let Some(parcel) = may(tx.state()) else { return Ok(None) };
            let batch = self.batch(tx.state(), &parcel)?;
            let attempt = Attempt {
                sink: route.name.clone().into(),
                items: parcel.items.iter().map(|(seq, _)| *seq).collect(),
                gone: parcel.gone.clone(),
                through: parcel.through,
                until: now.plus_us(route.claim_us),
            };
            let event = DeliveryEvent::Attempted(attempt);
            // What is sent is durable, and so is that it was.
            let claim = note(tx, event, Durability::Immediate)?;
            Ok(Some((claim, parcel, batch)))
        })
    }

    fn situation(
        &self,
        state: &State,
        wanted: &Wanted,
        occasion: Occasion,
        now: Timestamp,
    ) -> Result<Situation, Error> {
        let (mut pending, mut oldest, mut newest) = (0, None, None);
        for (seq, _) in state.outbox().pending(wanted) {
            pending += 1;
            oldest = oldest.or(Some(seq));
            newest = Some(seq);
        }
        let untold = state.outbox().untold(wanted.sink).count();
        let at = |seq: Option<Seq>| -> Result<Option<Timestamp>, Error> {
            seq.map(|seq| Ok(self.ledger.record(seq)?.recorded_at)).transpose()
        };
        let last = state.outbox().sink(wanted.sink).last;
        Ok(Situation {
            pending: pending + untold,
            last: (last > Timestamp(0)).then_some(last),
            oldest: at(oldest)?,
            newest: at(newest)?,
            cycle: occasion.cycle,
            // Words that are to leave don't wait.
            is_start: occasion.is_start || untold > 0,
            now,
        })
    }
}

impl Route {
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { sink: sink_key(&self.name), kinds: self.kinds.clone() }
    }
}

/// Notes what became of a delivery, as the engine.
fn note(
    tx: &mut Transaction<'_, '_>,
    event: DeliveryEvent<'_>,
    durability: Durability,
) -> Result<Seq, Error> {
    let worker = Caller::new("default", WORKER, Rank::Engine);
    let noted = tx.append(&worker, Vec::new(), Event::Delivery(event), durability)?;
    Ok(noted.seq)
}
