mod grouped;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{Args as _, Command, CommandFactory as _, FromArgMatches as _, Parser};

use crate::homes::home;
use crate::logging;
use crate::verb::Verb;
use memlith_verbs::context::Context;
use memlith_verbs::exit::{self, Exit};
use memlith_verbs::global::GlobalArgs;

/// A memory for agents that can prove what it knows.
///
/// Every memory is an event in an append-only log whose records are chained by their
/// hashes. What is remembered, how salient it is and what a query gets back are folds of
/// that log: they can be recomputed and checked by anyone who holds it.
#[derive(Debug, Parser)]
#[command(name = "memlith", version, propagate_version = false, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

impl Cli {
    /// Reads what the process was asked for.
    ///
    /// Ends the process where that is help, or is not understood.
    #[must_use]
    pub fn asked() -> Cli {
        let words: Vec<OsString> = std::env::args_os().collect();
        Cli::of_verbs_in(&words).unwrap_or_else(|| Cli::of_all_verbs(&words))
    }

    /// Parses `words` with the parser of all verbs, which has the help.
    fn of_all_verbs(words: &[OsString]) -> Cli {
        let parsed = grouped::grouped(Cli::command()).try_get_matches_from(words);
        let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
        parsed.unwrap_or_else(|error| with_home(error, words).exit())
    }

    /// Parses `words`, if a parser of the verbs among them understands them.
    ///
    /// To make the parsers of all verbs takes longer than to parse, and a verb that no word
    /// names can't be asked for. Help and errors tell of all verbs: they are left to the
    /// whole parser.
    fn of_verbs_in(words: &[OsString]) -> Option<Cli> {
        let names: BTreeSet<&str> = words.iter().filter_map(|word| word.to_str()).collect();
        let verbs = names.into_iter().filter_map(Verb::parser);
        let parser = GlobalArgs::augment_args(Command::new("memlith"));
        let parser = parser.subcommand_required(true).subcommands(verbs);
        let matches = parser.try_get_matches_from(words).ok()?;
        Cli::from_arg_matches(&matches).ok()
    }

    /// Does what was asked, and says how the process is to end.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let mut global = self.global;
        // What a hook prints besides its answer is put before a person as an error.
        global.quiet |= self.verb.is_hook();
        run(global, |context| {
            if context.scope.0.everywhere && !self.verb.reads_everywhere() {
                return Err(exit::usage(
                    "--scope all is a view for reading, as by `list` or `search`: name the one \
                     scope that this is for",
                ));
            }
            self.verb.run(context)
        })
    }
}

/// Says in place of the nearest spelling which verb does what an unknown word means.
fn with_home(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.clone(),
        Some(_) | None => return error,
    };
    // Below a verb the word means something else.
    let before = words.iter().skip(1).filter_map(|one| one.to_str()).take_while(|one| *one != word);
    if before.into_iter().any(|one| Verb::parser(one).is_some()) {
        return error;
    }
    if let Some(home) = home(&word) {
        error.remove(ContextKind::SuggestedSubcommand);
        let tip = StyledStr::from(home);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

/// Does what was asked with these flags; the exit code says what became of it.
pub fn run(global: GlobalArgs, act: impl FnOnce(&mut Context) -> anyhow::Result<Exit>) -> ExitCode {
    logging::start(global.quiet);
    #[cfg(feature = "sync")]
    memlith_verbs::serve_shared();
    let mut context = Context::new(global);
    let outcome = act(&mut context);
    // What was said before an error stands, so it is shown; the error is told after it.
    let flushed = context.out.flush();
    exit::report(outcome.and_then(|exit| flushed.map(|()| exit)))
}

const EXIT_CODES: &str = "\
Exit codes: 0 as asked, 1 refused or not there, 2 usage, 3 bytes of the ledger are wrong, \
4 input or output.

Examples:
  memlith init
  memlith remember 'The staging database runs Postgres 15.'
  memlith checkout 'which database is staging on?'
  memlith verify --full";

#[cfg(test)]
mod tests;
