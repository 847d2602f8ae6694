//! Files of a ledger that are deleted: whatever is left, nothing acknowledged is dropped in
//! silence, and nothing is made in their place.

use memlith_log::{Error, Fault, FaultKind, Level, Log, LogOptions, MemoryDisk, verify};

use crate::ledger::{append, bodies, env, small};

/// A closed ledger of three segments with a reserve, and what it holds.
fn ledger() -> (MemoryDisk, Vec<String>) {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), options()).unwrap();
    for n in 0..12 {
        append(&log, &[&format!("{n} {}", "r".repeat(600))]).unwrap();
    }
    let bodies = bodies(&log).unwrap();
    log.close().unwrap();
    assert_eq!(segments(&disk).len(), 3);
    (disk, bodies)
}

fn options() -> LogOptions {
    LogOptions { segment_lens: [4 << 10; 4], reserve_len: 8 << 10, ..small() }
}

fn segments(disk: &MemoryDisk) -> Vec<String> {
    disk.names().into_iter().filter(|name| name.starts_with("seg-")).collect()
}

fn delete(disk: &MemoryDisk, names: &[&String]) -> MemoryDisk {
    let disk = disk.after_kill();
    names.iter().for_each(|name| disk.delete(name));
    disk
}

/// The files that hold anything: opening makes the lock anew.
fn with_content(disk: &MemoryDisk) -> Vec<String> {
    disk.names().into_iter().filter(|name| !name.starts_with("LOCK")).collect()
}

#[test]
fn no_two_files_can_be_deleted_without_a_trace() {
    let (disk, expected) = ledger();
    let names = disk.names();
    for (at, first) in names.iter().enumerate() {
        for second in &names[at..] {
            let case = format!("{first} and {second} deleted");
            let disk = delete(&disk, &[first, second]);
            let gone = [first, second].iter().any(|name| name.starts_with("seg-"));
            let before = with_content(&disk);
            let opened = Log::open(env(&disk), options());
            let created = Log::create(env(&disk), options());
            if !gone {
                let log = opened.unwrap();
                assert_eq!(bodies(&log).unwrap(), expected, "{case}");
                assert!(matches!(created, Err(Error::AlreadyExists { .. })), "{case}");
                continue;
            }
            let refused = opened.err().unwrap_or_else(|| panic!("{case}: opened"));
            assert!(refused.is_integrity(), "{case}: {refused}");
            assert!(created.is_err(), "{case}: created");
            assert_eq!(with_content(&disk), before, "{case}: the folder was changed");
            match verify(&env(&disk), Level::Sealed) {
                Ok(report) => assert!(!report.is_ok(), "{case}"),
                Err(error) => assert!(error.is_integrity(), "{case}: {error}"),
            }
        }
    }
}

#[test]
fn each_kind_of_file_alone_shows_that_there_was_a_ledger() {
    let evidence = [
        ("mark", 8_192),
        ("LOCK", 40),
        ("LOCK.next", 0),
        ("reserve", 8 << 10),
        ("seg-0000000003.tmp", 9),
        ("ckpt-6-100-0-0123456789ab", 9),
        ("run-6-0-100-0-0123456789ab", 9),
        ("ckpt.tmp", 9),
        ("ckpt.lock", 0),
        ("quarantine/seg-0000000000-128-5", 9),
    ];
    for (name, len) in evidence {
        let disk = MemoryDisk::new();
        disk.set_bytes(name, vec![0; len]);
        for refused in [Log::open(env(&disk), options()), Log::create(env(&disk), options())] {
            let refused = refused.err().unwrap_or_else(|| panic!("{name}: passed over"));
            assert!(matches!(refused, Error::SegmentMissing { .. }), "{name}: {refused}");
        }
    }
}

#[test]
fn files_of_others_are_no_ledger() {
    for (name, len) in [("reserve", 5), ("next.tmp", 4_096), ("notes.txt", 9)] {
        let disk = MemoryDisk::new();
        disk.set_bytes(name, vec![b'x'; len]);
        let refused = Log::open(env(&disk), options()).unwrap_err();
        assert!(matches!(refused, Error::NoLedger { .. }), "{name}: {refused}");
        assert!(Log::create(env(&disk), options()).is_ok(), "{name}");
    }
}

#[test]
fn it_says_how_many_records_were_acknowledged() {
    let (disk, expected) = ledger();
    let segments = segments(&disk);
    let disk = delete(&disk, &segments.iter().collect::<Vec<_>>());
    let refused = Log::open(env(&disk), options()).unwrap_err();
    let acknowledged = format!("{} records were acknowledged", expected.len() + 1);
    assert!(refused.to_string().contains(&acknowledged), "{refused}");
    assert!(refused.to_string().contains("seg-0000000000 is gone"), "{refused}");
}

#[test]
fn the_loss_of_the_last_segment_and_the_mark_can_be_accepted() {
    let (disk, expected) = ledger();
    let disk = delete(&disk, &[&segments(&disk)[2], &"mark".to_owned()]);
    let refused = Log::open(env(&disk), options()).unwrap_err();
    assert!(
        matches!(&refused, Error::SegmentMissing { file, .. } if file == "seg-0000000002"),
        "{refused}"
    );
    let log = Log::accept_loss(env(&disk), options()).unwrap();
    let kept = bodies(&log).unwrap();
    assert!(kept.len() < expected.len() && expected.starts_with(&kept), "{kept:?}");
    append(&log, &["went on"]).unwrap();
    log.close().unwrap();
    assert_eq!(verify(&env(&disk), Level::Full).unwrap().findings, []);
    assert!(Log::open(env(&disk), options()).is_ok());
}

/// The last segment's successor was taken for a lost tail: it had a file of its own.
#[test]
fn a_sealed_last_segment_that_ends_before_the_floor_has_lost_the_next_one() {
    let (disk, expected) = ledger();
    let disk = delete(&disk, &[&segments(&disk)[2]]);
    let refused = Log::open(env(&disk), options()).unwrap_err();
    let Error::SegmentMissing { file, evidence, acknowledged } = &refused else {
        panic!("{refused}");
    };
    assert_eq!(file, "seg-0000000002");
    assert!(evidence.contains("the mark") && evidence.contains("seg-0000000001"), "{evidence}");
    assert_eq!(*acknowledged, Some(expected.len() as u64 + 1));
    let reading = LogOptions { read_only: true, read_past_loss: true, ..options() };
    let kept = bodies(&Log::open(env(&disk), reading).unwrap()).unwrap();
    assert!(kept.len() < expected.len() && expected.starts_with(&kept), "{kept:?}");
    let report = verify(&env(&disk), Level::Sealed);
    assert!(report.map_or_else(|error| error.is_integrity(), |report| !report.is_ok()));
}

#[test]
fn a_loss_that_was_accepted_is_told_by_the_handle_that_did() {
    let (disk, expected) = ledger();
    let whole = Log::accept_loss(env(&disk), options()).unwrap();
    assert_eq!(whole.accepted_loss(), None, "nothing is lost");
    whole.close().unwrap();
    let disk = delete(&disk, &[&segments(&disk)[2]]);
    let log = Log::accept_loss(env(&disk), options()).unwrap();
    let loss = log.accepted_loss().unwrap();
    assert_eq!(loss.synced, expected.len() as u64 + 1);
    assert_eq!(loss.kept, bodies(&log).unwrap().len() as u64 + 1);
    assert_eq!(loss.destroyed, []);
    log.close().unwrap();
    // It is no news to the next one.
    assert_eq!(Log::open(env(&disk), options()).unwrap().accepted_loss(), None);
    assert_eq!(Log::accept_loss(env(&disk), options()).unwrap().accepted_loss(), None);
}

/// A power cut keeps names in any order. Who opened a ledger whose creator was stopped early left
/// a lock that outlived the name of the first segment, and the folder was a ledger whose segment
/// is gone. Found by `memlith-torture crash log`, seed 6.
#[test]
fn a_lock_is_made_only_where_the_first_segment_is_durable() {
    let mut locked = 0;
    for created in 0..40 {
        let disk = MemoryDisk::new();
        disk.set_fault(Some(Fault { at: created, kind: FaultKind::Stop }));
        let _ = Log::create(env(&disk), options());
        let left = disk.after_kill();
        for opened in 0..40 {
            let disk = left.after_kill();
            disk.set_fault(Some(Fault { at: opened, kind: FaultKind::Stop }));
            let _ = Log::open(env(&disk), options());
            let disk = disk.after_kill();
            if disk.names().iter().any(|name| name.starts_with("LOCK")) {
                locked += 1;
                let durable = disk.after_power_cut().names();
                assert!(
                    durable.iter().any(|name| name == "seg-0000000000"),
                    "created {created}, opened {opened}: {durable:?}"
                );
            }
        }
    }
    assert!(locked > 100, "{locked}");
}
