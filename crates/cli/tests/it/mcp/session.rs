use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Desk;
use crate::hooks::Agents;

/// A server, and a client that has begun a session with it.
pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
    /// Answers that came before they were waited for.
    early: BTreeMap<u64, Value>,
}

/// A server that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

impl Session {
    /// A server to which nothing was said yet.
    pub(crate) fn silent(desk: &Desk, args: &[&str]) -> Session {
        Session::of(desk.command(&[&["mcp", "serve"], args].concat()))
    }

    /// A server in a project's folder, whose client has begun.
    pub(crate) fn at(agents: &Agents, project: &str, args: &[&str]) -> Session {
        let mut command = agents.desk.command(&[&["mcp", "serve"], args].concat());
        command.current_dir(agents.folder(project));
        Session::of(command).greeted(&json!({}))
    }

    fn of(mut command: Command) -> Session {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (told, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if told.send(line).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Session { child, input, lines, last: 0, early: BTreeMap::new() }
    }

    /// A server whose client has begun as the protocol has it.
    pub(crate) fn begun(desk: &Desk, args: &[&str]) -> Session {
        Session::begun_with(desk, args, &json!({}))
    }

    /// Begins a session as [`Session::begun`] does, of a client that can do `capabilities`.
    pub(crate) fn begun_with(desk: &Desk, args: &[&str], capabilities: &Value) -> Session {
        Session::silent(desk, args).greeted(capabilities)
    }

    fn greeted(mut self, capabilities: &Value) -> Session {
        let session = &mut self;
        let about = json!({"name": "test", "version": "1"});
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": about,
        });
        let answer = session.ask("initialize", params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "memlith", "{answer}");
        session.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        self
    }

    /// Sends a line as it is.
    pub(crate) fn raw(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.raw(message.to_string().as_bytes());
    }

    /// Sends a request and gives its number.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message of the server.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server says something");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"))
    }

    /// The answer to the request of this number.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return answer;
            }
            let message = self.next();
            match message["id"].as_u64() {
                Some(of) => drop(self.early.insert(of, message)),
                // What can't be read has no number.
                None => assert!(message["error"]["code"].is_i64(), "{message}"),
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool and returns the result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Called {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        Called::of(&answer)
    }

    /// Calls a tool that has to succeed.
    pub(crate) fn done(&mut self, tool: &str, arguments: Value) -> Called {
        let called = self.call(tool, arguments.clone());
        assert!(!called.is_error, "{tool} {arguments}: {called:?}");
        called
    }

    /// Ends the client's side and waits for the server's end.
    pub(crate) fn end(mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().unwrap()
    }

    /// Asks the server to end, as the system does.
    pub(crate) fn terminate(mut self) -> i32 {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().code().expect("it ends by itself")
    }

    /// Kills the server.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Result of a tool's call.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) is_error: bool,
    pub(crate) text: String,
    pub(crate) json: Value,
}

impl Called {
    pub(crate) fn of(answer: &Value) -> Called {
        let result = &answer["result"];
        Called {
            is_error: result["isError"].as_bool().unwrap_or_else(|| panic!("{answer}")),
            text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            json: result["structuredContent"].clone(),
        }
    }

    pub(crate) fn id(&self) -> String {
        crate::harness::id(&self.json)
    }
}

/// The ranks of all who wrote the records from `first` on.
pub(crate) fn ranks(desk: &Desk, first: u64) -> Vec<String> {
    let log = desk.ok(&["list", "events", "--json"]).out;
    let records = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    // The log's own records are nobody's.
    let written = records.filter(|record| !record["kind"].as_str().unwrap().starts_with("log."));
    let written = written.filter(|record| record["seq"].as_u64().unwrap() >= first);
    let ranks = written.map(|record| record["body"]["envelope"]["actor"]["rank"].clone());
    let ranks: BTreeSet<String> = ranks.map(|rank| rank.as_str().unwrap().to_owned()).collect();
    ranks.into_iter().collect()
}
