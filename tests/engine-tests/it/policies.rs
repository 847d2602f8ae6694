//! Policies: chosen by an event. Those of salience hold for the whole log, those of trust from
//! there on.

use memlith::{
    AsOf, Authority, Caller, Change, Error, Judgement, Ledger, Options, Question, Rank, RecordId,
    Remember, Seq, Timestamp, WriteOutcome,
    copy::{Format, ImportOptions},
    prove::Checkpointed,
    read::{LeftOutReason, Verdict},
    write::{Cosine, Thresholds},
    write::{Rejection, SaliencePolicy, TrustPolicy, WritePolicy},
};

use crate::novelty::{AGAIN, filled};
use crate::world::{
    World, ana, ask, dialogue, digest, fact, factor, head, ids, look, owner, salience, say, words,
};

/// Makes a ledger whose item was shown twice and is worth 1.1025; under the policy in force.
fn shown_twice(world: &World) -> (Ledger, RecordId) {
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
    let _ = ledger.policy().choose_salience(&owner(), SaliencePolicy::AttestedOnly).unwrap();
    for ledger in [&ledger, &other] {
        assert_eq!((factor(ledger, id).as_str(), salience(ledger, id)), ("1.0", 1.0));
    }
    ask(&ledger, "cat");
    assert_eq!(salience(&other, id), 1.0, "being shown moves nothing");
    let shown = |as_of| look(&ledger, "cat", as_of).pack.items[0].why.salience.to_string();
    assert_eq!(shown(None), "1.0");
    assert_eq!(shown(Some(AsOf::Seq(before))), "1.1025", "a view of the past has its policy");
    let _ = ledger.policy().choose_salience(&owner(), SaliencePolicy::Default).unwrap();
    assert_eq!(factor(&other, id), "1.157625", "nothing was lost meanwhile");
}

#[test]
fn a_fresh_process_has_the_policy_with_a_checkpoint_and_without() {
    let world = World::new();
    let (ledger, id) = shown_twice(&world);
    assert!(matches!(ledger.checkpoints().write().unwrap(), Checkpointed::Sealed { .. }));
    let _ = ledger.policy().choose_salience(&owner(), SaliencePolicy::CompatZaxy).unwrap();
    world.pass_days(30);
    // The clock of a showing is the last one's, and what is never touched stays at 1.
    let dog = say(&ledger, "The dog is called Rex.");
    let expected = digest(&ledger);
    drop(ledger);
    for use_checkpoint in [true, false] {
        let ledger = world.open_with(Options { use_checkpoint, ..Options::default() }).unwrap();
        assert_eq!((salience(&ledger, id), salience(&ledger, dog)), (0.55125, 1.0));
        assert_eq!(ledger.audit().digest().unwrap().digest, expected);
        assert_eq!(digest(&ledger), expected);
        world.pass_days(30);
        assert_eq!((salience(&ledger, id), salience(&ledger, dog)), (0.275625, 1.0));
        world.pass_days(-30);
    }
    assert_eq!(world.findings(), []);

    // From a checkpoint that is under the policy nothing is folded again: what it covers may
    // be unreadable.
    let ledger = world.open();
    ledger.checkpoints().write().unwrap();
    let expected = ledger.audit().digest().unwrap();
    drop(ledger);
    let mut bytes = world.disk.bytes("seg-0000000000").unwrap();
    bytes[360] ^= 1;
    world.disk.set_bytes("seg-0000000000", bytes);
    assert_eq!(world.open().audit().digest().unwrap(), expected);
}

#[test]
fn a_checkpoint_from_before_a_policy_answers_for_then_alone() {
    let world = World::new();
    let (ledger, id) = shown_twice(&world);
    ledger.checkpoints().write().unwrap();
    let then = ledger.checkpoints().list().unwrap();
    let _ = ledger.policy().choose_salience(&owner(), SaliencePolicy::AttestedOnly).unwrap();
    let now = ledger.checkpoints().list().unwrap();
    assert_eq!((then.len(), now.len()), (1, 2), "the old one is kept, for questions of then");
    drop(ledger);
    for file in world.checkpoint_files() {
        if file.starts_with(&format!("ckpt-{}-{}-", memlith::prove::FOLD_VERSION, now[1])) {
            world.disk.delete(&file);
        }
    }
    let ledger = world.open();
    assert_eq!(ledger.checkpoints().list().unwrap(), then);
    assert_eq!(salience(&ledger, id), 1.0);
}

#[test]
fn the_owner_alone_chooses_a_policy_and_another_one() {
    let world = World::new();
    let ledger = world.init();
    let refused = |caller, policy| match ledger.policy().choose_salience(&caller, policy) {
        Err(Error::Rejected(rejection)) => rejection,
        other => panic!("{other:?}"),
    };
    let attested = SaliencePolicy::AttestedOnly;
    assert_eq!(refused(ana(), attested), Rejection::PolicyRank { found: Rank::User });
    let name = "default";
    assert_eq!(refused(owner(), SaliencePolicy::Default), Rejection::PolicyInForce { name });
    assert_eq!(ledger.policy().salience().unwrap(), (SaliencePolicy::Default, None));
    let written = ledger.policy().choose_salience(&owner(), attested).unwrap();
    assert_eq!(written.id.seq, written.seq);
    assert_eq!(ledger.policy().salience().unwrap(), (attested, Some(written.seq)));
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
        ledger.checkpoints().write().unwrap();
        let _ = ledger.policy().choose_salience(&owner(), policy).unwrap();
        assert_eq!(ledger.checkpoints().list().unwrap().len(), 2);
        for audit in ledger.audit().state().unwrap() {
            assert_eq!(audit.verdict, Ok(()), "{}", audit.file);
        }
    }
}

fn said_by(ledger: &Ledger, rank: Rank, text: &str) -> RecordId {
    ledger.remember(&Caller::new("default", "somebody", rank), words(text)).unwrap().id
}

fn confirm(ledger: &Ledger, id: RecordId) {
    let change = Change::Confirm { weight: None, verified: false };
    let _ = ledger.change(&ana(), change, [id]).unwrap();
}

fn trust(ledger: &Ledger, policy: TrustPolicy) -> Seq {
    ledger.policy().choose_trust(&owner(), policy).unwrap().seq
}

fn shown(ledger: &Ledger, query: &str) -> Vec<RecordId> {
    let mut shown = ids(&look(ledger, query, None));
    shown.sort_unstable();
    shown
}

fn authority(ledger: &Ledger, id: RecordId) -> Authority {
    ledger.show(&ana(), id).unwrap().authority
}

#[test]
fn under_strict_what_no_person_stands_behind_waits() {
    let world = World::new();
    let ledger = world.init();
    let before = said_by(&ledger, Rank::Assistant, "The heron nests at the mill.");
    trust(&ledger, TrustPolicy::Strict);
    let after = said_by(&ledger, Rank::Assistant, "The heron fishes at dawn.");
    let tool = said_by(&ledger, Rank::Tool, "The heron weighs two kilograms.");
    let own = said_by(&ledger, Rank::User, "The heron is grey.");
    for id in [after, tool] {
        assert_eq!(authority(&ledger, id), Authority::Pending);
    }
    assert_eq!(shown(&ledger, "heron"), [before, own], "what stood goes on standing");
    let _ = ledger.review().judge(&owner(), Judgement::Accept, [after], None).unwrap();
    let _ = ledger.review().judge(&owner(), Judgement::Accept, [tool], None).unwrap();
    assert_eq!(shown(&ledger, "heron"), [before, after, tool, own]);
    trust(&ledger, TrustPolicy::Balanced);
    let later = said_by(&ledger, Rank::Assistant, "The heron has a mate.");
    assert_eq!(authority(&ledger, later), Authority::Active);
}

#[test]
fn under_strict_a_pinned_guess_needs_a_persons_word() {
    let world = World::new();
    let ledger = world.init();
    let guess = said_by(&ledger, Rank::Assistant, "The heron nests at the mill.");
    let _ = ledger.change(&ana(), Change::Pin, [guess]).unwrap();
    assert_eq!(shown(&ledger, "unrelated"), [guess]);
    trust(&ledger, TrustPolicy::Strict);
    assert_eq!(shown(&ledger, "unrelated"), []);
    assert_eq!(shown(&ledger, "heron"), [guess], "who asks for it sees it");
    confirm(&ledger, guess);
    assert_eq!(shown(&ledger, "unrelated"), [guess]);
}

#[test]
fn under_strict_no_answer_has_words_of_tools_that_nobody_stands_behind() {
    let world = World::new();
    let ledger = world.init();
    trust(&ledger, TrustPolicy::Open);
    let kiln = said_by(&ledger, Rank::Tool, "The kiln is at nine hundred degrees.");
    let glaze = said_by(&ledger, Rank::Tool, "The glaze for the kiln is celadon.");
    let own = say(&ledger, "The kiln was lit on Monday.");
    assert_eq!(shown(&ledger, "kiln"), [kiln, glaze, own]);
    trust(&ledger, TrustPolicy::Strict);
    assert_eq!(shown(&ledger, "kiln"), [own]);
    let left_out = look(&ledger, "kiln", None).pack.left_out;
    for id in [kiln, glaze] {
        let of = |one: &&memlith::read::Excluded| one.id == id;
        assert_eq!(left_out.iter().find(of).unwrap().reason, LeftOutReason::Trust);
        assert_eq!(authority(&ledger, id), Authority::Active, "no status is changed");
    }
    confirm(&ledger, kiln);
    assert_eq!(shown(&ledger, "kiln"), [kiln, own]);
    trust(&ledger, TrustPolicy::Balanced);
    assert_eq!(shown(&ledger, "kiln"), [kiln, glaze, own]);
}

/// Counts the items shown of a dialogue that was imported with a cap, under each policy.
fn of_a_dialogue(cap: u8) -> [usize; 3] {
    let world = World::new();
    let ledger = world.init();
    let options = ImportOptions { tier_cap: Some(cap), ..ImportOptions::default() };
    let turns = ["The ferry leaves Goa at nine.", "The ferry is late."];
    ledger.import(Format::Locomo, dialogue("trip", &turns).as_bytes(), options).unwrap();
    let mut caller = ana();
    caller.scope.subject = Some("trip".into());
    [TrustPolicy::Strict, TrustPolicy::Balanced, TrustPolicy::Open].map(|policy| {
        if ledger.policy().trust().unwrap().0 != policy {
            trust(&ledger, policy);
        }
        let question = Question { query: "ferry".to_owned(), as_of: None };
        let request = memlith::CheckoutRequest {
            question,
            observe: false,
            ..memlith::CheckoutRequest::new("")
        };
        ledger.checkout(&caller, &request).unwrap().pack.items.len()
    })
}

#[test]
fn records_are_shown_by_their_tier_and_the_webs_share_holds_under_every_policy() {
    assert_eq!(of_a_dialogue(3), [2, 2, 2], "as an assistant's");
    assert_eq!(of_a_dialogue(2), [0, 2, 2], "as a tool's");
    assert_eq!(of_a_dialogue(1), [0, 0, 0], "of web text alone no pack is made");
}

#[test]
fn under_open_tools_are_believed_and_displace_nobody_above_them() {
    let world = World::new();
    let ledger = world.init();
    let waits = said_by(&ledger, Rank::Tool, "The build takes eight minutes.");
    trust(&ledger, TrustPolicy::Open);
    let tool = said_by(&ledger, Rank::Tool, "The build takes nine minutes.");
    let web = said_by(&ledger, Rank::Web, "The build takes no time.");
    assert_eq!(authority(&ledger, waits), Authority::Pending, "what waited goes on waiting");
    assert_eq!(authority(&ledger, web), Authority::Pending);
    assert_eq!(shown(&ledger, "build"), [tool]);
    let shell = Caller::new("default", "shell", Rank::Tool);
    let in_place = |value: &str| {
        let text = format!("The server runs on port {value}.");
        fact(&text, "server", "port", value)
    };
    let say = |rank, value| {
        world.tick();
        ledger.remember(&Caller::new("default", "helper", rank), in_place(value)).unwrap()
    };
    let first = say(Rank::Tool, "80").id;
    let second = say(Rank::Assistant, "81");
    assert_eq!(second.outcome.displaced(), [first]);
    let third = say(Rank::Tool, "82");
    assert_eq!(authority(&ledger, third.id), Authority::Pending);
    assert_eq!(shown(&ledger, "server port"), [second.id]);
    let wrong = Change::Invalidate { weight: None, reason: None };
    let _ = ledger.change(&shell, wrong, [second.id]).unwrap();
    assert_eq!(shown(&ledger, "server port"), [second.id]);
}

/// Nobody can use a policy to name what it doesn't show.
#[test]
fn under_strict_no_newer_value_is_named_that_may_not_be_shown() {
    let world = World::new();
    let ledger = world.init();
    trust(&ledger, TrustPolicy::Open);
    let shell = Caller::new("default", "shell", Rank::Tool);
    let port = |value: &str| fact(&format!("Port {value} is open."), "server", "port", value);
    let first = ledger.remember(&shell, port("80")).unwrap().id;
    let resting = Remember { rests_on: vec![first], ..words("The firewall lets callers in.") };
    let resting = ledger.remember(&ana(), resting).unwrap().id;
    world.tick();
    let second = ledger.remember(&shell, port("81")).unwrap().id;
    let newer = || {
        let pack = look(&ledger, "firewall", None).pack;
        let item = pack.items.into_iter().find(|item| item.id == resting).unwrap();
        (item.why.authority, item.why.newer)
    };
    assert_eq!(newer(), (Authority::Outdated, vec![second]));
    trust(&ledger, TrustPolicy::Strict);
    assert_eq!(newer(), (Authority::Outdated, vec![]));
}

#[test]
fn receipts_of_both_sides_of_a_choice_of_trust_are_reproduced() {
    let world = World::new();
    let ledger = world.init();
    trust(&ledger, TrustPolicy::Open);
    let kiln = said_by(&ledger, Rank::Tool, "The kiln is at nine hundred degrees.");
    let own = say(&ledger, "The kiln was lit on Monday.");
    let mut views = Vec::new();
    let mut asked = |policy: TrustPolicy, chosen: Option<Seq>| {
        let checkout = ask(&ledger, "kiln");
        assert_eq!(checkout.pack.receipt.policy, chosen, "{policy:?}");
        let mut ids = ids(&checkout);
        ids.sort_unstable();
        views.push((checkout.pack.receipt.view, policy, ids));
    };
    asked(TrustPolicy::Open, ledger.policy().trust().unwrap().1);
    ledger.checkpoints().write().unwrap();
    let strict = trust(&ledger, TrustPolicy::Strict);
    asked(TrustPolicy::Strict, Some(strict));
    let attested =
        ledger.policy().choose_salience(&owner(), SaliencePolicy::AttestedOnly).unwrap().seq;
    asked(TrustPolicy::Strict, Some(attested));
    ledger.checkpoints().write().unwrap();
    let balanced = trust(&ledger, TrustPolicy::Balanced);
    asked(TrustPolicy::Balanced, Some(balanced));
    let expected = digest(&ledger);
    drop(ledger);
    for use_checkpoint in [true, false] {
        let ledger = world.open_with(Options { use_checkpoint, ..Options::default() }).unwrap();
        assert_eq!(ledger.audit().digest().unwrap().digest, expected);
        assert_eq!(ledger.policy().trust().unwrap(), (TrustPolicy::Balanced, Some(balanced)));
        let audits = ledger.audit().receipts().unwrap();
        assert_eq!(audits.len(), 4);
        for audit in audits {
            assert_eq!(audit.verdict, Verdict::Reproduced);
        }
        for (view, policy, shown) in &views {
            let all = if *policy == TrustPolicy::Strict { vec![own] } else { vec![kiln, own] };
            assert_eq!(*shown, all, "{policy:?}");
            let mut then = ids(&look(&ledger, "kiln", Some(AsOf::Seq(*view))));
            then.sort_unstable();
            assert_eq!(then, all, "as of a view under {policy:?}");
        }
    }
    assert_eq!(world.findings(), []);
}

#[test]
fn the_owner_alone_chooses_whom_to_trust() {
    let world = World::new();
    let ledger = world.init();
    let refused = |caller, policy| match ledger.policy().choose_trust(&caller, policy) {
        Err(Error::Rejected(rejection)) => rejection,
        other => panic!("{other:?}"),
    };
    let (before, name) = (head(&ledger), "balanced");
    let reviewer = Caller::new("default", "rita", Rank::Reviewer);
    for caller in [ana(), reviewer] {
        let found = caller.rank;
        assert_eq!(refused(caller, TrustPolicy::Open), Rejection::PolicyRank { found });
    }
    assert_eq!(refused(owner(), TrustPolicy::Balanced), Rejection::PolicyInForce { name });
    assert_eq!(head(&ledger), before);
    assert_eq!(ledger.policy().trust().unwrap(), (TrustPolicy::Balanced, None));
    let chosen = trust(&ledger, TrustPolicy::Strict);
    assert_eq!(ledger.policy().trust().unwrap(), (TrustPolicy::Strict, Some(chosen)));
    assert_eq!(ledger.policy().salience().unwrap(), (SaliencePolicy::Default, None));
}

/// A setting of the ledger is every handle's, and what a handle was given goes before it.
#[test]
fn a_policy_of_writes_holds_for_every_handle_that_names_no_other_way() {
    let world = World::new();
    let (ledger, known) = filled(&world);
    let policy = WritePolicy { only_new: true, ..WritePolicy::default() };
    let chosen = ledger.policy().choose_writes(&owner(), policy).unwrap();
    assert_eq!(ledger.policy().writes().unwrap(), (policy, Some(chosen.seq)));
    drop(ledger);

    let ledger = world.open();
    let again = ledger.remember(&ana(), AGAIN).unwrap();
    assert_eq!((again.outcome, again.id), (WriteOutcome::Redundant, known));

    // Without the grammar a new value of the same thing stands beside the old one.
    let policy = WritePolicy { grammar: false, ..WritePolicy::default() };
    let _ = ledger.policy().choose_writes(&owner(), policy).unwrap();
    let _ = ledger.remember(&ana(), "The API listens on port 8080.").unwrap();
    let second = ledger.remember(&ana(), "The API listens on port 9090.").unwrap();
    assert_eq!(second.superseded(), []);
    let _ = ledger.policy().choose_writes(&owner(), WritePolicy::default()).unwrap();
    let _ = ledger.remember(&ana(), "The pump listens on port 8080.").unwrap();
    let second = ledger.remember(&ana(), "The pump listens on port 9090.").unwrap();
    assert_eq!(second.superseded().len(), 1);

    let likeness = WritePolicy { likeness: true, ..WritePolicy::default() };
    let _ = ledger.policy().choose_writes(&owner(), likeness).unwrap();
    assert_eq!(ledger.audit().stat(Timestamp(0)).unwrap().reconciling.label(), "on");
    // A handle that compares with nothing passes the policy over.
    drop(ledger);
    let own = Options { reconciler: Some(std::sync::Arc::default()), ..Options::default() };
    let ledger = world.open_with(own).unwrap();
    assert_eq!(ledger.audit().stat(Timestamp(0)).unwrap().reconciling.label(), "degraded");
}

#[test]
fn the_owner_alone_chooses_how_writes_are_compared() {
    let ledger = World::new().init();
    let refused = |caller: Caller, policy| match ledger.policy().choose_writes(&caller, policy) {
        Err(Error::Rejected(rejection)) => rejection,
        other => panic!("{other:?}"),
    };
    let new = WritePolicy { only_new: true, ..WritePolicy::default() };
    assert_eq!(refused(ana(), new), Rejection::PolicyRank { found: Rank::User });
    let name = "of writes";
    assert_eq!(refused(owner(), WritePolicy::default()), Rejection::PolicyInForce { name });
    let [low, high] = [Cosine(1), Cosine(2)];
    let thresholds = Some(Thresholds { restate: low, midpoint: high, add: low });
    assert_eq!(refused(owner(), WritePolicy { thresholds, ..new }), Rejection::Thresholds);
    assert_eq!(ledger.policy().writes().unwrap(), (WritePolicy::default(), None));
}
