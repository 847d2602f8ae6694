//! A ledger of which a file is gone.

use std::fs;

use memlith::{Error, Ledger, Options};

use crate::world::say;

#[test]
fn a_ledger_without_its_segment_is_damaged_and_nothing_is_made_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let ledger = Ledger::create(&path, Options::default()).unwrap();
    say(&ledger, "The safe is in the cellar.");
    ledger.close().unwrap();
    for entry in fs::read_dir(&path).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().starts_with("seg-") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    for outcome in
        [Ledger::open(&path, Options::default()), Ledger::create(&path, Options::default())]
    {
        match outcome {
            Err(Error::Log(error)) => assert!(error.is_integrity(), "{error}"),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("a ledger was made over the remains of another"),
        }
    }
}
