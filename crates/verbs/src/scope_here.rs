use anyhow::Result;
use clap::Args;
use memlith::Ledger;
use memlith::log::{Event, decode};
use memlith_agents::Project;
use serde::Serialize;

use crate::context::Context;
use crate::environment;
use crate::exit::Exit;
use crate::plain::plain;
use crate::verb::Verb;

/// Say which scope verbs use here, and why.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith agent scope
  memlith agent scope --scope subject=github.com/ana/shop --json")]
pub struct ScopeArgs {}

#[derive(Serialize)]
struct Answer {
    scope: String,
    why: &'static str,
    ledger: String,
    project: Option<String>,
    shared: Option<u64>,
}

impl Verb for ScopeArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(_: &ScopeArgs, context: &mut Context) -> Result<Exit> {
    let dir = context.ledger_dir()?;
    let is_own = environment::agents_home().is_some_and(|home| home.ledger == dir);
    let why = match (context.is_scoped, is_own) {
        (true, _) => "named",
        (false, true) => "project",
        (false, false) => "ledger",
    };
    let ledger = context.open_to_read()?;
    let shared = if is_own { Some(shared_turns(&ledger)?) } else { None };
    let answer = Answer {
        scope: context.scope.to_string(),
        why,
        ledger: dir.display().to_string(),
        project: std::env::current_dir().ok().map(|here| Project::of(&here).name),
        shared,
    };
    context.answer(&answer, answer.to_text())?;
    Ok(Exit::Ok)
}

/// How many turns and tool calls are about no project, so that every project sees them: they
/// were imported with a scope that names none.
///
/// Cost: a read of the whole log.
pub(crate) fn shared_turns(ledger: &Ledger) -> Result<u64, memlith::Error> {
    let mut count = 0;
    for record in ledger.records(memlith::Seq(0), None)? {
        let record = record?;
        let Some(body) = decode(&record)? else { continue };
        let is_turn = matches!(body.event, Event::Turn(_));
        count += u64::from(is_turn && body.envelope.scope.subject.is_none());
    }
    Ok(count)
}

/// Advice on turns and tool calls that every project sees, in words.
pub(crate) fn of_shared(count: u64) -> String {
    format!(
        "{count} turns and tool calls are about no project, and every project sees them; records \
         are never rewritten: `memlith import` into a new ledger gives each its project"
    )
}

impl Answer {
    fn to_text(&self) -> String {
        let because = match self.why {
            "named" => "--scope names it".to_owned(),
            "project" => format!(
                "in your own ledger memories are about the project of the folder, here `{}`",
                plain(self.project.as_deref().unwrap_or_default(), 200)
            ),
            _ => "all that this ledger holds is about one project".to_owned(),
        };
        let mut out = format!("{}\n{because}\nledger {}\n", plain(&self.scope, 600), self.ledger);
        if let Some(count) = self.shared.filter(|count| *count > 0) {
            out.push_str(&of_shared(count));
            out.push('\n');
        }
        out
    }
}
