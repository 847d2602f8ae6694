use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::Client;
use super::model::{ANSWER, Model};
use super::trouble;
use crate::cargo::{output, root};

/// A person's home with two projects and one client.
pub(crate) struct Scene {
    client: Client,
    programs: PathBuf,
    memlith: PathBuf,
    pub(super) model: Model,
    /// Removed in the end. Below the workspace: Codex takes no home in the temporary folder.
    folder: tempfile::TempDir,
}

const TOLD: &str = "Remember that the release codeword is amaranth.";
const QUESTION: &str = "What is the release codeword?";
const CODEWORD: &str = "amaranth";

/// Tag that memory puts before its words.
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
        self.memlith(&["agent", "install", self.client.name()])?;
        self.memory_reaches_its_project()?;
        self.everything_is_captured_once()?;
        trouble::costs_no_turn(self, &settings)?;
        if self.client == Client::ClaudeCode {
            self.a_compacted_session_is_told_what_it_was_asked()?;
        }
        self.memlith(&["agent", "remove", self.client.name()])?;
        ensure!(fs::read(&settings)? == before, "uninstall: the settings are not what they were");
        if self.client == Client::ClaudeCode {
            self.the_plugin_does_the_same()?;
            return Ok(22);
        }
        Ok(16)
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
        let log = self.memlith(&["list", "events"])?;
        ensure!(log.matches(TOLD).count() == 1, "told once, captured otherwise:\n{log}");
        ensure!(log.matches(QUESTION).count() == 2, "asked twice, captured otherwise:\n{log}");
        ensure!(!log.contains(BLOCK), "what was injected was captured:\n{log}");
        ensure!(log.matches("session.ended").count() == 3, "three sessions ended:\n{log}");
        Ok(())
    }

    /// Several prompts, a compaction and one more prompt, in one process.
    fn a_compacted_session_is_told_what_it_was_asked(&self) -> anyhow::Result<()> {
        let many = "We paint the shed teal. ".repeat(100);
        let prompts = [[many.as_str(); 4].as_slice(), &["/compact", QUESTION]].concat();
        let typed = prompts.into_iter().map(|prompt| {
            let said = json!({"type": "user", "message": {"role": "user", "content": prompt}});
            format!("{said}\n")
        });
        let input = self.at("typed.jsonl");
        fs::write(&input, typed.collect::<String>())?;
        // From a file it would take the end of its input before the first prompt.
        let mut command = Command::new("sh");
        self.alone(&mut command);
        command.args(["-c", "cat \"$0\" | \"$@\""]).arg(&input).arg(self.programs.join("claude"));
        command.args(["-p", "--verbose"]);
        command.args(["--input-format", "stream-json", "--output-format", "stream-json"]);
        let last = self.asked("shop", &mut command)?;
        ensure!(last.contains("continued from a previous conversation"), "no compaction: {last}");
        let given = last.split(BLOCK).nth(1).context("nothing was given after the compaction")?;
        ensure!(given.contains("This session was asked:"), "not what it was asked: {given}");
        ensure!(given.contains("the shed teal"), "not what it was asked: {given}");
        Ok(())
    }

    /// The plugin instead of the entries.
    fn the_plugin_does_the_same(&self) -> anyhow::Result<()> {
        let plugin = root().join("integrations/claude-code");
        let plugin = plugin.to_str().context("a path that is no text")?;
        let mut validate = self.program(&["plugin", "validate", "--strict", plugin]);
        output(&mut validate)?;
        let mut command = self.program(&["-p", QUESTION, "--plugin-dir", plugin]);
        let asked = self.asked("shop", &mut command)?;
        let given = asked.split(BLOCK).nth(1).context("the plugin gave nothing")?;
        ensure!(given.contains("the shed teal"), "the plugin gave something else: {given}");
        ensure!(asked.contains("memlith:memory"), "the model is told of no skill: {asked}");
        Ok(())
    }

    /// Has the client ask the model; the last request that it sent.
    pub(crate) fn session(&self, project: &str, prompt: &str) -> anyhow::Result<String> {
        let mut command = match self.client {
            Client::ClaudeCode => self.program(&["-p", prompt]),
            Client::Codex => self.program(&[
                "exec",
                "--skip-git-repo-check",
                "--dangerously-bypass-hook-trust",
                prompt,
            ]),
        };
        self.asked(project, &mut command)
    }

    /// The client's program, alone.
    pub(super) fn program(&self, args: &[&str]) -> Command {
        let mut command = match self.client {
            Client::ClaudeCode => Command::new(self.programs.join("claude")),
            Client::Codex => Command::new(self.programs.join("codex")),
        };
        self.alone(&mut command);
        command.args(args);
        command
    }

    /// Has the client's model ask for a call of a tool; the request that has its result.
    pub(crate) fn called(
        &self,
        args: &[&str],
        call: (&'static str, Value),
    ) -> anyhow::Result<String> {
        self.model.will_call([call]);
        self.asked("shop", &mut self.program(args))
    }

    /// Returns the client that the scene belongs to.
    pub(crate) fn client(&self) -> Client {
        self.client
    }

    /// Runs the client in a project; the last request that it sent.
    fn asked(&self, project: &str, command: &mut Command) -> anyhow::Result<String> {
        self.all_asked(project, command)?.pop().context("the model was not asked")
    }

    /// Runs the client in a project; all requests that it sent.
    pub(super) fn all_asked(
        &self,
        project: &str,
        command: &mut Command,
    ) -> anyhow::Result<Vec<String>> {
        self.model.take_asked();
        command.current_dir(self.at(project));
        self.with_model(command);
        let said = output(command)?;
        ensure!(said.contains(ANSWER), "the turn did not end as without memory: {said}");
        Ok(self.model.take_asked())
    }

    /// Has a client ask our model.
    fn with_model(&self, command: &mut Command) {
        command.env("STUB_KEY", "none");
        command.env("ANTHROPIC_BASE_URL", self.model.address()).env("ANTHROPIC_API_KEY", "none");
        for flag in
            ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "IS_SANDBOX"]
        {
            command.env(flag, "1");
        }
    }

    /// Runs our program in a project's folder.
    pub(crate) fn memlith(&self, args: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(&self.memlith);
        self.alone(&mut command);
        output(command.args(args).current_dir(self.at("shop")))
    }

    /// Runs our program, which finds the client and its model.
    pub(super) fn memlith_with_client(&self, args: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(&self.memlith);
        self.alone(&mut command);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(self.programs.clone()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(all)?);
        self.with_model(&mut command);
        output(command.args(args).current_dir(self.at("shop")))
    }

    /// Runs our program in a project's folder, with a file as its input.
    pub(super) fn memlith_with_input(&self, args: &[&str], input: &Path) -> anyhow::Result<String> {
        let mut command = Command::new(&self.memlith);
        self.alone(&mut command);
        output(command.args(args).current_dir(self.at("shop")).stdin(fs::File::open(input)?))
    }

    /// Nothing of the caller's environment but where programs are, ours too.
    fn alone(&self, command: &mut Command) {
        command.env_clear().env("HOME", self.at("home")).stdin(std::process::Stdio::null());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = self.memlith.parent().map(Path::to_owned);
        let all = own.into_iter().chain(std::env::split_paths(&path));
        // One that can't be joined has a colon in it, and finds nothing as it is.
        command.env("PATH", std::env::join_paths(all).unwrap_or(path.clone()));
    }

    /// The client's name on our command line.
    pub(crate) fn client_name(&self) -> &'static str {
        self.client.name()
    }

    /// Returns the program that the hooks call, as settings name it.
    pub(crate) fn program_name(&self) -> String {
        self.memlith.display().to_string()
    }

    /// A path below the person's folder.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
