//! The MCP server of Memlith: the verbs as tools for any client.
//!
//! The arguments of a tool are the typed request of a verb (`memlith-verbs`), deserialised; the
//! answer is the verb's JSON (`structuredContent`) beside text for the model, in which stored
//! words are fenced as data; of a checkout and a search it is the text alone, within its budget.
//! So there is one definition of what a verb takes, does and answers, and `docs/cli.md` states
//! its keys.
//!
//! The actor is settled when the server starts, and no argument changes it: a field that a tool
//! doesn't know is refused. The folder of the client's first workspace root gives the project,
//! and with it the ledger and the scope; without roots it is the folder that the server was
//! started in.
//!
//! `docs/mcp.md` says how clients are set up.

mod client;
mod drain;
mod error;
mod fence;
mod handles;
mod host;
mod lines;
mod profile;
mod stop;
#[cfg(feature = "http")]
mod token;

mod tool;

mod file;
mod memory_path;
mod memory_tool;

mod graph;

mod table;

mod arguments;
mod citation;
mod prompts;
mod resources;

mod place;
mod server;

#[cfg(feature = "http")]
mod http;
mod serve;
mod stdio;

pub use error::ServeError;
pub use profile::{Offer, Profile};
pub use serve::serve;
