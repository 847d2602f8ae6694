//! What calls out: a model server is asked what a session taught.
//!
//! [`ChatExtractor`] sends the evidence of one job of write-back to a server that speaks the
//! chat completions of OpenAI's interface, and returns its reply, which the engine checks
//! against the turns. [`Settings`] names the server, [`Agreements`] remembers which servers a
//! person agreed to.
//!
//! Invariants
//!
//! 1. The key is in no error, no debug output and no file of this crate, and a reply that repeats
//!    it is refused.
//! 2. Nothing is sent that `redact` would take out.
//! 3. A call is counted, in a file, before it is made.
//! 4. A redirect is not followed: what was agreed to is one server.

mod agreements;
mod book;
mod chat;
mod completion;
mod endpoint;
mod error;
mod key;
mod private_file;
mod retry_after;
mod seal;
mod server;
mod settings;

pub use agreements::Agreements;
pub use chat::ChatExtractor;
pub use error::SettingsError;
pub use settings::Settings;
