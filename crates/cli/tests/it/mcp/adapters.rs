use serde_json::{Value, json};

use super::session::{Called, Session};
use crate::harness::Desk;

fn folder(desk: &Desk) -> Session {
    Session::begun(desk, &["--profile", "memory-tool"])
}

/// A command of the memory tool that has to be done; its text without the fence.
fn did(session: &mut Session, command: &str, arguments: Value) -> String {
    let called = tried(session, command, arguments);
    assert!(!called.is_error, "{called:?}");
    called.json["text"].as_str().unwrap().to_owned()
}

fn tried(session: &mut Session, command: &str, mut arguments: Value) -> Called {
    arguments["command"] = json!(command);
    session.call("memory", arguments)
}

#[test]
fn the_memory_tool_edits_files_that_lie_in_the_ledger() {
    let desk = Desk::new();
    let mut session = folder(&desk);
    let path = "/memories/notes/port.md";
    let text = "# Port\nIt is 8080.\nIt was <never> 80.\n";
    let told = did(&mut session, "create", json!({"path": path, "file_text": text}));
    assert_eq!(told, format!("File created successfully at: {path}"));
    let shown = did(&mut session, "view", json!({"path": path}));
    let numbered = "     1\t# Port\n     2\tIt is 8080.\n     3\tIt was <never> 80.\n     4\t";
    assert_eq!(shown, format!("Here's the content of {path} with line numbers:\n{numbered}"));
    let part = did(&mut session, "view", json!({"path": path, "view_range": [2, 2]}));
    assert!(part.ends_with(":\n     2\tIt is 8080."), "{part}");
    let edit = json!({"path": path, "old_str": "8080", "new_str": "9090"});
    let told = did(&mut session, "str_replace", edit);
    assert!(told.contains("     2\tIt is 9090."), "{told}");
    // What was shown by its number can be named so.
    let edit = json!({"path": path, "old_str": "\\u{3c}never\\u{3e} ", "new_str": ""});
    did(&mut session, "str_replace", edit);
    did(&mut session, "insert", json!({"path": path, "insert_line": 0, "insert_text": "top\n"}));
    // An edit of a letter's case alone is an edit.
    did(&mut session, "str_replace", json!({"path": path, "old_str": "top", "new_str": "TOP"}));
    let shown = did(&mut session, "view", json!({"path": path}));
    assert!(shown.contains("     1\tTOP\n     2\t# Port\n     3\tIt is 9090.\n     4\tIt was 80."));
    let listed = did(&mut session, "view", json!({"path": "/memories"}));
    assert!(listed.ends_with("\n0B\t/memories/notes/\n34B\t/memories/notes/port.md"), "{listed}");
    let moved = json!({"old_path": "/memories/notes", "new_path": "/memories/Notes"});
    did(&mut session, "rename", moved);
    assert!(tried(&mut session, "view", json!({"path": path})).is_error);
    let there = "/memories/Notes/port.md";
    assert!(did(&mut session, "view", json!({"path": there})).contains("TOP"));
    did(&mut session, "delete", json!({"path": "/memories/Notes"}));
    let listed = did(&mut session, "view", json!({"path": "/memories"}));
    assert!(listed.ends_with(":\n0B\t/memories"), "{listed}");
    // It is there to be made again, and empty too.
    did(&mut session, "create", json!({"path": there, "file_text": ""}));
    assert!(did(&mut session, "view", json!({"path": there})).ends_with(":\n     1\t"));
    assert_eq!(session.end(), 0);
    // Nothing is gone: every version is an event, with its words.
    let log = desk.ok(&["list", "events", "--json"]).out;
    assert!(log.contains("It is 8080.") && log.contains("memory.invalidated"));
    assert_eq!(log.matches("erasure").count(), 0);
    desk.ok(&["verify", "--full"]);
}

#[test]
fn the_memory_tool_refuses_what_leaves_its_folder_or_is_not_there() {
    let desk = Desk::new();
    std::fs::write(desk.path().join("secret"), "outside").unwrap();
    let mut session = folder(&desk);
    did(&mut session, "create", json!({"path": "/memories/a", "file_text": "one\ntwo\none\n"}));
    let outside = [
        "/etc/passwd",
        "secret",
        "../secret",
        "/memories/../secret",
        "/memories/a/../../secret",
        "/memories/%2e%2e/secret",
        "/memories/..\\secret",
        "/memories//secret",
        "/memoriesx",
        "/memories/\u{0}",
        "",
    ];
    for path in outside {
        for (command, arguments) in [
            ("view", json!({"path": path})),
            ("create", json!({"path": path, "file_text": "x"})),
            ("str_replace", json!({"path": path, "old_str": "a", "new_str": "b"})),
            ("insert", json!({"path": path, "insert_line": 0, "insert_text": "x"})),
            ("delete", json!({"path": path})),
            ("rename", json!({"old_path": path, "new_path": "/memories/b"})),
            ("rename", json!({"old_path": "/memories/a", "new_path": path})),
        ] {
            let called = tried(&mut session, command, arguments);
            assert!(called.is_error && called.text.contains("/memories"), "{path}: {called:?}");
        }
    }
    for (command, arguments, words) in [
        ("view", json!({"path": "/memories/b"}), "does not exist"),
        ("create", json!({"path": "/memories/a", "file_text": "x"}), "already exists"),
        ("create", json!({"path": "/memories/a/b", "file_text": "x"}), "no directory"),
        ("create", json!({"path": "/memories", "file_text": "x"}), "is a directory"),
        ("str_replace", json!({"path": "/memories/a", "old_str": "z"}), "did not appear"),
        ("str_replace", json!({"path": "/memories/a", "old_str": ""}), "did not appear"),
        ("str_replace", json!({"path": "/memories/a", "old_str": "one"}), "in lines: 1, 3"),
        ("insert", json!({"path": "/memories/a", "insert_line": 9, "insert_text": "x"}), "[0, 3]"),
        ("insert", json!({"path": "/memories/a", "insert_line": -1, "insert_text": ""}), "[0, 3]"),
        ("delete", json!({"path": "/memories"}), "Cannot delete"),
        ("delete", json!({"path": "/memories/b"}), "does not exist"),
        ("rename", json!({"old_path": "/memories", "new_path": "/memories/b"}), "Cannot rename"),
        ("rename", json!({"old_path": "/memories/b", "new_path": "/memories/c"}), "not exist"),
        ("rename", json!({"old_path": "/memories/a", "new_path": "/memories/a"}), "exists"),
        ("rename", json!({"old_path": "/memories/a", "new_path": "/memories/a/b"}), "itself"),
        ("chmod", json!({"path": "/memories/a"}), "unknown variant"),
        ("view", json!({"path": "/memories/a", "rank": "owner"}), "unknown field"),
    ] {
        let called = tried(&mut session, command, arguments.clone());
        assert!(
            called.is_error && called.text.contains(words),
            "{command} {arguments}: {called:?}"
        );
    }
    assert_eq!(session.end(), 0);
}

/// An assistant's edit of what a person stands behind waits for the person, and says so.
#[test]
fn the_memory_tool_displaces_no_persons_word() {
    let desk = Desk::new();
    let mut own = Session::begun(&desk, &["--profile", "memory-tool", "--as", "user:ana"]);
    did(&mut own, "create", json!({"path": "/memories/rule", "file_text": "Never push to main."}));
    assert_eq!(own.end(), 0);
    let mut session = folder(&desk);
    let edit = json!({"path": "/memories/rule", "old_str": "Never", "new_str": "Always"});
    // Said again, it waits as before.
    let called = tried(&mut session, "str_replace", edit.clone());
    assert!(called.is_error, "{called:?}");
    let called = tried(&mut session, "str_replace", edit);
    assert!(called.is_error && called.text.contains("memlith review accept"), "{called:?}");
    let called = tried(&mut session, "delete", json!({"path": "/memories/rule"}));
    assert!(called.is_error && called.text.contains("disputed"), "{called:?}");
    assert!(did(&mut session, "view", json!({"path": "/memories/rule"})).contains("Never"));
}

/// Calls that make, change and look up, with what the reference server 2026.8.31 answered.
const GRAPH: &str = include_str!("graph.json");

#[test]
fn the_nine_tools_answer_as_the_reference_server_does() {
    let desk = Desk::new();
    let mut session = Session::begun(&desk, &["--profile", "graph"]);
    let calls: Vec<Value> = serde_json::from_str(GRAPH).unwrap();
    let mut tools = std::collections::BTreeSet::new();
    for call in &calls {
        let tool = call["tool"].as_str().unwrap();
        let called = session.call(tool, call["arguments"].clone());
        assert_eq!(called.is_error, call["is_error"], "{call}: {called:?}");
        if !called.is_error {
            assert_eq!(called.json, call["structured"], "{call}");
        }
        tools.insert(tool);
    }
    assert_eq!(tools.len(), 9);
    assert_eq!(session.end(), 0);
    // What is in the graph is memory like any other.
    let found = desk.json(&["search", "who works at Acme?"]);
    assert!(found.to_string().contains("Raj works at acme"), "{found}");
    desk.ok(&["verify", "--full"]);
}

#[test]
fn the_file_of_the_reference_server_is_taken_in_and_found() {
    let desk = Desk::new();
    let mut lines = String::new();
    for number in 0..1_000 {
        let observations = json!([format!("Machine {number} stands in hall {}.", number % 7)]);
        let name = format!("machine {number}");
        lines += &json!({"type": "entity", "name": name, "entityType": "machine",
            "observations": observations})
        .to_string();
        lines.push('\n');
    }
    for number in 1..200 {
        let (from, to) = (format!("machine {number}"), format!("machine {}", number - 1));
        let line = json!({"type": "relation", "from": from, "to": to, "relationType": "feeds"});
        lines += &format!("{line}\n\n");
    }
    std::fs::write(desk.path().join("memory.jsonl"), &lines).unwrap();
    let import = ["import", "mcp-memory", "memory.jsonl"];
    let first = desk.json(&import);
    assert_eq!((&first["added"], &first["already_present"]), (&json!(2_199), &json!(0)));
    let again = desk.json(&import);
    assert_eq!((&again["added"], &again["already_present"]), (&json!(0), &json!(2_199)));
    let mut session = Session::begun(&desk, &["--profile", "graph"]);
    let graph = session.done("read_graph", json!({})).json;
    assert_eq!(graph["entities"].as_array().unwrap().len(), 1_000);
    let found = session.done("search_nodes", json!({"query": "machine 777"})).json;
    let only = json!(["Machine 777 stands in hall 0."]);
    assert_eq!(found["entities"][0]["observations"], only, "{found}");
    let opened = session.done("open_nodes", json!({"names": ["machine 5"]})).json;
    assert_eq!(opened["relations"].as_array().unwrap().len(), 2, "{opened}");
    assert_eq!(session.end(), 0);
    let answer = desk.json(&["checkout", "in which hall stands machine 778?", "--no-observe"]);
    assert_eq!(answer["items"][0]["text"], "machine 778: Machine 778 stands in hall 1.");
    assert_eq!(super::session::ranks(&desk, 1), ["assistant"]);
    for (bad, words) in [
        ("{\"type\":\"entity\"}", "line 1"),
        ("{\"type\":\"node\",\"name\":\"x\"}", "line 1"),
        ("\nnot JSON", "line 2"),
        ("\u{0}", "line 1"),
    ] {
        std::fs::write(desk.path().join("bad.jsonl"), bad).unwrap();
        desk.refused(4, &["import", "mcp-memory", "bad.jsonl"], &[words]);
    }
}
