use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::context::Context;
use crate::exit::Exit;

/// Print a shell's completions.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith completions bash > ~/.local/share/bash-completion/completions/memlith
  memlith completions zsh > ~/.zfunc/_memlith")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, context: &mut Context) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "memlith", &mut script);
    context.out.text(String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
