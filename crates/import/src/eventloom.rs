//! Logs of Zaxy: Eventloom, one hash-chained event a line.
//!
//! Every line is verified before it is yielded, so what comes out is what was sealed, as
//! far as the chain reaches. A chain can't show that its end was cut off.

mod canonical;
mod chain;
mod fields;
mod literal;
mod reinforcement;

use std::collections::BTreeMap;

use memlith_event::{
    Actor, Event, Foreign, Origin, Rank, Said, SessionStarted, ToolRan, TurnEvent,
};
use memlith_log::Timestamp;
use serde_json::Value;

pub use chain::Dialect;

use crate::cut::{TEXT_MAX, cut, cut_json, cut_output};
use crate::eventloom::chain::Chain;
use crate::eventloom::reinforcement::Sources;
use crate::lenient::{instant, owned, parse, text};
use crate::lines::{Content, Line};
use crate::reader::Transcript;
use crate::session::{Moment, Output, Sessions};
use crate::{Format, ImportError, Options, Place};

pub(crate) struct Eventloom {
    sessions: Sessions,
    chain: Chain,
    sources: Sources,
    line_max_bytes: usize,
}

/// A verified line.
struct Sealed {
    line: u64,
    seq: u64,
    id: String,
    kind: String,
    actor: String,
    thread: String,
    at: Timestamp,
    payload: Value,
    hash: String,
}

impl Eventloom {
    pub(crate) fn new(options: Options) -> Eventloom {
        Eventloom {
            line_max_bytes: options.line_max_bytes,
            sessions: Sessions::new(Format::Eventloom, options),
            chain: Chain::default(),
            sources: Sources::default(),
        }
    }

    pub(crate) fn dialects(&self) -> &BTreeMap<Dialect, u64> {
        self.chain.dialects()
    }

    fn take(&mut self, sealed: &Sealed, output: &mut Output) {
        let moment = Moment { session: &sealed.thread, id: &sealed.id, at: sealed.at, line: None };
        let started =
            || SessionStarted { tool: Format::Eventloom.name().into(), ..Default::default() };
        self.sessions.enter(&moment, started, output);
        if sealed.kind == "memory.reinforcement" {
            self.sessions.keep();
            return self.sources.reinforced(&self.sessions, &moment, sealed, output);
        }
        let (actor, origin, event) =
            turn(sealed).or_else(|| tool_ran(sealed)).unwrap_or_else(|| foreign(sealed));
        self.sources.insert(sealed.seq, &sealed.hash, &actor, self.sessions.key(&moment));
        self.sessions.yield_event(&moment, actor, origin, event, output);
    }
}

impl Transcript for Eventloom {
    fn line(&mut self, line: Line<'_>, output: &mut Output) -> Result<(), ImportError> {
        let place = line.place;
        let bad = |reason: &str| ImportError::Line { place, reason: reason.to_owned() };
        let text = match line.content {
            Content::Text(text) => text,
            Content::NotUtf8 => return Err(bad("the line is not UTF-8")),
            Content::TooLong => {
                return Err(ImportError::LineTooLong { place, max: self.line_max_bytes });
            }
        };
        let link = self.chain.verify(place, text)?;
        let value = parse(text).ok_or_else(|| bad("the line is not JSON"))?;
        let sealed = Sealed::read(place.line, link.seq, link.hash, value);
        let sealed = sealed.ok_or_else(|| bad("the event has no id, type, actor or valid time"))?;
        self.take(&sealed, output);
        Ok(())
    }

    fn end(&mut self, _: Place, output: &mut Output) -> Result<(), ImportError> {
        self.sessions.end(output);
        Ok(())
    }
}

impl Sealed {
    fn read(line: u64, seq: u64, hash: String, mut value: Value) -> Option<Sealed> {
        let mut payload = value.get_mut("payload").map(Value::take).unwrap_or_default();
        if let Some(payload) = payload.as_object_mut() {
            // What Zaxy itself noted about the payload when it was written.
            payload.remove("__zaxy_security");
        }
        let either = |one: &str, other: &str| owned(&value, one).or_else(|| owned(&value, other));
        Some(Sealed {
            line,
            seq,
            id: owned(&value, "id").unwrap_or_else(|| format!("seq {seq}")),
            kind: owned(&value, "type")?,
            actor: either("actorId", "actor")?,
            thread: either("threadId", "thread").unwrap_or_else(|| "default".to_owned()),
            at: instant(&value, "timestamp")?,
            payload,
            hash,
        })
    }
}

type Mapped = (Actor<'static>, Origin, Event<'static>);

fn turn(sealed: &Sealed) -> Option<Mapped> {
    if sealed.kind != "transcript.turn" {
        return None;
    }
    let content = owned(&sealed.payload, "content")?;
    let role = text(&sealed.payload, "role").unwrap_or(&sealed.actor);
    let (rank, origin) = standing(role);
    let context = matches!(role, "system" | "developer");
    let said = Said { text: cut(content, TEXT_MAX).into(), caption: None, context };
    let actor = Actor::new(sealed.actor.clone(), rank);
    Some((actor, origin, Event::Turn(TurnEvent::Said(said))))
}

fn tool_ran(sealed: &Sealed) -> Option<Mapped> {
    let payload = &sealed.payload;
    let exit_code = payload.get("exit_code").and_then(Value::as_i64);
    let exit_code = exit_code.and_then(|code| i32::try_from(code).ok());
    let field = |names: &[&str]| {
        let fields: Vec<&str> = names.iter().filter_map(|name| text(payload, name)).collect();
        fields.into_iter().filter(|field| !field.is_empty()).collect::<Vec<_>>().join("\n")
    };
    let (tool, arguments, ok, output) = match sealed.kind.as_str() {
        "tool.call.completed" => {
            let given = payload.get("arguments").cloned();
            let keys = || serde_json::json!({ "argument_keys": payload.get("argument_keys") });
            let ok = text(payload, "status").map(|status| status == "succeeded");
            let output = field(&["result_summary", "result", "output", "error"]);
            (owned(payload, "tool_name")?, given.unwrap_or_else(keys), ok, output)
        }
        "command.completed" => {
            let command = serde_json::json!({ "command": payload.get("command")? });
            let passed = text(payload, "outcome").map(|outcome| outcome == "passed");
            let ok = exit_code.map(|code| code == 0).or(passed);
            let output = field(&["stdout_excerpt", "stdout", "stderr_excerpt", "stderr", "output"]);
            ("command".to_owned(), command, ok, output)
        }
        _ => return None,
    };
    let (output, output_len) = cut_output(output);
    let actor = Actor::new(tool.clone(), Rank::Tool);
    let arguments = cut_json(arguments).into();
    let ran = ToolRan { tool: tool.into(), arguments, ok, exit_code, output, output_len };
    Some((actor, Origin::Tool, Event::Turn(TurnEvent::ToolRan(ran))))
}

fn foreign(sealed: &Sealed) -> Mapped {
    let (rank, origin) = standing(&sealed.actor);
    let foreign = Foreign {
        format: Format::Eventloom.name().into(),
        kind: sealed.kind.clone().into(),
        json: cut_json(sealed.payload.clone()).into(),
    };
    (Actor::new(sealed.actor.clone(), rank), origin, Event::Foreign(foreign))
}

/// The rank and origin of a role or an actor's name. A log states no authority, so only
/// the two names that every agent uses are believed; all else ranks as a tool.
fn standing(name: &str) -> (Rank, Origin) {
    match name {
        "user" | "human" => (Rank::User, Origin::User),
        "assistant" | "agent" => (Rank::Assistant, Origin::Assistant),
        _ => (Rank::Tool, Origin::Tool),
    }
}
