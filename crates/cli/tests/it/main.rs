//! The built binary, as a user and a script meet it.

#![cfg(test)]

mod audited;
mod bad_input;
#[cfg(feature = "chat")]
mod changed;
mod chatted;
mod damage;
mod days;
#[cfg(feature = "deliver")]
mod delivered;
mod demonstrated;
mod documented;
mod erased;
mod exported;
mod files;
mod folders;
mod followed;
mod forged;
mod forgotten;
mod harness;
mod heads;
mod hooks;
mod keys;
mod killed;
mod listed;
#[cfg(feature = "mcp")]
mod mcp;
mod meaning;
mod media;
mod mined;
mod parted;
mod pipes;
mod prepared;
mod private;
mod proofs;
mod readme;
mod redact;
mod refusals;
mod reviews;
mod session;
mod transfer;
mod undone;
mod vectors;
mod watched;
