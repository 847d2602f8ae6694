//! Tests of what a write adds to the memories.

use memlith::{
    Caller, Ledger, Origin, Rank, RecordId, Validity, WriteOutcome, Written, read::Novelty,
    write::Outcome,
};

use crate::world::{
    World, ana, dialogue, digest, fact, factor, head, import, invalidate, say, words,
};

const KNOWN: &str = "The staging database runs Postgres 15 on the old cluster.";
pub(crate) const AGAIN: &str = "Staging databases are running Postgres 15 on the old cluster";
const MORE: &str = "The staging database runs Postgres 15 on the old cluster, 3 replicas, no proxy";

fn note(ledger: &Ledger, caller: &Caller, text: &str) -> Written {
    ledger.remember_new(caller, words(text)).unwrap()
}

fn novelty(ledger: &Ledger, text: &str) -> Novelty {
    ledger.novelty(&ana(), text).unwrap()
}

fn rows(ledger: &Ledger) -> u64 {
    ledger.audit().stat(ledger.now()).unwrap().memories.iter().map(|(_, count)| count).sum()
}

/// A ledger in which much else is remembered, and [`KNOWN`].
pub(crate) fn filled(world: &World) -> (Ledger, RecordId) {
    let ledger = world.init();
    for number in 0..40 {
        say(&ledger, &format!("Ticket {number} of the old cluster was about a database of Ana"));
    }
    let id = say(&ledger, KNOWN);
    for number in 40..80 {
        say(&ledger, &format!("Ticket {number} of staging was about Postgres on the cluster"));
    }
    (ledger, id)
}

#[test]
fn a_text_is_novel_reinforcing_or_redundant_and_asking_writes_nothing() {
    let world = World::new();
    let (ledger, id) = filled(&world);
    let before = head(&ledger);
    for (text, expected) in [
        (KNOWN, Novelty::Redundant(id)),
        (AGAIN, Novelty::Redundant(id)),
        (
            "The staging database runs Postgres 15 on the old cluster for Acme's reports",
            Novelty::Novel,
        ),
        ("The staging database runs Postgres on the old cluster", Novelty::Reinforcing(id)),
        ("The staging database runs Postgres 16 on the old cluster", Novelty::Novel),
        ("The staging database never runs Postgres 15 on the old cluster", Novelty::Novel),
        ("The staging database ran out of space", Novelty::Novel),
        ("Momo is a cat", Novelty::Novel),
        ("it is", Novelty::Novel),
    ] {
        assert_eq!(novelty(&ledger, text), expected, "{text}");
        // A process that has just come in has taken nothing apart yet.
        assert_eq!(novelty(&world.open(), text), expected, "{text}");
    }
    assert_eq!(head(&ledger), before);
    ledger.checkpoints().write().unwrap();
    assert_eq!(novelty(&world.open(), AGAIN), Novelty::Redundant(id));
    invalidate(&ledger, id);
    assert_eq!(novelty(&ledger, AGAIN), Novelty::Novel);
    assert!(ledger.novelty(&ana(), " ").is_err());
}

#[test]
fn what_is_said_again_reinforces_once_and_adds_no_row() {
    let world = World::new();
    let (ledger, id) = filled(&world);
    let stood = rows(&ledger);
    let written = note(&ledger, &ana(), AGAIN);
    assert_eq!((written.id, &written.outcome), (id, &WriteOutcome::Redundant));
    assert_eq!((rows(&ledger), factor(&ledger, id)), (stood, "1.05".to_owned()));
    let after = head(&ledger);
    for text in [AGAIN, "staging database running Postgres 15 on the old cluster"] {
        assert_eq!(note(&ledger, &ana(), text).outcome, WriteOutcome::Redundant);
    }
    assert_eq!((head(&ledger), factor(&ledger, id)), (after, "1.05".to_owned()));
    let mut other = ana();
    other.scope.session = Some("another".into());
    let _ = note(&ledger, &other, AGAIN);
    assert_eq!((rows(&ledger), factor(&ledger, id)), (stood, "1.1025".to_owned()));
    // The same words are a restatement, as ever.
    let restated = note(&ledger, &ana(), KNOWN).outcome;
    assert_eq!(restated.label(), "restated");
    assert_eq!(digest(&ledger), digest(&world.open()));
}

#[test]
fn what_says_more_is_written_and_reinforces_in_one_batch() {
    let world = World::new();
    let (ledger, id) = filled(&world);
    let more = MORE.replace(", no proxy", "");
    let (stood, before) = (rows(&ledger), head(&ledger));
    let written = note(&ledger, &ana(), &more);
    assert_eq!(written.outcome.label(), "added");
    assert_eq!((rows(&ledger), factor(&ledger, id)), (stood + 1, "1.05".to_owned()));
    assert_eq!(head(&ledger).0, before.0 + 3);
    assert_eq!(factor(&ledger, written.id), "1.0");
    // What takes something away adds something, too.
    let _ = note(&ledger, &ana(), MORE);
    assert_eq!((rows(&ledger), factor(&ledger, id)), (stood + 2, "1.05".to_owned()));
}

#[test]
fn nothing_is_left_out_that_stands_higher_is_seen_by_more_or_says_more() {
    let world = World::new();
    let ledger = world.init();
    let assistant = Caller::new("default", "claude", Rank::Assistant);
    let said = ledger.remember(&assistant, words(KNOWN)).unwrap().id;
    assert_eq!(note(&ledger, &ana(), AGAIN).outcome.label(), "added");
    assert_eq!(factor(&ledger, said), "1.05");

    let world = World::new();
    let ledger = world.init();
    let mut alone = ana();
    alone.scope.session = Some("s".into());
    alone.scope.session_only = true;
    let _ = ledger.remember(&alone, words(KNOWN)).unwrap();
    let mut aloud = alone.clone();
    aloud.scope.session_only = false;
    assert_eq!(note(&ledger, &aloud, AGAIN).outcome.label(), "added");

    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, KNOWN);
    let mut slotted = fact(AGAIN, "staging", "database", "Postgres 15");
    assert_eq!(ledger.remember_new(&ana(), slotted.clone()).unwrap().outcome.label(), "added");
    slotted.slot = None;
    slotted.validity = Validity { from: Some(ledger.now()), until: None };
    slotted.text = "Staging database running Postgres 15 on the old cluster".into();
    assert_eq!(ledger.remember_new(&ana(), slotted).unwrap().outcome.label(), "added");
    assert_eq!(factor(&ledger, id), "1.05");
}

#[test]
fn what_is_derived_or_out_of_sight_is_as_if_nothing_was_asked() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, KNOWN);
    let mut derived = ana();
    derived.origin = Some(Origin::Derived);
    let mut made = words(AGAIN);
    made.rests_on = vec![id];
    let _ = ledger.remember_new(&derived, made).unwrap();
    assert_eq!((rows(&ledger), factor(&ledger, id)), (2, "1.0".to_owned()));

    let stranger = Caller::user("elsewhere", "ana");
    assert_eq!(ledger.novelty(&stranger, AGAIN).unwrap(), Novelty::Novel);
    assert_eq!(note(&ledger, &stranger, AGAIN).outcome.label(), "added");

    // A turn that was said is no memory of it.
    let turn = "Momo the cat sleeps under the kitchen table";
    import(&ledger, &dialogue("cat", &[turn])).unwrap();
    let mut of_cat = ana();
    of_cat.scope.subject = Some("cat".into());
    assert_eq!(ledger.novelty(&of_cat, turn).unwrap(), Novelty::Novel);
}

#[test]
fn however_often_it_was_said_a_memory_is_found_among_memories() {
    // Records were looked up with memories, so that 256 turns of the same words left no place
    // for the memory of them, and it was written again.
    let world = World::new();
    let ledger = world.init();
    import(&ledger, &dialogue("staging", &[KNOWN; 300])).unwrap();
    let mut of_staging = ana();
    of_staging.scope.subject = Some("staging".into());
    let known = ledger.remember(&of_staging, words(KNOWN)).unwrap().id;
    for number in 0..40 {
        let other = format!("Ticket {number} was about the staging database on the cluster");
        let _ = ledger.remember(&of_staging, words(&other)).unwrap();
    }
    let noted = ledger.noted(&of_staging, AGAIN).unwrap();
    assert_eq!(noted.novelty, Novelty::Redundant(known));
    // As soon by the runs of a checkpoint, and by no more than a bounded look.
    ledger.checkpoints().write().unwrap();
    let noted = world.open().noted(&of_staging, AGAIN).unwrap();
    assert_eq!(noted.novelty, Novelty::Redundant(known));
    assert!(noted.postings <= 256 && noted.bodies <= 8, "{noted:?}");
}

#[test]
fn a_contradiction_is_one_proposal_that_cites_both() {
    let world = World::new();
    let ledger = world.init();
    let pune = fact("Ana lives in Pune, in the old town.", "ana", "lives_in", "Pune");
    let pune = ledger.remember(&ana(), pune).unwrap().id;
    world.tick();
    let assistant = Caller::new("default", "claude", Rank::Assistant);
    let goa = fact("Ana lives in Goa, in the old town.", "ana", "lives_in", "Goa");
    let written = ledger.remember_new(&assistant, goa).unwrap();
    let outcome = Outcome::Proposed(vec![pune]);
    assert_eq!(
        written.outcome,
        WriteOutcome::Decided { outcome, pending: true, contested: vec![] }
    );
    let waiting = ledger.review().waiting(&ana()).unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(factor(&ledger, pune), "1.0");
    // The row that waits cites what it contradicts, which names it in turn.
    assert_eq!(ledger.show(&ana(), pune).unwrap().disputed_by, [written.id]);
}
