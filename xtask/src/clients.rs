//! The real coding agents, with our hooks, against a model server of our own.

mod model;
mod scene;
mod trouble;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::bounded::bounded;
use crate::cargo::{output, root, succeed};
use crate::programs::Programs;
use model::Model;
use scene::Scene;

/// The clients as they are published; other versions may call hooks in other ways.
const PACKAGES: [&str; 2] = ["@anthropic-ai/claude-code@2.1.197", "@openai/codex@0.169.0"];

/// A client of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    ClaudeCode,
    Codex,
}

impl Client {
    fn name(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::Codex => "codex",
        }
    }
}

/// Runs sessions of each client in two projects: what a session was told reaches the next one
/// of its project and no other, is captured once, and a ledger that can't be used, or is
/// locked, or has no room, costs the memory and not the turn.
///
/// Where npm is absent or the clients can't be fetched within [`FETCH_SECONDS`], all of it is
/// skipped, and says so. The sessions take at most so many `seconds`, where that is given.
///
/// # Errors
/// A client fails, or something reaches a session that must not, or doesn't that must; or the
/// sessions take longer.
pub(crate) fn run(seconds: Option<u32>) -> anyhow::Result<()> {
    let Some(programs) = fetched()? else { return Ok(()) };
    let built = Programs::ordinary(&["--package=memlith-cli", "--bin=memlith"])?;
    if let Some(seconds) = seconds {
        return bounded(seconds, &["clients"], "the sessions of the clients");
    }
    let memlith = PathBuf::from(built.command("cli/memlith")?.get_program());
    for client in [Client::ClaudeCode, Client::Codex] {
        let scene = Scene::new(client, &programs, &memlith, Model::start()?)?;
        let passed = scene.play().with_context(|| format!("{} with hooks", client.name()))?;
        println!("{}: {passed} checks passed", client.name());
    }
    Ok(())
}

/// The clients are not waited for longer.
const FETCH_SECONDS: &str = "120";

/// The folder of the clients' programs; `None` where they can't be had here.
fn fetched() -> anyhow::Result<Option<PathBuf>> {
    let folder = root().join("target/clients");
    let programs = folder.join("node_modules/.bin");
    let is_there = programs.join("claude").exists() && programs.join("codex").exists();
    if is_there {
        return Ok(Some(programs));
    }
    let mut npm = Command::new("npm");
    if npm.arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("SKIPPED: npm is not installed, the real clients were not run");
        return Ok(None);
    }
    fs::create_dir_all(&folder).context("make target/clients")?;
    let mut install = Command::new("timeout");
    install.args(["--kill-after=5", FETCH_SECONDS, "npm"]);
    install.args(["install", "--silent", "--no-fund", "--no-audit"]).args(PACKAGES);
    // Without a package of its own npm looks for one above.
    let own = fs::write(folder.join("package.json"), "{\"private\":true}\n");
    own.context("write target/clients/package.json")?;
    if let Err(error) = succeed(install.current_dir(&folder)) {
        println!("SKIPPED: the real clients can't be fetched and were not run: {error:#}");
        // Half of them would be taken for all the next time.
        let _ = fs::remove_dir_all(folder.join("node_modules"));
        return Ok(None);
    }
    let version = output(Command::new(programs.join("claude")).arg("--version"))?;
    ensure!(version.contains("2.1.197"), "not the version asked for: {version}");
    Ok(Some(programs))
}
