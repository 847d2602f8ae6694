//! The mechanical files and the handbook, byte for byte as the format has them.

use memlith::{Seq, Timestamp};
use memlith_folder::{
    Config, Ending, Form, Inputs, Part, Request, Session, Statement, Work, Written, render,
};

use crate::sample::{NOON, config, files};

/// Two sessions that a first phase wrote of, and one that was read of a ledger.
fn inputs() -> Inputs {
    let written = |raw_memory: &str, summary: &str| {
        Some(Written { raw_memory: raw_memory.to_owned(), summary: summary.to_owned() })
    };
    let sessions = vec![
        Session {
            thread: "thread-a".to_owned(),
            updated_at: NOON,
            directory: "/home/ana/logeng".to_owned(),
            transcript: "/home/ana/a.jsonl".to_owned(),
            title: "Read the manual".to_owned(),
            written: written("\n---\ndescription: x\n---\n\n", "# One\n\nOutcome: success\n"),
            ..Session::default()
        },
        Session {
            thread: "0194f5a6-89ab-7cde-8123-456789abcdef".to_owned(),
            updated_at: NOON.plus_us(-Timestamp::DAY_US),
            directory: "/home/ana/site".to_owned(),
            transcript: "/home/ana/b.jsonl".to_owned(),
            branch: Some("main".to_owned()),
            slug: Some("Build & Ship".to_owned()),
            title: "Build the site".to_owned(),
            written: written("raw b", "# Two"),
            ..Session::default()
        },
        Session {
            thread: "c".to_owned(),
            updated_at: NOON.plus_us(Timestamp::DAY_US),
            directory: "/home/ana/logeng".to_owned(),
            transcript: "/home/ana/c.jsonl".to_owned(),
            title: "Mend the flaky test".to_owned(),
            outcome: Ending::Success,
            work: Work::Coding,
            keywords: vec!["mmap".to_owned()],
            requests: vec![Request { id: "mem_1_a".to_owned(), text: "mend it\nnow".to_owned() }],
            ..Session::default()
        },
    ];
    let statement = |part, text: &str, threads: &[&str]| Statement {
        id: format!("mem_{}", text.len()),
        part,
        text: text.to_owned(),
        threads: threads.iter().map(|one| (*one).to_owned()).collect(),
        at: NOON,
        ..Statement::default()
    };
    let statements = vec![
        statement(Part::Preference, "show the failing assert first", &["c", "thread-a"]),
        statement(Part::Failure, "`cargo test` fails, then `cargo fmt` mends it", &["c"]),
        Statement {
            is_contested: true,
            newer: None,
            ..statement(Part::Knowledge, "pages are 4 KiB", &["thread-a"])
        },
    ];
    Inputs { view: Seq(9), sessions, statements, procedures: Vec::new() }
}

const RAW: &str = "# Raw Memories

Merged stage-1 raw memories (stable ascending thread-id order):

## Thread `0194f5a6-89ab-7cde-8123-456789abcdef`
updated_at: 2026-04-30T12:00:00+00:00
cwd: /home/ana/site
rollout_path: /home/ana/b.jsonl
rollout_summary_file: 2025-02-11T15-35-19-jqmb-build___ship.md

raw b

## Thread `c`
updated_at: 2026-05-02T12:00:00+00:00
cwd: /home/ana/logeng
rollout_path: /home/ana/c.jsonl
rollout_summary_file: 2026-05-02T12-00-00-001B-mend_the_flaky_test.md

---
description: Mend the flaky test, success; 2 statement(s) kept
task: Mend the flaky test
task_group: /home/ana/logeng
task_outcome: success
cwd: /home/ana/logeng
keywords: mmap
---

### Task 1: Mend the flaky test

task: Mend the flaky test
task_group: /home/ana/logeng
task_outcome: success

Preference signals:
- show the failing assert first

Failures and how to do differently:
- `cargo test` fails, then `cargo fmt` mends it

## Thread `thread-a`
updated_at: 2026-05-01T12:00:00+00:00
cwd: /home/ana/logeng
rollout_path: /home/ana/a.jsonl
rollout_summary_file: 2026-05-01T12-00-00-Jb1I.md

---
description: x
---

";

const HANDBOOK: &str = "# Task Group: logeng

scope: 2 task(s) in /home/ana/logeng, 2026-05-01 to 2026-05-02
applies_to: cwd=/home/ana/logeng; reuse_rule=re-check paths and versions elsewhere

## Task 1: Mend the flaky test, success

### rollout_summary_files

- rollout_summaries/2026-05-02T12-00-00-001B-mend_the_flaky_test.md (cwd=/home/ana/logeng, rollout_path=/home/ana/c.jsonl, updated_at=2026-05-02T12:00:00+00:00, thread_id=c, success)

### keywords

- mmap, cargo test, cargo fmt, logeng, flaky

## Task 2: Read the manual, uncertain

### rollout_summary_files

- rollout_summaries/2026-05-01T12-00-00-Jb1I.md (cwd=/home/ana/logeng, rollout_path=/home/ana/a.jsonl, updated_at=2026-05-01T12:00:00+00:00, thread_id=thread-a, uncertain)

### keywords

- logeng, manual

## User preferences

- show the failing assert first [Task 1][Task 2]

## Reusable knowledge

- pages are 4 KiB (uncertain: something of equal standing says otherwise) [Task 2]

## Failures and how to do differently

- `cargo test` fails, then `cargo fmt` mends it [Task 1]

# Task Group: site

scope: 1 task(s) in /home/ana/site, 2026-04-30 to 2026-04-30
applies_to: cwd=/home/ana/site; reuse_rule=re-check paths and versions elsewhere

## Task 1: Build the site, uncertain

### rollout_summary_files

- rollout_summaries/2025-02-11T15-35-19-jqmb-build___ship.md (cwd=/home/ana/site, rollout_path=/home/ana/b.jsonl, updated_at=2026-04-30T12:00:00+00:00, thread_id=0194f5a6-89ab-7cde-8123-456789abcdef, uncertain)

### keywords

- site, Build
";

const SUMMARY: &str = "v1

## User Profile

- 3 session(s) in 2 directories from 2026-04-30 to 2026-05-02, most of them in /home/ana/logeng (2), /home/ana/site (1).

## User preferences

- show the failing assert first (2 sessions; cwd=/home/ana/logeng)

## General Tips


## What's in Memory

### /home/ana/logeng

#### 2026-05-02

- logeng: mmap, cargo test, cargo fmt, logeng, flaky
  - desc: Mend the flaky test; Read the manual; cwd=/home/ana/logeng
  - learnings: `cargo test` fails, then `cargo fmt` mends it

### /home/ana/site

#### 2026-04-30

- site: site, Build
  - desc: Build the site; cwd=/home/ana/site
  - learnings: see MEMORY.md
";

const SESSION: &str = "thread_id: c
updated_at: 2026-05-02T12:00:00+00:00
rollout_path: /home/ana/c.jsonl
cwd: /home/ana/logeng

# Mend the flaky test

Rollout context: code was run or changed; 1 request(s)

## Task 1: Mend the flaky test

Outcome: success

Key steps:
- asked: mend it now

Preference signals:
- show the failing assert first

Failures and how to do differently:
- `cargo test` fails, then `cargo fmt` mends it
";

#[test]
fn the_files_are_those_of_the_format() {
    let files = files(&render(&inputs(), &config()));
    assert_eq!(files["raw_memories.md"], RAW);
    assert_eq!(files["MEMORY.md"], HANDBOOK);
    assert_eq!(files["memory_summary.md"], SUMMARY);
    let session = "rollout_summaries/2026-05-02T12-00-00-001B-mend_the_flaky_test.md";
    assert_eq!(files[session], SESSION);
    // What a first phase wrote stays as it is, and ends with a line feed.
    assert_eq!(
        files["rollout_summaries/2025-02-11T15-35-19-jqmb-build___ship.md"],
        "thread_id: 0194f5a6-89ab-7cde-8123-456789abcdef\nupdated_at: 2026-04-30T12:00:00+00:00\n\
         rollout_path: /home/ana/b.jsonl\ncwd: /home/ana/site\ngit_branch: main\n\n# Two\n"
    );
    assert!(files["rollout_summaries/2026-05-01T12-00-00-Jb1I.md"].ends_with("success\n\n"));
    assert_eq!(files.len(), 6);
}

#[test]
fn the_form_before_has_its_own_head_and_order() {
    let files = files(&render(&inputs(), &Config { form: Form::Seed, ..config() }));
    let raw = &files["raw_memories.md"];
    assert!(raw.starts_with("# Raw Memories\n\nMerged stage-1 raw memories (latest first):\n\n"));
    let threads: Vec<&str> =
        raw.lines().filter_map(|line| line.strip_prefix("## Thread ")).collect();
    assert_eq!(threads, ["`c`", "`thread-a`", "`0194f5a6-89ab-7cde-8123-456789abcdef`"]);
    assert!(files["memory_summary.md"].starts_with("## User Profile\n"));
}

#[test]
fn an_empty_ledger_gives_an_empty_folder() {
    let files = files(&render(&Inputs::default(), &config()));
    assert_eq!(files["raw_memories.md"], "# Raw Memories\n\nNo raw memories yet.\n");
    assert_eq!(files["MEMORY.md"], "");
    assert_eq!(
        files["memory_summary.md"],
        "v1\n\n## User Profile\n\n- Nothing is known yet.\n\n## User preferences\n\n\n\
         ## General Tips\n\n\n## What's in Memory\n"
    );
}
