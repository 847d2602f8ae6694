//! Items that a write ended, of those that were there before it.

use memlith_event::{Body, Event, MemoryEvent, OwnStatus, ReconcileEvent};
use memlith_log::{Record, RecordId, Seq, Timestamp};
use serde::{Serialize, Serializer};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::read::show::visible;
use crate::write::command::{WriteOutcome, Written};

/// An item that a write ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Ended {
    /// The item.
    pub id: RecordId,
    /// The memory that took its place, or the record that ended it.
    pub by: RecordId,
    /// The first instant at which it no longer holds.
    pub at: Timestamp,
    /// In which way.
    pub how: EndedHow,
    /// Its words.
    pub text: Option<String>,
}

/// In which way an item ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndedHow {
    /// A new memory took its place: [`Ledger::roll_back`] of that one takes it back.
    Replaced,
    /// Somebody's word for another side of a contest ended it: [`Ledger::remember`] of its
    /// words brings it back as a new memory.
    Settled,
    /// It waited for review, and the new memory says the same: nothing brings it back.
    Moot,
    /// It was declared wrong: a reconfirmation takes it back.
    Invalidated,
}

/// An item that ends, before its words are read.
struct Ending {
    row: Seq,
    by: RecordId,
    at: Timestamp,
    how: EndedHow,
}

impl EndedHow {
    /// The word for it in output.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            EndedHow::Replaced => "replaced",
            EndedHow::Settled => "settled",
            EndedHow::Moot => "moot",
            EndedHow::Invalidated => "invalidated",
        }
    }
}

impl Serialize for EndedHow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

impl Ledger {
    /// Returns the items that a decision just written ended, ascending, as far as the caller's
    /// scope sees them. What the caller named itself, to declare it wrong, isn't among them.
    ///
    /// Cost: reads the write's own batch, and a record for each item that ended.
    ///
    /// # Errors
    /// The log's.
    pub fn ended_by(&self, caller: &Caller, written: &Written) -> Result<Vec<Ended>, Error> {
        match written.outcome {
            WriteOutcome::AlreadyPresent | WriteOutcome::Redundant => return Ok(Vec::new()),
            WriteOutcome::Decided { .. }
            | WriteOutcome::Changed
            | WriteOutcome::Reviewed { .. }
            | WriteOutcome::Disputed => {}
        }
        let last = self.log.read(written.seq)?;
        let first = Seq(last.seq.0.saturating_sub(u64::from(last.batch_pos)));
        let mut ended = self.ended_among(caller, first, last.seq)?;
        ended.retain(|one| one.how != EndedHow::Invalidated);
        Ok(ended)
    }

    /// Returns the items that were in the ledger at the record `after` and were ended by what came
    /// behind it, by item, as far as the caller's scope sees them: what an import ended, by anybody
    /// else's writes meanwhile as well.
    ///
    /// Cost: one pass over the records behind `after`, and one read for each item that ended.
    ///
    /// # Errors
    /// The log's.
    pub fn ended_since(&self, caller: &Caller, after: Seq) -> Result<Vec<Ended>, Error> {
        let head = self.refresh()?.seq;
        let mut ended = self.ended_among(caller, after.next(), head)?;
        ended.retain(|one| one.id.seq <= after);
        Ok(ended)
    }

    fn ended_among(&self, caller: &Caller, first: Seq, last: Seq) -> Result<Vec<Ended>, Error> {
        self.read(|state| {
            let mut endings = Vec::new();
            for record in self.log.scan(first, last) {
                let record = record?;
                let body = body_of(&record).ok().flatten();
                endings.extend(body.iter().flat_map(|body| endings_of(state, &record, body)));
            }
            endings.sort_by_key(|ending| (ending.row, ending.how, ending.at));
            endings.dedup_by_key(|ending| ending.row);
            let mut ended = Vec::new();
            for ending in endings {
                let item = state.memory.item(ending.row);
                let seen = item.filter(|item| visible(state, caller, item.id).is_ok());
                let Some(item) = seen else { continue };
                let record = self.log.read(ending.row)?;
                let body = body_of(&record).ok().flatten();
                let text = body.and_then(|body| body.event.item_text().map(Into::into));
                let Ending { by, at, how, .. } = ending;
                ended.push(Ended { id: item.id, by, at, how, text });
            }
            Ok(ended)
        })
    }
}

/// Lists the items that an event ends, apart from itself and what was taken out already.
fn endings_of(state: &State, record: &Record, body: &Body<'_>) -> Vec<Ending> {
    let at = record.recorded_at;
    match &body.event {
        Event::Reconcile(ReconcileEvent::Decided(decided)) => {
            let stands = |row: Seq| {
                let own = state.memory.item(row).map(|item| item.own);
                row < record.seq && own == Some(OwnStatus::Active)
            };
            let replaced = decided.closings.iter().filter(|closing| stands(closing.row));
            let replaced = replaced.filter_map(|closing| {
                let by = state.memory.item(closing.by)?.id;
                // A new row follows its decision; where none does, a word for an old one settled it.
                let is_new = closing.by > record.seq;
                let how = if is_new { EndedHow::Replaced } else { how_of_old(decided) };
                Some(Ending { row: closing.row, by, at: closing.at, how })
            });
            let moot = decided.settled.iter().map(|id| Ending {
                row: id.seq,
                by: record.id(),
                at,
                how: EndedHow::Moot,
            });
            replaced.chain(moot).collect()
        }
        Event::Memory(MemoryEvent::Invalidated(said)) => {
            let ending = |id: &RecordId| Ending {
                row: id.seq,
                by: record.id(),
                at,
                how: EndedHow::Invalidated,
            };
            said.targets.iter().map(ending).collect()
        }
        Event::Memory(_)
        | Event::Session(_)
        | Event::Turn(_)
        | Event::Outcome(_)
        | Event::Review(_)
        | Event::Policy(_)
        | Event::Compaction(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Tombstone(_)
        | Event::Procedure(_)
        | Event::Foreign(_) => Vec::new(),
    }
}

/// How a decision without a row of its own ended another's: review took an old proposal in,
/// which can be taken back, or somebody confirmed one side of a contest.
fn how_of_old(decided: &memlith_event::Decided<'_>) -> EndedHow {
    match decided.outcome {
        memlith_event::Outcome::Settled(_) => EndedHow::Settled,
        memlith_event::Outcome::Added
        | memlith_event::Outcome::Restated(_)
        | memlith_event::Outcome::Revived(_)
        | memlith_event::Outcome::Superseded(_)
        | memlith_event::Outcome::Corrected(_)
        | memlith_event::Outcome::Proposed(_)
        | memlith_event::Outcome::Disputed(_)
        | memlith_event::Outcome::Reopened(_)
        | memlith_event::Outcome::Skipped => EndedHow::Replaced,
    }
}
