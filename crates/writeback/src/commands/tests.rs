use memlith::{Seq, Timestamp};

use super::*;

fn turn(number: u64, what: What) -> Turn {
    let id = RecordId { seq: Seq(number), ..RecordId::default() };
    Turn { id, occurred_at: Timestamp(0), what }
}

/// Turns of a script: `+ command` went well, `- command` failed, `! words` the person said,
/// `. words` the assistant, `* file` was edited.
fn script(lines: &[&str]) -> Vec<Turn> {
    let tool = |name: &str, key: &str, value: &str, ok| What::Tool {
        name: name.to_owned(),
        arguments: serde_json::json!({ key: value }).to_string(),
        output: String::new(),
        ok: Some(ok),
    };
    let one = |(number, line): (u64, &&str)| {
        let (sign, words) = line.split_once(' ').unwrap();
        let what = match sign {
            "+" => tool("Bash", "command", words, true),
            "-" => tool("Bash", "command", words, false),
            "*" => tool("Edit", "file_path", words, true),
            "!" => What::User(words.to_owned()),
            _ => What::Assistant(words.to_owned()),
        };
        turn(number, what)
    };
    (1..).zip(lines).map(one).collect()
}

#[test]
fn what_mended_a_failure_and_what_is_run_again_and_again_are_patterns() {
    let cases: [(&[&str], &[&[&str]]); 15] = [
        // Mended.
        (
            &["- cargo test", ". serde is missing", "+ cargo add serde", "+ cargo test"],
            &[&["cargo add serde", "cargo test"]],
        ),
        (&["- npm run e2e", "+ pnpm run e2e"], &[&["pnpm run e2e"]]),
        (&["- python -m venv x", "+ python3 -m venv x"], &[&["python3 -m venv x"]]),
        (
            &["- make test", "+ docker compose up -d", "+ make migrate", "+ make test"],
            &[&["docker compose up -d", "make migrate", "make test"]],
        ),
        // Something else may have mended it, or nothing did.
        (&["- cargo test", "* src/lib.rs", "+ cargo test"], &[]),
        (&["- cargo test", "+ cargo add serde", "* src/lib.rs", "+ cargo test"], &[]),
        (&["- cargo test", "+ cargo add serde", "! I fixed it", "+ cargo test"], &[]),
        (&["- cargo test", "! I fixed the port", "+ cargo test"], &[]),
        (&["- cargo test", "+ cargo test"], &[]),
        (&["- cargo test", "+ cargo add serde", "- cargo test"], &[]),
        (&["- cargo test", "+ sed -i s/a/b/ src/lib.rs", "+ cargo test"], &[]),
        (&["- cat src/a.rs", "+ head src/a.rs"], &[]),
        // Repeated.
        (&["+ make test", "* a", "+ make test", "! go on", "+ make test"], &[&["make test"]]),
        (&["+ make test", "+ make test", "- make test"], &[]),
        (&["+ git status", "+ git status", "+ git status"], &[]),
    ];
    for (lines, expected) in cases {
        let found = patterns(&script(lines));
        let steps: Vec<&[String]> = found.iter().map(|one| one.steps.as_slice()).collect();
        assert_eq!(steps, expected, "{lines:?}");
        assert!(found.iter().all(|one| one.verified == Some(true) && !one.evidence.is_empty()));
    }
}

#[test]
fn a_lesson_rests_on_the_failure_too_and_there_are_at_most_three() {
    let lesson = ["- cargo test", "+ cargo add serde", "+ cargo test"];
    let found = patterns(&script(&lesson));
    let rests_on: Vec<Seq> = found[0].evidence.iter().map(|id| id.seq).collect();
    assert_eq!(rests_on, [Seq(1), Seq(2), Seq(3)]);
    assert_eq!(found[0].trigger, "`cargo test` fails");
    let again = [lesson, lesson].concat();
    assert_eq!(patterns(&script(&again)).len(), 1);
    let lines: Vec<String> =
        (0..5).flat_map(|n| [format!("- a{n} x"), format!("+ b{n} x")]).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(patterns(&script(&lines)).len(), PATTERNS_MAX);
}

#[test]
fn tests_are_run_by_commands_whose_end_is_theirs() {
    let runs =
        |command: &str| runs_tests("Bash", &serde_json::json!({ "command": command }).to_string());
    for command in ["cargo test -q", "cd web && pnpm test", "pytest tests/a.py", "go test ./..."] {
        assert!(runs(command), "{command}");
    }
    for command in [
        "git commit -m 'run pytest in CI'",
        "grep -rn jest package.json",
        "cargo test | tail -5",
        "cargo test; true",
        "cargo test || true",
        "cargo test && git push",
        "cargo test --no-run",
        "cargo test --help",
        "pytestify",
        "cargo test &",
    ] {
        assert!(!runs(command), "{command}");
    }
    assert!(!runs_tests("Read", "cargo test") && runs_tests("Bash", "cargo test"));
    let line = "curl -H [REDACTED:token] x";
    assert_eq!(command_of("Bash", line), None);
}
