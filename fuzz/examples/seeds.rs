//! Writes the seeds that follow from the formats: those of `frame`, `mark`,
//! `checkpoint_file`, `run_file`, `import_jsonl`, `operations`, `command_line` and of the transcripts.
//!
//! ```text
//! cargo run --manifest-path fuzz/Cargo.toml --example seeds
//! ```
//!
//! A change of a format is followed by a run of it; without one it changes no file.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use memlith::{
    Caller, Change, Ledger, Options, Remember, Timestamp,
    storage::{Env, FixedClock, MemoryDisk, SeededRng},
};
use serde_json::Value;

fn main() {
    frames();
    marks();
    checkpoints();
    export();
    sessions();
    command_lines();
    transcripts();
}

fn write(target: &str, name: &str, bytes: impl AsRef<[u8]>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), bytes).unwrap();
}

/// One frame of each state that the seeds of `segment` hold, with everything made right.
fn frames() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/segment");
    let mut states = BTreeSet::new();
    for name in ["golden", "erased"] {
        let file = fs::read(folder.join(name)).unwrap();
        let (header, mut frames) = file[1..].split_at(128);
        while frames.starts_with(b"MLF1") {
            let len = u32::from_le_bytes(frames[8..12].try_into().unwrap()) as usize;
            let (frame, rest) = frames.split_at(len);
            frames = rest;
            let state = match (frame[16], frame[76]) {
                (0, 0) => "genesis",
                (0, 1..64) => "of-the-log",
                (0, _) => "present",
                _ => "erased",
            };
            if states.insert(state) {
                write("frame", state, [&[3], &header[60..64], frame].concat());
            }
        }
    }
}

/// Two slots of which the target makes checksum, ledger and chain right.
fn marks() {
    let slot = |seq: u64, epoch: u64| {
        let mut slot = b"MLK1".to_vec();
        slot.resize(24, 0);
        slot.extend([seq.to_le_bytes(), epoch.to_le_bytes()].concat());
        slot.resize(128, 0);
        slot
    };
    let empty = || vec![0; 128];
    write("mark", "first", [vec![63], slot(1, 1), empty()].concat());
    write("mark", "both", [vec![63], slot(3, 7), slot(4, 8)].concat());
    write("mark", "turned", [vec![63], slot(3, 9), slot(1, 8)].concat());
    write("mark", "ahead", [vec![63 | 64], slot(4, 9), empty()].concat());
}

/// A memory that was invalidated, without what the lines repeat for people.
fn export() {
    let env = Env {
        storage: Arc::new(MemoryDisk::new().process()),
        clock: Arc::new(FixedClock::new(Timestamp(1_777_640_400_000_000))),
        rng: Arc::new(SeededRng::new(1)),
    };
    let ledger = Ledger::create_in(env, Options::default()).unwrap();
    let ana = Caller::user("default", "ana");
    let note = Remember { text: "Postgres 15".into(), ..Remember::default() };
    let id = ledger.remember(&ana, note).unwrap().id;
    let wrong = Change::Invalidate { weight: None, reason: None };
    ledger.change(&ana, wrong, &[id]).unwrap();
    let mut export = Vec::new();
    ledger.export_jsonl(&mut export).unwrap();
    let mut lines = String::new();
    for line in export.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let mut line: Value = serde_json::from_slice(line).unwrap();
        if let Some(line) = line.as_object_mut() {
            line.remove("log");
        }
        lines.push_str(&format!("{line}\n"));
    }
    write("import_jsonl", "small", lines);
}

/// A checkpoint of two runs, and both of them.
fn checkpoints() {
    let disk = MemoryDisk::new();
    let env = Env {
        storage: Arc::new(disk.process()),
        clock: Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000))),
        rng: Arc::new(SeededRng::new(5)),
    };
    let options = Options { stride_records: 4, ..Options::default() };
    let ledger = Ledger::create_in(env, options).unwrap();
    let ana = Caller::user("default", "ana");
    for text in ["The port of staging is 5432.", "Ana lives in Pune.", "The cat is called Momo."] {
        let remember = Remember { text: text.to_owned(), ..Remember::default() };
        ledger.remember(&ana, remember).unwrap();
    }
    ledger.checkpoint().unwrap();
    let run_prefix = format!("run-{}-", memlith::audit::FOLD_VERSION);
    for name in disk.names() {
        let bytes = [&[0], &disk.bytes(&name).unwrap()[..]].concat();
        if name.starts_with("ckpt-") {
            write("checkpoint_file", "state", bytes);
        } else if let Some(run) = name.strip_prefix(&run_prefix) {
            let first = run.split('-').next().unwrap_or_default();
            write("run_file", &format!("from-{first}"), bytes);
        }
    }
}

/// Sessions of a few steps; the numbers of the kinds are the target's.
fn sessions() {
    let of = |steps: &[[u8; 3]]| [vec![1, 0, 0, 0], steps.concat()].concat();
    write("operations", "invalidate", of(&[[0, 1, 0], [4, 0, 0], [7, 0, 1], [5, 0, 0]]));
    write("operations", "checkpoint", of(&[[0, 1, 0], [10, 0, 0], [11, 0, 1], [7, 0, 1]]));
    let kept = [[0, 1, 0], [4, 0, 0], [10, 0, 0], [12, 0, 1], [7, 0, 1]];
    write("operations", "invalidate-checkpoint", of(&kept));
    write("operations", "erase", of(&[[0, 1, 0], [0, 2, 1], [6, 0, 0], [17, 0, 0]]));
    write("operations", "cut", of(&[[0, 1, 0], [12, 1, 0], [0, 2, 0], [15, 3, 7], [9, 0, 0]]));
    write("operations", "fault", of(&[[0, 1, 0], [16, 2, 3], [1, 0, 0], [2, 0, 1], [14, 0, 0]]));
}

fn command_lines() {
    for (name, line) in [
        ("remember", "--as\nuser:ana\nremember\n--entity\nstaging\nIt runs Postgres."),
        ("checkout", "checkout\nwhich database?\n--budget-tokens\n500\n--json\n--as-of\n17"),
        ("scope", "--scope\ntenant=t,agent=*,session=s,session-only\nrecall\nq\n--limit\n3"),
        ("wait", "-q\n--lock-timeout\n200ms\nverify\n--full"),
        ("now", "--now\n2026-05-01\nexplain\nmem_17_0a1b2c3d4e5f"),
        ("audit", "audit\nreceipts\n--ledger=x"),
        ("import", "import\njsonl\na\nb\n-"),
    ] {
        write("command_line", name, line);
    }
}

/// The importers' fixtures in pieces: short inputs are tried many times as often.
fn transcripts() {
    const PIECE_MAX: usize = 1_500;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/import/tests/fixtures");
    for (target, name, first_lines) in [
        ("import_claude_code", "claude-code", 0),
        ("import_codex", "codex", 1),
        ("import_codex", "codex-older", 1),
    ] {
        let file = fs::read_to_string(folder.join(name).with_extension("jsonl")).unwrap();
        let (head, lines): (Vec<_>, Vec<_>) =
            file.split_inclusive('\n').enumerate().partition(|(at, _)| *at < first_lines);
        // Only its first lines say whose session it is.
        let head: String = head.into_iter().map(|(_, line)| line).collect();
        let mut pieces = vec![head.clone()];
        for (_, line) in lines {
            let is_full = pieces.last().is_none_or(|last| last.len() + line.len() > PIECE_MAX);
            if is_full {
                pieces.push(head.clone());
            }
            pieces.last_mut().unwrap().push_str(line);
        }
        for (number, piece) in pieces.iter().enumerate().filter(|(_, piece)| **piece != head) {
            write(target, &format!("{name}-{number}"), piece);
        }
    }
}
