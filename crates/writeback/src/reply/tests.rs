use memlith::{Seq, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::evidence::stands_in;

fn turns() -> Vec<Turn> {
    let tool = What::Tool {
        name: "Bash".into(),
        arguments: "make it".into(),
        output: "0xdeadbeef".into(),
        ok: Some(true),
    };
    let said = [
        What::User("We use pnpm 9. The API listens on 8443.".into()),
        What::Assistant("The cause was src/net/retry.rs.".into()),
        tool,
    ];
    let turn = |(number, what)| {
        let id = RecordId { seq: Seq(number), ..RecordId::default() };
        Turn { id, occurred_at: Timestamp(0), what }
    };
    (10..).zip(said).map(turn).collect()
}

fn read(reply: &str) -> Extraction {
    read_reply(reply, &turns()).unwrap()
}

#[test]
fn a_reply_is_found_in_whatever_stands_around_it() {
    let object = r#"{"facts":[{"text":"The API listens on 8443.","evidence":[1]}]}"#;
    for reply in [
        object.to_owned(),
        format!("\u{feff}{object}"),
        format!("Sure! Here it is:\n```json\n{object}\n```\nAnything else {{}}?"),
        format!("{{\"thought\": \"none\"}} {object} {{\"facts\": []}}"),
    ] {
        let found = read(&reply);
        assert_eq!(found.facts.len(), 1, "{reply}");
        assert!(found.facts[0].lifted);
        assert_eq!(found.facts[0].evidence[0].seq, Seq(10));
    }
    for empty in ["{\"facts\":[],\"patterns\":[],\"outcome\":null}", "{\"outcome\":null}"] {
        assert_eq!(read(empty), Extraction::default());
    }
    assert_eq!(read("{}"), Extraction::default());
    for none in ["", "nothing worth keeping", "{", "[1]", "{\"a\":1}"] {
        assert!(read_reply(none, &turns()).is_err(), "{none}");
    }
}

#[test]
fn what_is_not_in_the_evidence_is_dropped_and_counted() {
    let found = read(
        r#"{"facts":[
            {"text":"They listen on 8443 here","evidence":["E1"]},
            {"text":"They listen on 9999","evidence":[1]},
            {"text":"No evidence","evidence":[]},
            {"text":"Invented evidence","evidence":[1, 7]},
            {"text":"Zero","evidence":[0]},
            {"text":"  ","evidence":[1]},
            "bare"],
          "user_facts":[{"text":"Uses pnpm","evidence":["[1]"]}],
          "outcome":{"status":"success","summary":"It runs","evidence":[3]},
          "mood":"fine"}"#,
    );
    let texts: Vec<&str> = found.facts.iter().map(|fact| fact.text.as_str()).collect();
    assert_eq!(texts, ["They listen on 8443 here"]);
    assert!(!found.facts[0].lifted && found.user_facts.len() == 1);
    let dropped =
        Dropped { blank: 1, uncited: 4, invented: 1, unknown_keys: 1, ..Dropped::default() };
    assert_eq!(found.dropped, dropped);
    let outcome = found.outcome.unwrap();
    assert_eq!((outcome.result, outcome.verified), (TaskResult::Success, false));
}

/// A server for tests, and a model that is too small, replies with what it was asked. The object
/// in it is that of the instructions, whose items are dots: they were taken for facts once.
#[test]
fn what_only_repeats_the_question_teaches_nothing() {
    let prompt = Packet::of(&turns()).prompt("=== 7f3a ===").unwrap();
    let found = read(&prompt);
    assert_eq!(found.outcome, None);
    let count = (found.facts.len(), found.user_facts.len(), found.patterns.len());
    assert_eq!(count, (0, 0, 0), "{found:?}");
    assert!(found.dropped.total() > 0);
}

#[test]
fn blank_items_use_no_slot_and_limits_hold() {
    let fact = r#"{"text":"We use pnpm","evidence":[1]}"#;
    let facts = format!(
        "[{}]",
        [r#"{"text":"","evidence":[1]}"#, fact, fact, fact, fact, fact, fact, fact].join(",")
    );
    let pattern = r#"{"name":"n","steps":["make it"],"evidence":[3]}"#;
    let patterns = format!("[{}]", [pattern; 4].join(","));
    let found = read(&format!(
        r#"{{"facts":{facts},"user_facts":{facts},"patterns":{patterns},"outcome":null}}"#
    ));
    assert_eq!((found.facts.len(), found.user_facts.len(), found.patterns.len()), (5, 5, 3));
    assert_eq!((found.dropped.blank, found.dropped.over_limit), (2, 5));
}

/// One fact about the first of `turns()`: how many were kept, whether lifted, how many dropped.
fn of_first(text: &str, evidence: &str) -> (usize, bool, u32) {
    let text = serde_json::Value::from(text);
    let found = read(&format!(r#"{{"facts":[{{"text":{text},"evidence":{evidence}}}]}}"#));
    let is_lifted = found.facts.first().is_some_and(|fact| fact.lifted);
    (found.facts.len(), is_lifted, found.dropped.total())
}

#[test]
fn an_identifier_stands_whole_and_a_sentence_is_lifted_whole() {
    for (text, expected) in [
        ("We use pnpm 9", (1, true, 0)),
        ("The API listens on 8443.", (1, true, 0)),
        // The person said neither of these alone.
        ("use pnpm 9", (1, false, 0)),
        ("e", (1, false, 0)),
        // Parts of names are other names.
        ("They listen on 844", (0, false, 1)),
        ("They listen on 443", (0, false, 1)),
        ("The tool is `npm`", (0, false, 1)),
        ("The tool is `pnpm`", (1, false, 0)),
        ("It is in commit deadbeef", (0, false, 1)),
    ] {
        assert_eq!(of_first(text, "[1]"), expected, "{text}");
    }
    for none in ["[\"-1\"]", "[\"+1\"]", "[1.0]", "[\"1 2\"]", "[\"\"]", "[-1]", "1"] {
        assert_eq!(of_first("We use pnpm", none), (0, false, 1), "{none}");
    }
    for (name, text, expected) in [
        ("15", "Postgres 15.3", false),
        ("15", "It is 15.", true),
        ("3", "1.3", false),
        ("src/net", "in src/net/retry.rs", true),
        ("src/net/re", "in src/net/retry.rs", false),
        ("8443", "localhost:8443/x", true),
        ("\u{e9}1", "caf\u{e9}1", false),
    ] {
        assert_eq!(stands_in(name, text), expected, "{name} in {text}");
    }
}

#[test]
fn every_word_of_a_pattern_is_founded_and_its_lists_are_bounded() {
    for key in ["name", "trigger", "preconditions", "gotchas", "success_criteria"] {
        let value = if key.ends_with('s') || key.ends_with("ia") {
            r#"["/etc/x9"]"#
        } else {
            r#""/etc/x9""#
        };
        let found = read(&format!(
            r#"{{"patterns":[{{"steps":["make it"],"{key}":{value},"evidence":[3]}}]}}"#
        ));
        assert_eq!((found.patterns.len(), found.dropped.invented), (0, 1), "{key}");
    }
    let steps = [r#""make it""#; 500].join(",");
    let found = read(&format!(r#"{{"patterns":[{{"steps":[{steps}],"evidence":[3]}}]}}"#));
    assert_eq!(found.patterns[0].steps.len(), LIST_MAX);
}

#[test]
fn a_long_reply_is_not_read_and_a_turn_that_was_not_shown_not_cited() {
    let reply = |bytes: usize| format!("{}{{\"facts\":[]}}", "x".repeat(bytes - 12));
    assert!(read_reply(&reply(REPLY_BYTES), &turns()).is_ok());
    let bytes = REPLY_BYTES + 1;
    assert_eq!(read_reply(&reply(bytes), &turns()), Err(ReplyError::TooLong { bytes }));
    let deep = format!("{{\"facts\":{}{}}}", "[".repeat(30_000), "]".repeat(30_000));
    assert!(read_reply(&deep, &turns()).is_err());
    let what = |_| Turn { what: What::User("a".repeat(2_000)), ..turns().remove(0) };
    let many: Vec<Turn> = (0..100).map(what).collect();
    let cites = |number: usize| {
        let reply = format!(r#"{{"facts":[{{"text":"It is so","evidence":[{number}]}}]}}"#);
        read_reply(&reply, &many).unwrap().facts.len()
    };
    assert_eq!((cites(1), cites(76), cites(77), cites(100), cites(101)), (0, 0, 1, 1, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn nothing_makes_it_panic(reply in any::<String>()) {
        let _ = read_reply(&reply, &turns());
    }

    #[test]
    fn nothing_like_a_reply_makes_it_panic(
        parts in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "\"facts\"", ":", ",", "\"evidence\"", "1", "\"text\"", "\"\u{e9}/x_1\"",
            "null", "\"patterns\"", "\"steps\"", "\"outcome\"", "\"status\"", "-", "1e999", "```json",
        ]), 0..60)
    ) {
        let _ = read_reply(&parts.concat(), &turns());
    }
}

#[test]
fn a_person_a_status_and_what_happened_stand_behind_a_reply() {
    let of_assistant = r#"{"user_facts":[{"text":"Uses src/net/retry.rs","evidence":[2]}]}"#;
    let found = read(of_assistant);
    assert_eq!((found.user_facts.len(), found.dropped.uncited), (0, 1));
    let glorious = r#"{"outcome":{"status":"glorious","summary":"It runs","evidence":[1]}}"#;
    assert_eq!(read(glorious).outcome, None);
    let practice = r#"{"patterns":[{"name":"n","steps":["make it"],"evidence":[3]}]}"#;
    assert_eq!(read(practice).patterns[0].verified, None, "nobody said how it went");
    for (said, expected) in [("thanks, that works", true), ("no, it still fails", false)] {
        let mut turns = turns();
        let id = RecordId { seq: Seq(13), ..RecordId::default() };
        turns.push(Turn { id, occurred_at: Timestamp(0), what: What::User(said.into()) });
        let found = read_reply(practice, &turns).unwrap();
        assert_eq!(found.patterns[0].verified, Some(expected), "{said}");
    }
}
