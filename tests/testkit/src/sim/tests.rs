use std::collections::BTreeSet;
use std::sync::Arc;

use memlith_log::{Access, File, Storage};

use super::*;

fn create(storage: &SimStorage, name: &str) -> Arc<dyn File> {
    storage.open(name, Access::Create).unwrap()
}

/// A disk with a durable file of sixteen sectors of `a`.
fn durable() -> (SimDisk, SimStorage, Arc<dyn File>) {
    let disk = SimDisk::new();
    let storage = disk.process();
    let file = create(&storage, "f");
    file.write_at(&[b'a'; 8_192], 0).unwrap();
    file.sync_data().unwrap();
    storage.sync_folder("").unwrap();
    (disk, storage, file)
}

/// Every content of `f` that many cuts of the present moment leave.
fn contents(disk: &SimDisk, cut: Cut) -> BTreeSet<Vec<u8>> {
    let moment = disk.moment();
    let after = |seed| moment.cut(cut, &mut Chance::of(&[seed])).bytes("f").unwrap_or_default();
    (0..400).map(after).collect()
}

#[test]
fn what_is_synced_survives_every_cut() {
    let (disk, ..) = durable();
    for cut in Cut::ALL {
        assert_eq!(contents(&disk, cut), BTreeSet::from([vec![b'a'; 8_192]]), "{cut:?}");
    }
}

#[test]
fn a_name_without_its_bytes_shows_zeros_and_bytes_without_a_name_are_gone() {
    let disk = SimDisk::new();
    let storage = disk.process();
    let file = create(&storage, "f");
    file.write_at(b"x", 999).unwrap();
    assert_eq!(contents(&disk, Cut::NamesOnly), BTreeSet::from([vec![0; 1_000]]));
    assert_eq!(disk.moment().cut(Cut::Nothing, &mut Chance::new(0)).names(), [""; 0]);
    file.sync_data().unwrap();
    assert_eq!(disk.moment().cut(Cut::Nothing, &mut Chance::new(0)).names(), [""; 0]);
    storage.sync_folder("").unwrap();
    assert_eq!(disk.moment().cut(Cut::Nothing, &mut Chance::new(0)).names(), ["f"]);
}

#[test]
fn any_subset_of_sectors_may_be_left_and_only_a_torn_one_is_mixed() {
    let (disk, _, file) = durable();
    file.write_at(&[b'b'; 1_024], 0).unwrap();
    let firsts = |cut| {
        let bytes = contents(&disk, cut);
        bytes.iter().map(|bytes| (bytes[0], bytes[511], bytes[512])).collect::<BTreeSet<_>>()
    };
    let sectors = firsts(Cut::Sectors);
    let (a, b) = (b'a', b'b');
    assert_eq!(sectors, BTreeSet::from([(a, a, a), (a, a, b), (b, b, a), (b, b, b)]));
    assert!(firsts(Cut::Torn).contains(&(a, b, a)), "a suffix alone");
    assert!(firsts(Cut::Torn).contains(&(b, a, b)), "a prefix alone");
}

#[test]
fn garbage_stays_within_the_bytes_that_change() {
    let (disk, _, file) = durable();
    file.write_at(b"aabbaa", 100).unwrap();
    let left = contents(&disk, Cut::Garbage);
    assert!(left.len() > 100, "{} kinds of garbage", left.len());
    for bytes in left {
        assert!(bytes[..102].iter().chain(&bytes[104..]).all(|byte| *byte == b'a'));
    }
    let (disk, _, file) = durable();
    file.write_at(&[b'a'; 3_000], 100).unwrap();
    assert_eq!(contents(&disk, Cut::Garbage).len(), 1, "the same bytes again are no change");
}

#[test]
fn writes_of_one_sector_reach_it_in_order() {
    let (disk, _, file) = durable();
    file.write_at(b"1", 0).unwrap();
    file.write_at(b"2", 1).unwrap();
    let left: BTreeSet<_> =
        contents(&disk, Cut::Sectors).into_iter().map(|bytes| [bytes[0], bytes[1]]).collect();
    assert_eq!(left, BTreeSet::from([*b"aa", *b"1a", *b"12"]));
}

#[test]
fn a_file_that_was_cut_never_shows_new_bytes_behind_its_old_ones() {
    let (disk, _, file) = durable();
    file.set_len(0).unwrap();
    file.write_at(&[b'b'; 1_024], 0).unwrap();
    for cut in [Cut::Sectors, Cut::Torn, Cut::NamesOnly] {
        for bytes in contents(&disk, cut) {
            let old = bytes.contains(&b'a');
            assert!(!old || !bytes.contains(&b'b'), "{cut:?}");
            assert!(!old || bytes.len() == 8_192, "{cut:?}");
        }
    }
}

#[test]
fn a_kill_keeps_the_cache_and_frees_the_locks() {
    let (disk, storage, file) = durable();
    let other = create(&disk.process(), "f");
    assert!(file.try_lock().unwrap());
    assert!(!other.try_lock().unwrap());
    file.write_at(b"new", 0).unwrap();
    let after = disk.moment().killed(Progress::Before, &mut Chance::new(0));
    let next = after.process();
    assert!(create(&next, "f").try_lock().unwrap());
    assert!(after.bytes("f").unwrap().starts_with(b"new"));
    assert_eq!(next.boot_id(), storage.boot_id());
    let cut = disk.moment().cut(Cut::Nothing, &mut Chance::new(0));
    assert_ne!(cut.process().boot_id(), storage.boot_id());
    disk.kill(&storage);
    assert!(file.write_at(b"gone", 0).is_err());
    drop(file);
    assert!(other.try_lock().unwrap());
}

#[test]
fn faults_strike_once_and_where_they_should() {
    let (disk, storage, file) = durable();
    let (operations, reads) = (disk.operations(), disk.reads());
    let fail = FaultKind::Fail(std::io::ErrorKind::StorageFull);
    disk.plan(Fault { at: At::Operation(operations + 1), kind: fail });
    disk.plan(Fault { at: At::Read(reads), kind: FaultKind::Flip });
    disk.plan(Fault { at: At::Next(OperationKind::Rename, 0), kind: FaultKind::Die });
    file.write_at(b"a", 0).unwrap();
    assert!(file.write_at(b"b", 0).is_err());
    file.write_at(b"a", 0).unwrap();
    let mut bytes = [0; 1];
    file.read_at(&mut bytes, 0).unwrap();
    assert_eq!((bytes[0] ^ b'a').count_ones(), 1);
    file.read_at(&mut bytes, 0).unwrap();
    assert_eq!(bytes, [b'a']);
    assert!(storage.rename("f", "g").is_err());
    assert!(file.len().is_err(), "the process is dead");
    assert_eq!(disk.names(), ["f"]);
}

#[test]
fn a_failed_sync_may_lose_what_processes_go_on_seeing() {
    for effect in [FailedSync::Keep, FailedSync::Revert] {
        let mut lost = 0;
        for seed in 0..20 {
            let (disk, storage, file) = durable();
            let disk = disk.failing(effect).seeded(seed);
            file.write_at(b"new", 0).unwrap();
            let kind = FaultKind::Fail(std::io::ErrorKind::Other);
            disk.plan(Fault { at: At::Next(OperationKind::Sync, 0), kind });
            assert!(file.sync_data().is_err());
            file.sync_data().unwrap();
            storage.sync_folder("").unwrap();
            let seen = disk.bytes("f").unwrap().starts_with(b"new");
            let left = disk.moment().cut(Cut::Everything, &mut Chance::new(0));
            let kept = left.bytes("f").unwrap().starts_with(b"new");
            assert!(seen || !kept && effect == FailedSync::Revert);
            lost += u32::from(!kept);
        }
        assert!((5..20).contains(&lost), "{effect:?}: {lost} of 20");
    }
}

#[test]
fn states_are_told_apart_by_what_can_be_seen_of_them() {
    let (disk, _, file) = durable();
    let quiet = disk.digest();
    file.write_at(b"b", 0).unwrap();
    let waiting = disk.digest();
    file.sync_data().unwrap();
    let durable = disk.digest();
    assert_ne!(quiet, waiting);
    assert_ne!(waiting, durable, "a cut would tell them apart");
    file.write_at(b"a", 0).unwrap();
    file.sync_data().unwrap();
    assert_eq!(disk.digest(), quiet);
}
