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
use crate::cargo::{self, root, succeed};

/// The most servers at once in a bounded time.
const SERVERS_BOUNDED: u32 = 10;

/// Two clients that call every tool over both transports, adapters compared with what they stand
/// for, many servers on one ledger, and requests at random.
#[derive(clap::Args)]
pub(crate) struct Mcp {
    /// Ends after so many seconds, with at most 10 servers; needs npm and Python.
    #[arg(long)]
    seconds: Option<u32>,
    /// Sends so many requests at random.
    #[arg(long, default_value_t = 100_000)]
    requests: u32,
    /// Has so many servers answer 200 calls each on one ledger.
    #[arg(long, default_value_t = 50)]
    servers: u32,
    /// Begins the random requests from this seed.
    #[arg(long, default_value_t = 1)]
    seed: u32,
}

impl Mcp {
    /// Fetches the clients where they aren't there yet, and does all of it.
    ///
    /// # Errors
    /// A client can't be fetched within [`FETCH_SECONDS`] or fails, a tool isn't called, the
    /// server panics or grows; or it takes longer.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let Mcp { seconds, requests, servers, seed } = *self;
        let memlith = cargo::memlith()?;
        let clients = (inspector::fetched()?, python::fetched()?, python::reference()?);
        if let Some(seconds) = seconds {
            let servers = servers.min(SERVERS_BOUNDED).to_string();
            let (requests, seed) = (requests.to_string(), seed.to_string());
            let words = ["mcp", "--requests", &requests, "--servers", &servers, "--seed", &seed];
            return bounded(seconds, &words, "the clients and requests of MCP");
        }
        inspector::drive(&clients.0, &memlith)?;
        python::drive(&clients.1, &memlith, &clients.2)?;
        crowd::call_at_once(&memlith, servers)?;
        random::send(&memlith, requests, seed)
    }
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
