use memlith::{
    Ledger, Options,
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
