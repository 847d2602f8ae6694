use memlith_event::MinedStep;
use memlith_log::{Digest, Seq};
use proptest::prelude::*;
use yaml_rust2::{Yaml, YamlLoader};

use super::*;
use crate::ProcedureId;

fn mined(steps: &[(&str, &str)], contrast: Vec<Contrast<'static>>) -> Mined<'static> {
    let told = |(verb, parameters): &(&str, &str)| MinedStep {
        verb: (*verb).to_owned().into(),
        parameters: (*parameters).to_owned().into(),
    };
    let ends = (steps.first().unwrap().0, steps.last().unwrap().0);
    Mined {
        title: format!("From {} to {}", ends.0, ends.1).into(),
        identity: Digest(ProcedureId::of(steps.iter().map(|(verb, _)| *verb)).0),
        steps: steps.iter().map(told).collect(),
        support: 10,
        complete: 8,
        succeeded: 9,
        failed: 1,
        failed_runs: 2,
        confidence: 595_843,
        contrast,
        ..Mined::default()
    }
}

fn sources() -> Vec<RecordId> {
    (0..10).map(|session| id(session * 100)).collect()
}

fn id(seq: u64) -> RecordId {
    RecordId { seq: Seq(seq), hash: [0; 6] }
}

fn cite(id: RecordId) -> Option<String> {
    Some(format!("memlith://l/{}#00", id.seq.0))
}

/// The front matter as a reader of YAML sees it, and the text behind it.
fn parsed(text: &str) -> (Yaml, String) {
    let (front, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let mut documents = YamlLoader::load_from_str(front).unwrap();
    assert_eq!(documents.len(), 1);
    (documents.remove(0), body.to_owned())
}

#[test]
fn a_skill_says_what_to_do_and_what_went_otherwise() {
    let contrast = |kind| Contrast { step: 1, kind, failed: 2, others: 0, source: Some(id(1001)) };
    let mined = mined(
        &[("cargo fmt", ""), ("cargo test", "-p <word>"), ("git commit", "-m <text>")],
        vec![
            contrast(ContrastKind::LeftOut),
            contrast(ContrastKind::Replaced("git push".into())),
            contrast(ContrastKind::Extra("git push".into())),
            contrast(ContrastKind::OutOfOrder),
            contrast(ContrastKind::WentWrong),
        ],
    );
    let skill = Skill::of(&mined, None, &sources(), &cite);
    assert_eq!(skill.name, format!("cargo-fmt-git-commit-{}", &mined.identity.to_string()[..8]));
    let (front, body) = parsed(&skill.text);
    assert_eq!(front["name"].as_str(), Some(skill.name.as_str()));
    assert_eq!(front["metadata"]["memlith-procedure"].as_str(), Some(&*mined.identity.to_string()));
    assert_eq!(front["metadata"]["memlith-confidence"].as_str(), Some("0.595843"));
    assert_eq!(front["metadata"]["memlith-support"].as_str(), Some("10"));
    let sources = front["metadata"]["memlith-sources"].as_str().unwrap();
    assert_eq!(sources.split(' ').count(), SOURCES_MAX);
    assert!(sources.starts_with("memlith://l/0#00 memlith://l/100#00 "));
    let expected = "
# From cargo fmt to git commit

Followed in 10 sessions, in 8 of them step by step. It is known to have gone well in 9, and not in 1.

## When to use

- When a task begins with `cargo fmt`.

## Inputs to gather

- `<word>`
- `<text>`

## Procedure

1. `cargo fmt`
2. `cargo test -p <word>`
3. `git commit -m <text>`

## Efficiency plan

- Unknown.

## Pitfalls and fixes

- Step 2: 2 of 2 failed runs left out `cargo test`; 0 of 10 others did (`memlith://l/1001#00`).
- Step 2: 2 of 2 failed runs did `git push` in place of `cargo test`; 0 of 10 others did (`memlith://l/1001#00`).
- Step 2: 2 of 2 failed runs did `git push` before `cargo test`; 0 of 10 others did (`memlith://l/1001#00`).
- Step 2: 2 of 2 failed runs did `cargo test` at another place; 0 of 10 others did (`memlith://l/1001#00`).
- Step 2: 2 of 2 failed runs did `cargo test`, which went wrong; 0 of 10 others did (`memlith://l/1001#00`).

## Verification checklist

- Unknown.
";
    assert_eq!(body, expected);
}

// A verb without a letter left the name to the identity alone, of which one in forty has
// eight digits: YAML read a number.
#[test]
fn a_name_of_digits_is_a_text() {
    let verbs = (0..1000).map(|number| format!("\u{e9}{number}"));
    let names = verbs.map(|verb| {
        let mut mined = mined(&[(&verb, "")], Vec::new());
        mined.steps[0].verb = "\u{e9}".into();
        Skill::of(&mined, None, &sources(), &cite)
    });
    let digits: Vec<Skill> =
        names.filter(|skill| skill.name.bytes().all(|byte| byte.is_ascii_digit())).collect();
    assert!(!digits.is_empty());
    for skill in digits {
        assert_eq!(parsed(&skill.text).0["name"].as_str(), Some(skill.name.as_str()));
    }
}

#[test]
fn what_was_erased_is_not_cited() {
    let skill = Skill::of(&mined(&[("a", ""), ("b", "")], Vec::new()), None, &sources(), &|_| None);
    let (front, _) = parsed(&skill.text);
    assert_eq!(front["metadata"]["memlith-sources"].as_str(), Some(""));
}

fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    (1..=64).contains(&name.len()) && name.split('-').all(is_part)
}

proptest! {
    #[test]
    fn a_skill_is_well_formed_whatever_the_steps_say(
        steps in prop::collection::vec((any::<String>(), any::<String>()), 1..6),
        other in any::<String>(),
        hostile in prop::sample::select(vec![
            "---\n", "`", "```", "\": x", "\n- a", "{{", "\u{2028}", "\u{85}", "\\", "\0", "# x", "'",
        ]),
    ) {
        let hostile: Vec<(String, String)> =
            steps.into_iter().map(|(a, b)| (format!("{a}{hostile}{b}"), format!("{hostile}{b}"))).collect();
        let steps: Vec<(&str, &str)> = hostile.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let kind = ContrastKind::Replaced(other.clone().into());
        let contrast = Contrast { step: 0, kind, failed: 1, others: 0, source: Some(id(7)) };
        let mined = mined(&steps, vec![contrast]);
        let skill = Skill::of(&mined, None, &sources(), &|_| Some(other.clone()));
        prop_assert!(is_name(&skill.name), "{}", skill.name);
        prop_assert!(skill.text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)));
        let (front, body) = parsed(&skill.text);
        prop_assert_eq!(front["name"].as_str(), Some(skill.name.as_str()));
        let described = front["description"].as_str().unwrap();
        prop_assert_eq!(described, description(&mined));
        prop_assert!((1..=1024).contains(&described.chars().count()));
        prop_assert_eq!(front.as_hash().unwrap().len(), 3);
        prop_assert_eq!(front["metadata"].as_hash().unwrap().len(), 4);
        let sources = front["metadata"]["memlith-sources"].as_str().unwrap();
        prop_assert_eq!(sources, vec![other; SOURCES_MAX].join(" "));
        // A line a step, each a code span that ends where the line does.
        let listed = body.split("## Procedure\n\n").nth(1).unwrap().split("\n\n").next().unwrap();
        prop_assert_eq!(listed.lines().count(), steps.len());
        for line in listed.lines() {
            prop_assert!(line.matches('`').count() == 2 && line.ends_with('`'), "{}", line);
        }
    }
}
