//! Hooks of coding agents, as their clients call them.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::{Desk, Run};

/// A person's home with two projects.
pub(crate) struct Agents {
    pub(crate) desk: Desk,
}

impl Agents {
    pub(crate) fn new() -> Agents {
        let desk = Desk::empty();
        for project in ["shop", "bank"] {
            let git = desk.path().join(project).join(".git");
            fs::create_dir_all(&git).unwrap();
            let config = format!("[remote \"origin\"]\n\turl = git@h.org:ana/{project}.git\n");
            fs::write(git.join("config"), config).unwrap();
        }
        desk.ok(&["agent", "install", "claude-code"]);
        Agents { desk }
    }

    pub(crate) fn folder(&self, project: &str) -> PathBuf {
        self.desk.path().join(project)
    }

    pub(crate) fn transcript(&self, session: &str) -> PathBuf {
        self.desk.path().join(format!("{session}.jsonl"))
    }

    /// Adds what was said to a session's transcript.
    pub(crate) fn says(&self, session: &str, who: &str, text: &str) {
        self.tells(session, who, json!([{"type": "text", "text": text}]));
    }

    /// Adds a tool's call and what it gave back.
    pub(crate) fn calls(&self, session: &str, tool: &str, input: Value, output: &str) {
        let count = fs::read_to_string(self.transcript(session)).unwrap_or_default().len();
        let id = format!("call-{count}");
        let call = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
        self.tells(session, "assistant", call);
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": output}]);
        self.tells(session, "user", result);
    }

    /// Adds a message to a session's transcript.
    pub(crate) fn tells(&self, session: &str, who: &str, content: Value) {
        let path = self.transcript(session);
        let before = fs::read_to_string(&path).unwrap_or_default();
        let count = before.lines().count();
        let parent = (count > 0).then(|| format!("{session}-{}", count - 1));
        let line = json!({
            "type": who, "uuid": format!("{session}-{count}"), "parentUuid": parent,
            "sessionId": session, "cwd": self.folder("shop"),
            "timestamp": format!("2026-05-01T12:{:02}:{:02}Z", count / 60, count % 60),
            "message": {"id": format!("m{count}"), "role": who, "content": content},
        });
        // A client adds to it, while others read.
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn hook_with(&self, event: &Value) -> Run {
        let run = self
            .desk
            .run_with_input(&["agent", "hook", "claude-code"], event.to_string().as_bytes());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{event}");
        run
    }

    /// Makes the event that a client sends to a hook.
    pub(crate) fn event(&self, name: &str, project: &str, session: &str, prompt: &str) -> Value {
        json!({
            "hook_event_name": name, "session_id": session, "cwd": self.folder(project),
            "transcript_path": self.transcript(session), "prompt": prompt, "source": "startup",
        })
    }

    /// Calls a hook; the context that it gives.
    pub(crate) fn hook(&self, name: &str, project: &str, session: &str, prompt: &str) -> String {
        let run = self.hook_with(&self.event(name, project, session, prompt));
        if run.out.is_empty() {
            return String::new();
        }
        let answer: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], name);
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }

    pub(crate) fn in_project(&self, project: &str, args: &[&str]) -> Run {
        let mut command = self.desk.command(args);
        Run::of(command.current_dir(self.folder(project)).output().unwrap())
    }

    /// Learns what there is to learn: hooks start a process for that, which may be at it.
    pub(crate) fn learn(&self, project: &str, client: &str) {
        for _ in 0..400 {
            assert_eq!(self.in_project(project, &["agent", "hook", client, "--catch-up"]).code, 0);
            assert_eq!(self.in_project(project, &["jobs", "run", "--all"]).code, 0);
            if self.in_project(project, &["jobs", "list", "--json"]).out.contains("\"waiting\":0") {
                return;
            }
        }
        panic!("a job is never done");
    }

    pub(crate) fn log(&self) -> String {
        self.in_project("shop", &["list", "events"]).out
    }
}

#[test]
fn what_a_session_was_told_reaches_the_next_one_of_its_project_and_no_other() {
    let agents = Agents::new();
    agents.says("s1", "user", "The release codeword is amaranth.");
    agents.says("s1", "assistant", "Noted.");
    agents.hook("Stop", "shop", "s1", "");
    agents.hook("SessionEnd", "shop", "s1", "");
    agents.learn("shop", "claude-code");
    let brief = agents.hook("SessionStart", "shop", "s2", "");
    assert!(brief.contains("amaranth") && brief.contains(" 2026-05-01 mem_"), "{brief}");
    assert_eq!(agents.hook("SessionStart", "bank", "s3", ""), "");
    assert_eq!(agents.hook("UserPromptSubmit", "bank", "s3", "What is the release codeword?"), "");
    let asked = agents.hook("UserPromptSubmit", "shop", "s4", "What is the release codeword?");
    assert!(asked.contains("amaranth"), "{asked}");
    let again = agents.hook("UserPromptSubmit", "shop", "s4", "What is the release codeword?");
    assert_eq!(again, "", "what a session was shown is not shown again");
    let unknown = agents.hook("UserPromptSubmit", "shop", "s4", "Bake me a rhubarb crumble.");
    assert_eq!(unknown, "");
}

#[test]
fn every_turn_is_captured_once_whatever_becomes_of_the_cursor() {
    let agents = Agents::new();
    for turn in 0..12 {
        agents.says("s1", "user", &format!("Prompt number {turn} about llamas."));
        agents.says("s1", "assistant", &format!("Answer number {turn}."));
        match turn % 4 {
            0 => fs::remove_dir_all(agents.desk.path().join(".local/state")).unwrap_or_default(),
            1 => fs::write(agents.transcript("s1"), {
                let text = fs::read_to_string(agents.transcript("s1")).unwrap();
                // Somebody is just writing the next line.
                format!("{text}{{\"type\":\"us")
            })
            .unwrap(),
            _ => {}
        }
        agents.hook("Stop", "shop", "s1", "");
        let text = fs::read_to_string(agents.transcript("s1")).unwrap();
        fs::write(agents.transcript("s1"), text.trim_end_matches("{\"type\":\"us")).unwrap();
    }
    agents.hook("SessionEnd", "shop", "s1", "");
    let log = agents.log();
    for turn in 0..12 {
        assert_eq!(log.matches(&format!("Prompt number {turn} ")).count(), 1, "{log}");
        assert_eq!(log.matches(&format!("Answer number {turn}.")).count(), 1, "{log}");
    }
    assert_eq!(log.matches("session.ended").count(), 1, "{log}");
}

#[test]
fn what_is_private_erased_or_injected_stays_out() {
    let agents = Agents::new();
    agents.says("s1", "user", "Call me at noon. <private>The safe opens with marigold.</private>");
    agents.says(
        "s1",
        "user",
        "<memlith-memory>\n- \"old words about a zeppelin\"\n</memlith-memory>",
    );
    agents.says("s1", "assistant", "The secret ingredient is quince.");
    agents.hook("Stop", "shop", "s1", "");
    let log = agents.log();
    assert!(log.contains("Call me at noon.") && log.contains("quince"), "{log}");
    assert!(!log.contains("marigold") && !log.contains("zeppelin"), "{log}");
    let line = log.lines().find(|line| line.contains("quince")).unwrap();
    let id = line.split(' ').next().unwrap();
    let erased = agents.in_project("shop", &["erase", id, "--as", "owner", "--yes"]);
    assert_eq!(erased.code, 0, "{erased:?}");
    fs::remove_dir_all(agents.desk.path().join(".local/state")).unwrap();
    for _ in 0..3 {
        agents.hook("Stop", "shop", "s1", "");
    }
    assert!(!agents.log().contains("quince"));
}

#[test]
fn a_correction_takes_effect_at_once() {
    let agents = Agents::new();
    let wrote = agents.in_project("shop", &["remember", "We use npm for packages."]);
    assert_eq!(wrote.code, 0, "{wrote:?}");
    agents.hook("UserPromptSubmit", "shop", "s1", "No, we use pnpm for packages.");
    let brief = agents.hook("SessionStart", "shop", "s2", "");
    assert!(brief.contains("use pnpm") && !brief.contains("use npm"), "{brief}");
    let list = agents.in_project("shop", &["list", "--status", "superseded"]).out;
    assert!(list.contains("use npm"), "{list}");
    // The session teaches the same words: they stand once.
    agents.says("s1", "user", "No, we use pnpm for packages.");
    agents.hook("SessionEnd", "shop", "s1", "");
    agents.learn("shop", "claude-code");
    let listed = agents.in_project("shop", &["list", "--kind", "memory.remembered"]).out;
    assert_eq!(listed.matches("e use pnpm").count(), 1, "{listed}");
}

#[test]
fn a_brief_holds_what_a_turn_taught_once_and_not_its_errand() {
    let agents = Agents::new();
    let said = "Commit it. Never push to the main branch, I push after I read the diff.";
    agents.says("one", "user", said);
    agents.says("one", "assistant", "Committed; never push to the main branch, understood.");
    agents.hook("SessionEnd", "shop", "one", "");
    agents.learn("shop", "claude-code");
    let listed = agents.in_project("shop", &["list", "--json"]).json();
    let taught = listed["items"].as_array().unwrap();
    let rule = taught.iter().find(|one| one["text"].as_str().unwrap().starts_with("Never push"));
    let rule = rule.unwrap_or_else(|| panic!("{listed}"))["id"].as_str().unwrap();
    let brief = agents.hook("SessionStart", "shop", "two", "");
    assert!(!brief.contains("Commit it"), "{brief}");
    assert_eq!(brief.matches("Never push to the main branch, I push").count(), 1, "{brief}");
    let history = agents.in_project("shop", &["show", "--history", rule]).out;
    assert!(history.contains("memory.surfaced"), "{history}");
    // The turn that said it is not given again either.
    assert_eq!(agents.hook("UserPromptSubmit", "shop", "two", "push to the main branch now"), "");
    let given = agents.hook("UserPromptSubmit", "shop", "briefless", "push to the main branch now");
    assert!(given.contains(said), "{given}");
    agents.in_project("shop", &["forget", rule]);
    let brief = agents.hook("SessionStart", "shop", "three", "");
    assert!(!brief.contains("Never push"), "{brief}");
}

#[test]
fn a_prompt_gets_what_shares_a_name_or_two_words_and_nothing_an_assistant_said() {
    let agents = Agents::new();
    agents.in_project("shop", &["remember", "The gateway listens on port 8417."]);
    agents.says("one", "user", "Add a crate for the harbour gauge.");
    agents.says("one", "assistant", "The parser of the invoices is slow on Mondays.");
    agents.hook("SessionEnd", "shop", "one", "");
    let given = |session: &str, prompt: &str| {
        agents.hook("UserPromptSubmit", "shop", session, prompt).contains("- \"")
    };
    assert!(given("two", "open 8417-tcp, or whatever the gateway port is"));
    assert!(given("three", "restart the gateway, its port is taken"));
    assert!(!given("four", "the gateway is fine"), "one common word");
    assert!(!given("five", "is the parser of the invoices slow on mondays?"), "an assistant's");
    assert!(!given("six", "ok do it"));
    assert!(!given("seven", "move the crate of the harbour gauge"), "an errand");
    assert!(given("eight", "what about the crate of the harbour gauge?"));
}

#[test]
fn a_citation_of_what_was_shown_confirms_it() {
    let agents = Agents::new();
    agents.in_project("shop", &["remember", "Deploys need the green light of Mia."]);
    let brief = agents.hook("SessionStart", "shop", "s1", "");
    let cite = brief.split("mem_").nth(1).unwrap().split(']').next().unwrap();
    agents.hook_with(&json!({
        "hook_event_name": "Stop", "session_id": "s1", "cwd": agents.folder("shop"),
        "last_assistant_message": format!("Mia has to agree (mem_{cite}); mem_99_abcd is none."),
    }));
    assert_eq!(agents.log().matches("memory.confirmed").count(), 1, "{}", agents.log());
}

#[test]
fn what_was_said_while_memory_was_off_stays_out() {
    let agents = Agents::new();
    agents.says("s1", "user", "The codeword is amaranth.");
    agents.in_project("shop", &["agent", "off", "--project", "--now", "2026-05-01T11:00:00Z"]);
    agents.hook("Stop", "shop", "s1", "");
    let today = agents.in_project("shop", &["agent", "status"]).out;
    assert!(today.contains("memory is off: project h.org/ana/shop"), "{today}");
    agents.in_project("shop", &["agent", "on", "--now", "2026-05-01T12:00:01Z"]);
    agents.says("s1", "assistant", "The weather is fine again.");
    agents.hook("Stop", "shop", "s1", "");
    let transcript = agents.transcript("s1").display().to_string();
    let imported = agents.in_project("shop", &["import", "claude-code", &transcript]);
    assert_eq!(imported.code, 0, "{imported:?}");
    let log = agents.log();
    assert!(log.contains("fine again") && !log.contains("amaranth"), "{log}");
    agents.in_project("shop", &["agent", "off", "--now", "2026-05-01T11:00:00Z"]);
    agents.says("s2", "user", "Something of another session.");
    agents.hook("SessionEnd", "shop", "s2", "");
    agents.in_project("shop", &["agent", "on", "--now", "2026-05-01T13:00:00Z"]);
    agents.hook("SessionEnd", "shop", "s2", "");
    assert_eq!(agents.log(), log, "not even that there was a session");
}

#[test]
fn what_an_ignored_file_holds_stays_out() {
    let agents = Agents::new();
    fs::write(agents.folder("shop").join(".memlithignore"), "/vault/\n*.pem\n").unwrap();
    let shop = agents.folder("shop").display().to_string();
    agents.says("s1", "user", "What does vault/codes say?");
    agents.calls("s1", "Read", json!({"file_path": format!("{shop}/vault/codes")}), "amaranth");
    agents.calls("s1", "Bash", json!({"command": "cat ./vault/codes | head"}), "begonia");
    agents.calls("s1", "Bash", json!({"command": "grep -r code ."}), "vault/codes:1:camellia");
    agents.calls("s1", "Bash", json!({"command": "ls src"}), "daffodil");
    agents.calls("s1", "Edit", json!({"file_path": "a.pem", "new_string": "edelweiss"}), "done");
    agents.says("s1", "user", "Look.\n<system-reminder>vault/codes: freesia</system-reminder>");
    agents.says("s1", "user", "<system-reminder>vault/codes: gardenia</system-reminder>");
    agents.says("s1", "user", "<bash-input>cat vault/codes</bash-input>");
    agents.says("s1", "user", "<bash-stdout>hyacinth</bash-stdout>");
    agents.says("s1", "user", "<bash-input>uname</bash-input>");
    agents.says("s1", "user", "<bash-stdout>jasmine</bash-stdout>");
    let expected = |log: &str| {
        for kept in ["What does vault/codes say?", "grep -r", "daffodil", "Look.", "jasmine"] {
            assert!(log.contains(kept), "{kept}: {log}");
        }
        for gone in
            ["amaranth", "begonia", "camellia", "edelweiss", "freesia", "gardenia", "hyacinth"]
        {
            assert!(!log.contains(gone), "{gone}: {log}");
        }
    };
    let whole = || agents.in_project("shop", &["export", "jsonl"]).out;
    agents.hook("Stop", "shop", "s1", "");
    expected(&whole());
    let transcript = agents.transcript("s1").display().to_string();
    let imported = agents.in_project("shop", &["import", "claude-code", &transcript, "--json"]);
    assert_eq!(imported.json()["skipped"]["ignored-file"], 6, "{imported:?}");
    assert_eq!(imported.json()["skipped"]["ignored-output"], 1, "{imported:?}");
    expected(&whole());
}

#[test]
fn a_codex_import_obeys_what_is_ignored() {
    let agents = Agents::new();
    fs::write(agents.folder("shop").join(".memlithignore"), "/vault/\n").unwrap();
    let item = |payload: Value| json!({"type": "response_item", "timestamp": "2026-05-01T12:00:01Z", "payload": payload});
    let call = |id: &str, arguments: Value| {
        item(json!({"type": "function_call", "call_id": id, "name": "exec_command",
            "arguments": arguments.to_string()}))
    };
    let gave = |id: &str, output: &str| {
        item(json!({"type": "function_call_output", "call_id": id, "output": output}))
    };
    let lines = [
        json!({"type": "session_meta", "timestamp": "2026-05-01T12:00:00Z",
            "payload": {"id": "c1", "cwd": agents.folder("shop")}}),
        call("1", json!({"cmd": "cat codes", "workdir": agents.folder("shop").join("vault")})),
        gave("1", "amaranth"),
        call("2", json!({"cmd": "cat codes", "workdir": "vault"})),
        gave("2", "begonia"),
        call("3", json!({"cmd": "cat codes"})),
        gave("3", "camellia"),
        item(json!({"type": "message", "role": "user", "content": [{"type": "input_text",
            "text": "<user_shell_command>cat vault/codes\ndaffodil</user_shell_command>"}]})),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = agents.desk.path().join("rollout.jsonl");
    fs::write(&path, text).unwrap();
    let path = path.display().to_string();
    let imported = agents.in_project("shop", &["import", "codex", &path, "--json"]);
    assert_eq!(imported.json()["skipped"]["ignored-file"], 3, "{imported:?}");
    let all = agents.in_project("shop", &["export", "jsonl"]).out;
    assert!(all.contains("camellia"), "{all}");
    for gone in ["amaranth", "begonia", "daffodil"] {
        assert!(!all.contains(gone), "{gone}: {all}");
    }
}

#[test]
fn what_is_switched_off_stays_off_without_the_notes() {
    let agents = Agents::new();
    agents.says("s1", "user", "The codeword is amaranth.");
    agents.in_project("shop", &["agent", "off", "--now", "2026-05-01T11:00:00Z"]);
    agents.hook("PreCompact", "shop", "s1", "");
    let state = agents.desk.path().join(".local/state");
    if state.exists() {
        fs::remove_dir_all(&state).unwrap();
    }
    agents.hook("Stop", "shop", "s1", "");
    assert!(agents.in_project("shop", &["agent", "status"]).out.contains("memory is off"));
    agents.in_project("shop", &["agent", "on", "--now", "2026-05-01T13:00:00Z"]);
    agents.hook("Stop", "shop", "s1", "");
    assert!(!agents.log().contains("amaranth"), "{}", agents.log());
}

#[test]
fn the_settings_of_a_project_name_no_folder_of_this_machine() {
    let agents = Agents::new();
    let shop = agents.folder("shop");
    let installed = agents.in_project("shop", &["agent", "install", "claude-code", "--project"]);
    assert_eq!(installed.code, 0, "{installed:?}");
    assert!(installed.err.contains("PATH has no memlith"), "{installed:?}");
    let settings = fs::read_to_string(shop.join(".claude/settings.json")).unwrap();
    assert!(!settings.contains('/'), "{settings}");
    // The plugin calls the same hooks.
    let plugin = include_str!("../../../../integrations/claude-code/hooks/hooks.json");
    let [plugin, settings]: [Value; 2] =
        [plugin, &settings].map(|text| serde_json::from_str(text).unwrap());
    assert_eq!(plugin["hooks"], settings["hooks"]);
    let check = ["agent", "install", "claude-code", "--project", "--check"];
    assert_eq!(agents.in_project("shop", &check).code, 1);
    let doctor = agents.in_project("shop", &["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("which PATH doesn't have"), "{doctor:?}");
    let found = |args: &[&str]| {
        let mut command = agents.desk.command(args);
        let folder = std::path::Path::new(crate::harness::BINARY).parent().unwrap();
        Run::of(command.current_dir(&shop).env("PATH", folder).output().unwrap())
    };
    assert_eq!(found(&check).code, 0);
    assert_eq!(found(&["doctor"]).code, 0);
    assert_eq!(agents.in_project("shop", &["agent", "remove", "claude-code", "--project"]).code, 0);
    assert!(!shop.join(".claude/settings.json").exists());
}

#[test]
fn a_folder_says_which_scope_it_has_and_what_has_none() {
    let agents = Agents::new();
    agents.says("s1", "user", "The release codeword is amaranth.");
    agents.hook("Stop", "shop", "s1", "");
    let scope =
        |args: &[&str]| agents.in_project("shop", &[&["agent", "scope", "--json"], args].concat());
    let here = scope(&[]).json();
    assert_eq!(here["scope"], "tenant=default,subject=h.org/ana/shop");
    assert_eq!((&here["why"], &here["shared"]), (&json!("project"), &json!(0)));
    agents.says("s2", "user", "Said before there were projects.");
    let transcript = agents.transcript("s2").display().to_string();
    let shared = ["import", "claude-code", &transcript, "--scope", "tenant=default"];
    assert_eq!(agents.in_project("shop", &shared).code, 0);
    let named = scope(&["--scope", "subject=x"]).json();
    assert_eq!((&named["why"], &named["shared"]), (&json!("named"), &json!(1)));
    let doctor = agents.in_project("shop", &["doctor"]);
    assert!(doctor.out.contains("1 turns and tool calls are about no project"), "{doctor:?}");
    assert_eq!(Desk::new().json(&["agent", "scope"])["why"], "ledger");
}

#[test]
fn an_import_is_about_the_project_of_its_transcript() {
    let agents = Agents::new();
    agents.says("s1", "user", "The release codeword is amaranth.");
    let transcript = agents.transcript("s1").display().to_string();
    let imported = agents.in_project("bank", &["import", "claude-code", &transcript]);
    assert_eq!(imported.code, 0, "{imported:?}");
    assert_eq!(agents.hook("SessionStart", "bank", "s2", ""), "");
    assert!(agents.hook("SessionStart", "shop", "s3", "").contains("amaranth"));
}

#[test]
fn a_part_of_a_repository_has_a_name_and_no_ledger() {
    let agents = Agents::new();
    let part = agents.folder("shop").join("core/.memlith");
    fs::create_dir_all(&part).unwrap();
    fs::write(part.join("project"), "core\n").unwrap();
    let wrote = agents.in_project("shop/core", &["remember", "The core is written in Rust."]);
    assert_eq!(wrote.code, 0, "{wrote:?}");
    assert!(agents.hook("SessionStart", "shop/core", "s1", "").contains("in Rust"));
    assert_eq!(agents.hook("SessionStart", "shop", "s2", ""), "");
}

#[test]
fn one_process_at_a_time_captures_what_hooks_left_behind() {
    let agents = Agents::new();
    let state = agents.desk.path().join(".local/state/memlith");
    fs::create_dir_all(&state).unwrap();
    let other = fs::File::create(state.join("catch-up.lock")).unwrap();
    other.lock().unwrap();
    for turn in 0..24 {
        agents.says("s1", "user", &format!("Turn {turn}. {}", "llamas ".repeat(15_000)));
    }
    agents.hook("Stop", "shop", "s1", "");
    let catch_up =
        || agents.in_project("shop", &["agent", "hook", "claude-code", "--catch-up"]).err;
    assert_eq!(catch_up(), "");
    assert!(!agents.log().contains("Turn 0."));
    drop(other);
    assert_eq!(catch_up(), "");
    assert_eq!(agents.log().matches("Turn 0.").count(), 1);
}

#[test]
fn no_input_harms_the_turn() {
    let agents = Agents::new();
    let long = vec![b'x'; 9 << 20];
    for input in [&b""[..], b"{", b"[]", b"null", b"\xff\xfe", b"{\"session_id\":\"s\"}", &long] {
        let run = agents.desk.run_with_input(&["agent", "hook", "claude-code"], input);
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""), "{run:?}");
    }
    let cwd = agents.folder("shop");
    for (event, path) in [
        (json!({"hook_event_name": "Later", "session_id": "../../x\n", "cwd": cwd}), "none"),
        (json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/no/such"}), "none"),
        (json!({"hook_event_name": "Stop", "session_id": "s", "cwd": cwd}), "/dev/zero"),
        (json!({"hook_event_name": "Stop", "session_id": "s", "cwd": cwd}), "/"),
        (
            json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": cwd,
            "prompt": "word ".repeat(200_000)}),
            "none",
        ),
        (
            json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": cwd,
            "prompt": "</memlith-memory> mem_1_abcd <<<memlith \u{202e}\u{0}"}),
            "none",
        ),
    ] {
        let mut event = event;
        event["transcript_path"] = json!(path);
        assert_eq!(agents.hook_with(&event).out, "");
    }
    let doctor = agents.in_project("shop", &["doctor"]);
    assert!(doctor.out.contains("hooks"), "{doctor:?}");
}

/// A client that sends no whole event and keeps its end open would hold the turn for ever.
#[test]
fn a_hook_that_waits_for_its_client_gives_up() {
    let agents = Agents::new();
    let mut hook = agents.desk.command(&["agent", "hook", "claude-code"]);
    let piped = || std::process::Stdio::piped();
    let mut hook = hook.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
    let mut open_end = hook.stdin.take().unwrap();
    open_end.write_all(b"{\"hook_event_name\": \"Stop\"").unwrap();
    let run = Run::of(hook.wait_with_output().unwrap());
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""), "{run:?}");
    let doctor = agents.in_project("shop", &["doctor"]).out;
    assert!(doctor.contains("gave up after"), "{doctor}");
    drop(open_end);
}

#[test]
fn a_ledger_that_cannot_be_used_costs_the_memory_and_not_the_turn() {
    let agents = Agents::new();
    agents.says("s1", "user", "The codeword is amaranth.");
    let ledger = agents.desk.path().join(".local/share/memlith");
    let segment = ledger.join("seg-0000000000");
    let bytes = fs::read(&segment).unwrap();
    let mut damaged = bytes.clone();
    damaged[16] ^= 1;
    fs::write(&segment, damaged).unwrap();
    assert_eq!(agents.hook("Stop", "shop", "s1", ""), "");
    assert_eq!(agents.hook("SessionStart", "shop", "s1", ""), "");
    fs::write(&segment, bytes).unwrap();
    let doctor = agents.in_project("shop", &["doctor"]).out;
    assert!(doctor.contains("turns that were not captured"), "{doctor}");
    let elsewhere = agents.desk.path().join("bank/.memlith").display().to_string();
    agents.in_project("bank", &["init"]);
    let doctor = agents.desk.run(&["doctor", "--ledger", &elsewhere]);
    assert!(doctor.code == 0 && !doctor.out.contains("hook"), "not of this ledger: {doctor:?}");
    agents.hook("Stop", "shop", "s1", "");
    assert!(agents.log().contains("amaranth"), "what was missed is captured later");
    let doctor = agents.in_project("shop", &["doctor"]);
    assert_eq!(doctor.code, 0, "what was captured later is no fault any more: {doctor:?}");
    assert!(doctor.out.contains("every turn of it was captured since"), "{doctor:?}");
}

#[test]
fn what_keeps_hooks_from_working_is_said_and_mended_by_installing_again() {
    let agents = Agents::new();
    let desk = &agents.desk;
    let path = desk.path().join(".claude/settings.json");
    let ledger = desk.path().join(".local/share/memlith");
    let check = |says: &str| {
        let run = desk.run(&["agent", "install", "claude-code", "--check"]);
        assert!(
            run.code == i32::from(says != "the hooks call") && run.out.contains(says),
            "{run:?}"
        );
    };
    let edit = |change: &dyn Fn(&mut Value)| {
        let mut settings = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut settings);
        fs::write(&path, settings.to_string()).unwrap();
    };
    check("the hooks call");
    edit(&|settings| settings["hooks"]["Stop"] = json!([]));
    check("the hook of Stop is not there");
    assert!(desk.run(&["doctor"]).out.contains("the hook of Stop is not there"));
    desk.ok(&["agent", "install", "claude-code"]);
    check("the hooks call");
    edit(&|settings| settings["disableAllHooks"] = json!(true));
    check("disableAllHooks");
    let again = desk.ok(&["agent", "install", "claude-code"]);
    assert!(again.err.contains("disableAllHooks"), "{again:?}");
    edit(&|settings| settings["disableAllHooks"] = json!(false));
    fs::write(path.with_file_name("settings.local.json"), "{\"disableAllHooks\": true}").unwrap();
    check("settings.local.json");
    fs::remove_file(path.with_file_name("settings.local.json")).unwrap();
    // A project's settings hold in the project.
    let local = agents.folder("shop").join(".claude/settings.local.json");
    fs::create_dir_all(local.parent().unwrap()).unwrap();
    fs::write(&local, "{\"disableAllHooks\": true}").unwrap();
    let here = agents.in_project("shop", &["agent", "install", "claude-code", "--check"]);
    assert!(here.code == 1 && here.out.contains("shop/.claude/settings.local.json"), "{here:?}");
    assert!(agents.in_project("shop", &["doctor"]).out.contains("disableAllHooks"));
    fs::remove_file(&local).unwrap();
    assert_eq!(
        agents.in_project("shop", &["agent", "install", "claude-code", "--project"]).code,
        0
    );
    let own = local.with_file_name("settings.json");
    let text = fs::read_to_string(&own).unwrap().replacen("SessionEnd", "SessionOver", 1);
    fs::write(&own, text).unwrap();
    let told = agents.in_project("shop", &["doctor"]).out;
    assert!(told.contains("run `memlith agent install claude-code --project` again"), "{told}");
    fs::write(&own, "{\"hooks\": {").unwrap();
    let told = agents.in_project("shop", &["doctor"]);
    assert!(told.code == 1 && told.out.contains("settings.json: it is not JSON"), "{told:?}");
    fs::remove_file(&own).unwrap();
    fs::rename(&ledger, ledger.with_extension("away")).unwrap();
    check("is gone");
    desk.ok(&["agent", "install", "claude-code"]);
    check("the hooks call");
    // Editors write a byte order mark; it stays.
    let marked = format!("\u{feff}{}", fs::read_to_string(&path).unwrap());
    fs::write(&path, &marked).unwrap();
    check("the hooks call");
    desk.ok(&["agent", "remove", "claude-code"]);
    assert!(fs::read_to_string(&path).unwrap().starts_with('\u{feff}'));
    check("no hooks in");
}

#[test]
fn settings_come_back_to_the_byte() {
    let desk = Desk::empty();
    let path = desk.path().join(".claude/settings.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = "{\n  // mine\n  \"model\": \"x\",\n}\n";
    fs::write(&path, before).unwrap();
    desk.refused(1, &["agent", "install", "claude-code", "--check"], &[]);
    desk.ok(&["agent", "install", "claude-code", "--dry-run"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    desk.ok(&["agent", "install", "claude-code"]);
    desk.ok(&["agent", "install", "claude-code"]);
    desk.ok(&["agent", "install", "claude-code", "--check"]);
    assert!(fs::read_to_string(&path).unwrap().contains("// mine"));
    desk.ok(&["agent", "remove", "claude-code"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    fs::write(&path, "{").unwrap();
    desk.refused(4, &["agent", "install", "claude-code"], &["mend it"]);
}

/// Nobody asks for it, and no model: what was said in passing is known to the next session.
#[test]
fn what_was_said_in_passing_is_in_the_next_brief_of_its_project() {
    let agents = Agents::new();
    agents.says("s1", "user", "Thanks! From now on never push to main directly. Now run it.");
    agents.says("s1", "user", "I live in Lisbon, so mind the hour.");
    agents.says("s1", "assistant", "Done, it ran.");
    agents.hook("Stop", "shop", "s1", "");
    let brief = agents.hook("SessionStart", "shop", "s2", "");
    assert!(brief.contains("never push to main directly"), "{brief}");
    assert!(brief.contains("I live in Lisbon"), "{brief}");
    // The project's rule is the project's; what a person says of themself follows them.
    let brief = agents.hook("SessionStart", "bank", "s3", "");
    assert!(!brief.contains("push to main"), "{brief}");
    assert!(brief.contains("I live in Lisbon"), "{brief}");
    let taught = agents.in_project("shop", &["jobs", "list", "sessions", "--json"]).json();
    assert_eq!(taught["sessions"][0]["taught"], 2, "{taught}");
    assert_eq!((&taught["waiting"], &taught["dead"]), (&json!(0), &json!(0)));
    let listed = agents.in_project("shop", &["list"]).out;
    assert_eq!(listed.matches("never push to main").count(), 1, "{listed}");
}

/// A program in the place of the rules: its reply is believed where the evidence shows it.
#[test]
fn a_program_may_extract_and_is_checked() {
    let agents = Agents::new();
    agents.says("s1", "user", "We host it at example.org these days, all of it.");
    agents.hook("Stop", "shop", "s1", "");
    let reply = r#"{"facts": [{"text": "We host it at example.org these days", "evidence": [1]},
        {"text": "They host it at example.com", "evidence": [1]}], "outcome": null}"#;
    fs::write(agents.desk.path().join("reply.json"), reply).unwrap();
    let words = format!("/bin/cat {}", agents.desk.path().join("reply.json").display());
    let words = ["jobs", "run", "--all", "--command", &words, "--json"];
    let done = agents.in_project("shop", &words).json();
    assert_eq!((&done["memories"], &done["dropped"]), (&json!(1), &json!(1)), "{done}");
    let listed = agents.in_project("shop", &["list"]).out;
    assert!(listed.contains("We host it at example.org") && !listed.contains("example.com"));

    agents.says("s1", "user", "And one more thing for later, then.");
    agents.hook("Stop", "shop", "s1", "");
    let run = agents.in_project("shop", &["jobs", "run", "--all", "--command", "/bin/false"]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("ended with code 1"), "{}", run.out);
    let waiting = agents.in_project("shop", &["jobs", "list", "--json"]).json();
    assert_eq!(waiting["jobs"][0]["status"], "retrying", "{waiting}");
}

/// Settings of a person and of a project may both have the hook, and both are called.
#[test]
fn a_session_is_told_its_brief_once_for_a_source() {
    let agents = Agents::new();
    assert_eq!(agents.hook("SessionStart", "shop", "s1", ""), "", "nothing is known");
    agents.in_project("shop", &["remember", "From now on never push to main directly."]);
    let event = agents.event("SessionStart", "shop", "s1", "").to_string();
    let piped = std::process::Stdio::piped;
    let begun = (0..4).map(|_| {
        let mut hook = agents.desk.command(&["agent", "hook", "claude-code"]);
        let mut hook = hook.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
        hook.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
        hook
    });
    let begun: Vec<_> = begun.collect();
    let ended = begun.into_iter().map(|hook| Run::of(hook.wait_with_output().unwrap()).out);
    let twice: Vec<String> = ended.collect();
    assert_eq!(twice.iter().filter(|text| !text.is_empty()).count(), 1, "{twice:?}");
    let mut event = agents.event("SessionStart", "shop", "s1", "");
    event["source"] = json!("compact");
    assert!(agents.hook_with(&event).out.contains("never push"), "another source");
    assert!(agents.hook("SessionStart", "shop", "s2", "").contains("never push"));
}

/// The tree changes; the span that a memory speaks of may not.
#[test]
fn a_memory_that_names_a_file_says_what_became_of_it() {
    let agents = Agents::new();
    let shop = agents.folder("shop");
    fs::create_dir(shop.join("src")).unwrap();
    let file = |name: &str| shop.join("src").join(name);
    for (name, text) in [
        ("cart.ts", "function totalOf() {}\nlet a = 1;\n"),
        ("order.ts", "let order = 1;\n"),
        ("tax.ts", "let tax = 1;\n"),
        ("plain.ts", "let plain = 1;\n"),
    ] {
        fs::write(file(name), text).unwrap();
    }
    for text in [
        "The totals are made by `totalOf()` in src/cart.ts.",
        "The orders are sorted in src/order.ts, newest first.",
        "The taxes of Norway stand in src/tax.ts.",
        "The plain ones stand in src/plain.ts.",
    ] {
        assert_eq!(agents.in_project("shop", &["remember", text]).code, 0);
    }
    agents.says(
        "s0",
        "user",
        "We always keep the rounding rules in src/plain.ts, never elsewhere.",
    );
    agents.hook("SessionEnd", "shop", "s0", "");
    agents.learn("shop", "claude-code");
    let learned = agents.in_project("shop", &["list", "--json", "--limit", "1"]).json();
    assert!(learned["items"][0]["metadata"].to_string().contains("tree:src/plain.ts"), "{learned}");

    let asks = ["orders sorted in src/order.ts?", "the totals of `totalOf` in src/cart.ts?"];
    let ask = |session: &str, at: usize| agents.hook("UserPromptSubmit", "shop", session, asks[at]);
    let fresh = agents.hook("SessionStart", "shop", "s1", "");
    assert!(!fresh.contains("Since this was written"), "{fresh}");
    fs::write(file("cart.ts"), "let a = 2;\nfunction totalOf() {}\n").unwrap();
    fs::write(file("order.ts"), "let order = 12;\n").unwrap();
    fs::rename(file("tax.ts"), file("taxes.ts")).unwrap();
    let brief = agents.hook("SessionStart", "shop", "s2", "");
    assert!(brief.contains("Since this was written src/order.ts changed."), "{brief}");
    assert!(brief.contains("Since this was written src/tax.ts is gone."), "{brief}");
    assert!(
        !brief.contains("src/cart.ts changed") && !brief.contains("plain.ts changed"),
        "{brief}"
    );
    for tokens in (20..300).step_by(20) {
        let args = ["agent", "brief", "--budget-tokens", &tokens.to_string()];
        let text = agents.in_project("shop", &args).out;
        assert!(text.trim_end().len() <= 4 * tokens, "{tokens}: {text}");
    }
    assert!(ask("s3", 0).contains("src/order.ts changed."));
    assert!(!ask("s4", 1).contains("Since this was written"));
    // A turn is shown for what it taught.
    fs::write(file("plain.ts"), "let plain = 12;\n").unwrap();
    let rounding = agents.in_project("shop", &["checkout", "where do we keep the rounding rules?"]);
    assert!(rounding.err.contains("src/plain.ts changed"), "{rounding:?}");
    let checkout = agents.in_project("shop", &["checkout", "Which taxes of Norway?"]);
    assert!(checkout.err.contains("src/tax.ts is gone"), "{checkout:?}");
    // Another project's tree is not looked at, nor is one that a path leads out of.
    let other =
        agents.in_project("bank", &["remember", "The totals of the bank are in src/cart.ts."]);
    assert_eq!(other.code, 0);
    assert!(!agents.hook("SessionStart", "bank", "s5", "").contains("cart.ts is gone"));
    let scope = ["checkout", "Which taxes of Norway?", "--scope", "subject=h.org/ana/shop"];
    let elsewhere = agents.in_project("bank", &scope);
    assert!(elsewhere.out.contains("Norway") && !elsewhere.err.contains("gone"), "{elsewhere:?}");
    // What every project reads says nothing of the tree of one.
    let shared = ["remember", "My notes stand in src/plain.ts.", "--scope", "tenant=default"];
    assert_eq!(agents.in_project("shop", &shared).code, 0);
    assert!(!agents.hook("SessionStart", "bank", "s6", "").contains("is gone"));
}

/// A project's own ledger is about that project alone.
#[test]
fn a_memory_in_a_project_s_own_ledger_names_files_of_its_tree() {
    let agents = Agents::new();
    let shop = agents.folder("shop");
    assert_eq!(agents.in_project("shop", &["init"]).code, 0);
    fs::write(shop.join("cart.ts"), "let a = 1;\n").unwrap();
    assert_eq!(agents.in_project("shop", &["remember", "Totals are in cart.ts."]).code, 0);
    fs::write(shop.join("cart.ts"), "let a = 12;\n").unwrap();
    let brief = agents.hook("SessionStart", "shop", "s1", "");
    assert!(brief.contains("Since this was written cart.ts changed."), "{brief}");
    assert!(!brief.contains("About the person"), "it is about the cart: {brief}");
}
