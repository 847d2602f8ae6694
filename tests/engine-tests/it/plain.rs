//! The sets of plain sentences, and the program that runs them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plain")).args(arguments).output().unwrap()
}

/// The figures that the program prints with these arguments.
fn figures(arguments: &[&str]) -> Value {
    let output = run(&[&["--json"], arguments].concat());
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code < 2), "{complaint}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// How many there are in both halves together.
fn sum(set: &Value, pointer: &str) -> u64 {
    ["/tuned", "/untouched"]
        .iter()
        .filter_map(|half| set.pointer(&format!("{half}{pointer}")))
        .map(|count| count.as_u64().unwrap())
        .sum()
}

fn lines(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("plain").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A folder with one line in each set, and a week of two sentences.
fn sets(stand: &str, change: &str, week: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("stand.jsonl", stand), ("change.jsonl", change), ("week.json", week)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const OTHER_VALUE: &str =
    r#"{"old": "The API port is 8080.", "new": "The API port is 9090.", "why": "x"}"#;
const OTHER_THING: &str = r#"{"old": "Ana likes tea.", "new": "The car is red.", "why": "x"}"#;
/// The week whose only question is answered by the sentence `right`.
fn week(right: &str, stale: &str) -> String {
    format!(
        r#"{{"said": [{{"id": "b", "day": 1, "text": "The plan of the house shows an API port."}},
                     {{"id": "a", "day": 2, "text": "The API port is 8080."}}],
            "questions": [{{"question": "What is the API port?", "right": ["{right}"],
                            "stale": ["{stale}"], "why": "x"}}]}}"#
    )
}

#[test]
fn the_sets_hold_what_they_promise() {
    let figures = figures(&["stand", "change", "week"]);
    for (name, least) in [("stand", 330), ("change", 230), ("week", 45)] {
        let set = &figures[name];
        let cases = sum(set, "/cases");
        assert!(cases >= least, "{name}: {cases}");
        for half in ["tuned", "untouched"] {
            let own = set[half]["cases"].as_u64().unwrap();
            assert!(own * 5 >= cases * 2, "{name}, {half}: {own} of {cases}");
        }
    }
    let kind = |set: &str, kind: &str| sum(&figures[set], &format!("/kinds/{kind}/of"));
    assert!(kind("stand", "other person") >= 40);
    assert!(kind("stand", "other project") >= 30);
    assert!(
        ["german", "spanish", "japanese"].map(|one| kind("stand", one)).iter().sum::<u64>() >= 30
    );
    assert!(kind("change", "unchanged") >= 60);
    assert!(sum(&figures["week"], "/changes") >= 20);
}

#[test]
fn no_line_is_there_twice_and_none_has_two_labels() {
    let mut seen = BTreeSet::new();
    for line in lines("stand.jsonl").into_iter().chain(lines("change.jsonl")) {
        let speakers = format!("{} {}", line["new_as"], line["new_scope"]);
        let pair = (line["old"].to_string(), line["new"].to_string(), speakers);
        assert!(pair.0 != pair.1, "{pair:?}");
        assert!(seen.insert(pair.clone()), "{pair:?}");
    }
}

#[test]
fn parties_side_by_side_are_counted_in_both_halves() {
    let figures = figures(&["two-people", "--first", "20"]);
    assert_eq!(sum(&figures["two-people"], "/cases"), 2 * 5 * 20);
}

#[test]
fn what_goes_as_it_should_passes_the_gate() {
    let folder = sets(OTHER_THING, OTHER_VALUE, &week("a", "b"));
    let path = folder.path().to_str().unwrap();
    for set in ["stand", "change", "week"] {
        let output = run(&[set, "--gate", "--sets", path]);
        assert!(output.status.success(), "{set}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn every_kind_of_mistake_is_counted_and_fails_the_gate() {
    let folder = sets(OTHER_VALUE, OTHER_THING, &week("b", "a"));
    let path = folder.path().to_str().unwrap();
    for (set, mistake, right) in [
        ("stand", "/ended", None),
        ("change", "/kept", Some("/ended")),
        ("week", "/in_three", Some("/clean")),
    ] {
        let figures = figures(&[set, "--sets", path]);
        assert_eq!(sum(&figures[set], mistake), 1, "{set}: {figures}");
        assert_eq!(right.map_or(0, |right| sum(&figures[set], right)), 0, "{set}: {figures}");
    }
    // Shares are goals of the untouched half; the one line of these is in it or isn't.
    for set in ["stand", "week"] {
        assert_eq!(run(&[set, "--gate", "--sets", path]).status.code(), Some(1), "{set}");
    }
}

#[test]
fn a_line_that_is_none_is_named() {
    for (stand, complaint) in [
        ("{}\n", "stand.jsonl line 1: missing field `old`"),
        (r#"{"old": "a", "new": "b", "why": "c", "wy": "d"}"#, "unknown field `wy`"),
        (r#"{"old": "a", "new": "b", "why": "c", "old_as": "ana"}"#, "\"ana\" is no speaker"),
    ] {
        let folder = sets(stand, "", "");
        let output = run(&["stand", "--sets", folder.path().to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(complaint), "{said}");
    }
}
