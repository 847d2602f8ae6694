//! Commands that the demo prints give again what the demo prints.

use serde_json::Value;

use crate::harness::{BINARY, Desk, Run};

/// Runs a printed command as a person does, by pasting it into a shell.
fn paste(desk: &Desk, command: &str, more: &str) -> Run {
    let script = format!("memlith() {{ \"{BINARY}\" \"$@\"; }}; {command} {more}");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(desk.path()).env_clear();
    Run::of(shell.env("PATH", "/usr/bin:/bin").output().unwrap())
}

fn steps(demo: &Value) -> Vec<(String, &Value)> {
    let steps = demo["steps"].as_array().unwrap().iter();
    steps.map(|step| (step["command"].as_str().unwrap().to_owned(), step)).collect()
}

#[test]
fn every_printed_answer_comes_again_from_its_printed_command() {
    let desk = Desk::empty();
    let demo = desk.json(&["demo", "--keep", "a folder"]);
    assert_eq!((&demo["ok"], &demo["kept"]), (&true.into(), &true.into()));
    let mut answered = 0;
    for (command, step) in steps(&demo) {
        let Some(answer) = step.get("answer") else { continue };
        answered += 1;
        assert!(command.contains(&format!("--now {}", answer["now"].as_str().unwrap())));
        let run = paste(&desk, &command, "--json");
        assert_eq!(run.code, 0, "{command}: {run:?}");
        let again = run.json();
        let items = |answer: &Value| -> Vec<(String, String)> {
            let items = answer["items"].as_array().unwrap().iter();
            items.map(|item| (item["id"].to_string(), item["text"].to_string())).collect()
        };
        assert_eq!(items(&again), items(answer), "{command}");
        assert_eq!(again["left_out"], answer["left_out"], "{command}");
        assert_eq!(again["observed"], false, "{command}");
    }
    assert_eq!(answered, 4);
    // With other words, so that it is no restatement, what it rests on is still taken.
    let resting = steps(&demo).into_iter().find(|(command, _)| command.contains("--rests-on"));
    let (command, _) = resting.unwrap();
    let (_, source) = command.split_once("--rests-on ").unwrap();
    let other = command.replace("a clock of its own", "a quiet room").replace("own clock", "room");
    let written = paste(&desk, &other, "--json");
    let traced = paste(
        &desk,
        &format!("memlith show --sources {}", written.json()["id"]),
        "--ledger 'a folder' --json",
    );
    assert!(traced.out.contains(source), "{traced:?}");
}

#[test]
fn the_demo_leaves_nothing_behind_unless_it_is_told_to() {
    let desk = Desk::empty();
    let text = desk.ok(&["demo"]).out;
    assert!(text.contains("--keep DIR"), "{text}");
    assert_eq!(std::fs::read_dir(desk.path()).unwrap().count(), 0);
}
