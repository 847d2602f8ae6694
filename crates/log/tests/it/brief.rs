//! Short histories over small segments: what `cargo xtask miri` can run to its end in an
//! interpreter that hashes a thousand times slower than the processor.

use memlith_log::{
    Durability, Error, FileRole, Level, Log, LogOptions, MemoryDisk, Seq, log_files, verify,
};

use crate::ledger::{append, append_with, bodies, env};

/// Segments as small as they get: two long records fill one.
fn tiny() -> LogOptions {
    LogOptions { segment_lens: [4 << 10; 4], reserve_len: 0, ..LogOptions::default() }
}

fn open(disk: &MemoryDisk) -> Result<Log, Error> {
    Log::open(env(disk), tiny())
}

fn last_segment(disk: &MemoryDisk) -> String {
    disk.names().into_iter().rfind(|name| name.starts_with("seg-")).unwrap()
}

fn edit(disk: &MemoryDisk, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = disk.bytes(name).unwrap();
    change(&mut bytes);
    disk.set_bytes(name, bytes);
}

#[test]
fn a_history_is_written_sealed_erased_read_and_verified() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), tiny()).unwrap();
    let long = "l".repeat(1_700);
    append(&log, &["a", &long]).unwrap();
    append(&log, &["b"]).unwrap();
    append(&log, &[&long]).unwrap();
    assert_ne!(last_segment(&disk), "seg-0000000000");
    log.writer().unwrap().erase(1, &[Seq(1)]).unwrap();
    let expected = ["-", &long, "b", &long];
    assert_eq!(bodies(&log).unwrap(), expected);
    log.close().unwrap();
    assert_eq!(verify(&env(&disk), Level::Sealed).unwrap().findings, []);
    assert_eq!(verify(&env(&disk), Level::Full).unwrap().findings, []);
    assert_eq!(bodies(&open(&disk).unwrap()).unwrap(), expected);
}

#[test]
fn a_torn_tail_is_put_away_and_the_log_goes_on() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), tiny()).unwrap();
    append(&log, &["kept"]).unwrap();
    append_with(&log, &["torn"], Durability::Buffered).unwrap();
    let disk = disk.after_kill();
    edit(&disk, &last_segment(&disk), |bytes| {
        let last = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        bytes[last - 3..].fill(0);
    });
    let log = open(&disk).unwrap();
    assert_eq!(bodies(&log).unwrap(), ["kept"]);
    append(&log, &["after"]).unwrap();
    assert_eq!(bodies(&log).unwrap(), ["kept", "after"]);
    let files = log_files(log.env().storage.as_ref()).unwrap();
    assert!(files.iter().any(|file| file.role == FileRole::Quarantine));
    log.close().unwrap();
    assert_eq!(verify(&env(&disk), Level::Full).unwrap().findings, []);
}

#[test]
fn a_loss_is_refused_and_then_accepted() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), tiny()).unwrap();
    append(&log, &["kept"]).unwrap();
    append(&log, &["lost"]).unwrap();
    log.close().unwrap();
    edit(&disk, &last_segment(&disk), |bytes| {
        let at = bytes.windows(4).position(|window| window == b"lost").unwrap();
        bytes[at] ^= 1;
    });
    assert!(matches!(open(&disk), Err(Error::Corrupt { seq: Some(Seq(2)), .. })));
    assert!(!verify(&env(&disk), Level::Full).unwrap().is_ok());
    let log = Log::accept_loss(env(&disk), tiny()).unwrap();
    assert_eq!(bodies(&log).unwrap(), ["kept"]);
    log.close().unwrap();
    assert_eq!(verify(&env(&disk), Level::Full).unwrap().findings, []);
}
