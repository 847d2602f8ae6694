use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use clap::Args;
use memlith::log::{Event, MemoryEvent, Record, TurnEvent, decode};
use memlith::storage::{Clock as _, SystemClock};
use memlith::{Authority, Caller, Ledger, Timestamp};
use memlith_agents::Failure;
use serde::Serialize;

use crate::context::Context;
use crate::environment;
use crate::exit::Exit;
use crate::plain::plain;
use crate::verb::Verb;

/// Show what was captured, learned and given to agents lately, in one screen.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith agent status
  memlith agent status --hours 72")]
pub struct StatusArgs {
    /// Number of hours to look back.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=8_760))]
    hours: u32,
}

/// Maximum number of records looked at, the newest.
const RECORDS_MAX: u64 = 50_000;

/// Maximum number of lines of a section.
const LINES: usize = 8;

#[derive(Default, Serialize)]
struct Answer {
    since: String,
    sessions: u64,
    turns: u64,
    tools: u64,
    learned: Vec<Line>,
    ended: u64,
    given: Vec<Given>,
    waiting: u64,
    off: Vec<String>,
    failures: Vec<String>,
}

#[derive(Serialize)]
struct Line {
    id: memlith::RecordId,
    text: String,
    /// Its standing now.
    authority: Option<Authority>,
}

#[derive(Serialize)]
struct Given {
    id: memlith::RecordId,
    times: u64,
    text: String,
}

impl Verb for StatusArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: &StatusArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let now = context.now.unwrap_or_else(|| SystemClock::new().now());
    let since = now.plus_us(-i64::from(args.hours) * 3_600_000_000);
    let mut answer = Answer { since: since.to_string(), ..Answer::default() };
    let head = ledger.head().seq;
    let from = memlith::Seq(head.0.saturating_sub(RECORDS_MAX));
    let mut given: BTreeMap<memlith::RecordId, u64> = BTreeMap::new();
    let seen = context.scope.0.visible_cells();
    let mut sessions = std::collections::BTreeSet::new();
    for record in ledger.records(from, None)? {
        let record = record?;
        if record.recorded_at < since {
            continue;
        }
        let Some(body) = decode(&record)? else { continue };
        if !context.scope.0.everywhere && !seen.contains(&body.envelope.scope.cell()) {
            continue;
        }
        if let (Event::Turn(_), Some(session)) = (&body.event, &body.envelope.scope.session) {
            sessions.insert(session.to_string());
        }
        answer.count(&record, &body.event, &mut given);
    }
    answer.sessions = sessions.len() as u64;
    answer.learned.reverse();
    answer.learned.truncate(LINES);
    let given = given.into_iter().map(|(id, times)| Given { id, times, text: String::new() });
    answer.given = given.collect();
    answer.given.sort_by_key(|one| std::cmp::Reverse((one.times, one.id)));
    answer.given.truncate(LINES);
    answer.look_up(&ledger, &context.caller())?;
    answer.waiting = ledger.review().waiting(&context.caller())?.len() as u64;
    if let Some(home) = environment::agents_home() {
        answer.off = crate::switch::lines(&home.settings, now);
        let dir = context.ledger_dir()?;
        answer.failures = failures(&home.state.failures(), &dir, since);
    }
    context.answer(&answer, answer.to_text())?;
    Ok(Exit::Ok)
}

/// The failures of hooks of the ledger in `dir` since `since`, newest last.
fn failures(all: &[Failure], dir: &Path, since: Timestamp) -> Vec<String> {
    let is_of_it = |one: &&Failure| one.ledger.as_deref().is_none_or(|ledger| ledger == dir);
    let recent = all.iter().filter(is_of_it).filter(|one| one.at >= since);
    let mut recent: Vec<String> = recent.map(|one| plain(&one.to_string(), 200)).collect();
    recent.drain(..recent.len().saturating_sub(LINES));
    recent
}

impl Answer {
    /// Adds the standing of what was learned, and the words of what was given.
    fn look_up(&mut self, ledger: &Ledger, caller: &Caller) -> Result<()> {
        let shown = |id| match ledger.show(caller, id) {
            Err(memlith::Error::Rejected(_) | memlith::Error::NoRecord { .. }) => Ok(None),
            shown => shown.map(Some),
        };
        for line in &mut self.learned {
            line.authority = shown(line.id)?.map(|shown| shown.authority);
        }
        for one in &mut self.given {
            let Some(shown) = shown(one.id)? else { continue };
            let body = decode(&shown.record)?;
            let words = body.as_ref().and_then(|body| body.event.item_text());
            one.text = words.map(|words| plain(&words, 80)).unwrap_or_default();
        }
        Ok(())
    }

    fn count(
        &mut self,
        record: &Record,
        event: &Event<'_>,
        given: &mut BTreeMap<memlith::RecordId, u64>,
    ) {
        if let Event::Turn(turn) = event {
            match turn {
                TurnEvent::Said(_) => self.turns += 1,
                TurnEvent::ToolRan(_) => self.tools += 1,
            }
        }
        let Event::Memory(memory) = event else { return };
        if let MemoryEvent::Remembered(remembered) = memory {
            let text = plain(&remembered.text, 100);
            self.learned.push(Line { id: record.id(), text, authority: None });
        } else if let MemoryEvent::Surfaced(surfaced) = memory {
            for id in &surfaced.targets {
                *given.entry(*id).or_default() += 1;
            }
        } else {
            self.ended += u64::from(matches!(memory, MemoryEvent::Invalidated(_)));
        }
    }

    fn to_text(&self) -> String {
        let mut out = format!(
            "since {}: {} sessions, {} turns, {} tool calls captured\n",
            self.since, self.sessions, self.turns, self.tools
        );
        // Writing to a string can't fail.
        let _ = writeln!(out, "learned, newest first:");
        for line in &self.learned {
            let ended = line.authority.filter(|authority| *authority != Authority::Active);
            let mark = ended.map_or_else(String::new, |ended| format!(" ({})", ended.label()));
            let _ = writeln!(out, "  {}  {}{mark}", line.id, line.text);
        }
        if self.learned.is_empty() {
            let _ = writeln!(out, "  nothing");
        }
        let _ = writeln!(out, "given to agents (why: `memlith show --why ID`):");
        for one in &self.given {
            let _ = writeln!(out, "  {}  {} times  {}", one.id, one.times, one.text);
        }
        if self.given.is_empty() {
            let _ = writeln!(out, "  nothing");
        }
        if self.waiting > 0 {
            let _ = writeln!(out, "{} proposals wait: `memlith review list`", self.waiting);
        }
        for line in &self.off {
            let _ = writeln!(out, "{line}");
        }
        for line in &self.failures {
            let _ = writeln!(out, "a hook failed: {line}");
        }
        out
    }
}
