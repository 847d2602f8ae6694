use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::global::GlobalArgs;
use crate::{
    audit, bench, change, checkout, checkpoint, compact, completions, demo, doctor, embed, erase,
    explain, export, history, import, init, knows, log, logging, man, mine, novelty, outcome,
    policy, recall, reconcile, remember, replay, review, rollback, show, skill, stat, taint, trace,
    verify,
};

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
    /// Does what was asked, and says how the process is to end.
    #[must_use]
    pub fn run(self) -> ExitCode {
        logging::start(self.global.quiet);
        let mut context = Context::new(self.global);
        let outcome = self.verb.run(&mut context);
        // What was said before an error stands, so it is shown; the error is told after it.
        let flushed = context.out.flush();
        exit::report(outcome.and_then(|exit| flushed.map(|()| exit)))
    }
}

const EXIT_CODES: &str = "\
Exit codes: 0 as asked, 1 refused or not there, 2 usage, 3 bytes of the ledger are wrong, \
4 input or output.

Examples:
  memlith init
  memlith remember 'The staging database runs Postgres 15.'
  memlith checkout 'which database is staging on?'
  memlith verify --full";

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Init(init::InitArgs),
    Demo(demo::DemoArgs),
    Doctor(doctor::DoctorArgs),
    Stat(stat::StatArgs),
    Import(import::ImportArgs),
    Export(export::ExportArgs),
    Remember(remember::RememberArgs),
    Correct(remember::CorrectArgs),
    Confirm(change::ConfirmArgs),
    Promote(change::PromoteArgs),
    Invalidate(change::InvalidateArgs),
    Reconfirm(change::ReconfirmArgs),
    Pin(change::PinArgs),
    Unpin(change::UnpinArgs),
    Outcome(outcome::OutcomeArgs),
    Embed(embed::EmbedArgs),
    Knows(knows::KnowsArgs),
    Novelty(novelty::NoveltyArgs),
    Review(review::ReviewArgs),
    Mine(mine::MineArgs),
    Skill(skill::SkillArgs),
    Rollback(rollback::RollbackArgs),
    Recall(recall::RecallArgs),
    Reconcile(reconcile::ReconcileArgs),
    Checkout(checkout::CheckoutArgs),
    Show(show::ShowArgs),
    History(history::HistoryArgs),
    Trace(trace::TraceArgs),
    Taint(taint::TaintArgs),
    Explain(explain::ExplainArgs),
    Log(log::LogArgs),
    Verify(verify::VerifyArgs),
    Replay(replay::ReplayArgs),
    Audit(audit::AuditArgs),
    Checkpoint(checkpoint::CheckpointArgs),
    Compact(compact::CompactArgs),
    Policy(policy::PolicyArgs),
    Erase(erase::EraseArgs),
    Bench(bench::BenchArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Verb {
    /// Does it.
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit> {
        match self {
            Verb::Init(args) => init::run(&args, context),
            Verb::Demo(args) => demo::run(&args, context),
            Verb::Doctor(args) => doctor::run(&args, context),
            Verb::Stat(args) => stat::run(&args, context),
            Verb::Import(args) => import::run(&args, context),
            Verb::Export(args) => export::run(&args, context),
            Verb::Remember(args) => remember::run(args, context),
            Verb::Correct(args) => remember::run_correct(args, context),
            Verb::Confirm(args) => change::confirm(args, context),
            Verb::Promote(args) => change::promote(args, context),
            Verb::Invalidate(args) => change::invalidate(args, context),
            Verb::Reconfirm(args) => change::reconfirm(args, context),
            Verb::Pin(args) => change::pin(args, context),
            Verb::Unpin(args) => change::unpin(args, context),
            Verb::Embed(args) => embed::run(args, context),
            Verb::Outcome(args) => outcome::run(args, context),
            Verb::Knows(args) => knows::run(args, context),
            Verb::Novelty(args) => novelty::run(&args, context),
            Verb::Rollback(args) => rollback::run(args, context),
            Verb::Review(args) => review::run(args, context),
            Verb::Mine(args) => mine::run(&args, context),
            Verb::Skill(args) => skill::run(&args, context),
            Verb::Recall(args) => recall::run(args, context),
            Verb::Reconcile(args) => reconcile::run(&args, context),
            Verb::Checkout(args) => checkout::run(args, context),
            Verb::Show(args) => show::run(&args, context),
            Verb::History(args) => history::run(&args, context),
            Verb::Taint(args) => taint::run(args, context),
            Verb::Trace(args) => trace::run(&args, context),
            Verb::Explain(args) => explain::run(&args, context),
            Verb::Log(args) => log::run(&args, context),
            Verb::Verify(args) => verify::run(&args, context),
            Verb::Replay(args) => replay::run(&args, context),
            Verb::Audit(args) => audit::run(&args, context),
            Verb::Checkpoint(args) => checkpoint::run(&args, context),
            Verb::Compact(args) => compact::run(&args, context),
            Verb::Policy(args) => policy::run(&args, context),
            Verb::Erase(args) => erase::run(&args, context),
            Verb::Bench(args) => bench::run(&args, context),
            Verb::Completions(args) => completions::run(&args, context),
            Verb::Man(args) => man::run(&args, context),
        }
    }
}
