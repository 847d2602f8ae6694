//! The verbs of Memlith: one typed request and one answer each.
//!
//! The command line parses into these types, and the MCP server deserialises into them: one
//! definition of what a verb takes, does and answers. A [`Verb`] runs in a [`Context`]: where the
//! ledger is, who asks, when, and where the answer goes, as JSON and as text for people.

pub mod actor;
mod advice;
mod anchor;
mod audit;
mod backup;
mod brief;
mod certificate;
mod change;
mod checkout;
mod checkpoint;
mod compact;
mod config;
pub mod context;
pub mod decimal;
#[cfg(feature = "deliver")]
mod deliver;
mod demo;
mod doctor;
mod elsewhere;
mod ended;
pub mod environment;
mod erase;
pub mod exit;
mod explain;
mod export;
mod find_procedures;
mod folder;
mod get;
#[cfg(feature = "schema")]
mod given;
pub mod global;
pub mod graph;
mod head;
mod hint;
mod history;
mod hook;
mod import;
mod init;
mod install;
mod instant;
mod jobs;
mod kept;
mod keys;
mod knows;
mod likeness;
mod line;
mod list;
pub mod listener;
mod log;
mod note;
mod novelty;
pub mod opened;
pub mod out_file;
mod outcome;
pub mod output;
mod pair;
mod plain;
mod program;
pub mod progress;
mod prove;
mod purpose;
mod remember;
mod replay;
mod review;
mod scan;
pub mod scope;
mod scope_here;
mod search;
mod secret;
mod show;
mod show_procedure;
mod signer;
mod stat;
mod status;
pub mod svg;
mod switch;
#[cfg(feature = "sync")]
mod sync;
mod taint;
mod target;
mod tiles;
mod told;
mod tombstones;
mod trace;
mod undo;
pub mod usage;
mod vector;
mod vectors;
mod verb;
mod verifiers;
mod verify;
pub mod wait;
pub mod wall;
mod weight;
mod writeback;
mod written;

pub use anchor::send_due_head;
pub use audit::{ReceiptsArgs, StateArgs, SummariesArgs};
pub use backup::BackupArgs;
pub use brief::BriefArgs;
pub use change::{ConfirmArgs, ForgetArgs, PinArgs, UnpinArgs};
pub use checkout::CheckoutArgs;
pub use checkpoint::CheckpointArgs;
pub use compact::CompactArgs;
pub use config::ConfigArgs;
pub use context::Context;
#[cfg(feature = "deliver")]
pub use deliver::{
    BootstrapArgs, DeliverArgs, DeliverStatusArgs, PauseArgs, RestartArgs, ResumeArgs, RetryArgs,
};
pub use demo::DemoArgs;
pub use doctor::DoctorArgs;
pub use erase::EraseArgs;
pub use explain::ExplainArgs;
pub use export::ExportArgs;
pub use find_procedures::FindProceduresArgs;
pub use folder::FolderArgs;
pub use head::HeadArgs;
pub use history::HistoryArgs;
pub use hook::HookArgs;
pub use import::ImportArgs;
pub use init::InitArgs;
pub use install::{InstallArgs, RemoveArgs};
pub use jobs::{ListJobsArgs, RetryJobsArgs};
pub use list::ListArgs;
#[cfg(feature = "sync")]
pub use memlith_sync::serve_shared;
pub use note::NoteArgs;
pub use outcome::OutcomeArgs;
pub use prove::ProveArgs;
pub use remember::{RememberArgs, UpdateArgs};
pub use replay::ReplayArgs;
#[cfg(feature = "schema")]
pub use review::LookAtReview;
pub use review::ReviewArgs;
pub use scan::ScanArgs;
pub use scope_here::ScopeArgs;
pub use search::SearchArgs;
pub use secret::is_same;
pub use show::ShowArgs;
pub use show_procedure::ShowProcedureArgs;
pub use stat::StatArgs;
pub use status::StatusArgs;
pub use switch::{OffArgs, OnArgs};
#[cfg(feature = "sync")]
pub use sync::{AddRemoteArgs, GiveRoleArgs, RemoveRemoteArgs, RunSyncArgs, SyncStatusArgs};
pub use tombstones::TombstonesArgs;
pub use trace::TraceArgs;
pub use undo::UndoArgs;
pub use vectors::VectorsArgs;
pub use verb::Verb;
pub use verify::VerifyArgs;
pub use writeback::{RunJobsArgs, background};
