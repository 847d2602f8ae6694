use std::fmt::Write as _;

use anyhow::Result;
use clap::{Args, ValueEnum};
use memlith::{
    Authority, Origin, Timestamp,
    log::Kind,
    read::{Cursor, ListOf, Listed, Listing, SessionPage},
};

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;

/// How much of an item's words stands in a line for people.
const WORDS_CHARS: usize = 100;

/// List what the ledger holds, the newest first, page by page.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith list
  memlith list --entity staging --status active
  memlith list records --kind turn.tool_ran --since 2026-05-01
  memlith list sessions --limit 5 --json
  memlith list --cursor cursor_9f0c..._memories_17")]
pub(crate) struct ListArgs {
    /// List to print.
    #[arg(value_enum, default_value = "memories")]
    what: WhatArg,

    /// Only memories whose slot is about this entity.
    #[arg(long, value_name = "NAME")]
    entity: Option<String>,

    /// Only items of this kind, as `log` names it: `memory.remembered`, `turn.said`.
    #[arg(long, value_parser = parse_kind)]
    kind: Option<String>,

    /// Only items that stand so: `active`, `superseded`, `pending`.
    #[arg(long, value_parser = parse_status)]
    status: Option<Authority>,

    /// Only what user, assistant, tool, web, file or derived spoke.
    #[arg(long)]
    origin: Option<Origin>,

    /// Only items of the session of this name.
    #[arg(long, value_name = "NAME")]
    session: Option<String>,

    /// Only what happened at this instant or later.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse)]
    since: Option<Timestamp>,

    /// Only what happened before this instant.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse)]
    until: Option<Timestamp>,

    /// The oldest first.
    #[arg(long)]
    oldest: bool,

    /// The most rows of a page, at most 10,000.
    #[arg(long, value_name = "N", default_value_t = 50,
        value_parser = clap::value_parser!(u64).range(1..=10_000))]
    limit: u64,

    /// Go on where a page before ended: its `next`.
    #[arg(long)]
    cursor: Option<String>,
}

/// Lists that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WhatArg {
    /// Memories, and summaries.
    Memories,
    /// Records of everything that happened.
    Records,
    /// In which sessions something happened.
    Sessions,
}

pub(crate) fn run(args: &ListArgs, context: &mut Context) -> Result<Exit> {
    let listing = args.listing()?;
    let ledger = context.open_to_read()?;
    let caller = context.caller();
    let next = match listing.what {
        ListOf::Memories | ListOf::Records => {
            let page = ledger.list(&caller, &listing)?;
            context.answer(&page, items(&page)?)?;
            page.next
        }
        ListOf::Sessions => {
            let page = ledger.list_sessions(&caller, &listing)?;
            context.answer(&page, sessions(&page))?;
            page.next
        }
    };
    if let Some(next) = next {
        context.note(format_args!("there is more: --cursor {next}"));
    }
    Ok(Exit::Ok)
}

impl ListArgs {
    fn listing(&self) -> Result<Listing> {
        let cursor = self.cursor.as_deref().map(str::parse::<Cursor>).transpose();
        Ok(Listing {
            what: match self.what {
                WhatArg::Memories => ListOf::Memories,
                WhatArg::Records => ListOf::Records,
                WhatArg::Sessions => ListOf::Sessions,
            },
            entity: self.entity.clone(),
            kind: self.kind.clone(),
            status: self.status,
            origin: self.origin,
            session: self.session.clone(),
            since: self.since,
            until: self.until,
            oldest: self.oldest,
            limit: usize::try_from(self.limit).unwrap_or(usize::MAX),
            cursor: cursor.map_err(memlith::Error::from)?,
        })
    }
}

fn items(page: &Listed) -> Result<String> {
    let mut out = String::new();
    for one in &page.items {
        let body = memlith::log::decode(&one.record)?;
        let text = body.as_ref().and_then(|body| body.event.item_text());
        let words = plain(text.as_deref().unwrap_or("(erased)"), WORDS_CHARS);
        let (item, authority) = (&one.item, one.authority);
        // Writing to a string can't fail.
        let _ = write!(out, "{}  {}  {authority}  {words}", item.id, item.occurred_at);
        let _ = match one.newer {
            Some(newer) => writeln!(out, "  (older; newer: {newer})"),
            None => writeln!(out),
        };
    }
    Ok(out)
}

fn sessions(page: &SessionPage) -> String {
    let mut out = String::new();
    for one in &page.sessions {
        let name = plain(one.name.as_deref().unwrap_or("(erased)"), WORDS_CHARS);
        // Writing to a string can't fail.
        let _ = writeln!(
            out,
            "{} to {}  {} items, {} memories, last {}  {name}",
            one.began, one.latest, one.items, one.memories, one.last
        );
    }
    out
}

fn parse_kind(text: &str) -> Result<String, String> {
    let mut items = Kind::ALL.into_iter().filter(|kind| kind.is_item()).map(Kind::name);
    if items.any(|name| name == text) {
        return Ok(text.to_owned());
    }
    let mut names: Vec<&str> =
        Kind::ALL.into_iter().filter(|kind| kind.is_item()).map(Kind::name).collect();
    names.dedup();
    Err(format!("an item's kind is one of {}", names.join(", ")))
}

fn parse_status(text: &str) -> Result<Authority, String> {
    let mut known = Authority::ALL.into_iter().rev();
    known.find(|status| status.label() == text).ok_or_else(|| {
        let names: Vec<&str> = Authority::ALL.into_iter().rev().map(Authority::label).collect();
        format!("an item is one of {}", names.join(", "))
    })
}
