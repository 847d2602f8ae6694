//! Taint: all that an item has led to.

use std::collections::BTreeMap;

use memlith_event::{Body, Citation, Event, LinkKind, MemoryEvent};
use memlith_log::{Record, RecordId, Seq};
use memlith_memory::{Authority, Memory};
use serde::Serialize;

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of, kind_of};
use crate::ledger::Ledger;
use crate::read::show::{sees_event, visible};

/// A record that an item led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Tainted {
    /// The record.
    pub id: RecordId,
    /// Its citation.
    pub citation: Citation,
    /// Kind of the record, e.g. `memory.remembered`.
    pub kind: &'static str,
    /// How the item stands; `None` for what is no item.
    pub authority: Option<Authority>,
    /// The record through which it was reached: the item itself, or another of the list.
    pub from: RecordId,
    /// By which link; `None` where the record is of a checkout that showed that one.
    pub link: Option<LinkKind>,
    /// Over how many steps.
    pub distance: u64,
    /// The words of an item.
    pub text: Option<String>,
}

/// How a record was reached.
#[derive(Clone, Copy)]
struct Reached {
    id: RecordId,
    distance: u64,
}

impl Ledger {
    /// Everything that rests on the item `id`, takes its place, corrects it, was weighed
    /// with it or is about it; the checkouts that showed any of it, and what was written
    /// because of them; directly and indirectly, as far as the caller's scope sees it. By
    /// sequence, so that each comes after the one it was reached through.
    ///
    /// Cost: one pass over the log behind the item, and memory for what is found.
    ///
    /// # Errors
    /// Those of [`Ledger::show`].
    pub fn taint(&self, caller: &Caller, id: RecordId) -> Result<Vec<Tainted>, Error> {
        self.read(|state| {
            match state.memory.item(id.seq) {
                Some(_) => visible(state, caller, id).map(drop)?,
                None => self.seen(caller, id).map(drop)?,
            }
            let mut reached = BTreeMap::from([(id.seq, Reached { id, distance: 0 })]);
            let mut found = Vec::new();
            let head = state.next.previous().unwrap_or_default();
            for record in self.log.scan(id.seq.next(), head) {
                let record = record?;
                let body = body_of(&record).ok().flatten();
                let through = through(state, &record, body.as_ref(), &reached);
                let Some((from, link)) = through else { continue };
                let distance = from.distance.saturating_add(1);
                reached.insert(record.seq, Reached { id: record.id(), distance });
                if is_seen(state, caller, &record, body.as_ref()) {
                    found.push(self.tainted(state, caller, (&record, body.as_ref()), (from, link)));
                }
            }
            Ok(found)
        })
    }

    fn tainted(
        &self,
        state: &State,
        caller: &Caller,
        (record, body): (&Record, Option<&Body<'_>>),
        (from, link): (Reached, Option<LinkKind>),
    ) -> Tainted {
        Tainted {
            id: record.id(),
            citation: self.cite(record.id()),
            kind: kind_of(record).name(),
            authority: state.memory.authority(record.seq, self.instant(caller)),
            from: from.id,
            link,
            distance: from.distance.saturating_add(1),
            text: body.and_then(|body| body.event.item_text().map(Into::into)),
        }
    }
}

/// The nearest of the records that lead to `record`, and how. What a record refers to comes
/// before it, so one pass finds all.
fn through(
    state: &State,
    record: &Record,
    body: Option<&Body<'_>>,
    reached: &BTreeMap<Seq, Reached>,
) -> Option<(Reached, Option<LinkKind>)> {
    let links = body.map(|body| body.envelope.links.as_slice()).unwrap_or_default();
    let linked = links.iter().map(|link| (link.target.seq, Some(link.kind)));
    let shown = match body.map(|body| &body.event) {
        Some(Event::Memory(MemoryEvent::Surfaced(surfaced))) => surfaced.targets.as_slice(),
        _ => &[],
    };
    let shown = shown.iter().map(|target| (target.seq, None));
    // A later decision can give a row a source as well.
    let given = state.memory.justifications(record.seq).into_iter();
    let given = given.flat_map(|(_, members)| members);
    let given = given.map(|member| (member, Some(LinkKind::RestsOn)));
    let all = linked.chain(shown).chain(given);
    let known = all.filter_map(|(seq, link)| Some((*reached.get(&seq)?, link)));
    known.min_by_key(|(from, _)| (from.distance, from.id))
}

fn is_seen(state: &State, caller: &Caller, record: &Record, body: Option<&Body<'_>>) -> bool {
    match (state.memory.item(record.seq), body) {
        (Some(item), _) => Memory::sees(&caller.scope, &item),
        (None, Some(body)) => sees_event(&caller.scope, &body.envelope.scope),
        (None, None) => false,
    }
}
