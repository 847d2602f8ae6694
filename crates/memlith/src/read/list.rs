//! Looking around: what a ledger holds, page by page.

mod pinned;
mod profile;
mod recent;
mod sessions;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use memlith_checkout::{Statement, newer_of};
use memlith_event::{Citation, Key, Kind, Metadata, Origin, OwnStatus, Scope};
use memlith_log::{Record, RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Item, Memory, Sight};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of, kind_of};
use crate::ledger::Ledger;
use crate::read::cursor::{Cursor, List, ListOf};
use crate::read::inspect::{End, end_of};
use crate::read::named::{entity_of, metadata_of, slot_of};

pub use recent::RecentSession;
pub use sessions::{ListedSession, Sessions};

/// Which items are listed, and how many at a time; the caller's scope says whose.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Memories or records; [`Ledger::list_sessions`] passes over it.
    pub what: ListOf,
    /// Only memories whose slot is about this entity, up to case and white space.
    pub entity: Option<String>,
    /// Only items of this kind, e.g. `turn.said`, as `list events` names it.
    pub kind: Option<String>,
    /// Only items that stand so at the caller's instant. Erased ones are listed where this says
    /// so, and else not.
    pub status: Option<Authority>,
    /// Only what this origin spoke.
    pub origin: Option<Origin>,
    /// Only items of the session of this name.
    pub session: Option<String>,
    /// Only what happened at this instant or later.
    pub since: Option<Timestamp>,
    /// Only what happened before this instant.
    pub until: Option<Timestamp>,
    /// Only memories that have each of these pairs beside them.
    pub metadata: BTreeMap<String, String>,
    /// The oldest first instead of the newest, by when the ledger learned it.
    pub oldest: bool,
    /// The most rows of a page: 50 by default; 0 counts as 1.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<Cursor>,
}

/// The rows of a page where nobody says how many.
const PAGE: usize = 50;

impl Default for Listing {
    fn default() -> Listing {
        Listing {
            what: ListOf::default(),
            entity: None,
            kind: None,
            status: None,
            origin: None,
            session: None,
            since: None,
            until: None,
            metadata: BTreeMap::new(),
            oldest: false,
            limit: PAGE,
            cursor: None,
        }
    }
}

/// A page of items.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Listed {
    /// The items, in order.
    pub items: Vec<ListedItem>,
    /// Where the next page begins; `None` where there is no more.
    pub next: Option<Cursor>,
}

/// An item of a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListedItem {
    /// The fields that every item has.
    pub item: Item,
    /// How it stands at the caller's instant.
    pub authority: Authority,
    /// The first instant at which it holds; of a memory.
    pub valid_from: Option<Timestamp>,
    /// When it ceases to hold, or did, and why.
    pub end: Option<End>,
    /// Its citation.
    pub citation: Citation,
    /// A later item of the page that says, or may say, another value of the same.
    pub newer: Option<RecordId>,
    /// Its record; [`decode`](crate::log::decode) reads what it says.
    pub record: Record,
}

/// Number of sequences looked at in one go.
const WINDOW: u64 = 1_024;

/// Marks the memories of which a later one of the page says, or may say, another value.
fn mark_older(items: &mut [ListedItem], now: Timestamp) {
    let stands = |one: &ListedItem| !one.item.is_record() && one.authority.is_shown();
    let mut places = Vec::new();
    let mut statements = Vec::new();
    for (at, one) in items.iter().enumerate().filter(|(_, one)| stands(one)) {
        let Some(body) = body_of(&one.record).ok().flatten() else { continue };
        let Some(text) = body.event.item_text() else { continue };
        let when = (one.valid_from.unwrap_or(one.item.occurred_at).min(now), one.item.id.seq);
        let speaker = body.envelope.actor.name.to_string();
        let (id, guard) = (one.item.id, one.item.guard);
        statements.push(Statement { id, text: text.to_string(), speaker, when, guard });
        places.push(at);
    }
    for (at, newer) in places.into_iter().zip(newer_of(&statements)) {
        let newer = newer.and_then(|newer| statements.get(newer));
        if let (Some(one), Some(newer)) = (items.get_mut(at), newer) {
            one.newer = Some(newer.id);
        }
    }
}

impl Serialize for ListedItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let item = &self.item;
        let body = body_of(&self.record).ok().flatten();
        let body = body.as_ref();
        // Of an erased item the fold keeps nothing of its source.
        let kept = item.own != OwnStatus::Erased;
        let mut out = serializer.serialize_struct("ListedItem", 18)?;
        out.serialize_field("id", &item.id)?;
        out.serialize_field("citation", &self.citation)?;
        out.serialize_field("kind", kind_of(&self.record).name())?;
        out.serialize_field("authority", &self.authority)?;
        out.serialize_field("pinned", &item.is_pinned())?;
        out.serialize_field("origin", &kept.then_some(item.origin))?;
        out.serialize_field("tier", &kept.then_some(item.tier))?;
        out.serialize_field("actor", &body.map(|body| &body.envelope.actor.name))?;
        out.serialize_field(
            "session",
            &body.and_then(|body| body.envelope.scope.session.as_ref()),
        )?;
        out.serialize_field("recorded_at", &item.recorded_at)?;
        out.serialize_field("occurred_at", &item.occurred_at)?;
        out.serialize_field("valid_from", &self.valid_from)?;
        out.serialize_field("until", &self.end.map(|end| end.at))?;
        out.serialize_field("newer", &self.newer)?;
        out.serialize_field("until_why", &self.end.map(|end| end.why))?;
        out.serialize_field("slot", &body.and_then(slot_of))?;
        out.serialize_field("metadata", &body.and_then(metadata_of))?;
        out.serialize_field("text", &body.and_then(|body| body.event.item_text()))?;
        out.end()
    }
}

impl Listing {
    /// The list and its order, as cursors name them.
    pub(crate) fn list(&self, what: ListOf) -> List {
        List { what, oldest: self.oldest }
    }

    fn limit(&self) -> usize {
        self.limit.max(1)
    }
}

impl Ledger {
    /// A page of the memories or records that the caller's scope sees.
    ///
    /// Cost: the rows of folded state between the cursor and the end of the page, some hundred
    /// bytes each, for memories those of memories alone; no words are read but those of the rows
    /// of the page. With `kind`, of records, and with `metadata`, one read for each row that all
    /// other filters let through. With `entity`, the index's shortest list among the words of its
    /// name, and one read for each memory with a slot that has all of them; only for a name of
    /// stop words alone, one for each memory with a slot.
    ///
    /// # Errors
    /// [`Error::Cursor`] where the cursor is of another ledger or list, [`Error::AfterHead`]
    /// where it lies behind the end; and the log's.
    pub fn list(&self, caller: &Caller, listing: &Listing) -> Result<Listed, Error> {
        let list = listing.list(listing.what);
        self.read(|state| {
            let head = state.next.previous().unwrap_or_default();
            let behind = self.position(listing, list, head)?;
            let filter = Filter::of(state, caller, listing, self.instant(caller));
            let rows = match &listing.entity {
                Some(entity) => {
                    let mut seqs = Vec::new();
                    self.each_about(state, caller, (entity, None), |record| {
                        seqs.push(record.seq);
                    })?;
                    Rows::Some(seqs)
                }
                None if is_of_memories(listing) => Rows::Memories,
                None => Rows::All,
            };
            let mut items = Vec::new();
            let mut next = None;
            for item in rows.walk(&state.memory, range(behind, head, listing), listing.oldest) {
                let Some(found) = self.listed(state, &filter, item)? else { continue };
                if items.len() == listing.limit() {
                    let last: Option<&ListedItem> = items.last();
                    let seq = last.map_or(item.id.seq, |last| last.item.id.seq);
                    next = Some(Cursor { ledger: self.id(), list, seq });
                    break;
                }
                items.push(found);
            }
            mark_older(&mut items, self.instant(caller));
            Ok(Listed { items, next })
        })
    }

    /// Where the list goes on, if it was begun.
    fn position(&self, listing: &Listing, list: List, head: Seq) -> Result<Option<Seq>, Error> {
        let Some(cursor) = listing.cursor else { return Ok(None) };
        let asked = cursor.behind(self.id(), list)?;
        if asked > head {
            return Err(Error::AfterHead { asked, head });
        }
        Ok(Some(asked))
    }

    fn listed(
        &self,
        state: &State,
        filter: &Filter<'_>,
        item: Item,
    ) -> Result<Option<ListedItem>, Error> {
        let seq = item.id.seq;
        if !filter.lets(&item) {
            return Ok(None);
        }
        let authority = state.memory.authority(seq, filter.now).unwrap_or(Authority::Erased);
        if filter.listing.status.is_some_and(|status| status != authority)
            || !filter.may_be_of_kind(&state.memory, &item)
        {
            return Ok(None);
        }
        let record = self.log.read(seq)?;
        let kind = kind_of(&record).name();
        if filter.listing.kind.as_deref().is_some_and(|wanted| wanted != kind) {
            return Ok(None);
        }
        if !has_metadata(&record, &filter.listing.metadata) {
            return Ok(None);
        }
        let assertion = state.memory.assertion(seq);
        let end = end_of(&item, assertion.as_ref(), state.memory.closed(seq));
        let valid_from = assertion.map(|assertion| assertion.valid_from);
        let citation = self.cite(item.id);
        Ok(Some(ListedItem { item, authority, valid_from, end, citation, newer: None, record }))
    }

    /// Visits, ascending, the memories that the caller's scope sees and whose slot is about an
    /// entity, and where it is given of its predicate.
    pub(crate) fn each_about(
        &self,
        state: &State,
        caller: &Caller,
        (entity, predicate): (&str, Option<&str>),
        mut visit: impl FnMut(&Record),
    ) -> Result<(), Error> {
        let head = state.next.previous().unwrap_or_default();
        let text = format!("{entity} {}", predicate.unwrap_or_default());
        let candidates = match state.recall.having(&text, &caller.scope) {
            Some(seqs) => seqs,
            None => state.memory.slotted_between(Seq::GENESIS, head).collect(),
        };
        let sight = Sight::of(&caller.scope);
        for seq in candidates {
            let slotted = state.memory.assertion(seq).is_some_and(|row| row.slot != Key::default());
            if !slotted || !state.memory.item(seq).is_some_and(|item| sight.has(&item)) {
                continue;
            }
            let record = self.log.read(seq)?;
            let body = body_of(&record).ok().flatten();
            if body.is_some_and(|body| entity_of(&body, entity, predicate)) {
                visit(&record);
            }
        }
        Ok(())
    }
}

/// Whether a record is of a memory that has each of these pairs.
fn has_metadata(record: &Record, wanted: &BTreeMap<String, String>) -> bool {
    if wanted.is_empty() {
        return true;
    }
    let body = body_of(record).ok().flatten();
    let found = body.as_ref().and_then(metadata_of).map(Metadata::to_map).unwrap_or_default();
    wanted.iter().all(|(key, value)| found.get(key) == Some(value))
}

/// The sequences behind `behind` in the order of the list, up to `head`.
fn range(behind: Option<Seq>, head: Seq, listing: &Listing) -> Range<u64> {
    let end = head.0.saturating_add(1);
    match (behind, listing.oldest) {
        (None, _) => 0..end,
        (Some(behind), true) => behind.0.saturating_add(1)..end,
        (Some(behind), false) => 0..behind.0,
    }
}

/// The items that a list goes through.
enum Rows {
    /// All of them.
    All,
    /// The memories that are not erased: they may be few among many records.
    Memories,
    /// Those of these sequences, ascending.
    Some(Vec<Seq>),
}

impl Rows {
    /// The items in `range`, in the order of the list; read as far as they are asked for.
    fn walk<'a>(
        self,
        memory: &'a Memory,
        range: Range<u64>,
        oldest: bool,
    ) -> Box<dyn Iterator<Item = Item> + 'a> {
        match self {
            Rows::All => {
                let windows = windows(range, oldest);
                Box::new(windows.flat_map(move |(first, last)| {
                    let mut items: Vec<Item> = memory.items_between(first, last).collect();
                    if !oldest {
                        items.reverse();
                    }
                    items
                }))
            }
            Rows::Memories => {
                let seqs = memories(memory, range, oldest);
                Box::new(seqs.filter_map(|seq| memory.item(seq)))
            }
            Rows::Some(mut seqs) => {
                seqs.retain(|seq| range.contains(&seq.0));
                if !oldest {
                    seqs.reverse();
                }
                Box::new(seqs.into_iter().filter_map(|seq| memory.item(seq)))
            }
        }
    }
}

/// The cells that a scope sees; those of every item where it is the view of everything.
fn cells_of(state: &State, scope: &Scope<'_>) -> Vec<Key> {
    if !scope.everywhere {
        return scope.visible_cells();
    }
    let items = state.memory.items_between(Seq::GENESIS, Seq::MAX);
    let cells: BTreeSet<Key> = items.map(|item| item.cell).collect();
    cells.into_iter().collect()
}

/// Whether only memories that are not erased are listed.
fn is_of_memories(listing: &Listing) -> bool {
    listing.what == ListOf::Memories && listing.status != Some(Authority::Erased)
}

/// The memories in `range`, in the order of the list. A window that holds few is followed by one
/// of twice its width.
fn memories(memory: &Memory, range: Range<u64>, oldest: bool) -> impl Iterator<Item = Seq> {
    let (mut left, mut width) = (range, WINDOW);
    let windows = std::iter::from_fn(move || {
        if left.is_empty() {
            return None;
        }
        let window = if oldest {
            let end = left.start.saturating_add(width).min(left.end);
            std::mem::replace(&mut left.start, end)..end
        } else {
            let start = left.end.saturating_sub(width).max(left.start);
            start..std::mem::replace(&mut left.end, start)
        };
        let last = Seq(window.end.saturating_sub(1));
        let mut seqs = memory.memories_between(Seq(window.start), last);
        let is_sparse = (seqs.len() as u64) < WINDOW / 4;
        width = if is_sparse { width.saturating_mul(2) } else { WINDOW };
        if !oldest {
            seqs.reverse();
        }
        Some(seqs)
    });
    windows.flatten()
}

/// The first and last sequences of the windows of `range`, in the order of the list.
fn windows(range: Range<u64>, oldest: bool) -> impl Iterator<Item = (Seq, Seq)> {
    let count = range.end.saturating_sub(range.start).div_ceil(WINDOW);
    (0..count).map(move |at| {
        let skipped = at.saturating_mul(WINDOW);
        if oldest {
            let first = range.start.saturating_add(skipped);
            (Seq(first), Seq(first.saturating_add(WINDOW - 1).min(range.end.saturating_sub(1))))
        } else {
            let last = range.end.saturating_sub(skipped).saturating_sub(1);
            (Seq(last.saturating_sub(WINDOW - 1).max(range.start)), Seq(last))
        }
    })
}

/// The conditions of a list that folded state can answer.
struct Filter<'a> {
    listing: &'a Listing,
    sight: Sight,
    sessions: Option<Vec<Key>>,
    now: Timestamp,
}

impl<'a> Filter<'a> {
    fn of(state: &State, caller: &Caller, listing: &'a Listing, now: Timestamp) -> Filter<'a> {
        let named = listing.session.as_ref().map(|name| {
            let cells = cells_of(state, &caller.scope);
            cells.iter().map(|cell| Scope::session_named(*cell, name)).collect::<Vec<Key>>()
        });
        Filter { listing, sight: Sight::of(&caller.scope), sessions: named, now }
    }

    fn lets(&self, item: &Item) -> bool {
        let listing = self.listing;
        let erased = item.own == OwnStatus::Erased;
        let seen = match listing.status {
            Some(Authority::Erased) => erased || self.sight.has(item),
            Some(_) | None => !erased && self.sight.has(item),
        };
        let what = match listing.what {
            ListOf::Memories => !item.is_record(),
            ListOf::Records => item.is_record(),
            ListOf::Sessions => item.session != Key::default(),
        };
        seen && what
            && listing.origin.is_none_or(|origin| !erased && item.origin == origin)
            && listing.since.is_none_or(|since| item.occurred_at >= since)
            && listing.until.is_none_or(|until| item.occurred_at < until)
            && self.sessions.as_ref().is_none_or(|named| named.contains(&item.session))
    }

    /// Whether its record may be of the kind that is asked for: no memory is read to be told
    /// from a summary or a procedure.
    fn may_be_of_kind(&self, memory: &Memory, item: &Item) -> bool {
        let Some(kind) = self.listing.kind.as_deref() else { return true };
        if item.is_record() {
            return true;
        }
        let own = match (item.is_summary(), memory.required(item.id.seq)) {
            (true, _) => Kind::SUMMARISED,
            (false, Some(_)) => Kind::PROCEDURE_MINED,
            // Of an erased one it isn't known any more.
            (false, None) if item.own == OwnStatus::Erased => return true,
            (false, None) => Kind::REMEMBERED,
        };
        own.name() == kind
    }
}
