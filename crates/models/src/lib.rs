//! Models outside of this program: programs that are asked, and servers that are called.
//!
//! [`CommandModel`] is a program that embeds, [`CommandArbiter`] one that judges likeness, and
//! [`CommandExtractor`] one that says what a session taught; each gets one [`Program`]'s limits.
//! `ChatExtractor` (feature `chat`) sends the evidence of one job of write-back to a server that
//! speaks the chat completions of OpenAI's interface, or asks a coding agent's own program, and
//! returns the reply, which write-back checks against the turns. `Settings` names the `Provider`.
//!
//! Invariants
//!
//! 1. The key is in no error, no debug output and no file of this crate, and a reply that repeats
//!    it is refused.
//! 2. Nothing is sent that `redact` would take out.
//! 3. A call is counted, in a file, before it is made.
//! 4. A redirect is not followed: what was agreed to is one server.

#[cfg(feature = "chat")]
mod book;
#[cfg(feature = "chat")]
mod chat;
mod command_arbiter;
mod command_extractor;
mod command_model;
#[cfg(feature = "chat")]
mod completion;
#[cfg(feature = "chat")]
mod error;
#[cfg(feature = "chat")]
mod headless;
#[cfg(feature = "chat")]
mod key;
mod program;
#[cfg(feature = "chat")]
mod provider;
#[cfg(feature = "chat")]
mod seal;
#[cfg(feature = "chat")]
mod server;
#[cfg(feature = "chat")]
mod settings;

#[cfg(feature = "chat")]
pub use book::{Spent, spent};
#[cfg(feature = "chat")]
pub use chat::ChatExtractor;
pub use command_arbiter::CommandArbiter;
pub use command_extractor::CommandExtractor;
pub use command_model::CommandModel;
#[cfg(feature = "chat")]
pub use error::SettingsError;
pub use program::{Program, ProgramFailure};
#[cfg(feature = "chat")]
pub use provider::{Client, Provider};
#[cfg(feature = "chat")]
pub use settings::Settings;
