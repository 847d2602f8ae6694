//! Endings of a write are told, and the printed command takes each back.

use serde_json::Value;

use crate::harness::{BINARY, Desk, Run, id};

/// Runs a printed command as a person does, by pasting it into a shell.
fn paste(desk: &Desk, command: &str) -> Run {
    let script = format!("memlith() {{ \"{BINARY}\" \"$@\"; }}; {command} --json");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(desk.path()).env_clear().env("USER", "ana");
    Run::of(shell.env("PATH", "/usr/bin:/bin").output().unwrap())
}

/// The only thing that a write ended.
fn only(written: &Value) -> &Value {
    let ended = written["ended"].as_array().unwrap();
    assert_eq!(ended.len(), 1, "{written}");
    &ended[0]
}

#[test]
fn what_a_write_replaced_comes_back_by_the_printed_command() {
    let me: &[&str] = &[];
    let bot: &[&str] = &["--as", "assistant:o'brien", "--scope", "agent=a b,session=s"];
    let owner: &[&str] = &["--as", "owner:root", "--ledger", ".memlith"];
    for who in [me, bot, owner] {
        let desk = Desk::new();
        let say = |text: &str| desk.run(&[&["remember", text, "--json"], who].concat());
        let old = id(&say("The API listens on port 8080").json());
        let run = say("The API listens on port 9090");
        assert_eq!(run.code, 0, "{run:?}");
        let written = run.json();
        let ended = only(&written);
        assert_eq!((&ended["id"], &ended["by"]), (&old.as_str().into(), &written["id"]));
        assert_eq!(ended["how"], "replaced");
        let undo = ended["undo"].as_str().unwrap();
        for words in ["ended", &old, "The API listens on port 8080", undo] {
            assert!(run.err.contains(words), "{words}: {run:?}");
        }
        let show = |id: &str| desk.json(&[&["show", id], who].concat())["authority"].clone();
        assert_eq!(show(&old), "superseded");
        let undone = paste(&desk, undo);
        assert_eq!(undone.code, 0, "{undo}: {undone:?}");
        assert_eq!(show(&old), "active", "{undo}");
        assert_eq!(show(&id(&written)), "retracted", "{undo}");
    }
}

#[test]
fn a_correction_and_an_acceptance_say_what_they_ended() {
    let desk = Desk::new();
    let old = desk.remember("The API listens on port 8080");
    let corrected = desk.json(&["update", &old, "The API listens on port 9090"]);
    assert_eq!(only(&corrected)["id"], old.as_str());
    let undone = paste(&desk, only(&corrected)["undo"].as_str().unwrap());
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(desk.json(&["show", &old])["authority"], "active");

    desk.hold(desk.json(&["review", "token"])["token"].as_str().unwrap());
    let rival = ["remember", "The API listens on port 7070", "--as", "assistant:bot", "--json"];
    let rival = desk.run(&rival).json();
    assert_eq!(rival["ended"], serde_json::json!([]), "it waits");
    let accepted = desk.json(&["review", "accept", &id(&rival)]);
    assert_eq!(only(&accepted)["id"], old.as_str());
    let undone = paste(&desk, only(&accepted)["undo"].as_str().unwrap());
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(desk.json(&["show", &old])["authority"], "active");
}

#[test]
fn a_proposal_that_a_write_makes_moot_is_told() {
    let desk = Desk::new();
    let guess = desk.run(&["remember", "Ben likes jazz.", "--as", "tool", "--json"]).json();
    let said = desk.run(&["remember", "Ben likes jazz.", "--json"]);
    let written = said.json();
    assert_eq!((&only(&written)["id"], &only(&written)["how"]), (&guess["id"], &"moot".into()));
    assert!(said.err.contains("made moot"), "{said:?}");
    assert_eq!(only(&written)["undo"], Value::Null);
    for again in [&["remember", "Ben likes jazz."][..], &["confirm", &id(&written)]] {
        assert_eq!(desk.json(again)["ended"], serde_json::json!([]), "nothing ends twice");
    }
}

#[test]
fn one_side_of_a_contest_comes_back_when_its_words_are_said_again() {
    let desk = Desk::new();
    let likeness = ["--reconcile", "likeness", "--no-slot"];
    let say = |text: &str| desk.json(&[&["remember", text], &likeness[..]].concat());
    let six = say("The nightly backup of the shop starts at 6pm on weekdays");
    let seven = say("The nightly backup of the shop starts at 7pm on weekdays");
    assert_eq!(seven["contested"], serde_json::json!([six["id"]]), "{seven}");
    let settled = desk.json(&["confirm", &id(&seven)]);
    assert_eq!(only(&settled)["id"], six["id"], "{settled}");
    assert_eq!(only(&settled)["how"], "settled");
    let undone = paste(&desk, only(&settled)["undo"].as_str().unwrap());
    assert_eq!(undone.code, 0, "{undone:?}");
    let back = desk.json(&["show", &id(&undone.json())]);
    assert!(["active", "contested"].contains(&back["authority"].as_str().unwrap()), "{back}");
}

#[test]
fn an_import_says_what_it_ended() {
    let (desk, source) = (Desk::new(), Desk::new());
    let port = desk.remember("The API listens on port 8080");
    let tea = desk.remember("Ana drinks tea.");
    source.remember("The API listens on port 9090");
    let wrong = source.remember("Ana drinks tea.");
    source.ok(&["forget", &wrong, "--reason", "coffee"]);
    // What the import itself ends of what it brings is no news.
    source.remember("Ben lives in Pune");
    source.remember("Ben lives in Oslo");
    let export = source.ok(&["export", "jsonl"]).out;
    let run = desk.run_with_input(&["import", "jsonl", "-", "--json"], export.as_bytes());
    assert_eq!(run.code, 0, "{run:?}");
    let report = run.json();
    let ended = report["ended"].as_array().unwrap();
    let of = |id: &str| ended.iter().find(|one| one["id"] == id);
    assert_eq!(of(&port).unwrap()["how"], "replaced", "{report}");
    assert!(ended.iter().all(|one| one["id"] == port.as_str() || one["id"] == tea.as_str()));
    for one in ended {
        let undo = one["undo"].as_str().unwrap();
        assert!(run.err.contains(undo), "{run:?}");
        let undone = paste(&desk, undo);
        assert_eq!(undone.code, 0, "{undo}: {undone:?}");
    }
    for back in [&port, &tea] {
        assert_eq!(desk.json(&["show", back])["authority"], "active", "{report}");
    }
    let again = desk.run_with_input(&["import", "jsonl", "-", "--json"], export.as_bytes());
    assert_eq!(again.json()["ended"], serde_json::json!([]), "{again:?}");
}
