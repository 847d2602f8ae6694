use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use memlith::{
    Assertion, Digest, ItemFlags, Ledger, Origin, OwnStatus, RecordId, Shown, Timestamp,
};
use serde::Serialize;
use serde_json::Value;

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;
use crate::target::Target;

/// Show one item whole: its words, its standing, where it comes from.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith show mem_17_0a1b2c3d4e5f
  memlith show mem_17_0a1b2c3d4e5f --json")]
pub(crate) struct ShowArgs {
    /// The record: a sequence, an id or its beginning, a citation, a checkout.
    id: Target,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    citation: String,
    what: &'static str,
    text: Option<String>,
    authority: &'static str,
    own_status: OwnStatus,
    pinned: bool,
    accepted: bool,
    origin: Option<Origin>,
    tier: Option<u8>,
    guard: Option<u8>,
    recorded_at: Timestamp,
    occurred_at: Timestamp,
    valid_from: Option<Timestamp>,
    valid_until: Option<Timestamp>,
    restated: Option<u32>,
    slot: Value,
    closed_by: Option<RecordId>,
    closed_at: Option<Timestamp>,
    rests_on: Vec<Vec<RecordId>>,
    disputed_by: Vec<RecordId>,
    contested_with: Vec<RecordId>,
    hash: Digest,
    chain: Digest,
    body: Value,
}

/// Where a memory's slot stands in its body.
const SLOT: &str = "/content/memory/remembered/slot";

pub(crate) fn run(args: &ShowArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let id = args.id.within(&ledger, &context.caller())?;
    let shown = ledger.show(&context.caller(), id)?;
    let answer = answer(&ledger, &shown)?;
    let text = if context.json { String::new() } else { text(&answer) };
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

fn answer(ledger: &Ledger, shown: &Shown) -> Result<Answer> {
    let (item, record) = (&shown.item, &shown.record);
    let body = memlith::decode(record)?;
    let text = body.as_ref().and_then(|body| body.event.item_text()).map(Into::into);
    let body = body.as_ref().map_or(Value::Null, crate::line::event);
    // Of an erased item the fold keeps nothing of its source.
    let kept = item.own != OwnStatus::Erased;
    let assertion = shown.assertion.as_ref();
    let open = Assertion::OPEN;
    Ok(Answer {
        id: item.id,
        citation: ledger.cite(item.id).to_string(),
        what: match (item.is_record(), item.is_summary()) {
            (true, _) => "record",
            (false, true) => "summary",
            (false, false) => "memory",
        },
        text,
        authority: shown.authority.label(),
        own_status: item.own,
        pinned: item.is_pinned(),
        accepted: item.flags.has(ItemFlags::ACCEPTED),
        origin: kept.then_some(item.origin),
        tier: kept.then_some(item.tier.0),
        guard: kept.then_some(item.guard),
        recorded_at: item.recorded_at,
        occurred_at: item.occurred_at,
        valid_from: assertion.map(|assertion| assertion.valid_from),
        valid_until: assertion.map(|one| one.valid_until).filter(|until| *until != open),
        restated: assertion.map(|assertion| assertion.restated),
        slot: body.pointer(SLOT).cloned().unwrap_or_default(),
        closed_by: shown.closed_by.map(|(by, _)| by),
        closed_at: shown.closed_by.map(|(_, at)| at),
        rests_on: shown.rests_on.iter().map(|(_, members)| members.clone()).collect(),
        disputed_by: shown.disputed_by.clone(),
        contested_with: shown.contested_with.clone(),
        hash: record.record_hash,
        chain: record.chain,
        body,
    })
}

fn text(answer: &Answer) -> String {
    let mut out = format!("{}\n", answer.citation);
    let mut put = |name: &str, value: String| {
        // Writing to a string can't fail.
        let _ = writeln!(out, "  {name:<12}{}", plain(&value, usize::MAX));
    };
    put("standing", standing(answer));
    if let (Some(origin), Some(tier), Some(guard)) = (answer.origin, answer.tier, answer.guard) {
        put("source", format!("{}, tier {tier}, guard {guard}", label(origin)));
    }
    put("happened", answer.occurred_at.to_string());
    put("recorded", answer.recorded_at.to_string());
    if let Some(from) = answer.valid_from {
        let until = answer.valid_until.map_or_else(|| "open".to_owned(), |until| until.to_string());
        put("holds", format!("from {from}, until: {until}"));
    }
    if let Some(times) = answer.restated.filter(|times| *times > 0) {
        put("said again", times.to_string());
    }
    if let (Some(by), Some(at)) = (answer.closed_by, answer.closed_at) {
        put("replaced", format!("by {by} from {at}"));
    }
    for ids in answer.rests_on.iter().filter(|ids| !ids.is_empty()) {
        put("rests on", listed(ids));
    }
    if !answer.disputed_by.is_empty() {
        put("disputed by", listed(&answer.disputed_by));
    }
    if !answer.contested_with.is_empty() {
        put("contested", format!("with {}", listed(&answer.contested_with)));
    }
    if let Value::Object(slot) = &answer.slot {
        let part = |name| slot.get(name).and_then(Value::as_str).unwrap_or_default();
        let (entity, predicate, value) = (part("entity"), part("predicate"), part("value"));
        put("slot", format!("{entity} / {predicate} = {value}"));
    }
    let words = answer.text.as_deref().unwrap_or("(erased)");
    for line in words.lines() {
        let _ = writeln!(out, "    {}", plain(line, usize::MAX));
    }
    out
}

fn standing(answer: &Answer) -> String {
    let mut parts = vec![format!("{}, {}", answer.what, answer.authority)];
    parts.extend(answer.pinned.then(|| "pinned".to_owned()));
    parts.extend(answer.accepted.then(|| "accepted".to_owned()));
    parts.join(", ")
}

fn listed(ids: &[RecordId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn label(origin: Origin) -> &'static str {
    match origin {
        Origin::User => "user",
        Origin::Assistant => "assistant",
        Origin::Tool => "tool",
        Origin::Web => "web",
        Origin::File => "file",
        Origin::Derived => "derived",
    }
}
