//! `memlith mcp serve`, as a client meets it: the real binary, and the bytes of the protocol.

mod adapters;
mod drained;
mod http;
mod injected;
mod malformed;
mod procedures;
mod registry;
mod session;
mod stdio;
