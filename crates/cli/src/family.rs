use anyhow::Result;
use clap::{Args, Subcommand};
use memlith_verbs::exit::Exit;
use memlith_verbs::{self as verbs, Context, Verb};

#[cfg(feature = "mcp")]
use crate::mcp::ServeArgs;

/// Makes a verb of several that belong together.
macro_rules! family {
    ($(#[$about:meta])* $family:ident of $one:ident {
        $($name:literal $verb:ident($args:ty),)*
    }) => {
        #[derive(Args, Debug)]
        $(#[$about])*
        pub(crate) struct $family {
            #[command(subcommand)]
            one: $one,
        }

        #[derive(Debug, Subcommand)]
        enum $one {
            $(#[command(name = $name)] $verb($args),)*
        }

        impl Verb for $family {
            fn run(self, context: &mut Context) -> Result<Exit> {
                match self.one {
                    $($one::$verb(args) => args.run(context),)*
                }
            }

            fn reads_everywhere(&self) -> bool {
                match &self.one {
                    $($one::$verb(args) => args.reads_everywhere(),)*
                }
            }
        }
    };
}

family! {
    /// Give coding agents a memory: hooks, what they are given, and the folder they read.
    #[command(after_help = "Examples:\n  memlith agent install claude-code\n  memlith agent status")]
    Agent of AgentVerb {
        "install" Install(verbs::InstallArgs),
        "remove" Remove(verbs::RemoveArgs),
        "off" Off(verbs::OffArgs),
        "on" On(verbs::OnArgs),
        "status" Status(verbs::StatusArgs),
        "brief" Brief(verbs::BriefArgs),
        "scope" Scope(verbs::ScopeArgs),
        "folder" Folder(verbs::FolderArgs),
        "hook" Hook(verbs::HookArgs),
    }
}

family! {
    /// Learn what sessions taught: jobs that hooks queue, and what became of them.
    #[command(after_help = "Examples:\n  memlith jobs run --all\n  memlith jobs list")]
    Jobs of JobsVerb {
        "run" Run(verbs::RunJobsArgs),
        "list" List(verbs::ListJobsArgs),
        "retry" Retry(verbs::RetryJobsArgs),
    }
}

#[cfg(feature = "deliver")]
family! {
    /// Send records to other stores, once each. Where they go is said in deliver.toml.
    #[command(after_help = "Examples:\n  memlith deliver run\n  memlith deliver status")]
    Deliver of DeliverVerb {
        "run" Run(verbs::DeliverArgs),
        "status" Status(verbs::DeliverStatusArgs),
        "pause" Pause(verbs::PauseArgs),
        "resume" Resume(verbs::ResumeArgs),
        "retry" Retry(verbs::RetryArgs),
        "restart" Restart(verbs::RestartArgs),
        "bootstrap" Bootstrap(verbs::BootstrapArgs),
        "note" Note(verbs::NoteArgs),
    }
}

#[cfg(feature = "sync")]
family! {
    /// One memory on several machines: each writes its own ledger and reads the others'.
    #[command(after_help = "Examples:\n  memlith sync add /mnt/share/memory\n  memlith sync run")]
    Sync of SyncVerb {
        "add" Add(verbs::AddRemoteArgs),
        "status" Status(verbs::SyncStatusArgs),
        "run" Run(verbs::RunSyncArgs),
        "remove" Remove(verbs::RemoveRemoteArgs),
        "role" Role(verbs::GiveRoleArgs),
    }
}

#[cfg(feature = "mcp")]
family! {
    /// Serve memory to MCP clients.
    #[command(after_help = "Examples:\n  memlith mcp serve")]
    Mcp of McpVerb {
        "serve" Serve(ServeArgs),
    }
}

family! {
    /// Find what sessions repeat, and print an accepted procedure.
    #[command(after_help = "Examples:\n  memlith procedures find --dry-run")]
    Procedures of ProceduresVerb {
        "find" Find(verbs::FindProceduresArgs),
        "show" Show(verbs::ShowProcedureArgs),
    }
}

family! {
    /// Keep a ledger fast and small.
    #[command(after_help = "Examples:\n  memlith maintain checkpoint\n  memlith maintain stat")]
    Maintain of MaintainVerb {
        "checkpoint" Checkpoint(verbs::CheckpointArgs),
        "compact" Compact(verbs::CompactArgs),
        "vectors" Vectors(verbs::VectorsArgs),
        "tombstones" Tombstones(verbs::TombstonesArgs),
        "stat" Stat(verbs::StatArgs),
    }
}

impl Agent {
    /// Whether a hook is answered.
    pub(crate) fn is_hook(&self) -> bool {
        matches!(self.one, AgentVerb::Hook(_))
    }
}
