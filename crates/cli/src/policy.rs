use anyhow::Result;
use clap::{Args, ValueEnum};
use memlith::{
    Seq,
    write::{SaliencePolicy, TrustPolicy},
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;

/// Show or choose the ledger's policies of salience and trust.
///
/// A choice is an event, and a view of the past has the policies of then. That of salience
/// holds for all that is in the ledger, what came before it included; that of trust decides
/// what waits for review from then on, and what is shown. The owner alone chooses, one at a
/// time.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith policy
  memlith policy --as owner --salience attested-only   # being shown moves nothing
  memlith policy --as owner --trust strict   # what no person stands behind waits")]
pub(crate) struct PolicyArgs {
    /// The policy of salience to choose.
    #[arg(long, value_name = "NAME")]
    salience: Option<SalienceArg>,
    /// The policy of trust to choose.
    #[arg(long, value_name = "NAME", conflicts_with = "salience")]
    trust: Option<TrustArg>,
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

/// How far sources are trusted.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum TrustArg {
    /// What tools, files and the web say is shown on a query; memories of it wait.
    Balanced,
    /// Memories wait unless they are a person's, and tools, files and the web aren't shown.
    Strict,
    /// Memories of tools and files stand too; those of the web wait.
    Open,
}

#[derive(Serialize)]
struct Answer {
    salience: &'static str,
    chosen_by: Option<Seq>,
    trust: &'static str,
    trust_chosen_by: Option<Seq>,
}

pub(crate) fn run(args: &PolicyArgs, context: &mut Context) -> Result<Exit> {
    let chooses = args.salience.is_some() || args.trust.is_some();
    let ledger = if chooses { context.open()? } else { context.open_to_read()? };
    if let Some(chosen) = args.salience {
        let policy = match chosen {
            SalienceArg::Default => SaliencePolicy::Default,
            SalienceArg::AttestedOnly => SaliencePolicy::AttestedOnly,
            SalienceArg::CompatZaxy => SaliencePolicy::CompatZaxy,
        };
        let _ = ledger.choose(&context.caller(), policy)?;
    }
    if let Some(chosen) = args.trust {
        let policy = match chosen {
            TrustArg::Balanced => TrustPolicy::Balanced,
            TrustArg::Strict => TrustPolicy::Strict,
            TrustArg::Open => TrustPolicy::Open,
        };
        let _ = ledger.choose_trust(&context.caller(), policy)?;
    }
    let (salience, chosen_by) = ledger.salience_policy()?;
    let (trust, trust_chosen_by) = ledger.trust_policy()?;
    let answer =
        Answer { salience: salience.name(), chosen_by, trust: trust.name(), trust_chosen_by };
    let by = |record: Option<Seq>| {
        record.map_or_else(String::new, |seq| format!(", chosen by record {seq}"))
    };
    context.answer(
        &answer,
        format_args!(
            "salience: {}{}\ntrust: {}{}",
            answer.salience,
            by(chosen_by),
            answer.trust,
            by(trust_chosen_by)
        ),
    )?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}
