mod json;

use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use memlith::RecordId;

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;
use crate::target::Target;

use json::{Answer, ItemJson, RecordJson};

/// Show one record whole: its words, its standing, its source and what became of it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith show mem_17_0a1b2c3d4e5f
  memlith show 17
  memlith show mem_17_0a1b2c3d4e5f --json")]
pub(crate) struct ShowArgs {
    /// The record: a sequence, an id or its beginning, a citation, a checkout.
    id: Target,
}

pub(crate) fn run(args: &ShowArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let caller = context.caller();
    let id = args.id.within(&ledger, &caller)?;
    let inspected = ledger.inspect(&caller, id)?;
    let answer = Answer::of(&ledger, &inspected)?;
    let text = if context.json { String::new() } else { answer.to_text() };
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
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
}

impl Answer {
    fn to_text(&self) -> String {
        let mut lines = Lines(format!("{}\n", self.record.citation));
        match &self.item {
            Some(item) => self.put_item(item, &mut lines),
            None => lines.put("what", &format!("{}, no item", self.record.kind)),
        }
        self.record.put_origin(self.item.as_deref(), &mut lines);
        if let Some(item) = &self.item {
            item.put_life(&mut lines);
        } else if let Some(says) = &self.record.says {
            lines.put("says", says);
            lines.put_ids("about", &self.record.about);
        }
        self.record.put_place(&mut lines);
        let Lines(mut out) = lines;
        let words = match (&self.item, &self.record.text) {
            (_, Some(words)) => words.as_str(),
            (Some(_), None) => "(erased)",
            (None, None) => "",
        };
        for line in words.lines() {
            let _ = writeln!(out, "    {}", plain(line, usize::MAX));
        }
        out
    }

    fn put_item(&self, item: &ItemJson, lines: &mut Lines) {
        let mut parts = vec![format!("{}, {}", self.record.what, item.authority)];
        parts.extend(item.pinned.then(|| "pinned".to_owned()));
        parts.extend(item.accepted.then(|| "accepted".to_owned()));
        lines.put("standing", &parts.join(", "));
    }
}

impl RecordJson {
    /// Who wrote it, how it came, and when.
    fn put_origin(&self, item: Option<&ItemJson>, lines: &mut Lines) {
        if let (Some(actor), Some(rank), Some(via)) = (&self.actor, &self.rank, &self.via) {
            lines.put("written by", &format!("{actor}, as {rank}, {via}"));
        }
        let source = item.and_then(|item| Some((item.origin.as_ref()?, item.tier?, item.guard?)));
        if let Some((origin, tier, guard)) = source {
            lines.put("source", &format!("{origin}, tier {tier}, guard {guard}"));
        }
        if let Some(session) = &self.session {
            lines.put("session", session);
        }
        if let Some(happened) = self.occurred_at {
            lines.put("happened", &happened.to_string());
        }
        lines.put("recorded", &self.recorded_at.to_string());
    }

    /// Where it stands in the chain.
    fn put_place(&self, lines: &mut Lines) {
        lines.put("record", &self.seq.to_string());
        lines.put("hash", &self.hash.to_string());
        lines.put("chain", &self.chain.to_string());
        if let Some(previous) = &self.previous_chain {
            lines.put("before it", &previous.to_string());
        }
    }
}

impl ItemJson {
    /// How long it holds, what came before and after it, and what was said of it.
    fn put_life(&self, lines: &mut Lines) {
        if let Some(from) = self.valid_from {
            let until = match (self.until, self.until_why) {
                (Some(until), Some("withdrawn")) => format!("not any more, since {until}"),
                (Some(until), Some("replaced")) => format!("from {from} until {until}: replaced"),
                (Some(until), _) => format!("from {from} until {until}"),
                (None, _) => format!("from {from}, until: open"),
            };
            lines.put("holds", &until);
        } else if let Some(until) = self.until {
            lines.put("withdrawn", &until.to_string());
        }
        if let Some(times) = self.restated.filter(|times| *times > 0) {
            lines.put("said again", &times.to_string());
        }
        for other in &self.replaced {
            lines.put("replaced", &format!("{} from {}", other.id, other.at));
        }
        for other in &self.replaced_by {
            lines.put("replaced by", &format!("{} from {}", other.id, other.at));
        }
        for ids in self.rests_on.iter() {
            lines.put_ids("rests on", ids);
        }
        lines.put_ids("disputed by", &self.disputed_by);
        if !self.contested_with.is_empty() {
            lines.put("contested", &format!("with {}", listed(&self.contested_with)));
        }
        if let Some(slot) = &self.slot_text {
            lines.put("slot", slot);
        }
        for reason in &self.reasons {
            let said = reason.text.as_deref().map_or(String::new(), |text| format!(": {text}"));
            let (_, did) = reason.kind.split_once('.').unwrap_or(("", reason.kind));
            let of = if reason.of_itself { String::new() } else { format!("{} ", reason.item) };
            let by = format!("{of}{did} by {}{said} ({})", reason.actor, reason.record);
            lines.put("reason", &by);
        }
    }
}

fn listed(ids: &[RecordId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
