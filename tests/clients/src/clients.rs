//! The real coding agents, with our hooks, against a model server of our own.

mod asked;
mod memories;
mod model;
mod scene;
mod tools;
mod trouble;

use std::process::Command;

use anyhow::{Context, ensure};

use crate::bounded::bounded;
use crate::cargo::{memlith, output};
use crate::npm::Fetched;
use model::Model;
use scene::Scene;
use trouble::LEDGER;

/// The clients as they are published; other versions may call hooks in other ways.
const CLIENTS: Fetched = Fetched {
    folder: "clients",
    packages: &["@anthropic-ai/claude-code@2.1.197", "@openai/codex@0.169.0"],
    programs: &["claude", "codex"],
};

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

/// Sessions of each client in two projects: what a session was told reaches the next one of its
/// project and no other, is captured once, and a ledger that can't be used, or is locked, or has
/// no room, costs the memory and not the turn. Then each calls tools of the MCP server.
#[derive(clap::Args)]
pub(crate) struct Clients {
    /// Ends the sessions after so many seconds; needs npm.
    #[arg(long)]
    seconds: Option<u32>,
}

impl Clients {
    /// Fetches the clients where they aren't there yet, and plays everything.
    ///
    /// # Errors
    /// A client can't be fetched or fails, something reaches a session that must not, or doesn't
    /// that must; or the sessions take longer.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let programs = CLIENTS.programs()?;
        let version = output(Command::new(programs.join("claude")).arg("--version"))?;
        ensure!(version.contains("2.1.197"), "not the version asked for: {version}");
        let memlith = memlith()?;
        if let Some(seconds) = self.seconds {
            return bounded(seconds, &["clients"], "the sessions of the clients");
        }
        for client in [Client::ClaudeCode, Client::Codex] {
            let scene = Scene::new(client, &programs, &memlith, Model::start()?)?;
            let passed = scene.play().with_context(|| format!("{} with hooks", client.name()))?;
            println!("{}: {passed} checks passed", client.name());
            let scene = Scene::new(client, &programs, &memlith, Model::start()?)?;
            scene.memlith(&["init", "--ledger", &scene.at(LEDGER).display().to_string()])?;
            let driven = tools::are_driven(&scene);
            let driven = driven.with_context(|| format!("{} with the server", client.name()))?;
            println!("{}, tools of the MCP server: {driven} checks passed", client.name());
        }
        for client in [Client::ClaudeCode, Client::Codex] {
            let scene = Scene::new(client, &programs, &memlith, Model::start()?)?;
            let passed = asked::play(&scene).with_context(|| format!("{} asked", client.name()))?;
            println!("{} asked about a session: {passed} checks passed", client.name());
        }
        let scene = Scene::new(Client::Codex, &programs, &memlith, Model::start()?)?;
        let passed = memories::play(&scene).context("codex over a rendered folder")?;
        println!("codex over a rendered folder: {passed} checks passed");
        Ok(())
    }
}
