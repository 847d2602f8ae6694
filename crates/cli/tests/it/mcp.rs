//! `memlith mcp`, as a client meets it: the real binary, and the bytes of the protocol.

mod adapters;
mod drained;
mod http;
mod injected;
mod procedures;
mod registry;
mod session;
mod stdio;
