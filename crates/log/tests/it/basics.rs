use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use memlith_log::{
    DropDerived, Durability, Error, Fault, FaultKind, Level, Log, LogOptions, MemoryDisk, Payload,
    Record, RestoredRecord, Seq, Timestamp, verify_on,
};

use crate::ledger::{NOW, all, append, append_with, bodies, env, env_seeded, small};

#[test]
fn what_is_appended_is_read_back_by_this_and_later_handles() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), LogOptions::default()).unwrap();
    assert_eq!(log.head().seq, Seq(0));
    assert_eq!(append(&log, &["a"]).unwrap(), [Seq(1)]);
    assert_eq!(append(&log, &["b", "c"]).unwrap(), [Seq(2), Seq(3)]);
    assert_eq!(bodies(&log).unwrap(), ["a", "b", "c"]);
    assert_eq!(log.synced(), Some(Seq(3)));
    let record = log.read(Seq(2)).unwrap();
    assert_eq!((record.batch_pos, record.batch_len), (0, 2));
    assert!(matches!(&record.payload, Payload::Present { body, .. } if body == b"b"));
    assert_eq!(log.scan(Seq(2), Seq(2)).count(), 1);
    assert!(matches!(log.read(Seq(4)), Err(Error::OutOfRange { end: 4, .. })));
    let (head, id) = (log.head(), log.ledger_id());
    drop(log);
    let log = Log::open(env(&disk), LogOptions::default()).unwrap();
    assert_eq!((log.head(), log.ledger_id()), (head, id));
    assert_eq!(log.findings(), []);
    assert_eq!(bodies(&log).unwrap(), ["a", "b", "c"]);
}

#[test]
fn segments_follow_each_other_and_a_reader_follows_them() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    let reader = Log::open(env(&disk), LogOptions { read_only: true, ..small() }).unwrap();
    let body = "x".repeat(600);
    let mut expected = Vec::new();
    for n in 0..40 {
        let text = format!("{n} {body}");
        append(&log, &[&text]).unwrap();
        expected.push(text);
        if n % 7 == 0 {
            reader.refresh().unwrap();
            assert_eq!(bodies(&reader).unwrap(), expected);
        }
    }
    let segments = disk.names().iter().filter(|name| name.starts_with("seg-")).count();
    assert!(segments > 5, "{segments} segments");
    assert_eq!(bodies(&log).unwrap(), expected);
    for seq in (0..=40).rev() {
        assert_eq!(log.read(Seq(seq)).unwrap().seq, Seq(seq));
    }
    let log = {
        drop(log);
        Log::open(env(&disk), small()).unwrap()
    };
    assert_eq!(bodies(&log).unwrap(), expected);
    assert_eq!(all(&log).unwrap().len(), 41);
}

#[test]
fn a_large_batch_gets_a_segment_that_holds_it() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    let big = "y".repeat(50_000);
    append(&log, &[&big, &big]).unwrap();
    append(&log, &["z"]).unwrap();
    let log = {
        drop(log);
        Log::open(env(&disk), small()).unwrap()
    };
    assert_eq!(bodies(&log).unwrap(), [big.clone(), big, "z".to_owned()]);
}

#[test]
fn two_processes_take_turns() {
    let disk = MemoryDisk::new();
    let a = Log::create(env(&disk), small()).unwrap();
    let b = Log::open(env(&disk), small()).unwrap();
    let mut expected = Vec::new();
    for n in 0..60 {
        let (log, durability) = match n % 4 {
            0 | 1 => (&a, Durability::Immediate),
            2 => (&b, Durability::Buffered),
            _ => (&b, Durability::Immediate),
        };
        let text = format!("{n} {}", "t".repeat(n * 3));
        append_with(log, &[&text], durability).unwrap();
        expected.push(text);
    }
    for log in [&a, &b] {
        log.refresh().unwrap();
        assert_eq!(bodies(log).unwrap(), expected);
    }
    assert!(matches!(Log::open(a.env().clone(), small()), Err(Error::InUse { .. })));
}

#[test]
fn an_erased_body_is_gone_from_every_file_and_the_chain_still_holds() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    let reader = Log::open(env(&disk), LogOptions { read_only: true, ..small() }).unwrap();
    for n in 0..12 {
        append(&log, &[&format!("secret-{n} {}", "s".repeat(500))]).unwrap();
    }
    let before = all(&log).unwrap();
    log.writer().unwrap().erase(1, &[Seq(2), Seq(12)]).unwrap();
    let after = all(&log).unwrap();
    for (old, new) in before.iter().zip(&after) {
        assert_eq!((old.record_hash, old.chain), (new.record_hash, new.chain));
        let gone = [2, 12].contains(&old.seq.0);
        assert_eq!(new.body().is_none(), gone, "{}", old.seq);
    }
    assert_eq!(after.iter().map(|record| record.kind).skip(13).collect::<Vec<_>>(), [1, 2]);
    for name in disk.names() {
        let bytes = disk.bytes(&name).unwrap();
        for secret in ["secret-1 ", "secret-11 "] {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} in {name}");
        }
    }
    reader.refresh().unwrap();
    assert!(reader.read(Seq(2)).unwrap().body().is_none());
    assert!(matches!(log.writer().unwrap().erase(1, &[Seq(0)]), Err(Error::ErasureTarget { .. })));
    assert_eq!(bodies(&Log::open(env(&disk), small()).unwrap()).unwrap().len(), 12);
}

#[test]
fn a_restored_ledger_has_the_same_records_and_another_chain() {
    let (from, to) = (MemoryDisk::new(), MemoryDisk::new());
    let log = Log::create(env(&from), small()).unwrap();
    for n in 0..9 {
        append(&log, &[&format!("{n}"), &"r".repeat(n * 100)]).unwrap();
    }
    log.writer().unwrap().erase(1, &[Seq(3)]).unwrap();
    let source = all(&log).unwrap();
    let restored: Vec<RestoredRecord> = source.iter().cloned().map(Into::into).collect();

    let later = Timestamp(NOW.0 + 5);
    let copy = Log::create(env_seeded(&to, later, 8), small()).unwrap();
    {
        let mut writer = copy.writer().unwrap();
        assert_eq!(writer.restore(&restored[..5]).unwrap(), 5);
        writer.sync().unwrap();
    }
    let mut writer = copy.writer().unwrap();
    assert_eq!(writer.restore(&restored).unwrap(), 16);
    drop(writer);
    drop(copy);
    let copy = Log::open(env(&to), small()).unwrap();
    assert_eq!(copy.findings(), []);
    let target = all(&copy).unwrap();
    assert_ne!(copy.ledger_id(), log.ledger_id());
    assert_eq!(source.len(), target.len());
    for (a, b) in source.iter().zip(&target) {
        assert_eq!((a.record_hash, &a.payload), (b.record_hash, &b.payload));
        assert_ne!(a.chain, b.chain);
    }
    let mut other = restored.clone();
    other[3].header.kind = 101;
    let refused = copy.writer().unwrap().restore(&other);
    assert!(matches!(refused, Err(Error::Restore { seq: Seq(3), .. })), "{refused:?}");
    let mut empty = restored.clone();
    empty[0].header.batch_len = 0;
    let refused = copy.writer().unwrap().restore(&empty);
    assert!(matches!(refused, Err(Error::Restore { seq: Seq(0), .. })), "{refused:?}");
}

#[test]
fn a_copy_has_the_chain_of_what_it_copies_and_obeys_its_erasures() {
    let (from, to) = (MemoryDisk::new(), MemoryDisk::new());
    let log = Log::create(env(&from), small()).unwrap();
    for n in 0..9 {
        append(&log, &[&format!("{n}"), &"r".repeat(n * 100)]).unwrap();
    }
    let as_bytes = |records: Vec<Record>| -> Vec<RestoredRecord> {
        let mut bytes = Vec::new();
        for record in records {
            RestoredRecord::from(record).encode(&mut bytes).unwrap();
        }
        let (mut rest, mut read) = (bytes.as_slice(), Vec::new());
        while let Some((record, behind)) = RestoredRecord::decode(rest) {
            read.push(record);
            rest = behind;
        }
        assert!(rest.is_empty(), "all bytes are records");
        read
    };
    let copy = Log::create_copy(env_seeded(&to, NOW, 8), small(), log.ledger_id()).unwrap();
    let mut writer = copy.writer().unwrap();
    assert_eq!(writer.restore(&as_bytes(all(&log).unwrap())).unwrap(), 19);
    writer.sync().unwrap();
    drop(writer);
    assert_eq!(copy.head().chain, log.head().chain);
    assert!(copy.read(Seq(3)).unwrap().body().is_some());

    let before = log.head().seq;
    log.writer().unwrap().erase(1, &[Seq(3), Seq(18)]).unwrap();
    append(&log, &["behind it"]).unwrap();
    let new = log.scan(before.next(), log.head().seq).collect::<Result<Vec<_>, _>>().unwrap();
    // Cut short behind the erasure: whoever opens the copy next says nothing of its own.
    let new = as_bytes(new);
    let mut writer = copy.writer().unwrap();
    writer.resume_restore();
    assert_eq!(writer.restore(&new[..1]).unwrap(), 1);
    writer.sync().unwrap();
    drop(writer);
    drop(copy);
    let copy = Log::open(env(&to), LogOptions { is_copy: true, ..small() }).unwrap();
    let mut writer = copy.writer().unwrap();
    writer.resume_restore();
    assert_eq!(writer.restore(&new[1..]).unwrap(), 2);
    writer.sync().unwrap();
    drop(writer);
    drop(copy);
    let copy = Log::open(env(&to), small()).unwrap();
    assert_eq!((copy.head(), copy.findings()), (log.head(), Vec::new()));
    assert_eq!(all(&copy).unwrap(), all(&log).unwrap());
    assert!(copy.read(Seq(3)).unwrap().body().is_none());
    assert!(verify_on(&env(&to), Level::Full, 1).unwrap().is_ok());
}

#[test]
fn an_append_changes_the_disk_five_times() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), LogOptions::default()).unwrap();
    append(&log, &["first"]).unwrap();
    disk.set_fault(None);
    append(&log, &["a", "b", "c"]).unwrap();
    // The holder's name, the mark unset, the frames, one sync, the mark set.
    assert_eq!(disk.operations(), 5);
    disk.set_fault(None);
    drop(log.writer().unwrap());
    assert_eq!(disk.operations(), 1, "a look changes nothing but the holder's name");
}

#[test]
fn an_erasure_drops_copies_and_has_derived_state_dropped() {
    let disk = MemoryDisk::new();
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let drop_derived = DropDerived(Arc::new(move |storage| {
        counted.fetch_add(1, Ordering::Relaxed);
        storage.remove("derived")
    }));
    let options = LogOptions { drop_derived: Some(drop_derived), ..small() };
    let log = Log::create(env(&disk), options).unwrap();
    append(&log, &["secret"]).unwrap();
    let copies = ["quarantine/seg-0000000000-128-0", "seg-0000000000.tmp", "derived"];
    for name in copies {
        disk.set_bytes(name, b"secret".to_vec());
    }
    log.writer().unwrap().erase(1, &[Seq(1)]).unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    for name in copies {
        assert_eq!(disk.bytes(name), None, "{name}");
    }
}

#[test]
fn a_copy_that_a_dead_process_removed_does_not_come_back_with_a_power_cut() {
    let copy = "quarantine/seg-0000000000-128-0";
    let mut cut_short = 0;
    for at in 0..64 {
        let disk = MemoryDisk::new();
        let log = Log::create(env(&disk), small()).unwrap();
        append(&log, &["secret"]).unwrap();
        disk.set_bytes(copy, b"secret".to_vec());
        disk.set_fault(Some(Fault { at, kind: FaultKind::Stop }));
        if log.writer().and_then(|mut writer| writer.erase(1, &[Seq(1)])).is_ok() {
            break;
        }
        cut_short += 1;
        let disk = disk.after_kill();
        disk.set_fault(None);
        let log = Log::open(env(&disk), small()).unwrap();
        drop(log.writer().unwrap());
        let is_erased = log.read(Seq(1)).unwrap().body().is_none();
        let left = disk.after_power_cut().bytes(copy);
        assert!(!is_erased || left.is_none(), "cut short at {at}, the copy came back");
    }
    assert!(cut_short > 10, "{cut_short}");
}

#[test]
fn an_erasure_that_returns_has_synced_that_the_copies_are_gone() {
    let copy = "quarantine/seg-0000000000-128-0";
    let kind = FaultKind::Fail(std::io::ErrorKind::Other);
    let mut failed = 0;
    for at in 0..64 {
        let disk = MemoryDisk::new();
        let log = Log::create(env(&disk), small()).unwrap();
        append(&log, &["secret"]).unwrap();
        disk.set_bytes(copy, b"secret".to_vec());
        disk.set_fault(Some(Fault { at, kind }));
        match log.writer().and_then(|mut writer| writer.erase(1, &[Seq(1)])) {
            Ok(_) => assert_eq!(disk.after_power_cut().bytes(copy), None, "{at}"),
            Err(_) => failed += 1,
        }
    }
    assert!(failed > 10, "{failed}");
}
