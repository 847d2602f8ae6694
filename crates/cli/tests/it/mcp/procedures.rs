use serde_json::{Value, json};

use super::session::Session;
use crate::harness::Desk;
use crate::mined::worked;

fn names(session: &mut Session) -> Vec<String> {
    let answer = session.ask("prompts/list", json!({}));
    let prompts = answer["result"]["prompts"].as_array().unwrap_or_else(|| panic!("{answer}"));
    prompts.iter().map(|prompt| prompt["name"].as_str().unwrap().to_owned()).collect()
}

/// One that waits is none; an accepted one is listed by a name of its own, and its words are data.
#[test]
fn accepted_procedures_are_prompts() {
    let desk = Desk::new();
    worked(&desk, 24, 10);
    let mined = desk.json(&["procedures", "find"]);
    let id = mined["procedures"][0]["id"].as_str().unwrap();
    let mut session = Session::begun(&desk, &[]);
    assert_eq!(names(&mut session), ["brief", "review"]);
    desk.hold(desk.json(&["review", "token"])["token"].as_str().unwrap());
    desk.ok(&["review", "accept", id, "--as", "reviewer"]);
    let listed = names(&mut session);
    let number = id.split('_').nth(1).unwrap();
    let [_, _, name] = listed.as_slice() else { panic!("{listed:?}") };
    assert!(name.ends_with(&format!("-{number}")) && name.len() <= 80, "{name}");
    assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
    let answer = session.ask("prompts/get", json!({"name": name}));
    let text = answer["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    let (ours, data) = text.split_once("<memlith-memory>\n").unwrap();
    assert!(!ours.contains("cargo"), "{ours}");
    assert!(data.contains("cargo clippy") && data.ends_with("</memlith-memory>\n"), "{data}");
    for none in ["", "procedure", number, "../brief", "-1"] {
        let answer = session.ask("prompts/get", json!({"name": none}));
        assert_ne!(answer["error"], Value::Null, "{none}: {answer}");
    }
    desk.ok(&["forget", id, "--as", "owner"]);
    assert_eq!(names(&mut session), ["brief", "review"]);
    assert_eq!(session.end(), 0);
}
