use std::fmt::Write as _;

use anyhow::Result;
use memlith::{
    Ledger, Origin, RecordId, Timestamp,
    item::{Listed, ListedItem, ListedSession, OwnStatus, SessionPage},
};
use serde::Serialize;
use serde_json::Value;

use crate::line::Line;
use crate::plain::plain;

/// How much of an item's words stands in a line for people.
const WORDS_CHARS: usize = 100;

/// A page of items.
#[derive(Serialize)]
pub(super) struct PageJson {
    items: Vec<ItemJson>,
    next: Option<String>,
}

/// A page of sessions.
#[derive(Serialize)]
pub(super) struct SessionsJson {
    sessions: Vec<SessionJson>,
    next: Option<String>,
}

#[derive(Serialize)]
struct ItemJson {
    id: RecordId,
    citation: String,
    kind: &'static str,
    authority: &'static str,
    pinned: bool,
    origin: Option<Origin>,
    tier: Option<u8>,
    actor: Option<String>,
    session: Option<String>,
    recorded_at: Timestamp,
    occurred_at: Timestamp,
    valid_from: Option<Timestamp>,
    until: Option<Timestamp>,
    until_why: Option<&'static str>,
    slot: Value,
    text: Option<String>,
}

#[derive(Serialize)]
struct SessionJson {
    session: Option<String>,
    items: u64,
    memories: u64,
    first: RecordId,
    last: RecordId,
    began: Timestamp,
    latest: Timestamp,
}

impl PageJson {
    pub(super) fn of(ledger: &Ledger, page: &Listed) -> Result<PageJson> {
        let items = page.items.iter().map(|item| ItemJson::of(ledger, item));
        let next = page.next.map(|next| next.to_string());
        Ok(PageJson { items: items.collect::<Result<_>>()?, next })
    }

    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        for item in &self.items {
            let words = plain(item.text.as_deref().unwrap_or("(erased)"), WORDS_CHARS);
            // Writing to a string can't fail.
            let _ = writeln!(out, "{}  {}  {}  {words}", item.id, item.occurred_at, item.authority);
        }
        out
    }
}

impl ItemJson {
    fn of(ledger: &Ledger, listed: &ListedItem) -> Result<ItemJson> {
        let (item, record) = (&listed.item, &listed.record);
        let body = memlith::log::decode(record)?;
        let line = Line::of(record);
        let kept = item.own != OwnStatus::Erased;
        let envelope = body.as_ref().map(|body| &body.envelope);
        Ok(ItemJson {
            id: item.id,
            citation: ledger.cite(item.id).to_string(),
            kind: line.json.kind,
            authority: listed.authority.label(),
            pinned: item.is_pinned(),
            origin: kept.then_some(item.origin),
            tier: kept.then_some(item.tier.0),
            actor: envelope.map(|envelope| envelope.actor.name.to_string()),
            session: envelope.and_then(|one| Some(one.scope.session.as_ref()?.to_string())),
            recorded_at: item.recorded_at,
            occurred_at: item.occurred_at,
            valid_from: listed.valid_from,
            until: listed.end.map(|end| end.at),
            until_why: listed.end.map(|end| end.why.label()),
            slot: line.json.body.pointer(crate::show::SLOT).cloned().unwrap_or_default(),
            text: body.as_ref().and_then(|body| body.event.item_text().map(Into::into)),
        })
    }
}

impl SessionsJson {
    pub(super) fn of(page: &SessionPage) -> SessionsJson {
        let sessions = page.sessions.iter().map(SessionJson::of).collect();
        SessionsJson { sessions, next: page.next.map(|next| next.to_string()) }
    }

    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        for one in &self.sessions {
            let name = plain(one.session.as_deref().unwrap_or("(erased)"), WORDS_CHARS);
            // Writing to a string can't fail.
            let _ = writeln!(
                out,
                "{} to {}  {} items, {} memories, last {}  {name}",
                one.began, one.latest, one.items, one.memories, one.last
            );
        }
        out
    }
}

impl SessionJson {
    fn of(listed: &ListedSession) -> SessionJson {
        SessionJson {
            session: listed.name.clone(),
            items: listed.items,
            memories: listed.memories,
            first: listed.first,
            last: listed.last,
            began: listed.began,
            latest: listed.latest,
        }
    }
}
