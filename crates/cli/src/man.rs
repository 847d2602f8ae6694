use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, CommandFactory};

use crate::args::Cli;
use memlith_verbs::exit::Exit;
use memlith_verbs::out_file::{self, Force};
use memlith_verbs::{Context, Verb};

/// Print the man page, or write one for every verb.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith util man | man -l -
  memlith util man --out ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder for the pages, which is made if it isn't there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    force: Force,
}

impl Verb for ManArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &ManArgs, context: &mut Context) -> Result<Exit> {
    let Some(dir) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page).context("write the man page")?;
        context.out.text(String::from_utf8_lossy(&page))?;
        return Ok(Exit::Ok);
    };
    let shown = dir.display();
    out_file::create_folder(dir)?;
    // The generator replaces what is there: it writes elsewhere first.
    let pages = tempfile::tempdir().context("make a temporary folder")?;
    clap_mangen::generate_to(Cli::command(), pages.path()).context("write the pages")?;
    for page in std::fs::read_dir(pages.path()).context("list the pages")? {
        let page = page.context("list the pages")?;
        let text = std::fs::read(page.path()).context("read a page")?;
        out_file::write(&dir.join(page.file_name()), &text, args.force)?;
    }
    context.note(format_args!("wrote the pages to {shown}"));
    Ok(Exit::Ok)
}
