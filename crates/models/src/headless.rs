use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::completion::Completion;
use crate::program::{Program, ProgramFailure};
use crate::provider::Client;
use crate::server::{CallError, WORDS_BYTES_MAX};

/// A coding agent's program that is asked one question: in an empty folder, without tools, hooks,
/// servers and a session that it would keep.
#[derive(Clone, Debug)]
pub(crate) struct Headless {
    client: Client,
    words: Vec<String>,
    environment: Vec<(OsString, OsString)>,
    folder: PathBuf,
    timeout: Duration,
}

/// The system prompt that Claude Code has for this question.
const SYSTEM: &str = "You read evidence and answer with one JSON object, and with nothing else.";

/// Maximum length in bytes of what a client prints: the words, escaped, and what is around them.
const PRINTED_BYTES_MAX: usize = 1 << 20;

impl Headless {
    /// The client in `folder`, which is empty and nobody's project, with this whole environment.
    pub(crate) fn new(
        client: Client,
        (folder, environment): (&Path, Vec<(OsString, OsString)>),
        timeout: Duration,
    ) -> Headless {
        let words: &[&str] = match client {
            Client::ClaudeCode => &[
                "claude",
                "-p",
                "--output-format=json",
                "--tools=",
                "--safe-mode",
                "--strict-mcp-config",
                "--disable-slash-commands",
                "--no-session-persistence",
                "--system-prompt",
                SYSTEM,
            ],
            Client::Codex => &[
                "codex",
                "exec",
                "--json",
                "--ephemeral",
                "--skip-git-repo-check",
                "--ignore-rules",
                "--sandbox=read-only",
                "--config=features.hooks=false",
                "--config=features.shell_tool=false",
                "--config=features.multi_agent=false",
                "--config=features.goals=false",
                "--config=features.apps=false",
                "--config=features.collaboration_modes=false",
                "--config=features.view_image=false",
                "--config=web_search=\"disabled\"",
                "-",
            ],
        };
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Headless { client, words, environment, folder: folder.to_owned(), timeout }
    }

    /// Asks, and waits for the reply.
    pub(crate) fn ask(&self, prompt: &str) -> Result<Completion, CallError> {
        let client = self.client.name();
        let mut words = self.words.clone();
        if self.client == Client::Codex {
            // Its own settings name the model's provider, and servers whose tools it would offer.
            words.splice(2..2, self.servers_off()?);
        }
        let text = self.run(&words, prompt)?;
        let completion = match self.client {
            Client::ClaudeCode => of_claude_code(&text),
            Client::Codex => of_codex(&text),
        };
        let completion = completion.ok_or(CallError::Ended { client })?;
        match completion.content.len() {
            0 => Err(CallError::Empty),
            length if length > WORDS_BYTES_MAX => {
                Err(CallError::TooLong { bytes_max: WORDS_BYTES_MAX as u64 })
            }
            _ => Ok(completion),
        }
    }

    /// The words that switch off each MCP server that Codex's settings name: an empty table of them
    /// switches off none.
    fn servers_off(&self) -> Result<Vec<String>, CallError> {
        let words = ["codex", "mcp", "list", "--json"].map(str::to_owned);
        let listed = self.run(&words, "")?;
        let ended = CallError::Ended { client: self.client.name() };
        let servers: Vec<McpServer> = serde_json::from_str(&listed).map_err(|_| ended.clone())?;
        let off = |server: McpServer| {
            let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
            let is_key = !server.name.is_empty() && server.name.chars().all(fits);
            is_key.then(|| format!("--config=mcp_servers.{}.enabled=false", server.name))
        };
        servers.into_iter().map(off).collect::<Option<_>>().ok_or(ended)
    }

    /// Runs the client's program with these words, and yields what it prints.
    fn run(&self, words: &[String], told: &str) -> Result<String, CallError> {
        let program = Program {
            words,
            environment: &self.environment,
            folder: Some(&self.folder),
            answer_max: PRINTED_BYTES_MAX,
        };
        let client = self.client.name();
        let printed = program.ask(told.as_bytes().to_vec(), self.timeout);
        let printed = printed.map_err(|failure| match failure {
            ProgramFailure::Unavailable => CallError::NoProgram { client },
            ProgramFailure::TimedOut => CallError::TimedOut { seconds: self.timeout.as_secs() },
            ProgramFailure::TooLong => CallError::TooLong { bytes_max: PRINTED_BYTES_MAX as u64 },
            ProgramFailure::Failed(_) => CallError::Ended { client },
        })?;
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }
}

#[derive(Deserialize)]
struct McpServer {
    name: String,
}

#[derive(Deserialize)]
struct Answer {
    is_error: bool,
    result: String,
    total_cost_usd: Option<f64>,
    #[serde(default)]
    usage: Usage,
}

/// Tokens, as either client counts them; those of a cache are counted like others.
#[derive(Deserialize, Default)]
struct Usage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: u64,
    #[serde(default)]
    cache_read_input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

impl Usage {
    fn total(&self) -> u64 {
        let parts = [
            self.input_tokens,
            self.cache_creation_input_tokens,
            self.cache_read_input_tokens,
            self.output_tokens,
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// Claude Code prints one object.
fn of_claude_code(printed: &str) -> Option<Completion> {
    let result: Answer = serde_json::from_str(printed.trim()).ok()?;
    let micros = result.total_cost_usd.filter(|usd| (0.0..1e6).contains(usd));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
    let micros = micros.map(|usd| (usd * 1e6).round() as u64);
    let tokens = Some(result.usage.total()).filter(|total| *total > 0);
    let completion = Completion { content: result.result, tokens, cost_micros: micros };
    (!result.is_error).then_some(completion)
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    item: Option<Item>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
}

/// Codex prints a line an event; a turn that used a tool, or did not come to its end, is none.
fn of_codex(printed: &str) -> Option<Completion> {
    let (mut content, mut usage) = (None, None);
    for line in printed.lines().filter(|line| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).ok()?;
        match (line.kind.as_str(), line.item) {
            ("item.completed", Some(item)) if item.kind == "agent_message" => content = item.text,
            ("item.completed" | "item.started", Some(item)) => {
                let is_harmless = ["reasoning", "error", "todo_list", "agent_message"];
                is_harmless.contains(&item.kind.as_str()).then_some(())?;
            }
            ("turn.failed", _) => return None,
            ("turn.completed", _) => usage = Some(line.usage.unwrap_or_default()),
            _ => {}
        }
    }
    // Codex counts what its cache has among the input.
    let tokens = usage?.total();
    let tokens = Some(tokens).filter(|total| *total > 0);
    Some(Completion { content: content?, tokens, cost_micros: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claude_code_prints_is_read() {
        let printed = r#"{"type": "result", "is_error": false, "result": "{}", "session_id": "s",
            "total_cost_usd": 0.0125, "usage": {"input_tokens": 10, "output_tokens": 2,
            "cache_read_input_tokens": 5, "service_tier": "standard"}}"#;
        let read = Completion { content: "{}".into(), tokens: Some(17), cost_micros: Some(12_500) };
        assert_eq!(of_claude_code(printed), Some(read));
        let free = of_claude_code(r#"{"is_error": false, "result": "x"}"#).unwrap();
        assert_eq!((free.tokens, free.cost_micros), (None, None));
        let odd = r#"{"is_error": false, "result": "x", "total_cost_usd": -1}"#;
        assert_eq!(of_claude_code(odd).unwrap().cost_micros, None);
        for none in ["", "words", "{}", r#"{"is_error": true, "result": "limit reached"}"#] {
            assert_eq!(of_claude_code(none), None, "{none}");
        }
    }

    #[test]
    fn what_codex_prints_is_read_and_a_turn_with_a_tool_is_none() {
        let said =
            r#"{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"{}"}}"#;
        let end = r#"{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":1}}"#;
        let read = of_codex(&format!("{{\"type\":\"turn.started\"}}\n{said}\n{end}\n")).unwrap();
        assert_eq!((read.content.as_str(), read.tokens, read.cost_micros), ("{}", Some(8), None));
        let tool = r#"{"type":"item.started","item":{"id":"0","type":"command_execution"}}"#;
        let failed = r#"{"type":"turn.failed","error":{"message":"no"}}"#;
        for none in [said, end, &format!("{tool}\n{said}\n{end}"), &format!("{said}\n{failed}")] {
            assert_eq!(of_codex(none), None, "{none}");
        }
    }
}
