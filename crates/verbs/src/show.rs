use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use memlith::{
    RecordId, Slot, Timestamp,
    log::{Body, Event, MemoryEvent, Remembered},
    read::{EndReason, Inspected, InspectedItem, ItemFlags, OwnStatus},
};
use serde::Serialize;

use crate::context::Context;
use crate::elsewhere;
use crate::exit::Exit;
use crate::explain::ExplainArgs;
use crate::history::HistoryArgs;
use crate::line::Line;
use crate::out_file::Force;
use crate::plain::plain;
use crate::target::Target;
use crate::trace::TraceArgs;
use crate::verb::Verb;

/// Show one record whole: its words, its standing, its source and what became of it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith show mem_17_0a1b2c3d4e5f
  memlith show 17
  memlith show mem_17_0a1b2c3d4e5f --json
  memlith show mem_17_0a1b2c3d4e5f --history
  memlith show mem_17_0a1b2c3d4e5f --sources
  memlith show mem_17_0a1b2c3d4e5f --effects
  memlith show mem_17_0a1b2c3d4e5f --why --at 2026-12-24 --svg curve.svg")]
pub struct ShowArgs {
    /// The record: a sequence, an id or its beginning, a citation, a checkout.
    id: Target,

    /// List every record about it and what it replaced, the oldest first.
    #[arg(long, group = "view")]
    history: bool,

    /// List its sources, and the items that rest on it.
    #[arg(long, group = "view")]
    sources: bool,

    /// List all that it reached: items that rest on it, replaced it or were shown with it.
    #[arg(long, group = "view")]
    effects: bool,

    /// Explain its salience: which events made it so.
    #[arg(long, group = "view")]
    why: bool,

    /// The instant of --why; else --now, else the clock's.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse, requires = "why")]
    at: Option<Timestamp>,

    /// Also draw the curve of --why.
    #[arg(long, value_name = "FILE.svg", requires = "why")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    force: Force,
}

/// A record, with all that the scope sees of it.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    inspected: &'a Inspected,
    /// Effect of the record, in words; `None` for an item.
    says: Option<&'a str>,
}

#[cfg(feature = "schema")]
impl ShowArgs {
    /// Shows the record of these words.
    #[must_use]
    pub fn of(words: &str) -> ShowArgs {
        ShowArgs {
            id: Target::of(words),
            history: false,
            sources: false,
            effects: false,
            why: false,
            at: None,
            svg: None,
            force: Force::default(),
        }
    }
}

impl Verb for ShowArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        match &self {
            ShowArgs { history: true, .. } => HistoryArgs { id: self.id }.run(context),
            ShowArgs { sources: true, .. } => TraceArgs { id: self.id }.run(context),
            ShowArgs { effects: true, .. } => crate::taint::answer(&self.id, context),
            ShowArgs { why: true, .. } => {
                let ShowArgs { id, at, svg, force, .. } = self;
                ExplainArgs { id, at, svg, force }.run(context)
            }
            ShowArgs { .. } => run(&self, context),
        }
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: &ShowArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let caller = context.caller();
    let (own, (ledger, id)) = (&ledger, args.id.found(&ledger, &caller)?);
    for waiting in own.waiting_on(&ledger, id)? {
        context.note(format_args!(
            "another machine asked at {} for {id} to be {}, which its own machine has not done yet",
            waiting.at,
            elsewhere::to_do(waiting.said)
        ));
    }
    let inspected = ledger.inspect(&caller, id)?;
    let body = memlith::log::decode(&inspected.record)?;
    let line = Line::of(&inspected.record);
    let says = inspected.item.is_none().then(|| line.told());
    let text = match context.json {
        true => String::new(),
        false => text(&inspected, body.as_ref(), &line),
    };
    context.answer(&Answer { inspected: &inspected, says }, text)?;
    Ok(Exit::Ok)
}

fn text(inspected: &Inspected, body: Option<&Body<'_>>, line: &Line) -> String {
    let mut lines = Lines(format!("{}\n", inspected.citation));
    let item = inspected.item.as_ref();
    match item {
        Some(item) => lines.put_standing(item),
        None => lines.put("what", &format!("{}, no item", line.json.kind)),
    }
    lines.put_origin(inspected, body);
    match item {
        Some(item) => lines.put_life(item, body.and_then(memory)),
        None => {
            lines.put("says", line.told());
            lines.put_ids("about", &inspected.about);
        }
    }
    lines.put_place(inspected);
    let Lines(mut out) = lines;
    let words = match (item, body.and_then(|body| body.event.item_text())) {
        (_, Some(words)) => words,
        (Some(_), None) => "(erased)".into(),
        (None, None) => "".into(),
    };
    for line in words.lines() {
        let _ = writeln!(out, "    {}", plain(line, usize::MAX));
    }
    out
}

fn memory<'a>(body: &'a Body<'_>) -> Option<&'a Remembered<'a>> {
    let Event::Memory(MemoryEvent::Remembered(row)) = &body.event else { return None };
    Some(row)
}

/// Lines of a name and what it is, below a citation.
struct Lines(String);

impl Lines {
    fn put(&mut self, name: &str, value: &str) {
        // Writing to a string can't fail.
        let _ = writeln!(self.0, "  {name:<12}{}", plain(value, usize::MAX));
    }

    fn put_ids(&mut self, name: &str, ids: &[RecordId]) {
        if !ids.is_empty() {
            self.put(name, &listed(ids));
        }
    }

    fn put_standing(&mut self, item: &InspectedItem) {
        let shown = &item.shown;
        let mut standing = format!("{}, {}", item.what(), shown.authority);
        if shown.item.is_pinned() {
            standing.push_str(", pinned");
        }
        if shown.item.flags.has(ItemFlags::ACCEPTED) {
            standing.push_str(", accepted");
        }
        self.put("standing", &standing);
    }

    /// Puts who wrote it, how it came, and when.
    fn put_origin(&mut self, inspected: &Inspected, body: Option<&Body<'_>>) {
        let envelope = body.map(|body| &body.envelope);
        if let Some(envelope) = envelope {
            let (actor, via) = (&envelope.actor, envelope.via.name());
            self.put("written by", &format!("{}, as {}, {via}", actor.name, actor.rank.name()));
        }
        let item = inspected.item.as_ref().map(|item| &item.shown.item);
        if let Some(item) = item.filter(|item| item.own != OwnStatus::Erased) {
            let (origin, tier, guard) = (item.origin.name(), item.tier.0, item.guard);
            self.put("source", &format!("{origin}, tier {tier}, guard {guard}"));
        }
        if let Some(session) = envelope.and_then(|envelope| envelope.scope.session.as_ref()) {
            self.put("session", session);
        }
        if let Some(envelope) = envelope {
            self.put("happened", &envelope.occurred_at.to_string());
        }
        self.put("recorded", &inspected.record.recorded_at.to_string());
    }

    /// Where it stands in the chain.
    fn put_place(&mut self, inspected: &Inspected) {
        let record = &inspected.record;
        self.put("record", &record.seq.to_string());
        self.put("hash", &record.record_hash.to_string());
        self.put("chain", &record.chain.to_string());
        if let Some(previous) = &inspected.previous {
            self.put("before it", &previous.to_string());
        }
    }

    /// How long it holds, what came before and after it, and what was said of it.
    fn put_life(&mut self, item: &InspectedItem, memory: Option<&Remembered<'_>>) {
        let shown = &item.shown;
        if let Some(assertion) = &shown.assertion {
            let from = assertion.valid_from;
            let until = match item.end.map(|end| (end.at, end.why)) {
                Some((until, EndReason::Withdrawn)) => format!("not any more, since {until}"),
                Some((until, EndReason::Replaced)) => {
                    format!("from {from} until {until}: replaced")
                }
                Some((until, EndReason::OwnEnd)) => format!("from {from} until {until}"),
                None => format!("from {from}, until: open"),
            };
            self.put("holds", &until);
        } else if let Some(end) = item.end {
            self.put("withdrawn", &end.at.to_string());
        }
        if let Some(assertion) = shown.assertion.filter(|assertion| assertion.restated > 0) {
            self.put("said again", &assertion.restated.to_string());
        }
        for (id, at) in &item.replaced {
            self.put("replaced", &format!("{id} from {at}"));
        }
        for (id, at) in &item.replaced_by {
            self.put("replaced by", &format!("{id} from {at}"));
        }
        for (_, ids) in &shown.rests_on {
            self.put_ids("rests on", ids);
        }
        self.put_ids("disputed by", &shown.disputed_by);
        if !shown.contested_with.is_empty() {
            self.put("contested", &format!("with {}", listed(&shown.contested_with)));
        }
        if let Some(Slot { entity, predicate, value, .. }) =
            memory.and_then(|memory| memory.slot.as_ref())
        {
            self.put("slot", &format!("{entity} / {predicate} = {value}"));
        }
        for (key, value) in memory.iter().flat_map(|memory| memory.metadata.iter()) {
            self.put("metadata", &format!("{key} = {value}"));
        }
        for reason in &item.reasons {
            let said = reason.text.as_deref().map_or(String::new(), |text| format!(": {text}"));
            let (_, did) = reason.kind.split_once('.').unwrap_or(("", reason.kind));
            let of_itself = reason.item == shown.item.id;
            let of = if of_itself { String::new() } else { format!("{} ", reason.item) };
            let by = format!("{of}{did} by {}{said} ({})", reason.actor, reason.record);
            self.put("reason", &by);
        }
    }
}

fn listed(ids: &[RecordId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
