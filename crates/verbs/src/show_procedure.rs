use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use memlith::RecordId;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::out_file::{self, Force};
use crate::target::Target;
use crate::verb::Verb;

/// Print an accepted procedure as a `SKILL.md`, which agents read.
///
/// One that waits for review, that lost its ground or was turned down is refused.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith procedures show mem_17_0a1b2c3d4e5f
  memlith procedures show mem_17_0a1b2c3d4e5f --out ~/.agents/skills")]
pub struct ShowProcedureArgs {
    /// The procedure: as `show` takes it.
    id: Target,

    /// The folder of skills to write it to, into a folder of its own name; else standard
    /// output.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    force: Force,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    name: String,
    text: String,
    file: Option<String>,
}

#[cfg(feature = "schema")]
impl ShowProcedureArgs {
    /// Prints the procedure of these words.
    #[must_use]
    pub fn of(words: &str) -> ShowProcedureArgs {
        ShowProcedureArgs { id: Target::of(words), out: None, force: Force::default() }
    }
}

impl Verb for ShowProcedureArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &ShowProcedureArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let id = args.id.within(&ledger, &context.caller())?;
    let skill = ledger.skill(&context.caller(), id)?;
    let mut file = None;
    if let Some(out) = &args.out {
        let folder = out.join(&skill.name);
        out_file::create_folder(&folder)?;
        let path = folder.join("SKILL.md");
        out_file::write(&path, skill.text.as_bytes(), args.force)?;
        file = Some(path.display().to_string());
    }
    let text = file.clone().unwrap_or_else(|| skill.text.clone());
    let answer = Answer { id, name: skill.name, text: skill.text, file };
    context.answer(&answer, text.trim_end())?;
    Ok(Exit::Ok)
}
