//! Erasing by filters, and what keeps erased words away.

use std::fs;

use crate::harness::Desk;

/// A transcript with a session of its own.
fn transcript(desk: &Desk, session: &str, words: &str) -> String {
    let line = |at: usize, text: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{session}-{at}\",\"sessionId\":\"{session}\",\
             \"cwd\":\"/w\",\"timestamp\":\"2026-05-01T10:0{at}:00Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        )
    };
    let name = format!("{session}.jsonl");
    let text = line(0, &format!("Please note that {words}")) + &line(1, "Thanks a lot for that");
    fs::write(desk.path().join(&name), text).unwrap();
    name
}

/// Whether any file of the ledger holds the words.
fn holds(desk: &Desk, words: &str) -> bool {
    fs::read_dir(desk.ledger()).unwrap().any(|entry| {
        let bytes = fs::read(entry.unwrap().path()).unwrap_or_default();
        bytes.windows(words.len()).any(|at| at == words.as_bytes())
    })
}

const OWNER: &[&str] = &["--as", "owner"];

#[test]
fn a_session_is_erased_by_its_name_and_does_not_come_back() {
    let desk = Desk::new();
    let (one, two) = (
        transcript(&desk, "s1", "the gate opens at marigold"),
        transcript(&desk, "s2", "tea is at four"),
    );
    desk.ok(&["import", "claude-code", &one, &two]);
    let dry = desk.json(&[&["erase", "--session", "s1", "--dry-run"], OWNER].concat());
    let count = dry["erased"].as_array().unwrap().len();
    assert_eq!(
        (count, &dry["id"]),
        (4, &serde_json::Value::Null),
        "both turns, the beginning and the end"
    );
    assert!(holds(&desk, "marigold"), "a dry run changes nothing");
    desk.refused(2, &[&["erase", "--session", "s1"], OWNER].concat(), &["4 records", "--yes"]);
    desk.refused(1, &["erase", "--session", "s1", "--yes"], &["owner"]);
    desk.refused(2, &[&["erase", "--yes"], OWNER].concat(), &["say what to erase"]);
    // Words that are none would fit every text without letters, for good.
    for part in ["--mentions", "--entity"] {
        for words in ["", " ", "\u{1f389}", "?!"] {
            let args = [&["erase", part, words, "--yes"], OWNER].concat();
            desk.refused(2, &args, &["no letter or digit"]);
        }
    }
    let done = desk.json(&[&["erase", "--session", "s1", "--yes"], OWNER].concat());
    assert_eq!(done["erased"].as_array().unwrap().len(), 4);
    assert!(!holds(&desk, "marigold"));
    let again = desk.json(&["import", "claude-code", &one, &two]);
    assert_eq!((&again["added"], &again["skipped"]["erased-here"]), (&0.into(), &4.into()));
    assert!(!holds(&desk, "marigold"));
    let words = "Please note that the gate opens at marigold";
    desk.refused(1, &["remember", words], &["erased as mem_", "stays erased", "tombstones lift"]);
    let nothing = desk.run(&[&["erase", "--session", "s1", "--yes"], OWNER].concat());
    assert_eq!(nothing.code, 1, "{nothing:?}");
    // The owner may let it in again.
    let id = done["erased"][1].as_str().unwrap();
    desk.refused(1, &["maintain", "tombstones", "lift", id], &["owner"]);
    desk.ok(&[&["maintain", "tombstones", "lift", id], OWNER].concat());
    desk.ok(&["remember", words]);
}

#[test]
fn filters_take_what_fits_all_of_them() {
    let desk = Desk::new();
    let slotted = |entity: &str, value: &str| {
        let text = format!("{entity} runs {value}");
        let slot = ["--entity", entity, "--predicate", "runs", "--value", value, "--single"];
        desk.ok(&[&["remember", &text], &slot[..]].concat());
    };
    slotted("staging", "Postgres 15");
    slotted("staging", "Postgres 16");
    slotted("production", "Postgres 14");
    desk.ok(&["remember", "The shop is red.", "--scope", "subject=shop,agent=bot"]);
    let count = |filter: &[&str]| {
        let dry = desk.run(&[&["erase", "--dry-run", "--json"], filter, OWNER].concat());
        assert!(dry.code <= 1, "{dry:?}");
        dry.json()["erased"].as_array().unwrap().len()
    };
    assert_eq!(
        count(&["--entity", "staging"]),
        3,
        "two, and the decision that did nothing but let one in"
    );
    assert_eq!(count(&["--entity", "Staging", "--before", "2020-01-01"]), 0);
    assert_eq!(count(&["--scope", "subject=shop"]), 2, "whichever agent it is of");
    assert_eq!(count(&["--scope", "subject=other"]), 0);
    assert_eq!(count(&["--scope", "tenant=default"]), 7);
    assert_eq!(count(&["--before", "2100-01-01"]), 7);
}

#[test]
fn a_lost_key_is_said_by_the_doctor_and_gone_on_without_by_the_owner() {
    let desk = Desk::new();
    let id = desk.remember("The gate opens at marigold.");
    desk.ok(&[&["erase", &id, "--yes"], OWNER].concat());
    desk.ok(&["doctor"]);
    fs::remove_file(desk.ledger().join("tombstone.key")).unwrap();
    let words = ["tombstone.key is missing", "maintain tombstones lift all"];
    desk.refused(3, &["remember", "Something new."], &words);
    let doctor = desk.run(&["doctor"]);
    assert_eq!(doctor.code, 3, "{doctor:?}");
    assert!(doctor.out.contains("tombstone.key is missing"), "{doctor:?}");
    desk.ok(&["search", "gate"]);
    desk.ok(&[&["maintain", "tombstones", "lift", "all"], OWNER].concat());
    desk.ok(&["remember", "Something new."]);
    desk.ok(&["doctor"]);
}
