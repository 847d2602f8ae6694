//! Days of people with a coding agent: what is said, and what is known and shown afterwards.
//!
//! Each file of `tests/days` is one. A line is a verb and what it is given; `\n` in that is a new
//! line, `@P@` the folder of the project, `#` begins a comment.
//!
//! - `session NAME`, `in PROJECT`: which session, and in which folder, the next lines are of.
//! - `user TEXT`, `assistant TEXT`, `tool NAME INPUT => OUTPUT`: turns of the transcript.
//! - `raw JSON`: a line of the transcript; what it lacks of session, folder, time and parent is added.
//! - `rewind`: what is said next takes the place of the last thing that the person said.
//! - `resume NAME`: a session that begins with a copy of all lines of this one.
//! - `brief`, `prompt TEXT`, `stop`, `end`: hooks; `end` learns what there is to learn.
//! - `run VERB ...`: the program, in the folder of the project; `erase TEXT`: of the one memory that
//!   has it.
//! - `given TEXT`, `withheld TEXT`: what the last hook or verb printed has, or has not.
//! - `known TEXT`, `ended TEXT`, `unknown TEXT`: a memory that stands, that stands no more, or none.
//! - `once TEXT`, `nowhere TEXT`: so many records of the ledger, in any scope, have it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::hooks::Agents;

struct Day {
    agents: Agents,
    session: String,
    project: String,
    client: &'static str,
    /// The lines of the session's transcript.
    lines: Vec<Value>,
    /// The parent of the next line, where that is not the last one.
    parent: Option<Value>,
    printed: String,
    /// Seconds of the day.
    clock: u32,
}

#[test]
fn every_day_ends_as_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/days");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 9, "the days are not there");
    let days = files.iter().map(|file| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(file).unwrap();
        std::thread::spawn(move || Day::new().live(&name, &text))
    });
    let failed: Vec<String> =
        days.collect::<Vec<_>>().into_iter().flat_map(|day| day.join().unwrap()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

impl Day {
    fn new() -> Day {
        let agents = Agents::new();
        agents.desk.ok(&["agent", "install", "codex"]);
        Day {
            agents,
            session: "s1".to_owned(),
            project: "shop".to_owned(),
            client: "claude-code",
            lines: Vec::new(),
            parent: None,
            printed: String::new(),
            clock: 0,
        }
    }

    /// Does all lines of a day; what of it was not as it should be.
    fn live(mut self, name: &str, day: &str) -> Vec<String> {
        let mut failed = Vec::new();
        for (number, line) in day.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let folder = self.agents.folder(&self.project).display().to_string();
            let line = line.replace("@P@", &folder);
            let (verb, text) = line.split_once(' ').unwrap_or((&line, ""));
            let text = if verb == "raw" { text.to_owned() } else { text.replace("\\n", "\n") };
            if let Err(why) = self.step(verb, &text) {
                failed.push(format!("{name}.day:{}: {line}\n  {why}", number + 1));
            }
        }
        failed
    }

    fn step(&mut self, verb: &str, text: &str) -> Result<(), String> {
        match verb {
            "session" | "resume" => {
                self.session = text.to_owned();
                if verb == "session" {
                    self.lines.clear();
                }
                for line in &mut self.lines {
                    line["sessionId"] = json!(self.session);
                }
                self.write();
            }
            "client" => self.client = if text == "codex" { "codex" } else { "claude-code" },
            "in" => text.clone_into(&mut self.project),
            "user" | "assistant" => self.say(verb, json!([{"type": "text", "text": text}])),
            "tool" => self.call(text),
            "raw" => {
                let line = serde_json::from_str(text).map_err(|error| error.to_string())?;
                self.add(line);
            }
            "torn" => {
                let path = self.agents.transcript(&self.session);
                let before = fs::read_to_string(&path).unwrap();
                fs::write(path, format!("{before}{text}")).unwrap();
            }
            "rewind" => {
                let is_prompt = |line: &&Value| {
                    line["type"] == "user" && line["message"]["content"][0]["type"] == "text"
                };
                let last = self.lines.iter().rev().find(is_prompt).ok_or("nobody said anything")?;
                self.parent = Some(last["parentUuid"].clone());
            }
            "brief" => self.hook("SessionStart", ""),
            "prompt" => self.hook("UserPromptSubmit", text),
            "stop" => self.hook("Stop", ""),
            "end" => {
                let event = if self.client == "codex" { "Stop" } else { "SessionEnd" };
                self.hook(event, "");
                self.agents.learn(&self.project, self.client);
            }
            "run" => self.run(&words(text))?,
            "erase" => {
                let id = self.id_of(text)?;
                self.run(&["erase", &id, "--as", "owner", "--yes"])?;
            }
            "given" if !self.printed.contains(text) => {
                return Err(format!("was: {}", self.printed));
            }
            "withheld" if self.printed.contains(text) => {
                return Err(format!("was: {}", self.printed));
            }
            "given" | "withheld" => {}
            "known" | "ended" | "unknown" => return self.memory(verb, text),
            "once" | "nowhere" => return self.records(verb, text),
            _ => return Err("no such verb of a day".to_owned()),
        }
        Ok(())
    }

    fn records(&self, verb: &str, text: &str) -> Result<(), String> {
        let all = ["--scope", "all", "list", "records", "--limit", "1000", "--json"];
        let listed = self.agents.in_project(&self.project, &all).out;
        let listed: Value = serde_json::from_str(&listed).map_err(|error| error.to_string())?;
        let items = listed["items"].as_array().cloned().unwrap_or_default();
        let count = items.iter().filter(|item| item["text"].to_string().contains(text)).count();
        let is_right = count == usize::from(verb == "once");
        if is_right { Ok(()) } else { Err(format!("{count} times")) }
    }

    fn id_of(&self, text: &str) -> Result<String, String> {
        let listed = self.agents.in_project(&self.project, &["list", "memories", "--json"]).json();
        let items = listed["items"].as_array().cloned().unwrap_or_default();
        let found = items.iter().find(|item| item["text"].to_string().contains(text));
        found.and_then(|item| Some(item["id"].as_str()?.to_owned())).ok_or("no memory".to_owned())
    }

    fn memory(&mut self, verb: &str, text: &str) -> Result<(), String> {
        let listed = self.agents.in_project(&self.project, &["list", "memories", "--json"]);
        let listed: Value = serde_json::from_str(&listed.out).map_err(|error| error.to_string())?;
        let items = listed["items"].as_array().cloned().unwrap_or_default();
        let found: Vec<&Value> = items
            .iter()
            .filter(|item| item["text"].as_str().unwrap_or_default().contains(text))
            .collect();
        let stands = found.iter().any(|item| item["authority"] == "active");
        let is_right = match verb {
            "known" => stands,
            "ended" => !found.is_empty() && !stands,
            _ => found.is_empty(),
        };
        let all: Vec<String> =
            items.iter().map(|item| format!("{} {}", item["authority"], item["text"])).collect();
        if is_right { Ok(()) } else { Err(format!("the memories: {}", all.join("; "))) }
    }

    fn say(&mut self, who: &str, content: Value) {
        let id = format!("m-{}-{}", self.session, self.lines.len());
        self.add(json!({"type": who, "message": {"id": id, "role": who, "content": content}}));
    }

    fn call(&mut self, text: &str) {
        let (call, output) = text.split_once(" => ").unwrap();
        let (tool, input) = call.split_once(' ').unwrap();
        let id = format!("call-{}-{}", self.session, self.lines.len());
        let input: Value = serde_json::from_str(input).unwrap();
        self.say(
            "assistant",
            json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]),
        );
        self.say("user", json!([{"type": "tool_result", "tool_use_id": id, "content": output}]));
    }

    /// Adds a line to the transcript, with what it lacks.
    fn add(&mut self, mut line: Value) {
        let count = self.lines.len();
        let folder = self.agents.folder(&self.project);
        self.clock += 1;
        let time = format!("2026-05-01T12:{:02}:{:02}Z", self.clock / 60, self.clock % 60);
        let last = self.lines.last().map_or(Value::Null, |last| last["uuid"].clone());
        let parent = self.parent.take().unwrap_or(last);
        let mut lacks = vec![("timestamp", json!(time))];
        if self.client == "claude-code" {
            lacks.push(("uuid", json!(format!("{}-{count}", self.session))));
            lacks.extend([("parentUuid", parent), ("sessionId", json!(self.session))]);
            lacks.push(("cwd", json!(folder)));
        }
        for (name, value) in lacks {
            if line.get(name).is_none() {
                line[name] = value;
            }
        }
        self.lines.push(line);
        self.write();
    }

    fn write(&self) {
        let text: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.agents.transcript(&self.session), text).unwrap();
    }

    fn hook(&mut self, event: &str, prompt: &str) {
        let event = self.agents.event(event, &self.project, &self.session, prompt);
        let run = self
            .agents
            .desk
            .run_with_input(&["agent", "hook", self.client], event.to_string().as_bytes());
        self.printed = run.out + &run.err;
    }

    fn run(&mut self, args: &[&str]) -> Result<(), String> {
        let run = self.agents.in_project(&self.project, args);
        self.printed = run.out + &run.err;
        if run.code == 0 { Ok(()) } else { Err(format!("exit {}: {}", run.code, self.printed)) }
    }
}

/// The words of a command, parted by blanks but between quotation marks.
fn words(text: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let parts = text.split(|letter: char| {
        is_quoted ^= letter == '"';
        letter == ' ' && !is_quoted
    });
    parts.filter(|part| !part.is_empty()).map(|part| part.trim_matches('"')).collect()
}
