//! The commands of the README do what they are shown for.

use crate::harness::{Desk, Run};

const README: &str = include_str!("../../../../README.md");

/// The id that stands for whichever a reader gets.
const EXAMPLE: &str = "mem_2_0a1b2c3d4e5f";

/// The commands of each block of code in the section "Use it" that runs the program.
fn blocks() -> Vec<Vec<&'static str>> {
    let (_, section) = README.split_once("## Use it\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let blocks = section.split("```sh\n").skip(1);
    let blocks = blocks.map(|block| block.split_once("```").unwrap().0.lines().collect());
    blocks
        .filter(|block: &Vec<&str>| block.iter().all(|line| line.starts_with("memlith ")))
        .collect()
}

/// Runs a line; gives what it printed.
fn run(desk: &Desk, line: &str) -> String {
    run_whole(desk, line).out
}

fn run_whole(desk: &Desk, line: &str) -> Run {
    let home = desk.path().to_str().unwrap();
    let words = shlex::split(line).unwrap();
    let words: Vec<String> = words.iter().skip(1).map(|word| word.replace('~', home)).collect();
    desk.ok(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A transcript without what differs from run to run: hashes and instants.
fn masked(text: &str) -> String {
    let is_word = |char: char| char.is_ascii_alphanumeric() || "-:.".contains(char);
    let mut masked = String::new();
    for part in text.split_inclusive(|char| !is_word(char)) {
        let word = part.trim_end_matches(|char| !is_word(char) || char == ':');
        let is_hash = word.len() >= 12 && word.chars().all(|char| char.is_ascii_hexdigit());
        let is_instant = word.len() >= 20 && word.ends_with('Z') && word.starts_with("20");
        let has_digits = |len: usize, mark: char| {
            word.len() == len
                && word.contains(mark)
                && word.chars().all(|char| char.is_ascii_digit() || char == mark)
        };
        let is_time = is_instant || has_digits(10, '-') || has_digits(5, ':');
        masked.push_str(if is_hash || is_time { "*" } else { word });
        masked.push_str(part.get(word.len()..).unwrap());
    }
    masked
}

#[test]
fn the_picture_of_a_run_is_what_the_program_prints() {
    let (_, picture) = README.split_once("```console\n").unwrap();
    let (picture, _) = picture.split_once("```").unwrap();
    let desk = Desk::empty();
    let mut shown = String::new();
    for line in picture.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let Run { out, err, .. } = run_whole(&desk, line);
        shown.push_str(&format!("$ {line}\n{out}{err}"));
    }
    assert_eq!(masked(picture), masked(&shown), "run docs/picture.sh");
}

#[test]
fn what_the_readme_shows_works_in_an_empty_folder() {
    // The second command read the sessions of a program that not everybody has, and failed.
    let desk = Desk::empty();
    let [first, ..] = &blocks()[..] else { panic!("the README shows no use") };
    assert!(first.len() >= 5, "{first:?}");
    let mut id = None;
    for line in first {
        let line = line.replace(EXAMPLE, id.as_deref().unwrap_or(EXAMPLE));
        let out = run(&desk, &line);
        let mut words = out.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'));
        id = id.or_else(|| words.find(|word| word.starts_with("mem_")).map(str::to_owned));
    }
    assert!(first.iter().any(|line| line.contains(EXAMPLE)), "{first:?}");
}

#[test]
fn transcripts_are_taken_in_as_the_readme_shows_where_there_are_any() {
    let desk = Desk::new();
    let claude = r#"{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-05-01T12:00:00Z","message":{"role":"user","content":"tea is ready"}}"#;
    let codex = concat!(
        r#"{"timestamp":"2026-05-01T12:00:00Z","type":"session_meta","payload":{"id":"c"}}"#,
        "\n",
        r#"{"timestamp":"2026-05-01T12:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":"coffee is ready"}}"#,
    );
    for (file, text) in
        [(".claude/projects/shop/a.jsonl", claude), (".codex/sessions/2026/b.jsonl", codex)]
    {
        let file = desk.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let blocks = blocks();
    let lines: Vec<_> = blocks.iter().skip(1).flatten().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for line in lines {
        // A start, a turn, and an end that is long past.
        assert!(run(&desk, line).starts_with("3 added"), "{line}");
        assert!(run(&desk, line).starts_with("0 added"), "{line}");
    }
}
