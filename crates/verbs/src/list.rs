use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use clap::{Args, ValueEnum};
use memlith::{
    Authority, Origin, Timestamp,
    log::Kind,
    read::{Cursor, ListOf, Listed, Listing, SessionPage, Wanted},
};

use crate::context::Context;
use crate::exit::Exit;
use crate::pair::Pair;
use crate::plain::plain;
use crate::verb::Verb;

/// How much of an item's words stands in a line for people.
const WORDS_CHARS: usize = 100;

/// List what the ledger holds, the newest first, page by page.
#[derive(Args, Debug, Default)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith list
  memlith list --entity staging --status active
  memlith list records --kind turn.tool_ran --since 2026-05-01
  memlith list sessions --limit 5 --json
  memlith list facts --entity ana --predicate lives_in --past
  memlith list events --from 100 --limit 20
  memlith list --cursor cursor_9f0c..._memories_17")]
pub struct ListArgs {
    /// List to print.
    #[arg(value_enum, default_value = "memories")]
    #[cfg_attr(feature = "schema", serde(default))]
    what: WhatArg,

    /// Only memories whose slot is about this entity.
    #[arg(long, value_name = "NAME")]
    entity: Option<String>,

    /// Of facts: only this property.
    #[arg(long, value_name = "NAME", requires = "entity")]
    predicate: Option<String>,

    /// Of facts: also earlier and later values, those that wait, and those declared wrong.
    #[arg(long, requires = "entity")]
    #[cfg_attr(feature = "schema", serde(default))]
    past: bool,

    /// Of facts: the instant at which they hold, by what is known today.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse, requires = "entity")]
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "crate::instant::given"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    at: Option<Timestamp>,

    /// Of events: the first record.
    #[arg(long, value_name = "SEQ")]
    #[cfg_attr(feature = "schema", serde(skip))]
    from: Option<u64>,

    /// Only items of this kind: `memory.remembered`, `turn.said`, `turn.tool_ran`.
    #[arg(long, value_parser = parse_kind)]
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "kind_given"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    kind: Option<String>,

    /// Only items that stand so.
    #[arg(long, value_parser = parse_status)]
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "status_given"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = Authority::ALL.map(Authority::label))))]
    status: Option<Authority>,

    /// Only what this kind of source said.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "crate::given::text"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = Origin::ALL.map(Origin::name))))]
    origin: Option<Origin>,

    /// Only items of the session of this name.
    #[arg(long, value_name = "NAME")]
    session: Option<String>,

    /// Only what happened at this instant or later.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse)]
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "crate::instant::given"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    since: Option<Timestamp>,

    /// Only what happened before this instant.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse)]
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "crate::instant::given"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    until: Option<Timestamp>,

    /// Only memories that have these pairs beside them.
    #[arg(long, value_name = "KEY=VALUE")]
    #[cfg_attr(feature = "schema", serde(skip))]
    metadata: Vec<Pair>,

    /// The oldest first.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(default))]
    oldest: bool,

    /// The most rows of a page; 50 where absent, all of events.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 10_000)))]
    limit: Option<u64>,

    /// Go on where a page before ended: its `next`.
    #[arg(long)]
    cursor: Option<String>,
}

/// Lists that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Default)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(rename_all = "snake_case"))]
enum WhatArg {
    /// Memories, and summaries.
    #[default]
    Memories,
    /// Records of everything that happened.
    Records,
    /// In which sessions something happened.
    Sessions,
    /// Properties of an entity and their values (--entity).
    Facts,
    /// Every record of the log, of every scope, the log's own among them, the oldest first.
    // No tool lists it: a scope is no wall there.
    #[cfg_attr(feature = "schema", serde(skip))]
    Events,
}

#[cfg(feature = "schema")]
impl ListArgs {
    /// Lists what one session holds, the oldest first.
    #[must_use]
    pub fn of_session(what: ListOf, session: &str, limit: u64) -> ListArgs {
        let what = match what {
            ListOf::Memories => WhatArg::Memories,
            ListOf::Records => WhatArg::Records,
            ListOf::Sessions => WhatArg::Sessions,
        };
        let session = Some(session.to_owned());
        ListArgs { what, session, oldest: true, limit: Some(limit), ..ListArgs::default() }
    }

    /// Lists accepted procedures.
    #[must_use]
    pub fn of_procedures(limit: u64) -> ListArgs {
        let (kind, status) = (Some("procedure.mined".to_owned()), Some(Authority::Active));
        ListArgs { kind, status, limit: Some(limit), ..ListArgs::default() }
    }
}

impl Verb for ListArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: &ListArgs, context: &mut Context) -> Result<Exit> {
    match args.what {
        WhatArg::Facts => return args.facts(context),
        WhatArg::Events => return args.events(context),
        WhatArg::Memories | WhatArg::Records | WhatArg::Sessions => {}
    }
    let of_others = [
        ("predicate", args.predicate.is_some()),
        ("past", args.past),
        ("at", args.at.is_some()),
        ("from", args.from.is_some()),
    ];
    args.only("memories, records or sessions", &of_others)?;
    if args.what == WhatArg::Sessions {
        let of_items = [("kind", args.kind.is_some()), ("metadata", !args.metadata.is_empty())];
        args.only("sessions", &of_items)?;
    }
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
    /// Refuses flags of other lists.
    fn only(&self, of: &str, flags: &[(&str, bool)]) -> Result<()> {
        match flags.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => {
                Err(crate::exit::usage(format!("--{flag} is not for a list of {of}: leave it out")))
            }
            None => Ok(()),
        }
    }

    fn events(&self, context: &mut Context) -> Result<Exit> {
        let others = [
            ("entity", self.entity.is_some()),
            ("kind", self.kind.is_some()),
            ("status", self.status.is_some()),
            ("origin", self.origin.is_some()),
            ("session", self.session.is_some()),
            ("since", self.since.is_some()),
            ("until", self.until.is_some()),
            ("metadata", !self.metadata.is_empty()),
            ("oldest", self.oldest),
            ("cursor", self.cursor.is_some()),
        ];
        self.only("events", &others)?;
        crate::log::answer(self.from.unwrap_or(0), self.limit, context)
    }

    fn facts(&self, context: &mut Context) -> Result<Exit> {
        let others = [
            ("kind", self.kind.is_some()),
            ("status", self.status.is_some()),
            ("origin", self.origin.is_some()),
            ("session", self.session.is_some()),
            ("since", self.since.is_some()),
            ("until", self.until.is_some()),
            ("metadata", !self.metadata.is_empty()),
            ("oldest", self.oldest),
            ("limit", self.limit.is_some()),
            ("cursor", self.cursor.is_some()),
            ("from", self.from.is_some()),
        ];
        self.only("facts", &others)?;
        let Some(entity) = &self.entity else {
            return Err(crate::exit::usage("facts are those of an entity: add --entity NAME"));
        };
        let (entity, predicate) = (entity.clone(), self.predicate.clone());
        let wanted = Wanted { entity, predicate, history: self.past };
        crate::get::answer(wanted, self.at, context)
    }

    fn pairs(&self) -> BTreeMap<String, String> {
        self.metadata.iter().map(|pair| (pair.key.clone(), pair.value.clone())).collect()
    }

    fn listing(&self) -> Result<Listing> {
        let cursor = self.cursor.as_deref().map(str::parse::<Cursor>).transpose();
        Ok(Listing {
            what: match self.what {
                WhatArg::Records => ListOf::Records,
                WhatArg::Sessions => ListOf::Sessions,
                WhatArg::Memories | WhatArg::Facts | WhatArg::Events => ListOf::Memories,
            },
            entity: self.entity.clone(),
            kind: self.kind.clone(),
            status: self.status,
            origin: self.origin,
            session: self.session.clone(),
            since: self.since,
            until: self.until,
            metadata: self.pairs(),
            oldest: self.oldest,
            limit: usize::try_from(self.limit.unwrap_or(50).clamp(1, 10_000)).unwrap_or(usize::MAX),
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

#[cfg(feature = "schema")]
fn kind_given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    crate::given::by(from, parse_kind)
}

#[cfg(feature = "schema")]
fn status_given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Authority>, D::Error> {
    crate::given::by(from, parse_status)
}
