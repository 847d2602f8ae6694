use std::collections::BTreeMap;

use memlith::{
    Caller, Ledger, Options, Question,
    copy::{Format, ImportOptions},
};

use super::*;

fn bytes(seed: u64, events: u64, until: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    Workload::new(seed, events, until).read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn equal_seeds_give_equal_bytes_and_others_do_not() {
    let once = bytes(42, 300, 300);
    assert_eq!(once, bytes(42, 300, 300));
    assert_ne!(once, bytes(43, 300, 300));
    // A figure belongs to these bytes: whoever changes them raises the version.
    assert_eq!(WORKLOAD_VERSION, 1);
    let digest: String = Sha256::digest(&once).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, "ce94f9d0bcfd6db73be1a74475b4864c77eda3870f25d824690b1071d7a4b1d2");
}

#[test]
fn a_shorter_log_is_the_start_of_a_longer_one() {
    let (short, long) = (bytes(42, 300, 200), bytes(42, 300, 300));
    assert!(long.starts_with(&short) && long.len() > short.len());
}

#[test]
fn the_mix_and_the_length_are_those_of_the_documented_workload() {
    let log = String::from_utf8(bytes(42, 10_000, 10_000)).unwrap();
    let mean = log.len() / 10_000;
    assert!((1_030..=1_050).contains(&mean), "{mean} bytes a line");
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for line in log.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        *counts.entry(event["type"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let mut before = 0;
    for kind in &KINDS {
        let (expected, found) = ((kind.until - before) * 100, counts[kind.name]);
        assert!(found.abs_diff(expected) < 40 + expected / 10, "{}: {found}", kind.name);
        before = kind.until;
    }
    assert!(log.lines().last().unwrap().contains("\"timestamp\":\"2026-07-15T23:5"));
    assert_eq!(Workload::end().to_string(), "2026-07-16T00:00:00Z");
}

#[test]
fn the_engine_imports_every_event_and_finds_its_words() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = Ledger::create(dir.path().join("ledger"), Options::default()).unwrap();
    let log = bytes(42, 600, 600);
    let report =
        ledger.import(Format::Eventloom, log.as_slice(), ImportOptions::default()).unwrap();
    assert_eq!(report.skipped, BTreeMap::new());
    assert_eq!(report.dialects.values().sum::<u64>(), 600);
    // Each of the three sessions is begun and ended.
    assert_eq!(report.added, 606);
    let vocabulary = Vocabulary::new(&mut Random::new(42));
    let query = Question { query: vocabulary.ranked(50).to_owned(), as_of: None };
    let found = ledger.recall(&Caller::user("default", "bench"), &query, 5).unwrap();
    assert_eq!(found.len(), 5);
}

#[test]
fn what_goes_on_is_a_file_of_its_own_with_other_events() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = Ledger::create(dir.path(), Options::default()).unwrap();
    let mut workload = Workload::new(42, 300, 200);
    let mut import = || {
        let lines = std::io::BufReader::new(&mut workload);
        let report = ledger.import(Format::Eventloom, lines, ImportOptions::default()).unwrap();
        workload.go_on(200);
        (report.added, report.already_present)
    };
    // Sessions begin and end with each file; the first one has begun already in the second.
    assert_eq!([import(), import(), import()], [(200 + 2, 0), (100 + 3, 1), (0, 0)]);
}
