use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::mcp::server::{Server, call, ensure_done};

/// A person's home with projects, sessions held in them, and a ledger of all that.
pub(crate) struct Home {
    folder: tempfile::TempDir,
    program: PathBuf,
    random: u64,
    lines: u64,
    /// The last line of each session.
    said_last: BTreeMap<String, String>,
}

/// Projects that sessions are about.
const PROJECTS: u64 = 20;

/// Lines of a session.
const SESSION: u32 = 250;

/// Words that texts are made of; few are used often.
const WORDS: u64 = 20_000;

impl Home {
    /// Imports sessions of so many turns and calls.
    pub(crate) fn make(program: PathBuf, seed: u64, turns: u32) -> anyhow::Result<Home> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let mut home = Home {
            folder,
            program,
            random: seed.wrapping_mul(2) | 1,
            lines: 0,
            said_last: BTreeMap::new(),
        };
        for project in 0..PROJECTS {
            let git = home.project(project).join(".git");
            fs::create_dir_all(&git)?;
            let config = format!("[remote \"origin\"]\nurl = git@h.org:ana/p{project}.git\n");
            fs::write(git.join("config"), config)?;
        }
        home.run(&["agent", "install", "claude-code"], "")?;
        let sessions = home.path().join("sessions");
        fs::create_dir(&sessions)?;
        for session in 0..turns.div_ceil(SESSION) {
            let mut text = String::new();
            for _ in 0..SESSION.min(turns - session * SESSION) {
                text += &home.line(&format!("s{session}"), u64::from(session) % PROJECTS, 700);
            }
            fs::write(sessions.join(format!("s{session}.jsonl")), text)?;
        }
        let folder = sessions.display().to_string();
        home.run(&["import", "claude-code", &folder, "--quiet"], "")?;
        for memory in 0..50 {
            let text = format!("Service {memory} listens on port {}.", 9000 + memory);
            home.run(&["remember", &text, "--quiet"], "")?;
        }
        Ok(home)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn project(&self, number: u64) -> PathBuf {
        self.path().join(format!("p{number}"))
    }

    fn transcript(&self, session: &str) -> PathBuf {
        self.path().join(format!("{session}.jsonl"))
    }

    /// A number below `bound`, by xorshift.
    fn below(&mut self, bound: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % bound.max(1)
    }

    fn words(&mut self, bytes: usize) -> String {
        let mut text = String::new();
        while text.len() < bytes {
            let bound = self.below(WORDS) + 1;
            text += &format!("w{} ", self.below(bound));
        }
        text
    }

    /// A line of a transcript: a person, then an assistant, by turns.
    fn line(&mut self, session: &str, project: u64, bytes: usize) -> String {
        let (at, text) = (self.lines, self.words(bytes));
        self.lines += 1;
        let parent = self.said_last.insert(session.to_owned(), format!("u{at}"));
        let who = if at % 2 == 0 { "user" } else { "assistant" };
        let line = json!({
            "type": who, "uuid": format!("u{at}"), "sessionId": session,
            "parentUuid": parent,
            "cwd": self.project(project),
            "timestamp": format!("2026-{:02}-{:02}T12:{:02}:{:02}Z", at / 28_000 % 10 + 1,
                at / 1_000 % 28 + 1, at / 60 % 60, at % 60),
            "message": {"id": format!("m{at}"), "role": who,
                "content": [{"type": "text", "text": text}]},
        });
        format!("{line}\n")
    }

    /// Adds to a session's transcript, which is so long already: mostly what nobody keeps.
    pub(crate) fn grow(&mut self, name: &str, (len, more): (usize, usize)) -> anyhow::Result<()> {
        let path = self.transcript(name);
        let mut text = String::new();
        if !path.exists() {
            let snapshot = json!({"type": "file-history-snapshot", "text": "x".repeat(1_000)});
            text = self.line(name, 0, 100) + &format!("{snapshot}\n").repeat(len / 1_050);
        }
        let end = text.len() + more;
        while text.len() < end {
            text += &self.line(name, 0, 2_000);
        }
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(file.write_all(text.as_bytes())?)
    }

    /// Calls a hook in the first project; whether it gave anything.
    pub(crate) fn hook(&self, name: &str, run: usize) -> anyhow::Result<bool> {
        // What a session was shown is not shown to it again.
        let session = if name == "Stop" { "now".to_owned() } else { format!("{name}{run}") };
        let event: Value = json!({
            "hook_event_name": name, "session_id": session, "cwd": self.project(0),
            "transcript_path": self.transcript(&session), "source": "startup",
            "prompt": format!("Which port does service {} listen on?", run % 50),
        });
        self.run(&["agent", "hook", "claude-code"], &event.to_string())
    }

    /// Waits until all is captured that hooks left behind.
    pub(crate) fn catch_up(&self) -> anyhow::Result<()> {
        while self.notes("bookmarks").iter().any(|note| note.contains("\"is_behind\":true")) {
            self.run(&["agent", "hook", "claude-code", "--catch-up", "--quiet"], "")?;
        }
        Ok(())
    }

    /// Returns the texts of a folder in which hooks note things.
    fn notes(&self, folder: &str) -> Vec<String> {
        let folder = self.path().join(".local/state/memlith").join(folder);
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        files.filter_map(|file| fs::read_to_string(file.path()).ok()).collect()
    }

    /// Starts an MCP server in the first project, and has it answer a question.
    pub(crate) fn checkout_of_a_server(&self, run: usize) -> anyhow::Result<bool> {
        let mut server = Server::start(self.command())?;
        let asked = json!({"query": format!("Which port does service {} listen on?", run % 50)});
        server.write(call(json!(run), "memory_checkout", &asked).to_string().as_bytes())?;
        let answer = server.answer(&json!(run))?;
        ensure_done(&answer)?;
        server.end()?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
        Ok(text.is_some_and(|text| text.contains("\n- ")))
    }

    /// The program in the first project, with nothing of who runs this.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(self.project(0)).env_clear();
        command.env("USER", "ana").env("TMPDIR", self.path()).env("HOME", self.path());
        command
    }

    /// Runs the program; whether it printed anything.
    fn run(&self, words: &[&str], input: &str) -> anyhow::Result<bool> {
        let mut command = self.command();
        command.args(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().context("start the program")?;
        child.stdin.take().context("no standard input")?.write_all(input.as_bytes())?;
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "{words:?} ended with {}", output.status);
        Ok(!output.stdout.is_empty())
    }

    pub(crate) fn ledger_bytes(&self) -> anyhow::Result<u64> {
        let mut bytes = 0;
        for entry in fs::read_dir(self.path().join(".local/share/memlith"))? {
            bytes += entry?.metadata()?.len();
        }
        Ok(bytes)
    }

    /// Returns the failures that hooks noted.
    pub(crate) fn failures(&self) -> Vec<String> {
        let log = self.path().join(".local/state/memlith/failures.jsonl");
        let text = fs::read_to_string(log).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}
