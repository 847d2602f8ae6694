//! Memory for coding agents: what their hooks capture, and what they are given.
//!
//! A client calls a hook with one JSON object ([`HookEvent`]); [`hook`] does what it calls
//! for and says what the client is told. There is no process that has to be up: each hook
//! opens the ledger, does one thing and ends.
//!
//! | event | what happens |
//! |---|---|
//! | `SessionStart` | the [`brief`]: what is pinned, what stands, what earlier sessions came to |
//! | `UserPromptSubmit` | what of memory is to the point; what the prompt corrects is corrected |
//! | `Stop`, `SubagentStop`, `PreCompact`, `PostToolUse` | what the transcript gained is captured |
//! | `SessionEnd` | the same, and the session is over |
//!
//! What a session gained is queued as a job of write-back, due when it was quiet for two minutes
//! or is over, and done by a process that nobody waits for; see [`memlith_writeback`].
//!
//! The transcript is the queue: what a hook could not capture is captured by a later one,
//! from a bookmark that may be lost, as every event is named by the transcript's own names.
//! Memories are about a [`Project`]. ADR/0038 says why it is built so.

mod agreements;
mod bookmark;
mod brief;
mod capture;
mod catch_up;
mod client;
mod correction;
mod given;
mod hook;
mod hook_event;
mod ignored;
mod injection;
mod install;
mod learning;
mod mcp_settings;
mod project;
mod settings_file;
mod shown;
mod state_folder;
mod switch;
mod taught;
mod transcript;
mod tree;

pub use agreements::{Agreement, Agreements};
pub use brief::{BRIEF_TOKENS, brief};
pub use capture::CaptureError;
pub use catch_up::CatchUp;
pub use client::Client;
pub use given::Given;
pub use hook::{Answer, Home, HookError, hook};
pub use hook_event::{HookEvent, HookEventError};
pub use ignored::ignored_files;
pub use injection::INJECTION_TOKENS;
pub use install::{InstallError, Installed, Settings, install, installed, uninstall};
pub use mcp_settings::{McpClient, install_mcp, uninstall_mcp};
pub use project::{Project, holds_a_name_alone};
pub use state_folder::{Failure, StateFolder};
pub use switch::{Off, Switch, What};
pub use transcript::project_of_transcript;
pub use tree::Tree;
