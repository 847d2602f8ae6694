//! `memlith jobs run --with server`: whom it asks, and that somebody agreed to it.

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

const CHAT: [&str; 5] = ["jobs", "run", "--all", "--with", "server"];

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
        self.0.desk.path().join(".config/memlith/writeback-with.json")
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
        self.0.in_project("shop", &["jobs", "list", "--json"]).json()
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
    assert!(text.contains("\"with\":\"server\"") && !text.contains("127.0.0.1"), "{text}");

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

/// A client of the person's: a program that says what it is told to, and notes how it was called. Its
/// settings name an MCP server.
fn client(person: &Person, name: &str, script: &str) {
    let folder = person.0.desk.path().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let noted = person.noted().display().to_string();
    let text = format!(
        "#!/bin/sh\n{{ pwd; echo \"$MEMLITH_ASKED $CLAUDECODE\"; ls -A; echo \"$@\"; cat; }} \
         >>{noted}\n[ $1 = mcp ] && echo '[{{\"name\":\"memo\"}}]' && exit\n{script}\n"
    );
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

const FOUND: &str =
    r#"{\"facts\":[{\"text\":\"We host it at example.org these days\",\"evidence\":[1]}]}"#;

impl Person {
    fn noted(&self) -> PathBuf {
        self.0.desk.path().join("noted")
    }

    fn with(&self, who: &str, more: &[&str]) -> Run {
        let words = [&["jobs", "run", "--all", "--with", who], more].concat();
        let mut command = self.0.desk.command(&words);
        let own = self.0.desk.path().join("bin").display().to_string();
        command.env("PATH", format!("{own}:/usr/bin:/bin")).env("CLAUDECODE", "1");
        command.current_dir(self.0.folder("shop")).stdin(Stdio::null());
        Run::of(command.output().unwrap())
    }
}

#[test]
fn the_client_that_is_there_anyway_is_asked_alone_and_its_cost_is_counted() {
    let person = Person::new();
    let said = format!(
        "echo '{{\"is_error\":false,\"result\":\"{FOUND}\",\"total_cost_usd\":0.25,\
         \"usage\":{{\"input_tokens\":900,\"output_tokens\":100}}}}'"
    );
    client(&person, "claude", &said);
    person.with("claude-code", &[]).refused(1, &["nobody agreed yet", "claude-code"]);
    assert!(!person.noted().exists());
    let answer = person.with("claude-code", &["--yes", "--json"]).json();
    assert_eq!((&answer["memories"], &answer["dropped"]), (&json!(1), &json!(0)), "{answer}");
    let noted = fs::read_to_string(person.noted()).unwrap();
    let lines: Vec<&str> = noted.lines().collect();
    // Its folder is empty and nobody's project, and it isn't told that it runs in another client.
    assert!(lines[0].ends_with("/memlith-asked") && lines[1] == "1 ", "{noted}");
    for part in ["-p", "--tools=", "--safe-mode", "--no-session-persistence"] {
        assert!(lines[2].contains(part), "{part}: {noted}");
    }
    assert!(noted.contains(SAID) && noted.contains("as numbered evidence"), "{noted}");
    let jobs = person.0.in_project("shop", &["jobs", "list"]).out;
    assert!(jobs.contains("models today: 1 calls, 1000 tokens, cost 0.2500 US dollars"), "{jobs}");
    let shown = person.0.in_project("shop", &["show", "--why", "we host it"]).out;
    assert!(!shown.contains("claude -p"), "{shown}");
}

#[test]
fn a_client_that_answers_rubbish_uses_a_tool_or_fails_loses_no_session() {
    let cases = [
        ("claude", "claude-code", "echo rubbish"),
        ("claude", "claude-code", "echo '{\"is_error\":true,\"result\":\"limit reached\"}'"),
        ("codex", "codex", "exit 3"),
        (
            "codex",
            "codex",
            "echo '{\"type\":\"item.started\",\"item\":{\"type\":\"command_execution\"}}'",
        ),
        ("codex", "codex", "head -c 2000000 /dev/zero"),
        ("other", "codex", "exit 0"),
    ];
    for (name, who, script) in cases {
        let person = Person::new();
        client(&person, name, script);
        let run = person.with(who, &["--yes", "--json"]);
        let answer = run.json();
        // One that says too much is given up at once, and the rules look at the session instead.
        let is_given_up = script.starts_with("head");
        let ends = [&answer["memories"], &answer["retrying"], &answer["dead"]];
        let expected = if is_given_up { [1, 0, 0] } else { [0, 1, 0] };
        assert_eq!(ends, expected.map(|count| json!(count)).each_ref(), "{script}: {answer}");
        if name == "codex" {
            let noted = fs::read_to_string(person.noted()).unwrap();
            assert!(noted.contains("mcp_servers.memo.enabled=false"), "{noted}");
        }
    }
}

#[test]
fn another_project_is_learned_by_the_rules_and_a_choice_is_ended_by_a_word() {
    let (person, server) = (Person::new(), Server::new());
    person.names(&server.endpoint(), "");
    assert_eq!(person.run_at_terminal("yes").0, Some(0));
    assert!(server.asked.recv().unwrap().contains(SAID));
    // The other project's session is learned in the same run, and is not sent.
    person.0.says("s3", "user", "We always deploy the bank from a tag.");
    let text = fs::read_to_string(person.0.transcript("s3")).unwrap();
    let folders = ["shop", "bank"].map(|name| person.0.folder(name).display().to_string());
    fs::write(person.0.transcript("s3"), text.replace(&folders[0], &folders[1])).unwrap();
    person.0.hook("Stop", "bank", "s3", "");
    let mut command = person.0.desk.command(&["jobs", "run", "--all", "--json"]);
    command.env("A_KEY", KEY).current_dir(person.0.folder("shop")).stdin(Stdio::null());
    let answer = Run::of(command.output().unwrap()).json();
    assert_eq!((&answer["jobs"], &answer["memories"]), (&json!(1), &json!(1)), "{answer}");
    assert!(server.asked.try_recv().is_err());
    person.0.in_project("shop", &["jobs", "run", "--with", "rules"]);
    assert!(!fs::read_to_string(person.agreed()).unwrap().contains("server"));
}

#[test]
fn a_session_of_a_client_that_is_asked_is_nobodys() {
    let agents = Agents::new();
    agents.says("s1", "user", SAID);
    let event = agents.event("Stop", "shop", "s1", "").to_string();
    let mut command = agents.desk.command(&["agent", "hook", "claude-code"]);
    let mut child = command.env("MEMLITH_ASKED", "1").stdin(Stdio::piped()).spawn().unwrap();
    // It reads nothing, and may be gone before it is told.
    let _ = child.stdin.take().unwrap().write_all(event.as_bytes());
    assert!(child.wait().unwrap().success());
    assert_eq!(agents.in_project("shop", &["jobs", "list", "--json"]).json()["waiting"], 0);
    // Nor is what such a client left in its own folder, where an older one keeps sessions.
    let text = fs::read_to_string(agents.transcript("s1")).unwrap();
    let shop = agents.folder("shop").display().to_string();
    fs::write(agents.transcript("s1"), text.replace(&shop, "/home/ana/state/memlith-asked"))
        .unwrap();
    let path = agents.transcript("s1").display().to_string();
    let told = agents.in_project("shop", &["import", "claude-code", &path, "--json"]).json();
    assert_eq!(told["queued"], 0, "{told}");
}
