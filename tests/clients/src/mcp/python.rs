//! The client of the package `mcp`, from PyPI, in scripts of ours.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::{FETCH_SECONDS, at, desk, folder};
use crate::cargo::{root, succeed};
use crate::npm::Fetched;

/// As they are published; their interfaces differ between major versions.
const PACKAGES: [&str; 2] = ["mcp==2.3.0", "anthropic==2.14.0"];

/// The reference memory server, from npm.
const REFERENCE: Fetched = Fetched {
    folder: "mcp/reference",
    packages: &["@modelcontextprotocol/server-memory@2026.8.31"],
    programs: &["mcp-server-memory"],
};

/// Returns its interpreter, fetched where it isn't there yet.
pub(super) fn fetched() -> anyhow::Result<PathBuf> {
    let folder = folder()?.join("python");
    let program = folder.join("bin/python");
    // Written last.
    let (marker, packages) = (folder.join("fetched"), PACKAGES.join(" "));
    if std::fs::read_to_string(&marker).is_ok_and(|fetched| fetched == packages) {
        return Ok(program);
    }
    let made = succeed(Command::new("python3").args(["-m", "venv"]).arg(&folder));
    let mut install = Command::new("timeout");
    install.args(["--kill-after=5", FETCH_SECONDS]).arg(&program);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(PACKAGES);
    made.and_then(|()| succeed(&mut install))
        .with_context(|| format!("fetch {packages} with pip"))?;
    std::fs::write(marker, packages)?;
    Ok(program)
}

/// Returns the program of the reference memory server, fetched where it isn't there yet.
pub(super) fn reference() -> anyhow::Result<PathBuf> {
    Ok(REFERENCE.programs()?.join("mcp-server-memory"))
}

/// Calls every tool over both transports, in both lifecycles of the protocol; and the adapters,
/// beside what they stand for: the SDK's own memory tool, and the reference memory server.
///
/// # Errors
/// A call fails, a tool is listed that isn't called, or an adapter answers otherwise.
pub(super) fn drive(program: &Path, server: &Path, reference: &Path) -> anyhow::Result<()> {
    let (first, second) = (desk(server)?, desk(server)?);
    let script = |name: &str| {
        let mut script = Command::new(program);
        script.arg(root().join("tests/clients/python").join(name)).arg(server).arg(first.path());
        at(&mut script, first.path());
        script
    };
    succeed(&mut script("drive.py"))?;
    succeed(&mut script("folder.py"))?;
    succeed(script("graph.py").arg(second.path()).arg(reference))
}
