use proptest::prelude::*;

use crate::claim::{Cardinality, Claim};
use crate::statement::Statement;

fn read(text: &str) -> Option<String> {
    Statement::of(text).claim().map(shown)
}

fn shown(claim: &Claim) -> String {
    let Claim { entity, predicate, value, .. } = claim;
    let marks = [
        (claim.negated, "not "),
        (claim.past, "once "),
        (claim.cardinality == Cardinality::Many, "many "),
        (claim.cardinality == Cardinality::Unknown, "? "),
    ];
    let marks: String = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
    let detail = if claim.detail.is_empty() { "" } else { " + " };
    format!("{marks}{entity} | {predicate} | {value}{detail}{}", claim.detail)
}

#[test]
fn sentences_of_a_known_form_are_read() {
    for (text, expected) in [
        ("Ana lives in Pune", "ana | lives_in | pune"),
        ("the API listens on port 8080", "api | port | 8080"),
        ("favourite number is 7", "self | favorite_number | 7"),
        ("prefers email", "self | preferred_contact | email"),
        ("now prefers a phone call", "self | preferred_contact | phone"),
        ("does not want email", "not self | preferred_contact | email"),
        ("Ana moved to Bangalore", "ana | lives_in | bangalore"),
        ("Ana moved to Pune last year", "ana | lives_in | pune + last year"),
        ("uses tabs", "self | indentation | tab"),
        ("the deploy key is in vault", "deploy key | location | vault"),
        ("timeout is 30 s", "self | timeout | 30000 ms"),
        ("I live in Lisbon", "self | lives_in | lisbon"),
        ("Ana used to live in Goa", "once ana | lives_in | goa"),
        ("Ana lived in Goa", "once ana | lives_in | goa"),
        ("likes tea", "many self | likes | tea"),
        ("Karl hates tea", "not many karl | likes | tea"),
        ("callback after 6pm", "self | callback_time | after at 1080"),
    ] {
        assert_eq!(read(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn what_is_not_understood_claims_nothing() {
    for text in [
        "",
        "?",
        "Does Ana live in Pune?",
        "If Ana lives in Pune, call her",
        "Maybe Ana lives in Pune",
        "Bob thinks Ana lives in Oslo",
        "Ana will move to Oslo",
        "Ana lives in Pune and Bob lives in Oslo",
        "A dependency is serde",
        "One of the goals is speed",
        "\u{1f980}\u{1f980}\u{1f980}",
        "Ana lives in Pune. Bob lives in Oslo.",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_fear_and_always_the_same(text in "\\PC{0,80}") {
        let one = Statement::of(&text);
        prop_assert_eq!(&one, &Statement::of(&text));
        prop_assert_eq!(one.differences(&one), vec![]);
    }
}

#[test]
fn what_only_looks_like_a_property_is_no_slot() {
    for text in [
        "The price of success is failure",
        "The version is old",
        "Email is fine",
        "My name is on the list",
        "Ana lives in fear",
        "Ana moved to a new team",
        "Ana moved to Marketing",
        "He moved to tears",
        "Ana joined the call",
        "Version 2 is 34 MB",
        "Ana is 34% faster",
        "There are 3 nodes",
        "The lead is heavy",
        "Her colleague is Jo",
        "The app runs on Linux",
        "The user wants to move to Oslo",
        "The report is in German",
        "Ana is in charge of billing",
        "The language of the docs is clear",
        "Row 5 is 42",
    ] {
        let single = |claim: &Claim| claim.cardinality == Cardinality::Single;
        let statement = Statement::of(text);
        assert!(!statement.claim().is_some_and(single), "{text}: {:?}", read(text));
    }
}

#[test]
fn one_property_has_one_slot_however_it_is_said() {
    for (one, other) in [
        ("The port of the API is 8080", "The API's port is 8080"),
        ("Ana is based in Pune", "Ana's home is in Pune"),
        ("Priya leads the payments team", "The payments team is led by Priya"),
        ("Priya is the tech lead of the payments team", "The lead of the payments team is Priya"),
        ("Dana owns the search service", "The owner of the search service is Dana"),
        ("Tom is married to Lucy", "Tom's wife is Lucy"),
        ("Logs are kept for 30 days", "We retain logs for 30 days"),
        ("Time zone: CET", "The user's time zone is CET"),
    ] {
        assert!(read(one).is_some(), "{one}");
        assert_eq!(read(one), read(other), "{one} / {other}");
    }
}
