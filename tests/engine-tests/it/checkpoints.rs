//! Which checkpoints are believed, which are kept, and what two processes make of one.

use memlith::{
    Error, Ledger, Options, Seq,
    prove::{CHECKPOINT_EVENTS, Checkpointed, Replay},
};
use memlith_log::{Access, Fault, FaultKind, LogEvent, Storage};
use memlith_state::Checkpoint;
use memlith_testkit::{Touch, Watched};

use crate::world::{
    World, ask, digest, export, head, ids, import, little_of_everything, look, owner, say,
};

/// A ledger with one checkpoint and a little after it.
fn checkpointed() -> (World, Ledger, String, Seq) {
    let world = World::new();
    let ledger = world.init();
    little_of_everything(&world, &ledger);
    let Checkpointed::Sealed { seq, .. } = ledger.checkpoints().write().unwrap() else { panic!() };
    say(&ledger, "After the checkpoint.");
    let name = world.checkpoint_files().pop().unwrap();
    (world, ledger, name, seq)
}

/// The checkpoint of `seq` is refused, and what it says reaches no answer.
fn assert_refused(world: &World, seq: Seq, expected: memlith::Digest, why: &str) {
    let ledger = world.open();
    let replay = Replay { from_checkpoint: Some(seq), ..Replay::default() };
    assert!(ledger.audit().replay(&replay).is_err(), "{why}");
    assert_eq!(ledger.audit().digest().unwrap().digest, expected, "{why}");
    let audits = ledger.audit().state().unwrap();
    assert!(audits.iter().any(|audit| audit.verdict.is_err()), "{why}");
    assert!(world.findings().iter().any(|finding| finding.file.starts_with("ckpt-")), "{why}");
}

#[test]
fn a_damaged_checkpoint_is_refused_wherever_it_is_damaged() {
    let (world, ledger, name, seq) = checkpointed();
    let expected = digest(&ledger);
    let replay = Replay { from_checkpoint: Some(seq), ..Replay::default() };
    assert_eq!(ledger.audit().replay(&replay).unwrap().digest, expected);
    let runs = world.run_files();
    assert_eq!(runs.len(), 1);
    for name in [name].into_iter().chain(runs) {
        let sound = world.disk.bytes(&name).unwrap();
        for (count, bit) in (0..sound.len() * 8).step_by(97).enumerate() {
            let mut bytes = sound.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            world.disk.set_bytes(&name, bytes);
            let refused = ledger.audit().replay(&replay);
            assert!(matches!(refused, Err(Error::Checkpoint { .. })), "{name}: bit {bit}");
            if count % 200 == 0 {
                assert_refused(&world, seq, expected, &format!("{name}: bit {bit}"));
            }
        }
        for len in [0, 1, 103, 104, 159, 160, sound.len() / 2, sound.len() - 1] {
            world.disk.set_bytes(&name, sound[..len.min(sound.len() - 1)].to_vec());
            assert_refused(&world, seq, expected, &format!("{name}: cut at {len}"));
        }
        world.disk.delete(&name);
        if name.starts_with("run-") {
            assert_refused(&world, seq, expected, &format!("{name}: not there"));
        }
        world.disk.set_bytes(&name, sound);
        assert_eq!(world.findings(), []);
    }
}

#[test]
fn a_checkpoint_of_another_ledger_is_refused() {
    let (world, ledger, name, seq) = checkpointed();
    let expected = digest(&ledger);
    let other = World::on(memlith::storage::MemoryDisk::new(), 99);
    let stranger = other.init();
    little_of_everything(&other, &stranger);
    stranger.checkpoints().write().unwrap();
    let foreign = other.disk.bytes(&other.checkpoint_files()[0]).unwrap();
    assert_eq!(Checkpoint::decode(&foreign).unwrap().name.n, seq);
    world.disk.set_bytes(&name, foreign);
    assert_refused(&world, seq, expected, "foreign");
}

#[test]
fn a_checkpoint_that_the_log_does_not_seal_is_refused() {
    let world = World::new();
    let ledger = world.init();
    little_of_everything(&world, &ledger);
    // The same ledger elsewhere makes the same checkpoint, but its seal stands there.
    let elsewhere = world.copied(50);
    let other = elsewhere.open();
    say(&other, "The copy knows this, and the original doesn't.");
    other.checkpoints().write().unwrap();
    for _ in 0..4 {
        say(&ledger, &format!("The original goes on to {}.", head(&ledger)));
    }
    world.put_checkpoints_of(&elsewhere);
    let seq = ledger.checkpoints().list().unwrap()[0];
    assert_refused(&world, seq, digest(&ledger), "unsealed");
    assert!(ids(&look(&world.open(), "what the copy knows", None)).is_empty());
}

#[test]
fn a_checkpoint_of_other_folds_is_not_comparable() {
    let (world, ledger, name, seq) = checkpointed();
    let mut checkpoint = Checkpoint::decode(&world.disk.bytes(&name).unwrap()).unwrap();
    checkpoint.name.fold_version += 1;
    let named = &mut checkpoint.name;
    for run in &mut checkpoint.runs {
        run.fold_version += 1;
    }
    named.root = Checkpoint::root_of(named.fold_version, &named.configuration, &checkpoint.runs);
    world.disk.set_bytes(&name, checkpoint.encode());
    assert_refused(&world, seq, digest(&ledger), "fold version");
}

#[test]
fn a_checkpoint_from_before_an_erasure_is_refused() {
    let (world, ledger, name, seq) = checkpointed();
    let canary = say(&ledger, "The canary sings at noon.");
    ledger.checkpoints().write().unwrap();
    let before = world.copied(90);
    assert_eq!(before.checkpoint_files().len(), 2);
    ledger.erasure().erase(&owner(), &[canary]).unwrap();
    assert!(world.checkpoint_files().is_empty() && world.run_files().is_empty());
    let expected = digest(&ledger);
    drop(ledger);
    world.put_checkpoints_of(&before);
    assert!(world.checkpoint_files().contains(&name));
    assert_refused(&world, seq, expected, "retired");
    // The next checkpoint takes what is retired away: it still names what was erased.
    let ledger = world.open();
    assert!(matches!(ledger.checkpoints().write().unwrap(), Checkpointed::Sealed { .. }));
    assert_eq!((world.checkpoint_files().len(), world.run_files().len()), (1, 1));
    assert_eq!(world.findings(), []);
    assert_eq!(world.open().audit().digest().unwrap().digest, expected);
}

#[test]
fn a_checkpoint_ahead_of_the_log_is_loud() {
    // Records that a checkpoint proves to have been synced are gone: opening without a
    // word would answer from an older state.
    let world = World::new();
    let ledger = world.init();
    say(&ledger, "The cat is called Momo.");
    let reverted = world.copied(60);
    for number in 0..20 {
        say(&ledger, &format!("Later fact number {number}."));
    }
    ledger.checkpoints().write().unwrap();
    let name = world.checkpoint_files().pop().unwrap();
    reverted.disk.set_bytes(&name, world.disk.bytes(&name).unwrap());
    let refused = reverted.open_with(Options::default()).unwrap_err();
    assert!(matches!(&refused, Error::TailLost { .. }), "{refused}");
    assert_eq!(refused.kind(), memlith::ErrorKind::Integrity);
    assert!(!reverted.findings().is_empty());
    // Who says so may read on; a fold of the log doesn't ask for checkpoints.
    let past = Options { read_past_loss: true, read_only: true, ..Options::default() };
    assert!(reverted.open_with(past).is_ok());
    // Bytes of nobody's, under such a name, prove nothing.
    reverted.disk.set_bytes(&name, b"not a checkpoint".to_vec());
    assert!(reverted.open_with(Options::default()).is_ok());
}

#[test]
fn a_deleted_checkpoint_is_written_and_sealed_again() {
    // A seal in the log was taken for a checkpoint, whether or not its file was there.
    let (world, ledger, _, _) = checkpointed();
    let Checkpointed::Sealed { root, seq, .. } = ledger.checkpoints().write().unwrap() else {
        panic!()
    };
    let end = head(&ledger);
    assert_eq!(ledger.checkpoints().write().unwrap(), Checkpointed::Unchanged { seq });
    assert_eq!(head(&ledger), end);
    for name in world.checkpoint_files().into_iter().chain(world.run_files()) {
        world.disk.delete(&name);
    }
    // Derived state may be deleted at any time; a seal without its file is of no use.
    let Checkpointed::Sealed { root: again, .. } = ledger.checkpoints().write().unwrap() else {
        panic!()
    };
    assert_eq!(again, root, "the root depends on the events alone");
    assert_eq!(ledger.checkpoints().list().unwrap().len(), 1);
    assert_eq!(world.findings(), []);
    let expected = digest(&ledger);
    drop(ledger);
    assert_eq!(world.open().audit().digest().unwrap().digest, expected);
}

#[test]
fn an_erasure_makes_a_checkpoint_due() {
    // The seal from before the erasure still counted, though its file was gone: no checkpoint
    // was written until the next event.
    let (_world, ledger, _, _) = checkpointed();
    let canary = say(&ledger, "The canary sings at noon.");
    ledger.checkpoints().write().unwrap();
    ledger.erasure().erase(&owner(), &[canary]).unwrap();
    assert!(ledger.checkpoints().list().unwrap().is_empty());
    assert!(matches!(ledger.checkpoints().write().unwrap(), Checkpointed::Sealed { .. }));
}

#[test]
fn seals_of_another_ledger_put_no_checkpoint_off() {
    // A restored ledger holds the seals of the one it came from. They were counted as its own,
    // so that it started without a checkpoint until a thousand events later.
    let world = World::new();
    let ledger = world.init();
    let turns: Vec<String> = (0..CHECKPOINT_EVENTS + 50).map(|n| format!("Turn {n}.")).collect();
    let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
    import(&ledger, &crate::world::dialogue("long", &turns)).unwrap();
    assert!(matches!(
        ledger.checkpoints().write_if_due().unwrap(),
        Some(Checkpointed::Sealed { .. })
    ));
    assert_eq!(ledger.checkpoints().write_if_due().unwrap(), None, "a seal alone triggers nothing");
    let restored = World::on(memlith::storage::MemoryDisk::new(), 70);
    let copy = restored.init();
    copy.import_jsonl(&owner(), export(&ledger).as_bytes()).unwrap();
    assert!(matches!(
        copy.checkpoints().write_if_due().unwrap(),
        Some(Checkpointed::Sealed { .. })
    ));
    let expected = digest(&copy);
    drop(copy);
    let copy = restored.open();
    let from_checkpoint = Some(copy.checkpoints().list().unwrap()[0]);
    let replay = Replay { from_checkpoint, ..Replay::default() };
    assert_eq!(copy.audit().replay(&replay).unwrap().digest, expected);
}

#[test]
fn old_checkpoints_are_thinned_out_and_never_all_removed() {
    // Keeping the first of every doubling of the distance removed whatever had just crossed a
    // power of two, so that after a while only the four newest were left.
    let world = World::new();
    let ledger = world.init();
    for number in 0..60_u64 {
        say(&ledger, &format!("Fact number {number}."));
        ledger.checkpoints().write().unwrap();
        let kept = ledger.checkpoints().list().unwrap();
        assert!(kept.len() as u64 >= (number + 1).min(3), "{kept:?}");
        assert!(kept.len() <= 14, "{kept:?}");
        assert!(head(&ledger).0 - kept.last().unwrap().0 <= 1);
        if number > 20 {
            let reach = head(&ledger).0 - kept.first().unwrap().0;
            assert!(reach >= head(&ledger).0 / 3, "only the newest are kept: {kept:?}");
        }
    }
    let expected = digest(&ledger);
    for seq in ledger.checkpoints().list().unwrap() {
        let replay = Replay { from_checkpoint: Some(seq), ..Replay::default() };
        assert_eq!(ledger.audit().replay(&replay).unwrap().digest, expected);
    }
}

#[test]
fn what_another_process_writes_during_a_checkpoint_is_after_it() {
    // The seal stands after what was written meanwhile, and reset the count of what is not
    // covered: the next checkpoint said that nothing had happened.
    let world = World::new();
    let ledger = world.init();
    say(&ledger, "The cat is called Momo.");
    let other = world.open();
    drop(ledger);
    let watched = Watched::env(world.env(), move |name, touch| {
        if touch == Touch::Renamed && name.starts_with("ckpt-") {
            say(&other, "The dog is called Rex.");
        }
        Ok(())
    });
    let ledger = Ledger::open_in(watched, Options::default()).unwrap();
    let Checkpointed::Sealed { seq, .. } = ledger.checkpoints().write().unwrap() else { panic!() };
    let sealed: Vec<Seq> = ledger
        .records(Seq(0), None)
        .unwrap()
        .map(|record| record.unwrap())
        .filter(|record| record.kind == LogEvent::Genesis.kind() + 3)
        .map(|record| record.seq)
        .collect();
    assert!(sealed[0].0 > seq.0 + 1, "the other process wrote between state and seal");
    drop(ledger);
    let ledger = world.open();
    let again = ledger.checkpoints().write().unwrap();
    assert!(matches!(again, Checkpointed::Sealed { .. }), "{again:?}: an event is not covered");
    assert_eq!(world.findings(), []);
}

#[test]
fn an_erasure_during_a_checkpoint_leaves_no_file_from_before_it() {
    // The file got its name after the erasure had removed all others, was sealed although it
    // was retired, and kept what the erased text folds to.
    let world = World::new();
    let ledger = world.init();
    let canary = say(&ledger, "The canary sings at noon.");
    say(&ledger, "The cat is called Momo.");
    drop(ledger);
    for place in ["before", "after"] {
        let world = world.copied(80);
        let other = world.open();
        let watched = Watched::env(world.env(), move |name, touch| {
            let hit = match place {
                "before" => touch == Touch::Open(Access::Read) && name == "ckpt.tmp",
                _ => touch == Touch::Renamed && name.starts_with("ckpt-"),
            };
            if hit && other.show(&owner(), canary).unwrap().authority.is_shown() {
                other.erasure().erase(&owner(), &[canary]).unwrap();
            }
            Ok(())
        });
        let ledger = Ledger::open_in(watched, Options::default()).unwrap();
        let _ = ledger.checkpoints().write();
        assert_eq!(world.checkpoint_files(), Vec::<String>::new(), "{place}");
        assert_eq!(world.run_files(), Vec::<String>::new(), "{place}");
        assert!(
            matches!(ledger.checkpoints().write().unwrap(), Checkpointed::Sealed { .. }),
            "{place}"
        );
        assert_eq!(world.findings(), [], "{place}");
    }
}

#[test]
fn a_checkpoint_that_was_cut_short_leaves_nothing_that_stays() {
    // Between the file's name and its seal lies a moment in which the file is whole and
    // nobody's: it was refused at every start, and found by every verification, for ever.
    let world = World::new();
    let ledger = world.init();
    little_of_everything(&world, &ledger);
    drop(ledger);
    for at in 0..60 {
        let cut = world.copied(400 + at);
        let ledger = cut.open();
        // An observation isn't synced; a checkpoint that covers it must not outlive it.
        ask(&ledger, "what is known");
        cut.disk.set_fault(Some(Fault { at, kind: FaultKind::Stop }));
        let outcome = ledger.checkpoints().write();
        drop(ledger);
        for (disk, how) in [(cut.disk.after_kill(), "killed"), (cut.disk.after_power_cut(), "cut")]
        {
            let what = format!("{how} at operation {at}");
            let world = World::on(disk, 700);
            let ledger = world.open();
            let folded = ledger.audit().replay(&Replay::default()).unwrap();
            assert_eq!(ledger.audit().digest().unwrap(), folded, "{what}");
            say(&ledger, "Life goes on.");
            assert!(
                matches!(ledger.checkpoints().write().unwrap(), Checkpointed::Sealed { .. }),
                "{what}"
            );
            assert_eq!(world.findings(), [], "{what}");
        }
        if outcome.is_ok() {
            return;
        }
    }
    panic!("a checkpoint doesn't take so many operations");
}

#[test]
fn a_checkpoint_that_found_no_room_takes_none() {
    let world = World::new();
    little_of_everything(&world, &world.init());
    let mut refused = 0;
    for at in 0..40 {
        let full = world.copied(500 + at);
        let ledger = full.open();
        let kind = FaultKind::Fail(std::io::ErrorKind::StorageFull);
        full.disk.set_fault(Some(Fault { at, kind }));
        refused += u32::from(ledger.checkpoints().write().is_err());
        let names = full.disk.process().list("").unwrap();
        assert!(!names.iter().any(|name| name == "ckpt.tmp"), "operation {at}: {names:?}");
    }
    assert!(refused > 3, "{refused} of 40 operations mattered");
}

#[test]
fn a_run_stays_while_the_checkpoint_that_names_it_cannot_be_read() {
    // One reading that failed made an older checkpoint name nothing: its run was pruned, the
    // checkpoint stayed, and verification found it without its run ever after.
    let (world, ledger, older, _) = checkpointed();
    drop(ledger);
    let sound = world.disk.bytes(&older).unwrap();
    let (disk, unread) = (world.disk.clone(), older.clone());
    let watched = Watched::env(world.env(), move |name, touch| {
        if touch == Touch::Renamed && name.starts_with("ckpt-") {
            disk.set_bytes(&unread, b"a reading that failed".to_vec());
        }
        Ok(())
    });
    let ledger = Ledger::open_in(watched, Options::default()).unwrap();
    assert!(matches!(ledger.checkpoints().write().unwrap(), Checkpointed::Sealed { .. }));
    world.disk.set_bytes(&older, sound);
    assert_eq!(world.checkpoint_files().len(), 2);
    assert_eq!(world.findings(), []);
}

#[test]
fn two_processes_write_ask_and_checkpoint_in_turn() {
    let world = World::new();
    let a = world.init();
    let b = world.open();
    for round in 0..12 {
        let (writer, other) = if round % 2 == 0 { (&a, &b) } else { (&b, &a) };
        let id = say(writer, &format!("Fact of round {round}."));
        assert_eq!(ids(&ask(other, &format!("fact of round {round}")))[0], id);
        if round % 3 == 0 {
            assert!(matches!(other.checkpoints().write().unwrap(), Checkpointed::Sealed { .. }));
            assert!(matches!(
                writer.checkpoints().write().unwrap(),
                Checkpointed::Unchanged { .. }
            ));
        }
        let folded = digest(&a);
        assert_eq!(a.audit().digest().unwrap().digest, folded);
        assert_eq!(b.audit().digest().unwrap().digest, folded);
    }
    assert_eq!(world.findings(), []);
}

#[test]
fn a_checkpoint_that_goes_while_it_is_audited_is_no_finding() {
    // A verification listed a checkpoint that another process removed before it was read,
    // as every pruning and every erasure does, and called the ledger damaged: "checkpoint
    // is cut off".
    let (world, ledger, name, _) = checkpointed();
    let (disk, gone) = (world.disk.clone(), name.clone());
    let watched = Watched::env(world.env(), move |name, touch| {
        if touch == Touch::Open(Access::Read) && name == gone {
            disk.delete(&gone);
        }
        Ok(())
    });
    assert_eq!(
        memlith::prove::verify_in(&watched, memlith::prove::Level::Full).unwrap().findings,
        []
    );
    assert_eq!(world.checkpoint_files(), Vec::<String>::new());
    drop(ledger);
}
