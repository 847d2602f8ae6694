use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, CommandFactory};

use crate::args::Cli;
use crate::context::Context;
use crate::exit::Exit;

/// Print the man page, or write one for every verb.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith man | man -l -
  memlith man --out ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder for the pages, which is made if it isn't there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &ManArgs, context: &mut Context) -> Result<Exit> {
    let Some(dir) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page).context("write the man page")?;
        context.out.text(String::from_utf8_lossy(&page))?;
        return Ok(Exit::Ok);
    };
    let shown = dir.display();
    std::fs::create_dir_all(dir).with_context(|| format!("make the folder {shown}"))?;
    clap_mangen::generate_to(Cli::command(), dir)
        .with_context(|| format!("write the pages to {shown}"))?;
    context.note(format_args!("wrote the pages to {shown}"));
    Ok(Exit::Ok)
}
