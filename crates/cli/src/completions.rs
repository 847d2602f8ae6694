use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use memlith_verbs::exit::Exit;
use memlith_verbs::{Context, Verb};

/// Print a shell's completions.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith util completions bash > ~/.local/share/bash-completion/completions/memlith
  memlith util completions zsh > ~/.zfunc/_memlith")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

impl Verb for CompletionsArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &CompletionsArgs, context: &mut Context) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "memlith", &mut script);
    context.out.text(String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
