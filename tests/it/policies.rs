//! Policies of salience: chosen by an event, for the whole log.

use memlith::{AsOf, Checkpointed, Error, Options, Rank, Rejection, SaliencePolicy, Seq};

use crate::world::{World, ana, ask, digest, factor, head, look, owner, salience, say};

/// What a question showed twice is worth 1.1025; under the policy in force.
fn shown_twice(world: &World) -> (memlith::Ledger, memlith::RecordId) {
    let ledger = world.init();
    let id = say(&ledger, "The cat is called Momo.");
    ask(&ledger, "cat");
    ask(&ledger, "cat");
    assert_eq!(factor(&ledger, id), "1.1025");
    (ledger, id)
}

#[test]
fn a_policy_holds_for_what_came_before_it() {
    let world = World::new();
    let (ledger, id) = shown_twice(&world);
    let other = world.open();
    let before = head(&ledger);
    ledger.choose(&owner(), SaliencePolicy::AttestedOnly).unwrap();
    for ledger in [&ledger, &other] {
        assert_eq!((factor(ledger, id).as_str(), salience(ledger, id)), ("1.0", 1.0));
    }
    ask(&ledger, "cat");
    assert_eq!(salience(&other, id), 1.0, "being shown moves nothing");
    let shown = |as_of| look(&ledger, "cat", as_of).pack.items[0].why.salience.to_string();
    assert_eq!(shown(None), "1.0");
    assert_eq!(shown(Some(AsOf::Seq(before))), "1.1025", "a view of the past has its policy");
    ledger.choose(&owner(), SaliencePolicy::Default).unwrap();
    assert_eq!(factor(&other, id), "1.157625", "nothing was lost meanwhile");
}

#[test]
fn a_fresh_process_has_the_policy_with_a_checkpoint_and_without() {
    let world = World::new();
    let (ledger, id) = shown_twice(&world);
    assert!(matches!(ledger.checkpoint().unwrap(), Checkpointed::Sealed { .. }));
    ledger.choose(&owner(), SaliencePolicy::CompatZaxy).unwrap();
    world.pass_days(30);
    // The clock of a showing is the last one's, and what is never touched stays at 1.
    let dog = say(&ledger, "The dog is called Rex.");
    let expected = digest(&ledger);
    drop(ledger);
    for use_checkpoint in [true, false] {
        let ledger = world.open_with(Options { use_checkpoint, ..Options::default() }).unwrap();
        assert_eq!((salience(&ledger, id), salience(&ledger, dog)), (0.55125, 1.0));
        assert_eq!(ledger.state_digest().unwrap().digest, expected);
        assert_eq!(digest(&ledger), expected);
        world.pass_days(30);
        assert_eq!((salience(&ledger, id), salience(&ledger, dog)), (0.275625, 1.0));
        world.pass_days(-30);
    }
    assert_eq!(world.findings(), []);

    // From a checkpoint that is under the policy nothing is folded again: what it covers may
    // be unreadable.
    let ledger = world.open();
    ledger.checkpoint().unwrap();
    let expected = ledger.state_digest().unwrap();
    drop(ledger);
    let mut bytes = world.disk.bytes("seg-0000000000").unwrap();
    bytes[360] ^= 1;
    world.disk.set_bytes("seg-0000000000", bytes);
    assert_eq!(world.open().state_digest().unwrap(), expected);
}

#[test]
fn a_checkpoint_from_before_a_policy_answers_for_then_alone() {
    let world = World::new();
    let (ledger, id) = shown_twice(&world);
    ledger.checkpoint().unwrap();
    let then = ledger.checkpoints().unwrap();
    ledger.choose(&owner(), SaliencePolicy::AttestedOnly).unwrap();
    let now = ledger.checkpoints().unwrap();
    assert_eq!((then.len(), now.len()), (1, 2), "the old one is kept, for questions of then");
    drop(ledger);
    for file in world.checkpoint_files() {
        if file.starts_with(&format!("ckpt-{}-{}-", memlith::FOLD_VERSION, now[1])) {
            world.disk.delete(&file);
        }
    }
    let ledger = world.open();
    assert_eq!(ledger.checkpoints().unwrap(), then);
    assert_eq!(salience(&ledger, id), 1.0);
}

#[test]
fn the_owner_alone_chooses_a_policy_and_another_one() {
    let world = World::new();
    let ledger = world.init();
    let refused = |caller, policy| match ledger.choose(&caller, policy) {
        Err(Error::Rejected(rejection)) => rejection,
        other => panic!("{other:?}"),
    };
    let attested = SaliencePolicy::AttestedOnly;
    assert_eq!(refused(ana(), attested), Rejection::PolicyRank { found: Rank::User });
    let name = "default";
    assert_eq!(refused(owner(), SaliencePolicy::Default), Rejection::PolicyInForce { name });
    assert_eq!(ledger.salience_policy().unwrap(), (SaliencePolicy::Default, None));
    let written = ledger.choose(&owner(), attested).unwrap();
    assert_eq!(written.id.seq, written.seq);
    assert_eq!(ledger.salience_policy().unwrap(), (attested, Some(written.seq)));
    assert!(written.seq > Seq::GENESIS);
    say(&ledger, "The cat is called Momo.");
    let receipt = look(&ledger, "cat", None).pack.receipt;
    assert_eq!(receipt.policy, Some(written.seq), "a receipt names the policy");
}

/// An audit took the runs of before a choice for those of after it, where they were complete.
#[test]
fn checkpoints_on_both_sides_of_a_choice_are_those_of_a_fold() {
    for policy in [SaliencePolicy::AttestedOnly, SaliencePolicy::CompatZaxy] {
        let world = World::new();
        drop(world.init());
        let ledger = world.open_with(Options { stride_records: 4, ..Options::default() }).unwrap();
        say(&ledger, "The cat is called Momo.");
        ask(&ledger, "cat");
        ledger.checkpoint().unwrap();
        ledger.choose(&owner(), policy).unwrap();
        assert_eq!(ledger.checkpoints().unwrap().len(), 2);
        for audit in ledger.audit_state().unwrap() {
            assert_eq!(audit.verdict, Ok(()), "{}", audit.file);
        }
    }
}
