//! One item from every side: what it says, what became of it, why it competes as it does.

use std::collections::BTreeSet;

use memlith_event::{Body, Citation, LinkKind, Projection, SaliencePolicy, Scope};
use memlith_log::{Record, RecordId, Seq, Timestamp};
use memlith_memory::{Assertion, Authority, Item, Memory};
use memlith_salience::{Explanation, Trace};
use serde::Serialize;

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of, stored};
use crate::ledger::Ledger;
use crate::read::record_json::RecordJson;

/// An item, whole.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Shown {
    /// The fields that every item has.
    pub item: Item,
    /// The assertion of a memory; `None` for a record.
    pub assertion: Option<Assertion>,
    /// Its authority at the instant that was asked for.
    pub authority: Authority,
    /// Its record; [`decode`] reads what it says.
    pub record: Record,
    /// The memory that took its place, and when.
    pub closed_by: Option<(RecordId, Timestamp)>,
    /// Justifications of the item: the record that gave each, and its members.
    pub rests_on: Vec<(RecordId, Vec<RecordId>)>,
    /// Records that dispute it: proposals, refused invalidations, and sources that one of too low a
    /// rank invalidated.
    pub disputed_by: Vec<RecordId>,
    /// Memories that stand beside it and contradict it.
    pub contested_with: Vec<RecordId>,
}

/// An item and what it rests on or what rests on it, each with its distance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Traced {
    /// The item.
    pub id: RecordId,
    /// Its citation.
    pub citation: Citation,
    /// 0 for the item that was asked for, negative towards sources.
    pub distance: i64,
    /// How it is connected to the item between.
    pub link: Option<LinkKind>,
    /// Kind of the record, e.g. `memory.remembered`.
    pub kind: &'static str,
    /// Its authority; `None` for what is no item.
    pub authority: Option<Authority>,
    /// The words of an item.
    pub text: Option<String>,
}

/// Why an item has the salience it has.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Explained {
    /// The item.
    pub id: RecordId,
    /// The factors, the decay and the result.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// The policy of salience in force.
    pub policy: SaliencePolicy,
    /// Its authority at that instant: salience never buys it back.
    pub authority: Authority,
    /// The instant.
    pub at: Timestamp,
}

impl Ledger {
    /// The item `id` as it stands.
    ///
    /// # Errors
    /// [`Error::NoRecord`] where the caller's scope sees no such item, and the log's.
    pub fn show(&self, caller: &Caller, id: RecordId) -> Result<Shown, Error> {
        self.read(|state| {
            let item = visible(state, caller, id)?;
            let record = self.log.read(id.seq)?;
            let named = |seq: Seq| -> Result<RecordId, Error> { Ok(self.log.read(seq)?.id()) };
            let closed = state.memory.closed(id.seq);
            let mut rests_on = Vec::new();
            for (given_by, members) in state.memory.justifications(id.seq) {
                let members: Result<_, _> = members.into_iter().map(named).collect();
                rests_on.push((named(given_by)?, members?));
            }
            Ok(Shown {
                item,
                assertion: state.memory.assertion(id.seq),
                authority: authority(&state.memory, id, self.instant(caller)),
                record,
                closed_by: closed.map(|(by, at)| named(by).map(|by| (by, at))).transpose()?,
                rests_on,
                contested_with: state.memory.contested_with(id.seq, self.instant(caller)).collect(),
                disputed_by: state
                    .memory
                    .disputed_by(id.seq)
                    .map(named)
                    .collect::<Result<_, _>>()?,
            })
        })
    }

    /// The records that concern the item `id`, its own first.
    ///
    /// Without those of scopes that the caller doesn't see: a showing holds the query it
    /// was for, and that is the asker's own.
    ///
    /// # Errors
    /// Those of [`Ledger::show`].
    pub fn history(&self, caller: &Caller, id: RecordId) -> Result<Vec<Record>, Error> {
        self.read(|state| {
            visible(state, caller, id)?;
            let mut records = Vec::new();
            for seq in state.memory.touches(id.seq) {
                let record = self.log.read(seq)?;
                let body = body_of(&record).ok().flatten();
                if body.is_none_or(|body| sees_event(&caller.scope, &body.envelope.scope)) {
                    records.push(record);
                }
            }
            Ok(records)
        })
    }

    /// Returns what the item `id` rests on and what rests on it, directly and indirectly, as far as
    /// the caller's scope sees it; of a record that is no item, the items that it names and itself.
    ///
    /// Cost: a read for each.
    ///
    /// # Errors
    /// Those of [`Ledger::show`].
    pub fn trace(&self, caller: &Caller, id: RecordId) -> Result<Vec<Traced>, Error> {
        self.read(|state| {
            let (memory, now) = (&state.memory, self.instant(caller));
            if memory.item(id.seq).is_none() {
                return self.traced_names(state, caller, id);
            }
            visible(state, caller, id)?;
            let up = walk(id.seq, |seq| {
                let all = memory.justifications(seq).into_iter();
                all.flat_map(|(_, members)| members).collect()
            });
            let down = walk(id.seq, |seq| memory.resting_on(seq).collect());
            let is_seen = |(seq, distance): &(Seq, i64)| {
                let item = memory.item(*seq);
                item.is_some_and(|item| *distance == 0 || Memory::sees(&caller.scope, &item))
            };
            let sources = up.into_iter().rev().map(|(seq, steps)| (seq, -steps));
            let itself = std::iter::once((id.seq, 0));
            let rows = sources.chain(itself).chain(down).filter(is_seen);
            let rows = rows.map(|(seq, distance)| {
                let record = self.log.read(seq)?;
                let authority = authority(memory, record.id(), now);
                let link = (distance != 0).then_some(LinkKind::RestsOn);
                Ok(self.traced(&record, distance, link, Some(authority)))
            });
            rows.collect()
        })
    }

    /// The items that a record names, which is none itself, and then that one.
    fn traced_names(
        &self,
        state: &State,
        caller: &Caller,
        id: RecordId,
    ) -> Result<Vec<Traced>, Error> {
        let record = self.seen(caller, id)?;
        let named = self.about(state, caller, &record)?.into_iter().map(|item| {
            let authority = authority(&state.memory, item, self.instant(caller));
            Ok(self.traced(&self.log.read(item.seq)?, -1, None, Some(authority)))
        });
        let itself = self.traced(&record, 0, None, None);
        named.chain([Ok(itself)]).collect()
    }

    fn traced(
        &self,
        record: &Record,
        distance: i64,
        link: Option<LinkKind>,
        authority: Option<Authority>,
    ) -> Traced {
        let (id, body) = (record.id(), body_of(record).ok().flatten());
        Traced {
            id,
            citation: self.cite(id),
            distance,
            link,
            kind: RecordJson::of(record).kind,
            authority,
            text: body.and_then(|body| body.event.item_text().map(Into::into)),
        }
    }

    /// Why the item `id` has the salience it has at the caller's instant.
    ///
    /// Replays the item's own events, and nothing else: O(their number).
    ///
    /// # Errors
    /// Those of [`Ledger::show`].
    pub fn explain(&self, caller: &Caller, id: RecordId) -> Result<Explained, Error> {
        self.read(|state| {
            let item = visible(state, caller, id)?;
            let at = self.instant(caller);
            // The facts before each event come from a fold of the item and its sources alone.
            let mut facts = Memory::default();
            let policy = state.salience.policy();
            let mut trace = Trace::under(policy, id.seq, item.occurred_at);
            let sources =
                state.memory.justifications(id.seq).into_iter().flat_map(|(_, members)| members);
            let mut wanted: Vec<Seq> = sources.chain(state.memory.touches(id.seq)).collect();
            wanted.sort_unstable();
            wanted.dedup();
            for seq in wanted {
                let record = self.log.read(seq)?;
                let stored = stored(&record);
                trace.apply(&stored, &facts);
                facts.apply(&stored, &Memory::default());
            }
            Ok(Explained {
                id,
                policy,
                explanation: trace.explain(at),
                authority: authority(&state.memory, id, at),
                at,
            })
        })
    }

    /// The records from `from`, as they stand in the log, at most `limit`.
    ///
    /// # Errors
    /// The log's; the iterator ends after the first.
    pub fn records(
        &self,
        from: Seq,
        limit: Option<u64>,
    ) -> Result<impl Iterator<Item = Result<Record, Error>>, Error> {
        let head = self.refresh()?.seq;
        let to = limit
            .map_or(head, |limit| Seq(from.0.saturating_add(limit.saturating_sub(1)).min(head.0)));
        let count = if limit == Some(0) { 0 } else { usize::MAX };
        Ok(self.log.scan(from, to).map(|record| Ok(record?)).take(count))
    }
}

/// The event in a record's body; `None` for the log's own records and for the erased.
///
/// # Errors
/// [`Error::Decode`] for a kind that is not known here.
pub fn decode(record: &Record) -> Result<Option<Body<'_>>, Error> {
    body_of(record).map_err(|source| Error::Decode { seq: record.seq, source })
}

pub(crate) fn visible(state: &State, caller: &Caller, id: RecordId) -> Result<Item, Error> {
    let item = state.memory.item(id.seq).filter(|item| item.id == id);
    let seen = |item: &Item| {
        Memory::sees(&caller.scope, item) || item.own == memlith_event::OwnStatus::Erased
    };
    item.filter(seen).ok_or(Error::NoRecord { id })
}

/// Whether an event of the scope `event` is visible to a query of the scope `query`.
pub(crate) fn sees_event(query: &Scope<'_>, event: &Scope<'_>) -> bool {
    query.everywhere
        || query.visible_cells().contains(&event.cell())
            && (!event.session_only || event.session_key() == query.session_key())
}

fn authority(memory: &Memory, id: RecordId, now: Timestamp) -> Authority {
    memory.authority(id.seq, now).unwrap_or(Authority::Erased)
}

/// Lists the records reached from `start`, nearest first, each once with its distance.
fn walk(start: Seq, next: impl Fn(Seq) -> Vec<Seq>) -> Vec<(Seq, i64)> {
    let (mut found, mut known) = (vec![(start, 0)], BTreeSet::from([start]));
    let mut at = 0;
    while let Some((seq, distance)) = found.get(at).copied() {
        at += 1;
        for reached in next(seq) {
            if known.insert(reached) {
                found.push((reached, distance + 1));
            }
        }
    }
    found.split_off(1)
}
