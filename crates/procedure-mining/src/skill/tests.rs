use proptest::prelude::*;
use yaml_rust2::{Yaml, YamlLoader};

use super::*;
use crate::{Bits, Confidence, ProcedureId, ProcedureStep, Trials};

fn candidate(steps: &[(&str, &str)], deviations: Vec<Deviation>) -> Candidate {
    let told = |(verb, parameters): &(&str, &str)| ProcedureStep {
        verb: (*verb).to_owned(),
        parameters: (*parameters).to_owned(),
    };
    let run = |session: usize| Occurrence {
        session,
        steps: (0..steps.len() as u64).map(|step| Some(Seq(session as u64 * 100 + step))).collect(),
    };
    let trials = Trials { succeeded: 9, failed: 1 };
    Candidate {
        id: ProcedureId::of(steps.iter().map(|(verb, _)| *verb)),
        steps: steps.iter().map(told).collect(),
        runs: (0..10).map(run).collect(),
        failed_runs: vec![run(10), run(11)],
        support: 10,
        complete: 8,
        trials,
        confidence: Confidence::of(trials),
        evidence: Bits::whole(100),
        deviations,
    }
}

fn cite(seq: Seq) -> Option<String> {
    Some(format!("memlith://l/{}#00", seq.0))
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
    let deviation =
        |kind| Deviation { step: 1, kind, failed: 2, others: 0, sources: vec![(10, Seq(1001))] };
    let by = "git push".to_owned();
    let candidate = candidate(
        &[("cargo fmt", ""), ("cargo test", "-p <word>"), ("git commit", "-m <text>")],
        vec![
            deviation(DeviationKind::LeftOut),
            deviation(DeviationKind::Replaced { by: by.clone() }),
            deviation(DeviationKind::Extra { verb: by }),
            deviation(DeviationKind::OutOfOrder),
            deviation(DeviationKind::WentWrong),
        ],
    );
    let skill = Skill::of(&candidate, &cite);
    assert_eq!(skill.name, format!("cargo-fmt-git-commit-{}", &candidate.id.to_string()[..8]));
    let (front, body) = parsed(&skill.text);
    assert_eq!(front["name"].as_str(), Some(skill.name.as_str()));
    assert_eq!(front["metadata"]["memlith-procedure"].as_str(), Some(&*candidate.id.to_string()));
    assert_eq!(front["metadata"]["memlith-confidence"].as_str(), Some("0.595843"));
    assert_eq!(front["metadata"]["memlith-support"].as_str(), Some("10"));
    let sources = front["metadata"]["memlith-sources"].as_str().unwrap();
    assert_eq!(sources.split(' ').count(), SOURCES_MAX);
    assert!(sources.starts_with("memlith://l/0#00 memlith://l/100#00 "));
    let expected = "
# From cargo fmt to git commit

Followed in 10 sessions, in 8 of them step by step. It is known to have gone well in 9, and not in 1.

## Steps

1. `cargo fmt`
2. `cargo test -p <word>`
3. `git commit -m <text>`

## What failed runs did otherwise

- Step 2: 2 of 2 failed runs left out `cargo test`; 0 of 10 others did (`memlith://l/1001#00`).
- Step 2: 2 of 2 failed runs did `git push` in place of `cargo test`; 0 of 10 others did (`memlith://l/1001#00`).
- Step 2: 2 of 2 failed runs did `git push` before `cargo test`; 0 of 10 others did (`memlith://l/1001#00`).
- Step 2: 2 of 2 failed runs did `cargo test` at another place; 0 of 10 others did (`memlith://l/1001#00`).
- Step 2: 2 of 2 failed runs did `cargo test`, which went wrong; 0 of 10 others did (`memlith://l/1001#00`).
";
    assert_eq!(body, expected);
}

// A verb without a letter left the name to the identity alone, of which one in forty has
// eight digits: YAML read a number.
#[test]
fn a_name_of_digits_is_a_text() {
    let verbs = (0..1000).map(|number| format!("\u{e9}{number}"));
    let names = verbs.map(|verb| {
        let mut candidate = candidate(&[(&verb, "")], Vec::new());
        candidate.steps[0].verb = "\u{e9}".to_owned();
        Skill::of(&candidate, &cite)
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
    let skill = Skill::of(&candidate(&[("a", ""), ("b", "")], Vec::new()), &|_| None);
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
        let kind = DeviationKind::Replaced { by: other.clone() };
        let deviation = Deviation { step: 0, kind, failed: 1, others: 0, sources: vec![(0, Seq(7))] };
        let candidate = candidate(&steps, vec![deviation]);
        let skill = Skill::of(&candidate, &|_| Some(other.clone()));
        prop_assert!(is_name(&skill.name), "{}", skill.name);
        prop_assert!(skill.text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)));
        let (front, body) = parsed(&skill.text);
        prop_assert_eq!(front["name"].as_str(), Some(skill.name.as_str()));
        let described = front["description"].as_str().unwrap();
        prop_assert_eq!(described, description(&candidate));
        prop_assert!((1..=1024).contains(&described.chars().count()));
        prop_assert_eq!(front.as_hash().unwrap().len(), 3);
        prop_assert_eq!(front["metadata"].as_hash().unwrap().len(), 4);
        let sources = front["metadata"]["memlith-sources"].as_str().unwrap();
        prop_assert_eq!(sources, vec![other; SOURCES_MAX].join(" "));
        // A line a step, each a code span that ends where the line does.
        let listed = body.split("## Steps\n\n").nth(1).unwrap().split("\n\n").next().unwrap();
        prop_assert_eq!(listed.lines().count(), steps.len());
        for line in listed.lines() {
            prop_assert!(line.matches('`').count() == 2 && line.ends_with('`'), "{}", line);
        }
    }
}
