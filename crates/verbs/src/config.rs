use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use memlith::{
    Seq,
    write::Thresholds,
    write::{SaliencePolicy, TrustPolicy, WritePolicy},
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::keys::KeysArgs;
use crate::likeness::parse_thresholds;
use crate::verb::Verb;

/// Show or choose the ledger's policies of salience, trust and writes.
///
/// A choice is an event, and a view of the past has the policies of then. That of salience
/// holds for all that is in the ledger, what came before it included; that of trust decides
/// what waits for review from then on, and what is shown. That of writes says how a write is
/// compared, whatever program makes it, unless the call says otherwise. The owner alone
/// chooses, one policy at a time.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith config
  memlith config keys                        # what others check your signed heads with
  memlith config --as owner --salience attested-only   # being shown moves nothing
  memlith config --as owner --trust strict   # what no person stands behind waits
  memlith config --as owner --only-new on --likeness on   # how writes are compared")]
pub struct ConfigArgs {
    #[command(subcommand)]
    what: Option<What>,

    /// The policy of salience to choose.
    #[arg(long, value_name = "NAME")]
    salience: Option<SalienceArg>,
    /// The policy of trust to choose.
    #[arg(long, value_name = "NAME", conflicts_with = "salience")]
    trust: Option<TrustArg>,

    #[command(flatten)]
    writes: WriteArgs,
}

/// Other things than the policies.
#[derive(Debug, Subcommand)]
enum What {
    Keys(KeysArgs),
}

/// The switches of the policy of writes that change; the others stay.
#[derive(Args, Debug)]
#[group(id = "writes", multiple = true, conflicts_with_all = ["salience", "trust"])]
struct WriteArgs {
    /// Whether a plain sentence is given the slot that its words claim.
    #[arg(long, value_name = "SWITCH")]
    grammar: Option<SwitchArg>,
    /// Whether a write that adds nothing is left out.
    #[arg(long, value_name = "SWITCH")]
    only_new: Option<SwitchArg>,
    /// Whether writes are compared by likeness of meaning too.
    #[arg(long, value_name = "SWITCH")]
    likeness: Option<SwitchArg>,
    /// The thresholds of likeness.
    #[arg(long, value_name = "RESTATE,MIDPOINT,ADD", value_parser = parse_thresholds)]
    thresholds: Option<Thresholds>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SwitchArg {
    On,
    Off,
}

impl WriteArgs {
    /// The policy that the flags make of the one in force; none where no flag was given.
    fn over(&self, now: WritePolicy) -> Option<WritePolicy> {
        let WriteArgs { grammar, only_new, likeness, thresholds } = self;
        let is_on = |switch: &Option<SwitchArg>, now: bool| {
            switch.map_or(now, |switch| switch == SwitchArg::On)
        };
        let switches = [grammar, only_new, likeness];
        let changes = thresholds.is_some() || switches.iter().any(|switch| switch.is_some());
        changes.then(|| WritePolicy {
            grammar: is_on(grammar, now.grammar),
            only_new: is_on(only_new, now.only_new),
            likeness: is_on(likeness, now.likeness),
            thresholds: thresholds.or(now.thresholds),
        })
    }
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
    /// Texts of tools, files and the web are shown on a query; memories of them wait.
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
    writes: WritePolicy,
    writes_chosen_by: Option<Seq>,
}

impl Verb for ConfigArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        match self.what {
            Some(What::Keys(args)) => args.run(context),
            None => run(&self, context),
        }
    }
}

fn run(args: &ConfigArgs, context: &mut Context) -> Result<Exit> {
    let chooses_writes = args.writes.over(WritePolicy::default()).is_some();
    let chooses = args.salience.is_some() || args.trust.is_some() || chooses_writes;
    let ledger = if chooses { context.open()? } else { context.open_to_read()? };
    if let Some(chosen) = args.salience {
        let policy = match chosen {
            SalienceArg::Default => SaliencePolicy::Default,
            SalienceArg::AttestedOnly => SaliencePolicy::AttestedOnly,
            SalienceArg::CompatZaxy => SaliencePolicy::CompatZaxy,
        };
        let _ = ledger.policy().choose_salience(&context.caller(), policy)?;
    }
    if let Some(chosen) = args.trust {
        let policy = match chosen {
            TrustArg::Balanced => TrustPolicy::Balanced,
            TrustArg::Strict => TrustPolicy::Strict,
            TrustArg::Open => TrustPolicy::Open,
        };
        let _ = ledger.policy().choose_trust(&context.caller(), policy)?;
    }
    if let Some(policy) = args.writes.over(ledger.policy().writes()?.0) {
        let _ = ledger.policy().choose_writes(&context.caller(), policy)?;
    }
    let (salience, chosen_by) = ledger.policy().salience()?;
    let (writes, writes_chosen_by) = ledger.policy().writes()?;
    let (trust, trust_chosen_by) = ledger.policy().trust()?;
    let answer = Answer {
        salience: salience.name(),
        chosen_by,
        trust: trust.name(),
        trust_chosen_by,
        writes,
        writes_chosen_by,
    };
    let by = |record: Option<Seq>| {
        record.map_or_else(String::new, |seq| format!(", chosen by record {seq}"))
    };
    context.answer(
        &answer,
        format_args!(
            "salience: {}{}\ntrust: {}{}\nwrites: {}{}",
            answer.salience,
            by(chosen_by),
            answer.trust,
            by(trust_chosen_by),
            in_words(writes),
            by(writes_chosen_by)
        ),
    )?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}

/// The switches of a policy of writes in one line.
fn in_words(policy: WritePolicy) -> String {
    let switches =
        [("grammar", policy.grammar), ("only-new", policy.only_new), ("likeness", policy.likeness)];
    let mut words: Vec<String> = switches
        .iter()
        .map(|(name, is_on)| format!("{name} {}", if *is_on { "on" } else { "off" }))
        .collect();
    if let Some(Thresholds { restate, midpoint, add }) = policy.thresholds {
        let decimal = |one: memlith::write::Cosine| f64::from(one.0) / 1e7;
        words.push(format!(
            "thresholds {},{},{}",
            decimal(restate),
            decimal(midpoint),
            decimal(add)
        ));
    }
    words.join(", ")
}
