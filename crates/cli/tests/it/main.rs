//! The built binary, as a user and a script meet it.

mod files;
mod harness;
mod session;
