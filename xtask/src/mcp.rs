//! The MCP server and the real world: clients that are not ours, and requests at random.

mod crowd;
mod inspector;
mod python;
mod random;
pub(crate) mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::bounded::bounded;
use crate::cargo::{root, succeed};
use crate::programs::Programs;

/// The number of requests at random where none is given.
pub(crate) const REQUESTS: u32 = 100_000;

/// The number of servers at once where none is given, and in a bounded time.
pub(crate) const SERVERS: u32 = 50;
const SERVERS_BOUNDED: u32 = 10;

/// Has two clients call every tool over both transports, compares the adapters with what they stand
/// for, has many servers share a ledger, and sends requests at random.
///
/// All of it takes at most so many `seconds`, where that is given.
///
/// # Errors
/// A client can't be fetched within [`FETCH_SECONDS`] or fails, a tool isn't called, the server panics or grows; or it takes longer.
pub(crate) fn run(
    seconds: Option<u32>,
    (requests, servers): (u32, u32),
    seed: u32,
) -> anyhow::Result<()> {
    let memlith = Programs::memlith()?;
    let clients = (inspector::fetched()?, python::fetched()?, python::reference()?);
    if let Some(seconds) = seconds {
        let servers = servers.min(SERVERS_BOUNDED).to_string();
        let (requests, seed) = (requests.to_string(), seed.to_string());
        let arguments = ["mcp", "--requests", &requests, "--servers", &servers, "--seed", &seed];
        return bounded(seconds, &arguments, "the clients and requests of MCP");
    }
    inspector::drive(&clients.0, &memlith)?;
    python::drive(&clients.1, &memlith, &clients.2)?;
    crowd::call_at_once(&memlith, servers)?;
    random::send(&memlith, requests, seed)
}

/// A client is not waited for longer.
const FETCH_SECONDS: &str = "120";

/// Where the clients lie.
fn folder() -> anyhow::Result<PathBuf> {
    let folder = root().join("target/mcp");
    std::fs::create_dir_all(&folder).context("make target/mcp")?;
    Ok(folder)
}

/// `memlith` with these arguments in a desk of its own, with nothing of who runs this.
fn memlith(program: &Path, desk: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    at(&mut command, desk);
    command
}

/// Has a command run at a desk: a folder that is its home too.
fn at(command: &mut Command, desk: &Path) {
    let variables = ["MEMLITH_LEDGER", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];
    variables.into_iter().for_each(|variable| {
        command.env_remove(variable);
    });
    command.current_dir(desk).env("HOME", desk).env("USER", "ana");
}

/// An empty ledger in a folder.
fn desk(program: &Path) -> anyhow::Result<tempfile::TempDir> {
    let desk = tempfile::tempdir().context("make a folder")?;
    succeed(memlith(program, desk.path(), &["init"]).stdout(Stdio::null()))?;
    Ok(desk)
}
