//! Records that are to be delivered to other stores: a fold of the log.
//!
//! Invariants
//! 1. A record that is to be delivered lies behind a sink's `through`, or has a row of [`Open`]
//!    there, or was applied.
//! 2. Of a sink's open records those of one attempt are sent together again, so that a delivery
//!    of which nothing is known is repeated as it was.

mod deletions;
mod rows;

use std::collections::BTreeSet;

use memlith_event::{
    Content, DeliveryEvent, Event, Facts, Key, Kind, Projection, Service, Settled, Stored,
    TombstoneEvent,
};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_state::{Row as _, Table, Tabular};

pub use deletions::{BURST, Deletion};
pub use rows::{Deliverable, Open, OpenState, SinkRow};
use rows::{Having, ItemRow, Timing};

/// Records that are to be delivered, and how far each sink is.
///
/// Cost: an event is O(log n) for each record it names; a row of 10 bytes for each record that
/// is to be delivered, of 43 for each that a sink has not applied yet.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    items: Table<ItemRow>,
    sinks: Table<SinkRow>,
    open: Table<Open>,
    having: Table<Having>,
    deletions: Table<Deletion>,
    timings: Table<Timing>,
}

/// The kinds of records that a sink gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The sink, by its name.
    pub sink: Key,
    /// Of these.
    pub kinds: Vec<Deliverable>,
}

/// Records that are sent together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parcel {
    /// The records, ascending.
    pub items: Vec<(Seq, Deliverable)>,
    /// The erased ones, ascending.
    pub gone: Vec<Seq>,
    /// How often they were attempted before.
    pub attempts: u8,
    /// The value that the sink's cursor becomes.
    pub through: Seq,
}

/// The format that notes have among records of other systems.
pub const NOTE_FORMAT: &str = "memlith.note";

/// The key of a sink of this name.
#[must_use]
pub fn sink_key(name: &str) -> Key {
    Key::of("sink", &[name.as_bytes()])
}

impl Outbox {
    /// How the sink stands.
    #[must_use]
    pub fn sink(&self, sink: Key) -> SinkRow {
        self.sinks.get(&sink).unwrap_or(SinkRow { sink, ..SinkRow::default() })
    }

    /// The burst of deletions for which nothing is sent to a sink, until somebody has looked at it
    /// and resumes the sink.
    #[must_use]
    pub fn burst(&self, sink: Key) -> Option<Deletion> {
        let switched = self.sink(sink).switched;
        Deletion::burst(&self.deletions).filter(|burst| burst.seq > switched)
    }

    /// How long the sink took over its last batches, in milliseconds, ascending.
    #[must_use]
    pub fn timings_ms(&self, sink: Key) -> Vec<u32> {
        let rows = self.timings.range((sink, 0)..=(sink, u8::MAX));
        let mut timings: Vec<u32> = rows.map(|row| row.ms).collect();
        timings.sort_unstable();
        timings
    }

    /// Counts records that an event takes away, of those that are delivered.
    fn deleted(&mut self, stored: &Stored<'_>, targets: impl Iterator<Item = RecordId>) {
        let targets: BTreeSet<Seq> = targets.map(|id| id.seq).collect();
        let count = targets.iter().filter(|seq| self.items.get(seq).is_some()).count();
        if count > 0 {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            Deletion::note(&mut self.deletions, stored.seq(), stored.recorded_at, count);
        }
    }

    /// The records that wait for their first attempt, ascending.
    pub fn pending<'a>(
        &'a self,
        wanted: &'a Wanted,
    ) -> impl Iterator<Item = (Seq, Deliverable)> + 'a {
        let through = self.sink(wanted.sink).through;
        let fresh = self.items.range(through.next()..=Seq::MAX);
        fresh
            .filter(|row| !row.gone && wanted.kinds.contains(&row.what))
            .map(|row| (row.seq, row.what))
    }

    /// The erased records that the sink may have and was not told of, ascending.
    pub fn untold(&self, sink: Key) -> impl Iterator<Item = Seq> + '_ {
        let rows = self.having.range((sink, Seq(0))..=(sink, Seq::MAX)).map(|row| row.seq);
        rows.filter(move |seq| self.open.get(&(sink, 1, *seq)).is_none())
    }

    /// The records that were attempted and that a sink has not applied.
    pub fn open(&self, sink: Key) -> impl Iterator<Item = Open> + '_ {
        self.open.range((sink, 0, Seq(0))..=(sink, u8::MAX, Seq::MAX))
    }

    /// The open records that are sent again first at `now`: those of the attempt that has been due
    /// for longest.
    #[must_use]
    pub fn due_again(&self, sink: Key, now: Timestamp) -> Option<Parcel> {
        let due = |row: &Open| row.state != OpenState::Dead && row.at <= now;
        let first = self.open(sink).filter(due).min_by_key(|row| (row.at, row.attempt))?;
        let rows = self.open(sink).filter(|row| row.attempt == first.attempt && due(row));
        let mut parcel = Parcel { through: self.sink(sink).through, ..Parcel::default() };
        for row in rows {
            parcel.attempts = parcel.attempts.max(row.attempts);
            match self.items.get(&row.seq) {
                _ if row.gone => parcel.gone.push(row.seq),
                Some(item) if !item.gone => parcel.items.push((row.seq, item.what)),
                // It was erased before it was applied; if it was sent, the sink is told.
                Some(_) | None => parcel.gone.push(row.seq),
            }
        }
        Some(parcel)
    }

    /// The next batch of what waits for its first attempt; tombstones first, as they take words
    /// away. Nothing where nothing waits.
    #[must_use]
    pub fn next(&self, wanted: &Wanted, most: usize) -> Option<Parcel> {
        let gone: Vec<Seq> = self.untold(wanted.sink).take(most).collect();
        let room = most.saturating_sub(gone.len());
        let items: Vec<(Seq, Deliverable)> = self.pending(wanted).take(room).collect();
        let before = self.sink(wanted.sink).through;
        let through = items.last().map_or(before, |(seq, _)| *seq);
        let is_any = !gone.is_empty() || !items.is_empty();
        is_any.then_some(Parcel { items, gone, attempts: 0, through })
    }

    fn note(&mut self, stored: &Stored<'_>, what: Deliverable, gone: bool) {
        self.items.put(ItemRow { seq: stored.seq(), what, gone });
    }

    fn erased(&mut self, stored: &Stored<'_>, kind: Kind) {
        let what = match kind.number {
            number if number == Kind::REMEMBERED.number => Deliverable::Memory,
            number if number == Kind::SUMMARISED.number => Deliverable::SessionEnded,
            number if number == Kind::FOREIGN.number => Deliverable::PredictionResolved,
            _ => return,
        };
        self.note(stored, what, true);
    }

    fn attempted(&mut self, stored: &Stored<'_>, event: &memlith_event::Attempt<'_>) {
        let sink = sink_key(&event.sink);
        let records = event.items.iter().map(|seq| (*seq, false));
        for (seq, gone) in records.chain(event.gone.iter().map(|seq| (*seq, true))) {
            let before = self.open.get(&(sink, u8::from(gone), seq));
            if gone {
                // It was to be sent itself, before it was erased.
                self.open.remove(&(sink, 0, seq));
            } else if self.items.get(&seq).is_some_and(|item| item.gone) {
                self.having.put(Having { sink, seq });
            }
            let attempts = before.map_or(0, |row| row.attempts).saturating_add(1);
            self.open.put(Open {
                sink,
                seq,
                attempt: stored.seq(),
                at: event.until,
                attempts,
                state: OpenState::Sent,
                gone,
            });
        }
        let mut row = self.sink(sink);
        row.through = row.through.max(event.through);
        row.last = stored.recorded_at;
        row.attempts = row.attempts.saturating_add(1);
        self.sinks.put(row);
    }

    fn settled(&mut self, event: &Settled<'_>) {
        let sink = sink_key(&event.sink);
        let of_it: Vec<Open> = self.open(sink).filter(|row| row.attempt == event.attempt).collect();
        let mut row = self.sink(sink);
        for open in of_it {
            if event.failed.binary_search(&open.seq).is_ok() {
                let (state, at) = match event.retry_at {
                    Some(at) => (OpenState::Retrying, at),
                    None => (OpenState::Dead, open.at),
                };
                self.open.put(Open { state, at, ..open });
                continue;
            }
            self.open.remove(&(sink, u8::from(open.gone), open.seq));
            row.applied = row.applied.saturating_add(1);
            if open.gone {
                self.having.remove(&(sink, open.seq));
            }
        }
        row.failures = row.failures.saturating_add(u64::from(!event.failed.is_empty()));
        if !event.unreached {
            let [slot, ..] = row.attempts.to_le_bytes();
            self.timings.put(Timing { sink, slot, ms: event.duration_ms });
        }
        row.not_before = match event.retry_at {
            Some(at) if event.unreached => at,
            Some(_) | None => Timestamp(0),
        };
        self.sinks.put(row);
    }

    fn switched(&mut self, stored: &Stored<'_>, sink: Key, to: Service) {
        let mut row = self.sink(sink);
        let all: Vec<Open> = self.open(sink).collect();
        match to {
            Service::Paused | Service::Resumed => {
                (row.paused, row.switched) = (to == Service::Paused, stored.seq());
            }
            Service::Retried => {
                row.not_before = Timestamp(0);
                for open in all.into_iter().filter(|open| open.state != OpenState::Sent) {
                    let (state, at) = (OpenState::Retrying, stored.recorded_at);
                    self.open.put(Open { state, at, attempts: 0, ..open });
                }
            }
            Service::Restarted => {
                for open in all {
                    self.open.remove(&(sink, u8::from(open.gone), open.seq));
                }
                let having: Vec<Having> =
                    self.having.range((sink, Seq(0))..=(sink, Seq::MAX)).collect();
                having.iter().for_each(|row| self.having.remove(&row.key()));
                let (paused, switched) = (row.paused, row.switched);
                row = SinkRow { sink, paused, switched, ..SinkRow::default() };
            }
        }
        self.sinks.put(row);
    }
}

impl Projection for Outbox {
    fn apply(&mut self, stored: &Stored<'_>, _: &dyn Facts) {
        let body = match &stored.content {
            Content::Event(body) => body,
            Content::Erased(kind) => return self.erased(stored, *kind),
            Content::Other => return,
        };
        match &body.event {
            Event::Foreign(foreign) if &*foreign.format == NOTE_FORMAT => {
                if let Some(what) = Deliverable::of(&foreign.kind) {
                    self.note(stored, what, false);
                }
            }
            Event::Compaction(_) if body.envelope.scope.session.is_some() => {
                self.note(stored, Deliverable::SessionEnded, false);
            }
            Event::Memory(memlith_event::MemoryEvent::Remembered(_)) => {
                self.note(stored, Deliverable::Memory, false);
            }
            Event::Memory(memlith_event::MemoryEvent::Invalidated(event)) => {
                self.deleted(stored, event.targets.iter().copied());
            }
            Event::Tombstone(TombstoneEvent::Laid(event)) => {
                self.deleted(stored, event.stones.iter().map(|stone| stone.target));
            }
            Event::Delivery(DeliveryEvent::Attempted(event)) => self.attempted(stored, event),
            Event::Delivery(DeliveryEvent::Settled(event)) => self.settled(event),
            Event::Delivery(DeliveryEvent::Switched(event)) => {
                self.switched(stored, sink_key(&event.sink), event.to);
            }
            Event::Session(_)
            | Event::Turn(_)
            | Event::Memory(_)
            | Event::Reconcile(_)
            | Event::Outcome(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Compaction(_)
            | Event::Procedure(_)
            | Event::Job(_)
            | Event::Foreign(_)
            | Event::Tombstone(_) => {}
        }
    }

    fn tables(&self) -> Vec<&dyn Tabular> {
        vec![&self.items, &self.sinks, &self.open, &self.having, &self.deletions, &self.timings]
    }

    fn tables_mut(&mut self) -> Vec<&mut dyn Tabular> {
        vec![
            &mut self.items,
            &mut self.sinks,
            &mut self.open,
            &mut self.having,
            &mut self.deletions,
            &mut self.timings,
        ]
    }
}

#[cfg(test)]
mod tests;
