//! Drives other people's programs against ours: coding agents, clients of MCP, a model server,
//! a graph; `cargo xtask NAME` runs each.

mod bounded;
mod cargo;
mod chat;
mod clients;
mod deliver;
mod hooks;
mod mcp;
mod npm;

use std::process::ExitCode;

use clap::Parser as _;

use crate::clients::Clients;
use crate::hooks::Hooks;
use crate::mcp::Mcp;

#[derive(clap::Parser)]
enum Driven {
    Clients(Clients),
    Mcp(Mcp),
    /// Delivers to a real FalkorDB, through kills of either side and random faults.
    Deliver,
    /// Runs `memlith jobs run --with` against a model server that others wrote.
    Chat,
    Hooks(Hooks),
}

fn main() -> ExitCode {
    match run(&Driven::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("clients: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(driven: &Driven) -> anyhow::Result<()> {
    match driven {
        Driven::Clients(clients) => clients.run(),
        Driven::Mcp(mcp) => mcp.run(),
        Driven::Deliver => deliver::run(),
        Driven::Chat => chat::run(),
        Driven::Hooks(hooks) => hooks.run(),
    }
}
