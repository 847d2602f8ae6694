use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

/// The model server, running on the loopback until this is dropped.
pub(crate) struct Stub {
    child: Child,
    port: u16,
    /// Read to its end by nobody, and open as long as the server writes to it.
    _said: BufReader<ChildStdout>,
    /// Removed in the end.
    _folder: tempfile::TempDir,
}

/// The key that the server asks for.
pub(crate) const KEY: &str = "violet-harbour-lantern";

/// Text that the model finds, word for word in the session's turn.
pub(crate) const FOUND: &str = "We host it at example.org these days";

/// The line that it says once it listens has these words.
const LISTENS: &str = "server running on";

impl Stub {
    /// Starts it, and waits until it listens.
    ///
    /// # Errors
    /// It can't be started, or ends before it listens.
    pub(crate) fn start(programs: &Path) -> anyhow::Result<Stub> {
        let folder = tempfile::tempdir().context("make a folder")?;
        let rules = folder.path().join("rules.yaml");
        // What is JSON is YAML.
        fs::write(&rules, rules_of_models().to_string()).context("write the server's rules")?;
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("find a free port")?;
        let port = free.local_addr().context("find a free port")?.port();
        drop(free);
        let mut command = Command::new(programs.join("mock-llm"));
        command.arg("--config").arg(&rules).current_dir(folder.path());
        command.env("HOST", "127.0.0.1").env("PORT", port.to_string());
        let mut child = command.stdout(Stdio::piped()).spawn().context("start the server")?;
        let mut said = BufReader::new(child.stdout.take().context("hear the server")?);
        loop {
            let mut line = String::new();
            let length = said.read_line(&mut line).context("hear the server")?;
            ensure!(length > 0, "the server ended before it listened");
            if line.contains(LISTENS) {
                break;
            }
        }
        Ok(Stub { child, port, _said: said, _folder: folder })
    }

    /// Its address, as settings name it.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        // One that ended by itself is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The server's rules, of which the last one that matches is taken: a model's name says what it
/// does. Whoever doesn't show the key matches none, and is answered 404.
fn rules_of_models() -> Value {
    let found = json!({"facts": [{"text": FOUND, "evidence": [1]}]}).to_string();
    let known = format!("headers.authorization == 'Bearer {KEY}'");
    let rule = |condition: &str, status: u16, body: &Value| {
        json!({
            "path": "/v1/chat/completions", "method": "POST",
            "match": format!("{known} && {condition}"),
            "response": {"status": status, "content": body.to_string()},
        })
    };
    let words = |content: &str| {
        json!({"id": "c1", "object": "chat.completion", "choices": [{"index": 0,
            "finish_reason": "stop", "message": {"role": "assistant", "content": content}}]})
    };
    let error = json!({"error": {"message": "no"}});
    let prose = format!("Sure, this is what I found:\n```json\n{found}\n```\nAnything else?");
    json!({"rules": [
        rule("body.messages[-1].role == 'user'", 200, &words(&found)),
        rule("body.model == 'prose'", 200, &words(&prose)),
        rule("body.model == 'silent'", 200, &words("")),
        rule("body.model == 'wordy' && body.response_format", 400, &error),
        rule("body.model == 'gone'", 404, &error),
        rule("body.model == 'busy'", 429, &error),
        rule("body.model == 'broken'", 500, &error),
    ]})
}
