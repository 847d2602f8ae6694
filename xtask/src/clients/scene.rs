use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use super::Client;
use super::model::{ANSWER, Model};
use crate::cargo::{output, root};

/// A person's home with two projects and one client.
pub(crate) struct Scene {
    client: Client,
    programs: PathBuf,
    memlith: PathBuf,
    model: Model,
    /// Removed in the end. Below the workspace: Codex takes no home in the temporary folder.
    folder: tempfile::TempDir,
}

const TOLD: &str = "Remember that the release codeword is amaranth.";
const QUESTION: &str = "What is the release codeword?";
const CODEWORD: &str = "amaranth";

/// What memory puts around its words.
const BLOCK: &str = "<memlith-memory>";

impl Scene {
    /// A home with the hooks entered.
    ///
    /// # Errors
    /// It can't be made.
    pub(crate) fn new(
        client: Client,
        programs: &Path,
        memlith: &Path,
        model: Model,
    ) -> anyhow::Result<Scene> {
        let folder = tempfile::tempdir_in(root().join("target/clients")).context("make a home")?;
        let (programs, memlith) = (programs.to_owned(), memlith.to_owned());
        let scene = Scene { client, programs, memlith, model, folder };
        for project in ["shop", "bank"] {
            let git = scene.at(project).join(".git");
            fs::create_dir_all(&git)?;
            let config = format!("[remote \"origin\"]\n\turl = git@h.org:ana/{project}.git\n");
            fs::write(git.join("config"), config)?;
        }
        fs::create_dir_all(scene.at("home/.claude"))?;
        fs::create_dir_all(scene.at("home/.codex"))?;
        let config = format!(
            "model_provider = \"stub\"\nmodel = \"stub\"\napproval_policy = \"never\"\n\n\
             [model_providers.stub]\nname = \"stub\"\nbase_url = \"{}/v1\"\n\
             env_key = \"STUB_KEY\"\nwire_api = \"responses\"\n",
            scene.model.address()
        );
        fs::write(scene.at("home/.codex/config.toml"), config)?;
        Ok(scene)
    }

    /// Plays it; how many things held.
    ///
    /// # Errors
    /// The first that did not.
    pub(crate) fn play(&self) -> anyhow::Result<u32> {
        let settings = match self.client {
            Client::ClaudeCode => self.at("home/.claude/settings.json"),
            Client::Codex => self.at("home/.codex/hooks.json"),
        };
        // Odd blanks, and no comment: Codex reads strict JSON.
        fs::write(&settings, "{ }\n")?;
        let before = fs::read(&settings)?;
        self.memlith(&["install", self.client.name()])?;
        self.memory_reaches_its_project()?;
        self.everything_is_captured_once()?;
        self.trouble_costs_no_turn()?;
        self.memlith(&["uninstall", self.client.name()])?;
        ensure!(fs::read(&settings)? == before, "uninstall: the settings are not what they were");
        Ok(9)
    }

    fn memory_reaches_its_project(&self) -> anyhow::Result<()> {
        let first = self.session("shop", TOLD)?;
        ensure!(!first.contains(BLOCK), "the first session was given something: {first}");
        let second = self.session("shop", QUESTION)?;
        let given = second.split(BLOCK).nth(1).context("the second session was given nothing")?;
        ensure!(given.contains(CODEWORD), "not what the first one was told: {given}");
        let other = self.session("bank", QUESTION)?;
        ensure!(!other.contains(CODEWORD), "another project sees it");
        Ok(())
    }

    fn everything_is_captured_once(&self) -> anyhow::Result<()> {
        let log = self.memlith(&["log"])?;
        ensure!(log.matches(TOLD).count() == 1, "told once, captured otherwise:\n{log}");
        ensure!(log.matches(QUESTION).count() == 2, "asked twice, captured otherwise:\n{log}");
        ensure!(!log.contains(BLOCK), "what was injected was captured:\n{log}");
        ensure!(log.matches("session.ended").count() == 3, "three sessions ended:\n{log}");
        Ok(())
    }

    /// A damaged ledger, and then none.
    fn trouble_costs_no_turn(&self) -> anyhow::Result<()> {
        let ledger = self.at("home/.local/share/memlith");
        let segment = ledger.join("seg-0000000000");
        let bytes = fs::read(&segment)?;
        let mut damaged = bytes.clone();
        damaged.iter_mut().skip(16).take(1).for_each(|byte| *byte ^= 1);
        fs::write(&segment, damaged)?;
        self.session("shop", "Anything new?")?;
        fs::write(&segment, bytes)?;
        let today = self.memlith(&["today"])?;
        ensure!(today.contains("a hook failed"), "today says nothing of it:\n{today}");
        fs::rename(&ledger, self.at("aside"))?;
        self.session("shop", "Anything else?")?;
        fs::rename(self.at("aside"), &ledger)?;
        Ok(())
    }

    /// Has the client ask the model; the last request that it sent.
    fn session(&self, project: &str, prompt: &str) -> anyhow::Result<String> {
        self.model.take_asked();
        let mut command = match self.client {
            Client::ClaudeCode => Command::new(self.programs.join("claude")),
            Client::Codex => Command::new(self.programs.join("codex")),
        };
        match self.client {
            Client::ClaudeCode => command.args(["-p", prompt]),
            Client::Codex => command.args([
                "exec",
                "--skip-git-repo-check",
                "--dangerously-bypass-hook-trust",
                prompt,
            ]),
        };
        self.alone(&mut command);
        command.current_dir(self.at(project)).env("STUB_KEY", "none");
        command.env("ANTHROPIC_BASE_URL", self.model.address()).env("ANTHROPIC_API_KEY", "none");
        for flag in
            ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "IS_SANDBOX"]
        {
            command.env(flag, "1");
        }
        let said = output(&mut command)?;
        ensure!(said.contains(ANSWER), "the turn did not end as without memory: {said}");
        self.model.take_asked().pop().context("the model was not asked")
    }

    fn memlith(&self, args: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(&self.memlith);
        self.alone(&mut command);
        output(command.args(args).current_dir(self.at("shop")))
    }

    /// Nothing of the caller's environment but where programs are.
    fn alone(&self, command: &mut Command) {
        command.env_clear().env("HOME", self.at("home")).stdin(std::process::Stdio::null());
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
