//! The client of the package `mcp`, from PyPI, in a script of ours.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{FETCH_SECONDS, at, desk, folder, has};
use crate::cargo::{root, succeed};

/// As it is published; its interface differs between major versions.
const PACKAGE: &str = "mcp==2.3.0";

/// Its interpreter; `None` where it can't be had here.
pub(super) fn fetched() -> anyhow::Result<Option<PathBuf>> {
    let folder = folder()?.join("python");
    let program = folder.join("bin/python");
    // Written last.
    let marker = folder.join("fetched");
    if marker.exists() {
        return Ok(Some(program));
    }
    if !has("python3") {
        println!("SKIPPED: python3 is not installed, its MCP client was not run");
        return Ok(None);
    }
    let made = succeed(Command::new("python3").args(["-m", "venv"]).arg(&folder));
    let mut install = Command::new("timeout");
    install.args(["--kill-after=5", FETCH_SECONDS]).arg(&program);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]);
    if let Err(error) = made.and_then(|()| succeed(&mut install)) {
        println!("SKIPPED: the client of PyPI can't be fetched and was not run: {error:#}");
        return Ok(None);
    }
    std::fs::write(marker, "")?;
    Ok(Some(program))
}

/// Calls every tool over both transports, in both lifecycles of the protocol.
///
/// # Errors
/// A call fails, or a tool is listed that isn't called.
pub(super) fn drive(program: &Path, server: &Path) -> anyhow::Result<()> {
    let desk = desk(server)?;
    let mut script = Command::new(program);
    script.arg(root().join("xtask/mcp/drive.py")).arg(server).arg(desk.path());
    at(&mut script, desk.path());
    succeed(&mut script)
}
