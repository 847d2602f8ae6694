use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::stub::{FOUND, KEY, Stub};
use crate::cargo::output;

/// A person's home with one session that waits, and the settings of a server.
pub(crate) struct Scene<'a> {
    memlith: &'a Path,
    /// Removed in the end.
    folder: tempfile::TempDir,
}

/// Expected end of the session.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected {
    /// One memory, the same in each scene.
    Learned,
    /// Nothing, and another attempt; the reason has these words.
    Retried(&'static str),
}

impl Scene<'_> {
    /// A home whose settings name these models of the server.
    ///
    /// # Errors
    /// It can't be made.
    pub(crate) fn new<'a>(
        memlith: &'a Path,
        stub: &Stub,
        models: &[&str],
    ) -> anyhow::Result<Scene<'a>> {
        let folder = tempfile::tempdir().context("make a home")?;
        let scene = Scene { memlith, folder };
        fs::create_dir_all(scene.at("shop/.git"))?;
        output(&mut scene.command(&["agent", "install", "claude-code"]))?;
        let mut settings = format!("endpoint = {:?}\nkey_env = \"A_KEY\"\n", stub.endpoint());
        for (key, model) in ["model", "fallback"].iter().zip(models) {
            settings.push_str(&format!("{key} = {model:?}\n"));
        }
        fs::write(scene.at(".local/share/memlith/writeback.toml"), settings)?;
        let said = json!({
            "type": "user", "uuid": "s1-0", "parentUuid": null, "sessionId": "s1",
            "cwd": scene.at("shop"), "timestamp": "2026-05-01T12:00:00Z",
            "message": {"role": "user", "content": format!("{FOUND}, all of it.")},
        });
        fs::write(scene.at("s1.jsonl"), format!("{said}\n"))?;
        let event = json!({
            "hook_event_name": "Stop", "session_id": "s1", "cwd": scene.at("shop"),
            "transcript_path": scene.at("s1.jsonl"),
        });
        fs::write(scene.at("event.json"), event.to_string())?;
        let mut hook = scene.command(&["agent", "hook", "claude-code"]);
        output(hook.stdin(fs::File::open(scene.at("event.json"))?))?;
        Ok(scene)
    }

    /// Asks the server what the session taught.
    ///
    /// # Errors
    /// What came of it isn't what was expected, or the key is in what was said.
    pub(crate) fn play(&self, expected: Expected) -> anyhow::Result<()> {
        let words = ["jobs", "run", "--all", "--with", "server", "--yes", "--json"];
        let Output { status, stdout, stderr } = self.command(&words).output()?;
        let said = [stdout.as_slice(), &stderr].concat();
        let said = String::from_utf8_lossy(&said);
        ensure!(!said.contains(KEY), "the key was said: {said}");
        let answer: Value = serde_json::from_slice(&stdout).with_context(|| said.to_string())?;
        let count = |key: &str| answer.get(key).and_then(Value::as_u64);
        let listed = output(&mut self.command(&["list"]))?;
        match expected {
            Expected::Learned => {
                ensure!(
                    status.success() && count("memories") == Some(1),
                    "nothing learned: {said}"
                );
                ensure!(listed.matches(FOUND).count() == 1, "not what was said: {listed}");
            }
            Expected::Retried(reason) => {
                ensure!(
                    status.code() == Some(1) && count("retrying") == Some(1),
                    "not tried: {said}"
                );
                ensure!(said.contains(reason), "not for that reason: {said}");
                ensure!(!listed.contains(FOUND), "learned of a failure: {listed}");
            }
        }
        Ok(())
    }

    /// Our program in the project's folder, with nothing of the caller's environment.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.memlith);
        command.args(args).current_dir(self.at("shop")).env_clear().stdin(Stdio::null());
        command.env("HOME", self.folder.path()).env("USER", "ana").env("A_KEY", KEY);
        command
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
