//! `memlith writeback --chat`: whom it asks, and that somebody agreed to it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use crate::harness::Run;
use crate::hooks::Agents;

const KEY: &str = "violet-harbour-lantern";

const SAID: &str = "We host it at example.org these days, all of it.";

/// A model server that always finds the same; it ends with the test's process.
struct Server {
    port: u16,
    asked: Receiver<String>,
}

impl Server {
    fn new() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, asked) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                sender.send(heard(&stream)).unwrap();
                answer(&stream);
            }
        });
        Server { port, asked }
    }

    fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

fn heard(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut request).unwrap(), 0);
    }
    let lower = request.to_ascii_lowercase();
    let length = lower.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    request + std::str::from_utf8(&body).unwrap()
}

fn answer(mut stream: &TcpStream) {
    let words = json!({"facts": [{"text": "We host it at example.org these days",
        "evidence": [1]}]});
    let body = json!({"choices": [{"message": {"content": words.to_string()}}]}).to_string();
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
}

/// A person with a session that waits, and settings.
struct Person(Agents);

const CHAT: [&str; 3] = ["writeback", "--all", "--chat"];

impl Person {
    fn new() -> Person {
        let agents = Agents::new();
        agents.says("s1", "user", SAID);
        agents.hook("Stop", "shop", "s1", "");
        Person(agents)
    }

    fn ledger(&self) -> PathBuf {
        self.0.desk.path().join(".local/share/memlith")
    }

    fn agreed(&self) -> PathBuf {
        self.0.desk.path().join(".config/memlith/writeback-agreed")
    }

    fn names(&self, endpoint: &str, lines: &str) {
        let text = format!("endpoint = {endpoint:?}\nmodel = \"small\"\nkey_env = \"A_KEY\"\n");
        fs::write(self.ledger().join("writeback.toml"), text + lines).unwrap();
    }

    fn run(&self, more: &[&str]) -> Run {
        let mut command = self.0.desk.command(&[&CHAT[..], more].concat());
        command.env("A_KEY", KEY).current_dir(self.0.folder("shop")).stdin(Stdio::null());
        let run = Run::of(command.output().unwrap());
        assert!(!format!("{run:?}").contains(KEY), "{run:?}");
        run
    }

    /// Runs it at a terminal, on which `answer` is typed; the exit code, and what was shown.
    fn run_at_terminal(&self, answer: &str) -> (Option<i32>, String) {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let path = PathBuf::from(ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap());
        let open = || fs::File::options().read(true).write(true).open(&path).unwrap();
        let mut command = self.0.desk.command(&CHAT);
        command.env("A_KEY", KEY).current_dir(self.0.folder("shop"));
        command.stdin(open()).stderr(open()).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        // The last handles of the other end are the child's.
        drop(command);
        let mut terminal = fs::File::from(terminal);
        terminal.write_all(format!("{answer}\n").as_bytes()).unwrap();
        let mut shown = Vec::new();
        // The end of a terminal that nobody holds is an error.
        let _ = terminal.read_to_end(&mut shown);
        (child.wait().unwrap().code(), String::from_utf8(shown).unwrap())
    }

    fn jobs(&self) -> Value {
        self.0.in_project("shop", &["jobs", "--json"]).json()
    }
}

#[test]
fn without_settings_it_is_said_how_to_write_them() {
    let person = Person::new();
    let run = person.run(&["--yes"]);
    let file = person.ledger().join("writeback.toml").display().to_string();
    run.refused(2, &[&file, "endpoint = \"https://api.example.com/v1\"", "model = "]);
    person.names("http://example.org/v1", "");
    person.run(&["--yes"]).refused(2, &["endpoint has to be an https address"]);
    person.names("https://example.org/v1", "speed = 3\n");
    person.run(&["--yes"]).refused(2, &["unknown key \"speed\""]);
    assert_eq!(person.jobs()["jobs"][0]["attempts"], 0);
}

#[test]
fn nothing_is_sent_that_nobody_agreed_to() {
    let (person, server) = (Person::new(), Server::new());
    person.names(&server.endpoint(), "");
    person.run(&[]).refused(1, &["nobody agreed yet", &server.endpoint(), "--yes"]);
    assert!(server.asked.try_recv().is_err());
    assert_eq!(person.jobs()["jobs"][0]["attempts"], 0);

    let done = person.run(&["--yes", "--json"]);
    let answer = done.json();
    assert_eq!((done.code, &answer["memories"]), (0, &json!(1)), "{answer}");
    let asked = server.asked.recv().unwrap();
    assert!(asked.contains(SAID) && asked.contains(KEY), "{asked}");
    let listed = person.0.in_project("shop", &["list"]).out;
    assert!(listed.contains("We host it at example.org"), "{listed}");
    assert!(!person.agreed().exists(), "--yes is for one run");
}

#[test]
fn a_person_is_shown_what_would_be_sent_and_asked_once() {
    let (person, server) = (Person::new(), Server::new());
    person.names(&server.endpoint(), "fallback = \"large\"\n");
    let (code, shown) = person.run_at_terminal("no");
    assert_eq!(code, Some(1), "{shown}");
    for part in [&server.endpoint(), "models: small, large", "that of $A_KEY", SAID, "Type yes"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(server.asked.try_recv().is_err() && !person.agreed().exists());
    assert!(!shown.contains(KEY));

    let (code, shown) = person.run_at_terminal("yes");
    assert_eq!(code, Some(0), "{shown}");
    assert!(server.asked.recv().unwrap().contains(SAID));
    let text = fs::read_to_string(person.agreed()).unwrap();
    let is_digest = text.trim_end().bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(text.len() == 65 && is_digest, "{text}");

    // It is remembered, for this server alone.
    person.0.says("s2", "user", "We bill in Euro these days.");
    person.0.hook("Stop", "shop", "s2", "");
    assert_eq!(person.run(&["--json"]).json()["jobs"], 1);
    assert!(server.asked.recv().unwrap().contains("Euro"));
    let other = Server::new();
    person.names(&other.endpoint(), "");
    person.run(&[]).refused(1, &["nobody agreed yet", &other.endpoint()]);
    assert!(other.asked.try_recv().is_err());
}

#[test]
fn jobs_that_a_cap_holds_up_keep_their_attempts() {
    let (person, server) = (Person::new(), Server::new());
    person.0.says("s2", "user", "We bill in Euro these days.");
    person.0.hook("Stop", "shop", "s2", "");
    person.names(&server.endpoint(), "calls_per_day = 1\n");
    let run = person.run(&["--yes", "--json"]);
    let answer = run.json();
    assert_eq!((run.code, &answer["jobs"]), (0, &json!(1)), "{answer}");
    assert!(answer["rests_until"].as_str().unwrap().ends_with("T00:00:00Z"), "{answer}");
    assert!(run.err.contains("calls_per_day"), "{run:?}");
    let jobs = person.jobs();
    let left = (&jobs["waiting"], &jobs["jobs"][0]["attempts"]);
    assert_eq!(left, (&json!(1), &json!(0)), "{jobs}");
    assert!(person.run(&["--yes"]).out.contains("no job was taken"));
}

#[test]
fn a_key_has_to_be_there() {
    let person = Person::new();
    person.names("https://example.org/v1", "");
    let run = person.0.in_project("shop", &[&CHAT[..], &["--yes"]].concat());
    run.refused(2, &["the variable A_KEY has no key"]);
}
