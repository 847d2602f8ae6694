//! The MCP server of Memlith: the verbs of the command line as tools for any client.
//!
//! A tool call is a command line: the arguments of a tool become the words of a verb, the
//! [`Host`] runs it, and the answer is the verb's JSON (`structuredContent`) beside text for the
//! model, in which stored words are fenced as data. So there is one definition of what a verb
//! takes, does and answers, and `docs/cli.md` states its keys.
//!
//! Who acts is settled when the server starts, and no argument changes it: no word that a tool
//! makes is a flag of the command line as a whole, and a field that a tool doesn't know is
//! refused. The folder of the client's first workspace root gives the project, and with it the
//! ledger and the scope; without roots it is the folder that the server was started in.
//!
//! `docs/mcp.md` says how clients are set up.

mod error;
mod fence;
mod host;
mod lines;
mod profile;
mod stop;
mod words;

mod arguments;
mod tool;

mod row;

mod file;
mod memory_path;
mod memory_tool;

mod graph;
mod graph_import;
mod node;

mod table;

mod citation;
mod prompts;
mod resources;

mod place;
mod server;

mod http;
mod stdio;

pub use error::ServeError;
pub use graph_import::{ImportedGraph, import_graph};
pub use host::{Answered, Host, Note, Refused};
pub use http::{Http, serve_http};
pub use profile::{Offer, Profile};
pub use stdio::serve_stdio;
pub use stop::Stop;
