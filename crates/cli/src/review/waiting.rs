use std::fmt::Write as _;

use anyhow::Result;
use memlith::{Caller, Ledger, Origin, RecordId, Timestamp, write::Waiting};
use serde::Serialize;

use crate::plain::plain;

/// What waits.
#[derive(Serialize)]
pub(super) struct ListJson {
    items: Vec<WaitingJson>,
}

/// One that waits, with the words of what it is connected to.
#[derive(Serialize)]
pub(super) struct ShowJson {
    #[serde(flatten)]
    waiting: WaitingJson,
    sources: Vec<OtherJson>,
    displaces: Vec<OtherJson>,
    contradicts: Vec<OtherJson>,
}

#[derive(Serialize)]
struct WaitingJson {
    id: RecordId,
    citation: String,
    kind: &'static str,
    text: Option<String>,
    origin: Origin,
    tier: u8,
    author: Option<String>,
    occurred_at: Timestamp,
    stale: bool,
    rests_on: Vec<RecordId>,
    against: Vec<RecordId>,
    conflicts: Vec<RecordId>,
}

#[derive(Serialize)]
struct OtherJson {
    id: RecordId,
    authority: &'static str,
    text: Option<String>,
}

impl ListJson {
    pub(super) fn of(ledger: &Ledger, waiting: &[Waiting]) -> Result<ListJson> {
        let items =
            waiting.iter().map(|one| WaitingJson::of(ledger, one)).collect::<Result<_>>()?;
        Ok(ListJson { items })
    }

    pub(super) fn to_text(&self) -> String {
        self.items.iter().map(WaitingJson::to_text).collect()
    }
}

impl ShowJson {
    pub(super) fn of(ledger: &Ledger, caller: &Caller, one: &Waiting) -> Result<ShowJson> {
        let other = |id: &RecordId| -> Result<OtherJson> {
            let shown = match ledger.show(caller, *id) {
                Ok(shown) => shown,
                // Of a session that the reviewer isn't of: the claim says the same.
                Err(memlith::Error::NoRecord { .. }) => {
                    return Ok(OtherJson { id: *id, authority: "unseen", text: None });
                }
                Err(error) => return Err(error.into()),
            };
            let body = memlith::log::decode(&shown.record)?;
            let text = body.and_then(|body| body.event.item_text().map(Into::into));
            Ok(OtherJson { id: *id, authority: shown.authority.label(), text })
        };
        Ok(ShowJson {
            waiting: WaitingJson::of(ledger, one)?,
            sources: one.rests_on.iter().map(other).collect::<Result<_>>()?,
            displaces: one.against.iter().map(other).collect::<Result<_>>()?,
            contradicts: one.conflicts.iter().map(other).collect::<Result<_>>()?,
        })
    }

    pub(super) fn to_text(&self) -> String {
        let mut out = self.waiting.to_text();
        let parts = [
            ("rests on", &self.sources),
            ("would end", &self.displaces),
            ("contradicts", &self.contradicts),
        ];
        for (name, others) in parts {
            for other in others {
                let missing = if other.authority == "unseen" { "" } else { "(erased)" };
                let words = plain(other.text.as_deref().unwrap_or(missing), usize::MAX);
                let _ = writeln!(out, "  {name} {}  {}  {words}", other.id, other.authority);
            }
        }
        out
    }
}

impl WaitingJson {
    fn of(ledger: &Ledger, one: &Waiting) -> Result<WaitingJson> {
        let body = memlith::log::decode(&one.record)?;
        Ok(WaitingJson {
            id: one.item.id,
            citation: ledger.cite(one.item.id).to_string(),
            kind: one.reason.label(),
            text: body.as_ref().and_then(|body| body.event.item_text()).map(Into::into),
            origin: one.item.origin,
            tier: one.item.tier.0,
            author: body.map(|body| body.envelope.actor.name.to_string()),
            occurred_at: one.item.occurred_at,
            stale: one.item.is_stale(),
            rests_on: one.rests_on.clone(),
            against: one.against.clone(),
            conflicts: one.conflicts.clone(),
        })
    }

    fn to_text(&self) -> String {
        let author = plain(self.author.as_deref().unwrap_or("(erased)"), usize::MAX);
        let stale = if self.stale { ", stale" } else { "" };
        let words = plain(self.text.as_deref().unwrap_or("(erased)"), usize::MAX);
        let conflicts = match self.conflicts.len() {
            0 => String::new(),
            many => format!(", contradicted by {many} more"),
        };
        format!("{}  {} by {author}{stale}{conflicts}  {words}\n", self.id, self.kind)
    }
}
