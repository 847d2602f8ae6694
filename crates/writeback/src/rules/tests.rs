use memlith::write::TaskResult;
use memlith::{Seq, Timestamp};
use proptest::prelude::*;

use super::*;

fn turn(number: u64, what: What) -> Turn {
    let id = RecordId { seq: Seq(number), ..RecordId::default() };
    Turn { id, occurred_at: Timestamp(0), what }
}

#[test]
fn the_sentences_said_last_are_kept() {
    let said = (1..=66).map(|n| turn(n, What::User(format!("The service s{n} listens on 80{n}."))));
    let found = rules(&said.collect::<Vec<_>>());
    let texts: Vec<&str> = found.facts.iter().map(|fact| fact.text.as_str()).collect();
    assert_eq!(texts.len(), SENTENCES_MAX);
    assert_eq!(texts[63], "The service s66 listens on 8066");
    assert_eq!(found.dropped.over_limit, 2);
}

#[test]
fn a_task_ends_as_the_person_says_or_as_the_last_test_did() {
    let run = |ok| {
        let arguments = r#"{"command":"cargo test -q"}"#.to_owned();
        What::Tool { name: "Bash".into(), arguments, output: String::new(), ok: Some(ok) }
    };
    let ended = |turns: &[Turn]| rules(turns).outcome.map(|outcome| outcome.result);
    let (red, green) = (turn(1, run(false)), turn(2, run(true)));
    assert_eq!(ended(&[red.clone(), green.clone()]), Some(TaskResult::Success));
    assert_eq!(ended(&[green.clone(), red.clone()]), Some(TaskResult::Failure));
    let said = turn(3, What::User("hm, that's still broken".to_owned()));
    assert_eq!(ended(&[green, said]), Some(TaskResult::Failure));
    assert_eq!(ended(&[turn(4, What::User("add a test".to_owned()))]), None);
}

#[test]
fn of_other_languages_what_holds_always_is_kept_and_the_rest_counted() {
    let said = "Wir nutzen hier immer MySQL. El servidor escucha en el puerto 9090.";
    let found = rules(&[turn(1, What::User(said.to_owned()))]);
    let texts: Vec<&str> = found.facts.iter().map(|fact| fact.text.as_str()).collect();
    assert_eq!((texts, found.dropped.other_language), (vec!["Wir nutzen hier immer MySQL"], 1));
}

#[test]
fn rules_in_a_list_are_kept_and_errands_in_one_are_not() {
    let facts = |said: &str| -> Vec<String> {
        rules(&[turn(1, What::User(said.to_owned()))])
            .facts
            .into_iter()
            .map(|one| one.text)
            .collect()
    };
    let rules =
        "A few rules:\n- no floats in handlers\n- one file per ticket\n- keine Makros bitte";
    assert_eq!(facts(rules).len(), 3, "{:?}", facts(rules));
    assert!(facts("Please:\n1. fix the parser\n2. add a test for it").is_empty());
}

/// "No" that rules something out is kept; one that turns something down is no part of what holds.
#[test]
fn a_no_is_kept_where_it_rules_out() {
    let kept = |text: &str| {
        let found = rules(&[turn(1, What::User(text.to_owned()))]).facts;
        found.into_iter().next().map(|one| one.text)
    };
    for (said, told) in [
        ("no tenacity pls, we don't want more dependencies", 0),
        ("No, we never use floats in handlers", 4),
        ("no we use pnpm in this repo", 3),
        ("no we always deploy from main", 3),
    ] {
        assert_eq!(kept(said).as_deref(), said.get(told..), "{said}");
    }
}

proptest! {
    #[test]
    fn what_is_lifted_stands_so_in_its_turn(text in "[ a-zA-Z0-9.?!'\"`\\n\u{e9}\u{4f60}]{0,300}") {
        let found = rules(&[turn(1, What::User(text.clone())), turn(2, What::Assistant(text.clone()))]);
        for statement in found.facts.iter().chain(&found.user_facts) {
            prop_assert!(text.contains(&statement.text));
        }
    }
}
