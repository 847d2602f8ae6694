//! Someone edits records and puts every checksum right again: only the chain can tell.

use memlith_log::{
    Destroyed, Digest, Durability, Error, FindingKind, Level, Log, MemoryDisk, Seq, link,
    payload_digest, record_hash, verify, verify_on,
};

use crate::ledger::{append, append_with, bodies, env, small};

fn crc(seed: u32, parts: &[&[u8]]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new_with_initial(seed);
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize().to_le_bytes()
}

/// Changes the byte at `at` of the frame of `seq` and renews the frame's checksums.
fn forge(disk: &MemoryDisk, seq: u64, at: usize) -> String {
    forge_with(disk, seq, |frame| frame[at] ^= 1)
}

/// Changes the frame of `seq` and renews its checksums.
fn forge_with(disk: &MemoryDisk, seq: u64, change: impl FnOnce(&mut [u8])) -> String {
    for name in disk.names().into_iter().filter(|name| name.starts_with("seg-")) {
        let mut bytes = disk.bytes(&name).unwrap();
        let salt = u32::from_le_bytes(bytes[56..60].try_into().unwrap());
        let start = (128..bytes.len()).step_by(8).find(|start| {
            bytes[*start..].starts_with(b"MLF1") && bytes[start + 56..][..8] == seq.to_le_bytes()
        });
        let Some(start) = start else { continue };
        let len = u32::from_le_bytes(bytes[start + 8..][..4].try_into().unwrap());
        let frame = &mut bytes[start..][..usize::try_from(len).unwrap()];
        change(frame);
        let slot = crc(salt, &[&frame[88..]]);
        frame[20..24].copy_from_slice(&slot);
        let head = crc(salt, &[&frame[..4], &frame[8..88]]);
        frame[4..8].copy_from_slice(&head);
        disk.set_bytes(&name, bytes);
        return name;
    }
    panic!("no record {seq}");
}

fn ledger() -> MemoryDisk {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    for n in 0..9 {
        append(&log, &[&format!("{n} {}", "t".repeat(600))]).unwrap();
    }
    log.close().unwrap();
    disk
}

/// Offsets in a frame: chain, time's last byte, kind, kind version, codec, blind, body.
const PLACES: [usize; 7] = [24, 64, 76, 78, 79, 88, 110];

#[test]
fn rule_7_an_edit_under_right_checksums_breaks_the_chain() {
    for at in PLACES {
        let disk = ledger();
        forge(&disk, 9, at);
        let refused = Log::open(env(&disk), small()).unwrap_err();
        let found = matches!(refused, Error::ChainBreak { seq: Seq(9), .. });
        assert!(found, "{at}: {refused}");
        assert!(!verify(&env(&disk), Level::Full).unwrap().is_ok(), "{at}");
    }
}

#[test]
fn an_edit_in_a_sealed_segment_is_found_when_it_is_read() {
    for at in PLACES {
        let disk = ledger();
        let name = forge(&disk, 3, at);
        let log = Log::open(env(&disk), small()).unwrap();
        let broken = log.scan(Seq(0), Seq::MAX).find_map(Result::err);
        assert!(matches!(broken, Some(Error::ChainBreak { seq: Seq(3), .. })), "{at}: {broken:?}");
        assert!(matches!(log.read(Seq(3)), Err(Error::ChainBreak { .. })), "{at}");
        for level in [Level::Sealed, Level::Full] {
            let report = verify(&env(&disk), level).unwrap();
            assert!(report.findings.iter().any(|finding| finding.file == name), "{at} {level:?}");
        }
    }
}

/// An attacker lets a record be destroyed, and rewrites one before it with every hash: the chain
/// of the destroyed one is taken as it stands, but not the chain before it.
#[test]
fn records_before_a_destroyed_one_are_those_of_when_the_loss_was_accepted() {
    let disk = ledger();
    let before = verify(&env(&disk), Level::Full).unwrap();
    let rot = |disk: &MemoryDisk, name: &str, at: usize| {
        let mut bytes = disk.bytes(name).unwrap();
        bytes[at] ^= 1;
        disk.set_bytes(name, bytes);
    };
    let name = forge_with(&disk, 2, |_| {});
    let frames = disk.bytes(&name).unwrap();
    let at = frames.windows(8).position(|word| word == 2_u64.to_le_bytes()).unwrap() - 56;
    rot(&disk, &name, at + 100);
    Log::accept_loss(env(&disk), small()).unwrap().close().unwrap();
    let report = verify(&env(&disk), Level::Full).unwrap();
    assert_eq!(report.findings, []);
    let loss = report.head.unwrap().seq;
    let destroyed = Destroyed { seq: Seq(2), accepted: Some(loss) };
    assert_eq!(report.destroyed, [destroyed]);
    assert_eq!(report.unbound_at(before.head.unwrap().seq), Some(Seq(2)));
    assert_eq!((report.unbound_at(Seq(1)), report.unbound_at(loss)), (None, None));
    let mut chain = Digest::default();
    forge_with(&disk, 0, |frame| chain = Digest(frame[24..56].try_into().unwrap()));
    forge_with(&disk, 1, |frame| {
        frame[110] ^= 1;
        let len = u32::from_le_bytes(frame[72..76].try_into().unwrap());
        let (blind, body) = (&frame[88..104], &frame[104..][..usize::try_from(len).unwrap()]);
        let digest = payload_digest(blind.try_into().unwrap(), body);
        let hash = record_hash(frame[56..88].try_into().unwrap(), &digest);
        frame[24..56].copy_from_slice(&link(&chain, &hash).0);
    });
    let findings = verify(&env(&disk), Level::Full).unwrap().findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((findings[0].kind, findings[0].seq), (FindingKind::ChainBreak, Some(Seq(2))));
}

#[test]
fn rule_7_a_frame_that_does_not_link_above_the_floor_is_a_tail() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    append(&log, &["kept"]).unwrap();
    append_with(&log, &["stale"], Durability::Buffered).unwrap();
    let disk = disk.after_kill();
    forge(&disk, 2, 110);
    let log = Log::open(env(&disk), small()).unwrap();
    assert_eq!(bodies(&log).unwrap(), ["kept"]);
    append(&log, &["new"]).unwrap();
    assert_eq!(bodies(&log).unwrap(), ["kept", "new"]);
}

#[test]
fn an_unknown_slot_state_or_flag_is_a_newer_format_not_damage() {
    for at in [81, 16] {
        let disk = ledger();
        // Flag 256 is unknown; so is slot state 4, reached by two edits.
        let name = forge(&disk, 9, at);
        if at == 16 {
            forge(&disk, 9, at);
            let mut bytes = disk.bytes(&name).unwrap();
            let start = bytes.windows(4).rposition(|word| word == b"MLF1").unwrap();
            bytes[start + 16] = 5;
            disk.set_bytes(&name, bytes);
            forge(&disk, 9, at);
        }
        let refused = Log::open(env(&disk), small()).unwrap_err();
        assert!(matches!(refused, Error::NewerFormat { .. }), "{at}: {refused}");
        let accepted = Log::accept_loss(env(&disk), small());
        assert!(matches!(accepted, Err(Error::NewerFormat { .. })), "{at}");
    }
}

#[test]
fn a_planted_frame_cannot_make_an_unacknowledged_tail_look_acknowledged() {
    let name = "seg-0000000000";
    let end = 128 + 120 + 120;
    // A frame of this segment, with its sequence and floor raised, behind a bad head: where
    // it lies, its number, and whether so many frames could lie before it.
    let cases = [
        (8, 3, false),
        (8, 20, false),
        (8, 1_000, false),
        (112, 3, false),
        (120, 3, true),
        (120, 4, false),
        (240, 4, true),
        (240, 5, false),
    ];
    for (at, seq, believed) in cases {
        let disk = MemoryDisk::new();
        let log = Log::create(env(&disk), small()).unwrap();
        append(&log, &["kept"]).unwrap();
        let disk = disk.after_kill();
        let mut bytes = disk.bytes(name).unwrap();
        let mut frame = bytes[248..][..120].to_vec();
        frame[12..16].copy_from_slice(&1_u32.to_le_bytes());
        frame[56..64].copy_from_slice(&u64::to_le_bytes(seq));
        bytes[end] = 0xAB;
        bytes[end + at..][..120].copy_from_slice(&frame);
        disk.set_bytes(name, bytes);
        forge(&disk, seq, 105);
        let opened = Log::open(env(&disk), small());
        if believed {
            let refused = matches!(opened, Err(Error::Corrupt { seq: Some(Seq(2)), .. }));
            assert!(refused, "{at} {seq}");
            continue;
        }
        let log = opened.unwrap();
        assert_eq!(bodies(&log).unwrap(), ["kept"], "{at} {seq}");
        append(&log, &["new"]).unwrap();
        assert_eq!(bodies(&log).unwrap(), ["kept", "new"], "{at} {seq}");
    }
}

/// Renews the checksum of what begins at `at` and is `len` long.
fn renew(bytes: &mut [u8], at: usize, len: usize, seed: u32) {
    let sum = crc(seed, &[&bytes[at..at + 4], &bytes[at + 8..at + len]]);
    bytes[at + 4..at + 8].copy_from_slice(&sum);
}

#[test]
fn a_footer_that_does_not_fit_its_last_record_is_refused_under_right_checksums() {
    let (first, second) = ("seg-0000000000", "seg-0000000001");
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    for _ in 0..4 {
        append(&log, &[&"t".repeat(900)]).unwrap();
    }
    log.close().unwrap();
    let sealed = disk.bytes(first).unwrap();
    let footer = sealed.windows(4).position(|word| word == b"MLE1").unwrap();
    let salt = u32::from_le_bytes(sealed[56..60].try_into().unwrap());
    let refused = |what: &str, change: &dyn Fn(&mut Vec<u8>, &mut Vec<u8>)| {
        let disk = disk.after_kill();
        let (mut one, mut two) = (sealed.clone(), disk.bytes(second).unwrap());
        change(&mut one, &mut two);
        disk.set_bytes(first, one);
        disk.set_bytes(second, two);
        let opened = Log::open(env(&disk), small());
        assert!(matches!(opened, Err(Error::Corrupt { .. })), "{what}");
    };
    // Offsets: the chain in the footer, and the one before it in the header.
    refused("another chain", &|one, two| {
        let len = one.len() - footer;
        one[footer + 40] ^= 1;
        renew(one, footer, len, salt);
        two[64] ^= 1;
        renew(two, 0, 128, 0);
    });
    refused("a gap before it", &|one, _| {
        one.splice(footer..footer, [0; 8]);
    });
    refused("another number of records", &|one, two| {
        let len = one.len() - footer;
        one[footer + 16] += 1;
        one[footer + 32] += 1;
        renew(one, footer, len, salt);
        two[40] += 1;
        renew(two, 0, 128, 0);
    });
    assert!(Log::open(env(&disk), small()).is_ok());
}

#[test]
fn a_walk_that_resumes_looks_at_no_record_before_its_place() {
    let disk = ledger();
    let log = Log::open(env(&disk), small()).unwrap();
    append(&log, &["first of a batch", "last of it"]).unwrap();
    let position = log.position(log.head().seq).unwrap();
    let within = log.position(Seq(position.seq.0 - 1)).unwrap();
    log.close().unwrap();
    let name = disk.names().into_iter().rfind(|name| name.starts_with("seg-")).unwrap();
    let mut bytes = disk.bytes(&name).unwrap();
    bytes[128 + 100] ^= 1;
    assert!(position.offset > 128 + 120, "the damage lies before the place");
    disk.set_bytes(&name, bytes);
    let mut others = [position, position, position, position, within];
    others[0].segment += 1;
    others[1].seq = Seq(position.seq.0 - 1);
    others[2].chain.0[0] ^= 1;
    others[3].offset += 8;
    let open = |resume: memlith_log::Position| {
        Log::open(env(&disk), memlith_log::LogOptions { resume: Some(resume.into()), ..small() })
    };
    assert_eq!(open(position).unwrap().head().seq, position.seq);
    for (case, other) in others.into_iter().enumerate() {
        assert!(matches!(open(other), Err(Error::Corrupt { .. })), "{case}");
    }
}

#[test]
fn a_distance_to_the_floor_that_cannot_be_is_no_valid_frame() {
    let disk = ledger();
    // The distance was 1; 0 would say that the record was synced before it was written.
    forge(&disk, 9, 12);
    let refused = Log::open(env(&disk), small()).unwrap_err();
    assert!(matches!(refused, Error::Corrupt { seq: Some(Seq(9)), .. }), "{refused}");
}

#[test]
fn a_frame_of_a_newer_format_is_no_tail_to_be_cut_off() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    append(&log, &["kept"]).unwrap();
    append_with(&log, &["of newer software"], Durability::Buffered).unwrap();
    let disk = disk.after_kill();
    let name = forge(&disk, 2, 81);
    let before = disk.bytes(&name);
    for opened in [Log::open(env(&disk), small()), Log::accept_loss(env(&disk), small())] {
        assert!(matches!(opened, Err(Error::NewerFormat { .. })));
    }
    assert_eq!(disk.bytes(&name), before);
}

#[test]
fn a_footer_that_does_not_agree_with_its_segment_is_found_under_right_checksums() {
    let first = "seg-0000000000";
    let disk = ledger();
    let sealed = disk.bytes(first).unwrap();
    let footer = sealed.windows(4).position(|word| word == b"MLE1").unwrap();
    let salt = u32::from_le_bytes(sealed[56..60].try_into().unwrap());
    // The hash of the bytes is the routine level's alone: the deep one is over the same bytes.
    let cases = [
        (72, Level::Sealed, "the bytes are not as they were sealed"),
        (128, Level::Full, "the footer's offsets do not agree with the records"),
    ];
    for (at, level, what) in cases {
        let disk = disk.after_kill();
        let mut bytes = sealed.clone();
        bytes[footer + at] ^= 1;
        let len = bytes.len() - footer;
        renew(&mut bytes, footer, len, salt);
        disk.set_bytes(first, bytes);
        let findings = verify(&env(&disk), level).unwrap().findings;
        let told: Vec<_> = findings.iter().map(|found| (&*found.file, &*found.what)).collect();
        assert_eq!(told, [(first, what)]);
    }
}

#[test]
fn a_time_before_that_of_the_segment_before_is_found_by_any_number_of_threads() {
    let disk = MemoryDisk::new();
    let log = Log::create(env(&disk), small()).unwrap();
    for _ in 0..15 {
        append(&log, &[&"t".repeat(600)]).unwrap();
    }
    log.close().unwrap();
    let name = "seg-0000000001";
    let bytes = disk.bytes(name).unwrap();
    let first = u64::from_le_bytes(bytes[128 + 56..][..8].try_into().unwrap());
    // The record before gets a later time.
    let last = forge(&disk, first - 1, 64 + 2);
    for threads in [1, 2, 5] {
        let report = verify_on(&env(&disk), Level::Full, threads).unwrap();
        let told: Vec<_> =
            report.findings.iter().map(|found| (&*found.file, &*found.what)).collect();
        let expected = [
            (&*last, "the chain does not follow from the record"),
            (name, "time before the predecessor's"),
        ];
        assert_eq!(told, expected, "{threads}");
    }
}

/// A segment long enough to be walked in pieces, and the last records before its cuts.
fn in_pieces() -> (MemoryDisk, Vec<u64>) {
    const BODY: usize = 60_000;
    let disk = MemoryDisk::new();
    let large = memlith_log::LogOptions { segment_lens: [10 << 20; 4], ..small() };
    let log = Log::create(env(&disk), large).unwrap();
    while !disk.names().iter().any(|name| name == "seg-0000000001") {
        append(&log, &[&"p".repeat(BODY)]).unwrap();
    }
    log.close().unwrap();
    let starts: Vec<_> = (0..4_u64 << 20).step_by(BODY).collect();
    let near = u64::try_from(starts.len()).unwrap();
    (disk, vec![near, 2 * near])
}

#[test]
fn an_edit_is_found_wherever_it_is_to_the_cuts_between_pieces() {
    let (disk, cuts) = in_pieces();
    assert_eq!(verify(&env(&disk), Level::Full).unwrap().findings, []);
    for seq in cuts.into_iter().flat_map(|cut| cut - 2..=cut + 2) {
        for (at, spoils_next) in [(110, false), (24, true)] {
            let disk = disk.after_kill();
            let name = forge(&disk, seq, at);
            for threads in [1, 2, 5] {
                let report = verify_on(&env(&disk), Level::Full, threads).unwrap();
                let told: Vec<_> =
                    report.findings.iter().map(|found| (&*found.file, found.seq)).collect();
                let mut expected = vec![(&*name, Some(Seq(seq)))];
                expected.extend(spoils_next.then_some((&*name, Some(Seq(seq + 1)))));
                assert_eq!(told, expected, "{at} of {seq}, {threads} threads");
            }
        }
    }
}
