//! The transcript in `docs/audit.md` is what its commands print.
//!
//! Ids, hashes and times differ from run to run: each of the page's stands for one of the run's,
//! the same one wherever it occurs, in commands too.

use std::collections::BTreeMap;

use memlith::Timestamp;

use crate::harness::{BINARY, Desk, Run};

const PAGE: &str = include_str!("../../../../docs/audit.md");

/// A command of the page and what it prints there.
struct Step {
    command: String,
    printed: Vec<String>,
}

fn steps() -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in PAGE.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => inside = line == "```console",
            Some(command) if inside => {
                steps.push(Step { command: command.to_owned(), printed: Vec::new() });
            }
            _ if inside => steps.last_mut().unwrap().printed.push(line.to_owned()),
            _ => {}
        }
    }
    steps
}

/// Runs a command as a person does, in a shell, both outputs together.
fn paste(desk: &Desk, command: &str) -> Run {
    let script = format!("exec 2>&1; memlith() {{ \"{BINARY}\" \"$@\"; }}; {command}");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(desk.path()).env_clear().env("USER", "ana");
    Run::of(shell.env("PATH", "/usr/bin:/bin").output().unwrap())
}

/// The line in pieces: words of letters, digits and `_`, and the characters between; a time is
/// one piece.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    for word in line.split_inclusive(' ') {
        let bare = word.trim_end_matches([' ', ',', ':', ')', ';']);
        // A pack tells the day and the minute, a word each.
        let is_time = |text: &str| text.parse::<Timestamp>().is_ok();
        let is_day = bare.len() == 10 && is_time(&format!("{bare}T00:00:00Z"));
        let is_minute = bare.len() == 5 && is_time(&format!("2026-01-01T{bare}:00Z"));
        if is_day || is_minute || is_time(bare) {
            pieces.push("TIME".to_owned());
            pieces.push(word[bare.len()..].to_owned());
            continue;
        }
        for c in word.chars() {
            let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            match pieces.last_mut() {
                Some(last) if in_word(c) && last.chars().all(in_word) => last.push(c),
                _ => pieces.push(c.to_string()),
            }
        }
    }
    pieces
}

/// Returns the part of a piece before its hash, if it ends in one: these differ from run to run.
fn varies(piece: &str) -> Option<&str> {
    let (rest, hash) = piece.rsplit_once('_').unwrap_or(("", piece));
    let is_hash = hash.len() >= 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then_some(rest)
}

#[test]
fn the_page_prints_what_its_commands_print() {
    let desk = Desk::empty();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let steps = steps();
    assert!(steps.len() >= 8, "the page has its transcript");
    for Step { command, printed } in steps {
        let mut here = command.clone();
        for (page, own) in &known {
            here = here.replace(page, own);
        }
        let run = paste(&desk, &here);
        assert_eq!(run.code, 0, "{command}: {run:?}");
        let lines: Vec<&str> = run.out.lines().collect();
        assert_eq!(lines.len(), printed.len(), "{command}: {}", run.out);
        for (own, page) in lines.into_iter().zip(&printed) {
            let (own, page) = (pieces(own), pieces(page));
            assert_eq!(own.len(), page.len(), "{command}: {own:?} {page:?}");
            for (own, page) in own.into_iter().zip(page) {
                match (varies(&own), varies(&page)) {
                    (Some(a), Some(b)) if a == b && own.len() == page.len() => {
                        let same = known.entry(page.clone()).or_insert_with(|| own.clone());
                        assert_eq!(*same, own, "{command}: {page} stands for two");
                    }
                    _ => assert_eq!(own, page, "{command}"),
                }
            }
        }
    }
}
