//! Whatever a verb prints of a record leads back to it, and what names none says what to do.

use serde_json::Value;

use crate::harness::{Desk, id};

/// A ledger with two values of a slot and a checkout that showed the second.
pub(crate) fn moved() -> (Desk, String, String, Value) {
    let desk = Desk::new();
    let slot = ["--entity", "ana", "--predicate", "lives_in", "--single", "--value"];
    let lives = |text, place| id(&desk.json(&[&["remember", text], &slot[..], &[place]].concat()));
    let pune = lives("Ana lives in Pune.", "Pune");
    let oslo = lives("Ana lives in Oslo.", "Oslo");
    let pack = desk.json(&["checkout", "where does Ana live?"]);
    (desk, pune, oslo, pack)
}

#[test]
fn every_name_of_a_record_leads_to_it() {
    let (desk, pune, oslo, pack) = moved();
    let seq = oslo.split('_').nth(1).unwrap();
    let citation = desk.json(&["show", &oslo])["citation"].as_str().unwrap().to_owned();
    for name in [seq, &oslo, &oslo[..oslo.len() - 5], &format!("mem_{seq}_"), &citation] {
        for view in ["--quiet", "--history", "--sources", "--why", "--effects"] {
            assert_eq!(desk.json(&["show", view, name])["id"], oslo.as_str(), "{view} {name}");
        }
    }
    let observed = pack["observation"].as_str().unwrap();
    let checkout = pack["receipt"]["checkout"].as_str().unwrap();
    for name in [observed, checkout] {
        for scope in ["tenant=default", "agent=other"] {
            let shown = desk.json(&["show", name, "--as", "user:ben", "--scope", scope]);
            assert_eq!(shown["id"], observed, "{name}");
        }
        desk.refused(1, &["show", name, "--scope", "tenant=other"], &["no record"]);
    }
    // Each verb that changes an item takes them as well.
    for verb in ["confirm", "pin", "unpin", "forget", "undo"] {
        assert_eq!(desk.json(&[verb, seq])["ids"][0], oslo.as_str(), "{verb}");
    }
    let outcome = desk.json(&["confirm", "--outcome", "success", "--shown-in", checkout]);
    assert_eq!(outcome["outcome"], "changed");
    assert_ne!(pune, oslo);
}

#[test]
fn every_id_that_a_verb_prints_is_taken() {
    let (desk, _, oslo, _) = moved();
    desk.ok(&["forget", &oslo, "--reason", "moved again"]);
    let note = desk.remember("To be forgotten.");
    desk.ok(&["erase", &note, "--yes", "--as", "owner"]);
    desk.ok(&["maintain", "checkpoint"]);
    let lines = desk.ok(&["list", "events", "--json"]).out;
    let mut kinds = std::collections::BTreeSet::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let id = line["id"].as_str().unwrap();
        kinds.insert(line["kind"].as_str().unwrap().to_owned());
        for view in ["--quiet", "--history", "--sources", "--why"] {
            let answer = desk.json(&["show", view, id]);
            assert_eq!(answer["id"], id, "{view} {line}");
            assert!(!desk.ok(&["show", view, id]).out.is_empty(), "{view} {line}");
        }
    }
    assert!(kinds.len() >= 8, "{kinds:?}");
}

#[test]
fn what_names_no_record_says_what_to_do() {
    let (desk, _, oslo, _) = moved();
    for number in 0..5 {
        desk.remember(&format!("Note number {number}."));
    }
    let before = desk.json(&["head"])["seq"].clone();
    let long = "9".repeat(50_000);
    let elsewhere = format!("memlith://{}/4#000000000000", "0".repeat(32));
    for (name, code, words) in [
        ("", 2, "empty"),
        ("$(reboot)", 2, "mem_17_0a1b2c3d4e5f"),
        ("`id`;ls|wc", 2, "mem_17_0a1b2c3d4e5f"),
        ("4 ", 2, "white space"),
        ("\u{1b}[31m4", 2, "control character"),
        ("mem_4_ZZ", 2, "the beginning of no id"),
        ("04", 2, "forms"),
        (&oslo[1..], 2, "forms"),
        (&long, 2, "longer than any id"),
        ("memlith://x", 2, "citation"),
        ("99", 1, "`list events` lists all"),
        ("mem_99", 1, "`list events` lists all"),
        ("mem_4_0000", 1, "no record is named mem_4_0000"),
        ("18446744073709551615", 1, "`list events` lists all"),
        ("mem_1", 1, "several records"),
        (&"0".repeat(32), 1, "no record is named"),
        (&elsewhere, 1, "another ledger"),
    ] {
        for verb in ["show", "confirm", "forget", "pin", "undo"] {
            let run = desk.refused(code, &[verb, name], &[words]);
            assert!(run.out.is_empty() && run.err.len() < 1_000, "{verb}: {run:?}");
            assert!(!run.err.contains('\u{1b}'), "{run:?}");
        }
    }
    assert_eq!(desk.json(&["head"])["seq"], before);
}

#[test]
fn show_tells_what_came_before_and_after_and_until_when_it_holds() {
    let (desk, pune, oslo, pack) = moved();
    let old = desk.json(&["show", &pune]);
    let new = desk.json(&["show", &oslo]);
    assert_eq!(old["replaced_by"][0]["id"], oslo.as_str());
    assert_eq!(old["until"], new["valid_from"], "{old}");
    assert_eq!(old["until"], old["replaced_by"][0]["at"]);
    assert_eq!(old["until_why"], "replaced");
    assert_eq!(new["replaced"][0]["id"], pune.as_str());
    assert_eq!(new["until"], Value::Null);
    assert_eq!(new["actor"], "ana");
    assert_eq!(new["rank"], "user");
    assert_eq!(new["via"], "live");
    let lines = desk.ok(&["list", "events", "--json", "--from", "3", "--limit", "2"]).out;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(new["previous_chain"], lines[0]["chain"]);
    assert_eq!((&new["chain"], &new["hash"]), (&lines[1]["chain"], &lines[1]["hash"]));
    let text = desk.ok(&["show", &pune]).out;
    for words in ["until", "replaced by", &oslo, "written by  ana, as user, live", "before it"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("open"), "{text}");
    // The history of the value that holds goes back through the one before it.
    let history = desk.json(&["show", "--history", &oslo]);
    assert_eq!(history["items"], serde_json::json!([pune, oslo]));
    let text = desk.ok(&["show", "--history", &oslo]).out;
    for words in ["Ana lives in Pune.", "shown to ana, who asked", "where does Ana live?"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let early = desk.json(&["show", "--history", &pune]);
    assert_eq!(early["items"], serde_json::json!([pune]));
    // A receipt is shown as what it is.
    let receipt = desk.json(&["show", pack["observation"].as_str().unwrap()]);
    assert_eq!((&receipt["what"], &receipt["kind"]), (&"event".into(), &"memory.surfaced".into()));
    assert!(receipt["about"].as_array().unwrap().contains(&oslo.as_str().into()), "{receipt}");
}

#[test]
fn show_prints_every_reason_and_an_end_that_agrees() {
    let desk = Desk::new();
    let tea = desk.remember("Ana drinks tea.");
    let cup = id(&desk.json(&["remember", "Ana needs a cup.", "--rests-on", &tea]));
    desk.ok(&["forget", &tea, "--reason", "it was coffee"]);
    desk.ok(&["undo", &tea, "--reason", "it was tea after all"]);
    desk.ok(&["forget", &tea, "--reason", "she stopped"]);
    let shown = desk.json(&["show", &tea]);
    let reasons: Vec<&str> = shown["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reason| reason["text"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["it was coffee", "it was tea after all", "she stopped"]);
    assert_eq!(
        (&shown["authority"], &shown["until_why"]),
        (&"invalidated".into(), &"withdrawn".into())
    );
    assert!(shown["until"].is_string(), "{shown}");
    let text = desk.ok(&["show", &tea]).out;
    assert!(text.contains("not any more") && !text.contains("open"), "{text}");
    assert!(text.contains("invalidated by ana: she stopped"), "{text}");
    // What rests on it says why it is gone.
    let stale = desk.json(&["show", &cup]);
    assert_eq!(stale["authority"], "stale");
    let last = stale["reasons"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["item"], &last["text"]), (&tea.as_str().into(), &"she stopped".into()));
    // A guess that review refused, and what it said.
    desk.hold(desk.json(&["review", "token"])["token"].as_str().unwrap());
    let guess = desk.run(&["remember", "Ben likes jazz.", "--as", "tool", "--json"]).json();
    let guess = id(&guess);
    desk.ok(&["review", "reject", &guess, "--reason", "nobody said so"]);
    let shown = desk.json(&["show", &guess]);
    assert_eq!(shown["reasons"][0]["text"], "nobody said so");
    assert_eq!(shown["reasons"][0]["kind"], "review.rejected");
    // An own end, and one that is later than what took its place.
    let until = ["--valid-from", "2020-01-01", "--valid-until", "2021-01-01"];
    let lease = id(&desk.json(&[&["remember", "The lease runs."][..], &until].concat()));
    let shown = desk.json(&["show", &lease]);
    assert_eq!((&shown["until"], &shown["until_why"]), (&shown["valid_until"], &"own_end".into()));
    let slot = ["--entity", "shop", "--predicate", "rent", "--single"];
    let rent = |value: &str, from: &str, more: &[&str]| {
        let text = format!("The shop's rent is {value}.");
        let head = ["remember", &text, "--value", value, "--valid-from", from];
        id(&desk.json(&[&head[..], &slot, more].concat()))
    };
    let old = rent("500", "2020-01-01", &["--valid-until", "2099-01-01"]);
    let new = rent("600", "2022-01-01", &[]);
    let shown = desk.json(&["show", &old]);
    assert_eq!(
        (&shown["until"], &shown["closed_by"]),
        (&"2022-01-01T00:00:00Z".into(), &new.as_str().into())
    );
}

#[test]
fn what_another_scope_keeps_is_in_nobody_elses_history() {
    let desk = Desk::new();
    let tea = desk.remember("Ana drinks tea.");
    let own = ["--scope", "agent=bot", "--as", "user:ben"];
    let pack = desk.json(&[&["checkout", "tea of Ana"][..], &own].concat());
    let observed = pack["observation"].as_str().unwrap();
    desk.refused(1, &["show", observed], &["no record"]);
    desk.refused(1, &["show", "--history", observed], &["no record"]);
    assert_eq!(desk.json(&[&["show", observed][..], &own].concat())["id"], observed);
    assert!(!desk.ok(&["show", "--history", &tea]).out.contains("tea of Ana"));
    assert!(desk.ok(&[&["show", "--history", &tea][..], &own].concat()).out.contains("tea of Ana"));
}
