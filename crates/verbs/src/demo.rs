//! The engine on a real session, in one screen: import, ask, correct, verify, restart.
//!
//! Nothing that is printed is written here but the questions and the two facts that are
//! remembered: every answer comes out of the ledger, and with the command that is printed
//! with it it comes out again.

mod command;
mod step;
mod story;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use self::step::Told;
use self::story::Story;
use crate::context::Context;
use crate::exit::Exit;
use crate::out_file::outside_ledgers;
use crate::verb::Verb;

/// Make a ledger, import a session, ask, correct, verify and restart, in one screen.
///
/// Without --keep the ledger is gone afterwards. With it, every printed answer comes
/// again from the command that is printed with it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith demo
  memlith demo --keep /tmp/demo
  memlith demo --session ~/.claude/projects/-home-ana-shop/SESSION.jsonl")]
pub struct DemoArgs {
    /// Keeps the ledger in this folder, which must not hold one.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,

    /// Imports this transcript of Claude Code, not the one that ships with the program.
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
}

/// Stand-in for the path of the session that ships with the program.
const SHIPPED: &str = "SESSION.jsonl";

impl Verb for DemoArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

/// Plays the demo and prints what happened.
///
/// # Errors
/// The session can't be read, or the ledger can't be made.
fn run(args: &DemoArgs, context: &mut Context) -> Result<Exit> {
    let (session, name): (Box<dyn BufRead>, String) = match &args.session {
        None => (Box::new(memlith::copy::DEMO_SESSION.as_bytes()), SHIPPED.to_owned()),
        Some(path) => {
            let name = path.display().to_string();
            let file = File::open(path).with_context(|| format!("open the session {name}"))?;
            (Box::new(BufReader::new(file)), name)
        }
    };
    let told = match &args.keep {
        Some(dir) => {
            // Its own folder may hold one already, and then says so.
            outside_ledgers(dir.parent().unwrap_or(dir))?;
            play(dir, true, session, &name)?
        }
        None => {
            let folder = tempfile::tempdir().context("make a temporary folder")?;
            play(&folder.path().join("ledger"), false, session, &name)?
        }
    };
    let exit = if told.is_sound() { Exit::Ok } else { Exit::Integrity };
    let text = told.to_text();
    context.answer(&told, text)?;
    Ok(exit)
}

fn play(dir: &Path, kept: bool, session: impl BufRead, name: &str) -> Result<Told> {
    let dir = std::path::absolute(dir).context("find the folder of the ledger")?;
    Story::new(&dir, kept).tell(session, name)
}

#[cfg(test)]
mod tests;
