//! Tests of the findings for each damage: exactly those, and for a sound ledger none.

use memlith_log::{Fault, FaultKind, Level, Log, MemoryDisk, Report, Seq, verify, verify_on};

use crate::ledger::{append, env, small};

/// A closed ledger of a few segments, two records in each.
fn ledger() -> MemoryDisk {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    for n in 0..8 {
        append(&log, &[&format!("{n} {}", "v".repeat(1_500))]).unwrap();
    }
    log.close().unwrap();
    disk
}

/// The ledger after its second record was erased.
fn erased() -> MemoryDisk {
    let disk = ledger().after_kill();
    let log = Log::open(env(&disk), small()).unwrap();
    log.writer().unwrap().erase(1, &[Seq(1)]).unwrap();
    log.close().unwrap();
    disk
}

fn edit(disk: &MemoryDisk, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = disk.bytes(name).unwrap();
    change(&mut bytes);
    disk.set_bytes(name, bytes);
}

type Damage<'a> = &'a dyn Fn(&MemoryDisk);
/// A file, an offset in it, and how the text of a finding begins.
type Said = (&'static str, u64, &'static str);

/// Does `damage` to a copy of the disk and verifies it: the file, the offset and the text
/// of the findings are those that are named, each text by its beginning.
fn check(disk: &MemoryDisk, level: Level, damage: Damage<'_>, expected: &[Said]) {
    let disk = disk.after_kill();
    damage(&disk);
    let report = verify(&env(&disk), level).unwrap();
    let found = &report.findings;
    let same = found.len() == expected.len()
        && found.iter().zip(expected).all(|(finding, (file, offset, what))| {
            (finding.file.as_str(), finding.offset) == (*file, *offset)
                && finding.what.starts_with(what)
        });
    assert!(same, "expected {expected:#?}, found {found:#?}");
}

const FIRST: &str = "seg-0000000000";

#[test]
fn a_sound_ledger_has_no_finding() {
    for disk in [ledger(), erased()] {
        for level in [Level::Sealed, Level::Full] {
            check(&disk, level, &|_| {}, &[]);
            let report = verify(&env(&disk), level).unwrap();
            let head = report.head.unwrap();
            assert_eq!(report.records, head.seq.0 + 1);
        }
    }
}

#[test]
fn files_beside_the_segments() {
    let rest = "bytes outside the slots of the mark are not zero";
    let cases: [(Damage<'_>, &[Said]); 6] = [
        (&|disk| edit(disk, "mark", |bytes| bytes[200] = 1), &[("mark", 128, rest)]),
        (&|disk| edit(disk, "mark", |bytes| bytes[8_191] = 1), &[("mark", 4_224, rest)]),
        (&|disk| disk.delete("mark"), &[("mark", 0, "the mark is missing")]),
        (
            &|disk| {
                let mut bytes = vec![0; 200_000];
                bytes[70_000] = 1;
                disk.set_bytes("next.tmp", bytes);
            },
            &[("next.tmp", 65_536, "the prepared segment is not all zeros")],
        ),
        (
            &|disk| disk.set_bytes("seg-0000000000.tmp", vec![1]),
            &[("seg-0000000000.tmp", 0, "a copy that was not finished")],
        ),
        (&|disk| disk.set_bytes("quarantine/seg-0000000000-128-0", vec![1]), &[]),
    ];
    for (damage, expected) in cases {
        check(&ledger(), Level::Full, damage, expected);
    }
}

#[test]
fn damage_in_a_sealed_segment() {
    let disk = ledger();
    let bytes = disk.bytes(FIRST).unwrap();
    let end = bytes.windows(4).position(|window| window == b"MLE1").unwrap() as u64;
    let starts: Vec<_> = (0..bytes.len())
        .filter(|at| bytes[*at..].starts_with(b"MLF1"))
        .map(|at| at as u64)
        .collect();
    let second = starts[1];
    let index = usize::try_from(second).unwrap();
    let sealed = (FIRST, end, "the bytes are not as they were sealed");
    let head = |disk: &MemoryDisk| edit(disk, FIRST, |bytes| bytes[index] ^= 1);
    let body = |disk: &MemoryDisk| edit(disk, FIRST, |bytes| bytes[index + 110] ^= 1);
    let spot = (FIRST, second, "payload checksum mismatch");
    check(&disk, Level::Full, &body, &[spot]);
    check(&disk, Level::Sealed, &body, &[sealed, spot]);
    // Behind a bad head the walk goes on with the next one that is found.
    let no_frame = (FIRST, second, "no frame begins here");
    check(&disk, Level::Full, &head, &[no_frame]);
    let inside = |disk: &MemoryDisk| edit(disk, FIRST, |bytes| bytes[index + 30] ^= 1);
    check(&disk, Level::Full, &inside, &[(FIRST, second, "head checksum mismatch")]);
    // Zeros are an end of the last segment only.
    let until = usize::try_from(end).unwrap();
    let zeros = |disk: &MemoryDisk| edit(disk, FIRST, |bytes| bytes[index..until].fill(0));
    check(&disk, Level::Full, &zeros, &[no_frame]);
    let damaged = disk.after_kill();
    head(&damaged);
    let (whole, rest) = (verify(&env(&disk), Level::Full), verify(&env(&damaged), Level::Full));
    assert_eq!(whole.unwrap().records, rest.unwrap().records + 1);
}

#[test]
fn behind_a_bad_head_the_next_frame_is_found_however_far_it_is() {
    let disk = MemoryDisk::new();
    let large = memlith_log::LogOptions { segment_lens: [1 << 20; 4], ..small() };
    let log = Log::create(env(&disk), large).unwrap();
    append(&log, &["before"]).unwrap();
    append(&log, &[&"long".repeat(100_000)]).unwrap();
    append(&log, &["after"]).unwrap();
    append(&log, &[&"long".repeat(170_000)]).unwrap();
    log.close().unwrap();
    assert!(disk.names().iter().any(|name| name == "seg-0000000001"));
    let damage = |disk: &MemoryDisk| edit(disk, FIRST, |bytes| bytes[128 + 240] ^= 1);
    check(&disk, Level::Full, &damage, &[(FIRST, 128 + 240, "no frame begins here")]);
    damage(&disk);
    assert_eq!(verify(&env(&disk), Level::Full).unwrap().records, 4);
}

#[test]
fn segments_that_are_missing() {
    let disk = ledger();
    let names: Vec<_> = disk.names().into_iter().filter(|name| name.starts_with("seg-")).collect();
    let missing = |name: &str| {
        let damaged = disk.after_kill();
        damaged.delete(name);
        let report = verify(&env(&damaged), Level::Full).unwrap();
        let at = |finding: &&memlith_log::Finding| finding.file == name;
        assert_eq!(report.findings.iter().filter(at).count(), 1, "{name}: {:?}", report.findings);
        report
    };
    assert_eq!(missing(&names[0]).findings.len(), 1);
    assert!(missing(&names[1]).records > 4, "the segments behind the gap are verified");
    // A made-up number does not make the verification count up to it.
    let far = disk.after_kill();
    far.set_bytes("seg-9999999999", disk.bytes(&names[1]).unwrap());
    let report = verify(&env(&far), Level::Full).unwrap();
    assert!((1..20).contains(&report.findings.len()), "{}", report.findings.len());
}

#[test]
fn erasures_and_what_they_took() {
    let (before, after) = (ledger(), erased());
    let taken = "ErasedWithoutAuthority";
    let frame = |disk: &MemoryDisk| {
        let bytes = disk.bytes(FIRST).unwrap();
        (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"MLF1")).nth(1).unwrap() as u64
    };
    let swap = |from: &MemoryDisk| {
        let bytes = from.bytes(FIRST).unwrap();
        move |disk: &MemoryDisk| disk.set_bytes(FIRST, bytes.clone())
    };
    let place = frame(&before);
    check(&before, Level::Full, &swap(&after), &[(FIRST, place, taken)]);
    check(&after, Level::Full, &swap(&before), &[(FIRST, place, "ErasureIncomplete")]);
}

#[test]
fn an_erasure_that_was_begun_is_pending_until_it_is_done() {
    let disk = ledger();
    let counted = disk.after_kill();
    let erase = |disk: &MemoryDisk| {
        let log = Log::open(env(disk), small()).unwrap();
        let _ = log.writer().map(|mut writer| writer.erase(1, &[Seq(1)]).map(drop));
    };
    counted.set_fault(None);
    erase(&counted);
    let mut pending = 0;
    for at in 0..counted.operations() {
        let disk = disk.after_kill();
        disk.set_fault(Some(Fault { at, kind: FaultKind::Stop }));
        erase(&disk);
        let disk = disk.after_kill();
        let report = verify(&env(&disk), Level::Full).unwrap();
        let says = |what: &str| report.findings.iter().any(|found| found.what.starts_with(what));
        assert!(!says("Erased") && !says("Erasure"), "{at}: {:?}", report.findings);
        pending += u32::from(says("an erasure is pending"));
    }
    assert!(pending > 3, "{pending}");
}

/// The report of so many threads.
fn by_threads(disk: &MemoryDisk, level: Level, threads: usize) -> Report {
    verify_on(&env(disk), level, threads).unwrap()
}

#[test]
fn the_report_is_the_same_whatever_the_number_of_threads() {
    let disk = erased();
    let names = disk.names();
    let segments = names.iter().filter(|name| name.starts_with("seg-"));
    let mut damaged = vec![disk.after_kill()];
    for name in segments {
        let bytes = disk.bytes(name).unwrap();
        for at in (0..bytes.len()).step_by(211) {
            for change in [|byte: &mut u8| *byte ^= 1, |byte: &mut u8| *byte = 0] {
                let disk = disk.after_kill();
                edit(&disk, name, |bytes| bytes[at..].iter_mut().take(3).for_each(change));
                damaged.push(disk);
            }
        }
        let without = disk.after_kill();
        without.delete(name);
        damaged.push(without);
    }
    // Damage in two segments: the order of the findings is that of the segments.
    let both = disk.after_kill();
    for name in [FIRST, "seg-0000000002"] {
        edit(&both, name, |bytes| bytes[128 + 30] ^= 1);
    }
    damaged.push(both);
    let mut with_findings = 0;
    for (case, disk) in damaged.iter().enumerate() {
        for level in [Level::Sealed, Level::Full] {
            let alone = by_threads(disk, level, 1);
            with_findings += usize::from(!alone.is_ok());
            for threads in [2, 5] {
                assert_eq!(by_threads(disk, level, threads), alone, "{case} {level:?} {threads}");
            }
        }
    }
    assert!(with_findings > damaged.len(), "{with_findings} of {}", damaged.len());
}
