use anyhow::Result;
use clap::{Args as _, Command, Subcommand};
use memlith_verbs::exit::Exit;
use memlith_verbs::{self as verbs, Context, Verb as _};

#[cfg(feature = "deliver")]
use crate::family::Deliver;
#[cfg(feature = "mcp")]
use crate::family::Mcp;
#[cfg(feature = "sync")]
use crate::family::Sync;
use crate::family::{Agent, Jobs, Maintain, Procedures};

/// Makes, of one list, the verbs as what they are read into, their groups in the help, and each
/// verb's own parser.
macro_rules! verbs {
    ($($group:literal { $($(#[$if:meta])? $name:literal $verb:ident($args:ty) $(= $alias:literal)*,)* })*) => {
        /// Commands of the program.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Verb {
            $($($(#[$if])? #[command(name = $name, $(alias = $alias,)*)] $verb($args),)*)*
        }

        /// The verbs by what they are for, as the help lists them.
        pub(crate) const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$($(#[$if])? $name),*])),*];

        impl Verb {
            /// The parser of the verb `name` without those of the others.
            pub(crate) fn parser(name: &str) -> Option<Command> {
                match name {
                    $($($(#[$if])? $name $(| $alias)* => Some(
                        <$args>::augment_args(Command::new($name))$(.alias($alias))*,
                    ),)*)*
                    _ => None,
                }
            }

            /// Does it.
            pub(crate) fn run(self, context: &mut Context) -> Result<Exit> {
                match self {
                    $($($(#[$if])? Verb::$verb(args) => args.run(context),)*)*
                }
            }

            /// Whether it can read all scopes together.
            pub(crate) fn reads_everywhere(&self) -> bool {
                match self {
                    $($($(#[$if])? Verb::$verb(args) => args.reads_everywhere(),)*)*
                }
            }
        }
    };
}

// The words behind `=` are those that users of other memories type.
verbs! {
    "Give agents a memory" {
        "agent" Agent(Agent),
        "jobs" Jobs(Jobs),
        #[cfg(feature = "mcp")] "mcp" Mcp(Mcp),
    }
    "Write" {
        "remember" Remember(verbs::RememberArgs) = "add" = "put",
        "update" Update(verbs::UpdateArgs) = "edit",
        "confirm" Confirm(verbs::ConfirmArgs),
        "pin" Pin(verbs::PinArgs),
        "unpin" Unpin(verbs::UnpinArgs),
        "forget" Forget(verbs::ForgetArgs) = "delete",
        "erase" Erase(verbs::EraseArgs),
        "undo" Undo(verbs::UndoArgs),
        "import" Import(verbs::ImportArgs),
    }
    "Ask" {
        "checkout" Checkout(verbs::CheckoutArgs) = "ask",
        "search" Search(verbs::SearchArgs) = "query",
        "show" Show(verbs::ShowArgs) = "get",
        "list" List(verbs::ListArgs),
    }
    "Review" {
        "review" Review(verbs::ReviewArgs),
        "procedures" Procedures(Procedures),
    }
    "Prove" {
        "verify" Verify(verbs::VerifyArgs),
        "head" Head(verbs::HeadArgs),
        "prove" Prove(verbs::ProveArgs),
        "doctor" Doctor(verbs::DoctorArgs),
    }
    "Keep" {
        "init" Init(verbs::InitArgs),
        "demo" Demo(verbs::DemoArgs),
        "backup" Backup(verbs::BackupArgs),
        "export" Export(verbs::ExportArgs),
        #[cfg(feature = "deliver")] "deliver" Deliver(Deliver),
        #[cfg(feature = "sync")] "sync" Sync(Sync),
        "scan" Scan(verbs::ScanArgs),
        "config" Config(verbs::ConfigArgs),
        "maintain" Maintain(Maintain),
    }
}

impl Verb {
    /// Whether a coding agent's hook is answered.
    pub(crate) fn is_hook(&self) -> bool {
        matches!(self, Verb::Agent(agent) if agent.is_hook())
    }
}
