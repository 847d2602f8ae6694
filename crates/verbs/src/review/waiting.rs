use std::fmt::Write as _;

use anyhow::Result;
use memlith::{Caller, Ledger, RecordId, write::Waiting};
use serde::Serialize;

use crate::plain::plain;

/// Memories that wait, as JSON.
#[derive(Serialize)]
pub(super) struct ListJson {
    items: Vec<Waiting>,
}

/// One that waits, with the words of what it is connected to.
#[derive(Serialize)]
pub(super) struct ShowJson<'a> {
    #[serde(flatten)]
    waiting: &'a Waiting,
    sources: Vec<OtherJson>,
    displaces: Vec<OtherJson>,
    contradicts: Vec<OtherJson>,
}

#[derive(Serialize)]
struct OtherJson {
    id: RecordId,
    authority: &'static str,
    text: Option<String>,
}

impl ListJson {
    pub(super) fn of(items: Vec<Waiting>) -> ListJson {
        ListJson { items }
    }

    pub(super) fn to_text(&self) -> String {
        self.items.iter().map(line).collect()
    }
}

impl<'a> ShowJson<'a> {
    pub(super) fn of(ledger: &Ledger, caller: &Caller, one: &'a Waiting) -> Result<ShowJson<'a>> {
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
            waiting: one,
            sources: one.rests_on.iter().map(other).collect::<Result<_>>()?,
            displaces: one.against.iter().map(other).collect::<Result<_>>()?,
            contradicts: one.conflicts.iter().map(other).collect::<Result<_>>()?,
        })
    }

    pub(super) fn to_text(&self) -> String {
        let mut out = line(self.waiting);
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

fn line(one: &Waiting) -> String {
    let author = plain(one.author.as_deref().unwrap_or("(erased)"), usize::MAX);
    let stale = if one.item.is_stale() { ", stale" } else { "" };
    let words = plain(one.text.as_deref().unwrap_or("(erased)"), usize::MAX);
    let conflicts = match one.conflicts.len() {
        0 => String::new(),
        many => format!(", contradicted by {many} more"),
    };
    let kind = one.reason.label();
    format!("{}  {kind} by {author}{stale}{conflicts}  {words}\n", one.item.id)
}
