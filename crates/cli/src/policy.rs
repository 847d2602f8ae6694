use anyhow::Result;
use clap::{Args, ValueEnum};
use memlith::{SaliencePolicy, Seq};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;

/// Show or choose how events move salience, for the whole ledger.
///
/// A choice is an event, and holds for all that is in the ledger, what came before it
/// included; a view of the past has the policy of then. The owner alone chooses.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith policy
  memlith policy --as owner --salience attested-only   # being shown moves nothing")]
pub(crate) struct PolicyArgs {
    /// The policy of salience to choose.
    #[arg(long, value_name = "NAME")]
    salience: Option<SalienceArg>,
}

/// How events move salience.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SalienceArg {
    /// Being shown counts, within a budget.
    Default,
    /// Being shown counts nothing.
    AttestedOnly,
    /// The numbers of Zaxy 3.2.0, for comparison.
    CompatZaxy,
}

#[derive(Serialize)]
struct Answer {
    salience: &'static str,
    chosen_by: Option<Seq>,
}

pub(crate) fn run(args: &PolicyArgs, context: &mut Context) -> Result<Exit> {
    let ledger = match args.salience {
        None => context.open_to_read()?,
        Some(chosen) => {
            let ledger = context.open()?;
            let policy = match chosen {
                SalienceArg::Default => SaliencePolicy::Default,
                SalienceArg::AttestedOnly => SaliencePolicy::AttestedOnly,
                SalienceArg::CompatZaxy => SaliencePolicy::CompatZaxy,
            };
            ledger.choose(&context.caller(), policy)?;
            ledger
        }
    };
    let (policy, chosen_by) = ledger.salience_policy()?;
    let answer = Answer { salience: policy.name(), chosen_by };
    let by = chosen_by.map_or_else(String::new, |seq| format!(", chosen by record {seq}"));
    context.answer(&answer, format_args!("salience: {}{by}", answer.salience))?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}
