use anyhow::Result;
use clap::{Args as _, Command, Subcommand};

use crate::context::Context;
#[cfg(feature = "deliver")]
use crate::deliver;
use crate::exit::Exit;
#[cfg(feature = "mcp")]
use crate::mcp;
use crate::{
    audit, backup, brief, change, checkout, checkpoint, compact, completions, demo, doctor, embed,
    erase, explain, export, folder, get, head, history, hook, import, init, install, jobs, knows,
    list, log, man, mine, note, novelty, outcome, policy, recall, reconcile, redact, remember,
    replay, review, rollback, scope_here, show, skill, stat, switch, taint, today, trace, verify,
    writeback,
};

/// Makes, of one list, the verbs as what they are read into, their groups in the help, and each
/// verb's own parser.
macro_rules! verbs {
    ($($group:literal { $($(#[$if:meta])? $name:literal $verb:ident($args:ty),)* })*) => {
        /// Commands of the program.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Verb {
            $($($(#[$if])? #[command(name = $name)] $verb($args),)*)*
        }

        /// The verbs by what they are for, as the help lists them.
        pub(crate) const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$($(#[$if])? $name),*])),*];

        impl Verb {
            /// The parser of the verb `name` without those of the others.
            pub(crate) fn parser(name: &str) -> Option<Command> {
                match name {
                    $($($(#[$if])? $name => Some(<$args>::augment_args(Command::new($name))),)*)*
                    _ => None,
                }
            }
        }
    };
}

verbs! {
    "Give agents a memory" {
        "install" Install(install::InstallArgs),
        "uninstall" Uninstall(install::UninstallArgs),
        "today" Today(today::TodayArgs),
        "off" Off(switch::OffArgs),
        "on" On(switch::OnArgs),
        "brief" Brief(brief::BriefArgs),
        "scope" Scope(scope_here::ScopeArgs),
        "folder" Folder(folder::FolderArgs),
        "writeback" Writeback(writeback::WritebackArgs),
        "jobs" Jobs(jobs::JobsArgs),
        "hook" Hook(hook::HookArgs),
        #[cfg(feature = "mcp")] "mcp" Mcp(mcp::McpArgs),
    }
    "Write" {
        "remember" Remember(remember::RememberArgs),
        "correct" Correct(remember::CorrectArgs),
        "confirm" Confirm(change::ConfirmArgs),
        "promote" Promote(change::PromoteArgs),
        "invalidate" Invalidate(change::InvalidateArgs),
        "reconfirm" Reconfirm(change::ReconfirmArgs),
        "pin" Pin(change::PinArgs),
        "unpin" Unpin(change::UnpinArgs),
        "outcome" Outcome(outcome::OutcomeArgs),
        "note" Note(note::NoteArgs),
        "embed" Embed(embed::EmbedArgs),
        "import" Import(import::ImportArgs),
    }
    "Ask" {
        "checkout" Checkout(checkout::CheckoutArgs),
        "recall" Recall(recall::RecallArgs),
        "knows" Knows(knows::KnowsArgs),
        "novelty" Novelty(novelty::NoveltyArgs),
    }
    "Look" {
        "list" List(list::ListArgs),
        "get" Get(get::GetArgs),
        "show" Show(show::ShowArgs),
        "history" History(history::HistoryArgs),
        "trace" Trace(trace::TraceArgs),
        "taint" Taint(taint::TaintArgs),
        "explain" Explain(explain::ExplainArgs),
        "log" Log(log::LogArgs),
        "stat" Stat(stat::StatArgs),
    }
    "Review" {
        "review" Review(review::ReviewArgs),
        "mine" Mine(mine::MineArgs),
        "skill" Skill(skill::SkillArgs),
        "rollback" Rollback(rollback::RollbackArgs),
    }
    "Prove" {
        "verify" Verify(verify::VerifyArgs),
        "head" Head(head::HeadArgs),
        "replay" Replay(replay::ReplayArgs),
        "audit" Audit(audit::AuditArgs),
    }
    "Maintain" {
        "init" Init(init::InitArgs),
        "demo" Demo(demo::DemoArgs),
        "doctor" Doctor(doctor::DoctorArgs),
        "checkpoint" Checkpoint(checkpoint::CheckpointArgs),
        "compact" Compact(compact::CompactArgs),
        "backup" Backup(backup::BackupArgs),
        #[cfg(feature = "deliver")] "deliver" Deliver(deliver::DeliverArgs),
        "export" Export(export::ExportArgs),
        "erase" Erase(erase::EraseArgs),
        "policy" Policy(policy::PolicyArgs),
        "reconcile" Reconcile(reconcile::ReconcileArgs),
        "redact" Redact(redact::RedactArgs),
        "completions" Completions(completions::CompletionsArgs),
        "man" Man(man::ManArgs),
    }
}

/// The verbs that can read all scopes together.
pub(crate) const READERS: [&str; 13] = [
    "list", "recall", "checkout", "knows", "get", "show", "history", "trace", "explain", "today",
    "brief", "scope", "folder",
];

impl Verb {
    /// Whether it can read all scopes together: see [`READERS`].
    pub(crate) fn can_read_everywhere(&self) -> bool {
        matches!(
            self,
            Verb::List(_)
                | Verb::Recall(_)
                | Verb::Checkout(_)
                | Verb::Knows(_)
                | Verb::Get(_)
                | Verb::Show(_)
                | Verb::History(_)
                | Verb::Trace(_)
                | Verb::Explain(_)
                | Verb::Today(_)
                | Verb::Brief(_)
                | Verb::Scope(_)
                | Verb::Folder(_)
        )
    }

    /// Does it.
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit> {
        match self {
            Verb::Init(args) => init::run(&args, context),
            Verb::Demo(args) => demo::run(&args, context),
            Verb::Doctor(args) => doctor::run(&args, context),
            Verb::Stat(args) => stat::run(&args, context),
            Verb::Import(args) => import::run(&args, context),
            Verb::Export(args) => export::run(&args, context),
            Verb::Backup(args) => backup::run(&args, context),
            #[cfg(feature = "deliver")]
            Verb::Deliver(args) => deliver::run(&args, context),
            Verb::Install(args) => install::run(&args, context),
            Verb::Uninstall(args) => install::run_uninstall(&args, context),
            Verb::Hook(args) => hook::run(&args, context),
            #[cfg(feature = "mcp")]
            Verb::Mcp(args) => mcp::run(&args, context),
            Verb::Writeback(args) => writeback::run(&args, context),
            Verb::Folder(args) => folder::run(&args, context),
            Verb::Jobs(args) => jobs::run(&args, context),
            Verb::Brief(args) => brief::run(&args, context),
            Verb::Scope(args) => scope_here::run(&args, context),
            Verb::Today(args) => today::run(&args, context),
            Verb::Off(args) => switch::run_off(&args, context),
            Verb::On(args) => switch::run_on(&args, context),
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
            Verb::Note(args) => note::run(&args, context),
            Verb::Knows(args) => knows::run(args, context),
            Verb::Novelty(args) => novelty::run(&args, context),
            Verb::Rollback(args) => rollback::run(args, context),
            Verb::Review(args) => review::run(args, context),
            Verb::Mine(args) => mine::run(&args, context),
            Verb::Skill(args) => skill::run(&args, context),
            Verb::Recall(args) => recall::run(args, context),
            Verb::Reconcile(args) => reconcile::run(&args, context),
            Verb::Checkout(args) => checkout::run(args, context),
            Verb::Redact(args) => redact::run(&args, context),
            Verb::List(args) => list::run(&args, context),
            Verb::Get(args) => get::run(&args, context),
            Verb::Show(args) => show::run(&args, context),
            Verb::History(args) => history::run(&args, context),
            Verb::Taint(args) => taint::run(args, context),
            Verb::Trace(args) => trace::run(&args, context),
            Verb::Explain(args) => explain::run(&args, context),
            Verb::Log(args) => log::run(&args, context),
            Verb::Head(args) => head::run(&args, context),
            Verb::Verify(args) => verify::run(&args, context),
            Verb::Replay(args) => replay::run(&args, context),
            Verb::Audit(args) => audit::run(&args, context),
            Verb::Checkpoint(args) => checkpoint::run(&args, context),
            Verb::Compact(args) => compact::run(&args, context),
            Verb::Policy(args) => policy::run(&args, context),
            Verb::Erase(args) => erase::run(&args, context),
            Verb::Completions(args) => completions::run(&args, context),
            Verb::Man(args) => man::run(&args, context),
        }
    }
}
