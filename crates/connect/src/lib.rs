//! Calls to the outside: a model server is asked what a session taught, and other stores are told
//! what the ledger holds.
//!
//! [`ChatExtractor`] sends the evidence of one job of write-back to a server that speaks the
//! chat completions of OpenAI's interface, and returns its reply, which the engine checks
//! against the turns; or it asks a coding agent's own program. [`Settings`] names the
//! [`Provider`]. [`JsonLines`], [`Webhook`] and [`FalkorDb`] are what records are delivered
//! to; [`Routes`] names them, and [`bootstrap`] reads a graph back into an empty ledger.
//!
//! Invariants
//!
//! 1. The key is in no error, no debug output and no file of this crate, and a reply that repeats
//!    it is refused.
//! 2. Nothing is sent that `redact` would take out.
//! 3. A call is counted, in a file, before it is made.
//! 4. A redirect is not followed: what was agreed to is one server.

mod book;
mod bootstrap;
mod chat;
mod completion;
mod cypher;
mod endpoint;
mod error;
mod falkordb;
mod handlers;
mod headless;
mod json_lines;
mod key;
mod private_file;
mod provider;
mod retry_after;
mod routes;
mod seal;
mod server;
mod settings;
mod signature;
mod webhook;

pub use book::{Spent, spent};
pub use bootstrap::{BootstrapError, Bootstrapped, bootstrap};
pub use chat::ChatExtractor;
pub use error::SettingsError;
pub use falkordb::FalkorDb;
pub use json_lines::JsonLines;
pub use provider::{Client, Provider};
pub use routes::{Routed, Routes, RoutesError};
pub use settings::Settings;
pub use signature::{is_signed, signature};
pub use webhook::{Alert, Webhook};
