//! Flaws of a system of the same kind, on the same histories: files that are damaged,
//! cut or made by somebody else, and what a log costs as it grows. See [`crate::flaws`].

use std::sync::Arc;

use memlith::measured::CountedStorage;
use memlith::{Error, ErrorKind, Ledger, Options, storage::Env};

use crate::world::{World, ana, ask, digest, exported_records, ids, look, say, words};

/// The file that the records are in.
fn segment(world: &World) -> String {
    world.disk.names().into_iter().find(|name| name.starts_with("seg-")).unwrap()
}

fn facts(ledger: &Ledger, numbers: std::ops::Range<u32>) {
    for number in numbers {
        say(ledger, &format!("Fact number {number}."));
    }
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let found: Vec<usize> = (0..bytes.len() - from.len())
        .filter(|at| bytes[*at..].starts_with(from.as_bytes()))
        .collect();
    assert!(!found.is_empty());
    for at in found {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    bytes
}

#[test]
fn n5_a_text_that_was_changed_below_a_checkpoint_is_never_served() {
    let world = World::new();
    let ledger = world.init();
    say(&ledger, "The staging database runs Postgres.");
    say(&ledger, "The office has tea.");
    ledger.checkpoints().write().unwrap();
    say(&ledger, "The office has coffee.");
    ledger.close().unwrap();
    let name = segment(&world);
    let changed = replaced(&world.disk.bytes(&name).unwrap(), "Postgres", "Memcache");
    world.disk.set_bytes(&name, changed);
    let answer = world.open_with(Options::default()).and_then(|ledger| {
        let request = memlith::CheckoutRequest::new("which database does staging run?");
        ledger.checkout(&ana(), &request)
    });
    let refused = answer.expect_err("it is told from what was written");
    assert_eq!(refused.kind(), ErrorKind::Integrity, "{refused}");
    assert!(!world.findings().is_empty());
}

#[test]
fn n6_a_log_that_is_shorter_than_its_checkpoint_is_not_answered_from() {
    let world = World::new();
    let ledger = world.init();
    facts(&ledger, 0..20);
    let cut = world.copied(60);
    facts(&ledger, 20..50);
    ledger.checkpoints().write().unwrap();
    cut.put_checkpoints_of(&world);
    let refused = cut.open_with(Options::default()).unwrap_err();
    assert!(matches!(refused, Error::TailLost { .. }), "{refused}");
    assert!(!cut.findings().is_empty());
}

#[test]
fn n7_whatever_stands_in_a_checkpoint_changes_no_answer() {
    let world = World::new();
    let ledger = world.init();
    facts(&ledger, 0..8);
    ledger.checkpoints().write().unwrap();
    say(&ledger, "A later fact.");
    let expected = (digest(&ledger), ids(&look(&ledger, "which fact?", None)));
    ledger.close().unwrap();
    let files = [world.checkpoint_files(), world.run_files()].concat();
    assert_eq!(files.len(), 2);
    for name in files {
        let sound = world.disk.bytes(&name).unwrap();
        for at in (0..sound.len()).step_by(sound.len() / 40) {
            let mut bytes = sound.clone();
            let end = bytes.len().min(at + 24);
            for (offset, byte) in bytes[at..end].iter_mut().enumerate() {
                *byte ^= u8::try_from((at + offset * 37) % 255).unwrap() + 1;
            }
            world.disk.set_bytes(&name, bytes);
            let ledger = world.open();
            let found = (digest(&ledger), ids(&look(&ledger, "which fact?", None)));
            assert_eq!(found, expected, "{name} at {at}");
            drop(ledger);
        }
        world.disk.set_bytes(&name, sound);
    }
}

#[test]
fn n9_nothing_rewrites_a_record_or_makes_it_longer() {
    let world = World::new();
    let ledger = world.init();
    facts(&ledger, 0..200);
    let before = exported_records(&ledger);
    let (name, bytes) = (segment(&world), world.disk.bytes(&segment(&world)).unwrap());
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    ledger.checkpoints().write().unwrap();
    let (after, found) = (exported_records(&ledger), world.disk.bytes(&name).unwrap());
    assert!(after.starts_with(&before));
    assert_eq!((found.len(), &found[..used]), (bytes.len(), &bytes[..used]));
}

#[test]
fn n12_an_append_costs_the_same_in_a_long_log() {
    let world = World::new();
    let storage = CountedStorage::new(world.disk.process());
    let counters = storage.counters();
    let env = Env { storage: Arc::new(storage), ..world.env() };
    let ledger = Ledger::create_in(env, Options::default()).unwrap();
    let append = |number: u32| {
        let before = counters.now();
        let _ = ledger.remember(&ana(), words(&format!("Fact number {number}."))).unwrap();
        let cost = counters.now().since(before);
        (cost.read_bytes + cost.mapped_bytes, cost.written_bytes, cost.file_syncs)
    };
    // What is read again depends on how far the last segment has come, and comes round; zeros
    // ahead of the end are written once in some hundreds.
    let most = |numbers: std::ops::Range<u32>| {
        let costs: Vec<_> = numbers.map(append).collect();
        let of = |part: fn(&(u64, u64, u64)) -> u64| {
            let mut parts: Vec<_> = costs.iter().map(part).collect();
            parts.sort_unstable();
            parts
        };
        let last = |parts: Vec<u64>| *parts.last().unwrap();
        let nearly_all = of(|cost| cost.1)[costs.len() * 98 / 100];
        (last(of(|cost| cost.0)), nearly_all, last(of(|cost| cost.2)))
    };
    let (read, written, syncs) = most(1_000..1_400);
    most(1_400..4_000);
    let (read_then, written_then, syncs_then) = most(4_000..4_400);
    assert_eq!((written_then, syncs_then), (written, syncs));
    assert!(read_then * 10 <= read * 11, "{read} bytes, then {read_then}");
}

#[test]
fn n13_a_line_that_was_torn_is_cut_off_and_the_log_goes_on() {
    let world = World::new();
    let ledger = world.init();
    let kept = say(&ledger, "What was acknowledged.");
    let torn = world.copied(70);
    say(&ledger, "What was being written when the power went.");
    let name = segment(&world);
    let (old, new) = (torn.disk.bytes(&name).unwrap(), world.disk.bytes(&name).unwrap());
    let (from, to) = {
        let differs: Vec<usize> = (0..old.len()).filter(|at| old[*at] != new[*at]).collect();
        (differs[0], differs[differs.len() - 1])
    };
    for part in 1..4 {
        let at = from + (to - from) * part / 4;
        let again = torn.copied(71 + part as u64);
        again.disk.set_bytes(&name, [&new[..at], &old[at..]].concat());
        let ledger = again.open();
        assert_eq!(ids(&ask(&ledger, "what was acknowledged?")), [kept]);
        let next = say(&ledger, "What came after.");
        assert_eq!(next.seq, say(&torn.copied(80).open(), "What came after.").seq.next());
        ledger.close().unwrap();
        assert_eq!(again.findings(), []);
    }
}

#[test]
fn n14_a_log_that_lost_its_end_is_found_out() {
    let world = World::new();
    let ledger = world.init();
    facts(&ledger, 0..10);
    let name = segment(&world);
    let early = world.disk.bytes(&name).unwrap();
    facts(&ledger, 10..20);
    ledger.close().unwrap();
    world.disk.set_bytes(&name, early);
    assert!(!world.findings().is_empty());
    let refused = world.open_with(Options::default()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Integrity, "{refused}");
}
