//! Writes that mean much the same: what the door makes of them, with vectors given by hand.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use memlith::{
    AsOf, Authority, Caller, Change, Ledger, Options, Question, Rank, RecordId, Scope, Seq,
    Timestamp, Validity, WriteOutcome, Written,
    log::{Decided, Event, ReconcileEvent, decode},
    storage::Clock,
    write::Outcome,
    write::{
        Arbiter, ArbiterQuestion, Arbitration, Comparer, Cosine, Reconciler, Reconciling, Reply,
        Weighing, cosine,
    },
};

use crate::world::{World, ana, digest, export, say, words};

/// A model whose vectors were given.
#[derive(Debug, Default)]
struct Given(BTreeMap<&'static str, [f32; 2]>);

impl Comparer for Given {
    fn model(&self) -> &'static str {
        "given"
    }

    fn cosines(&self, text: &str, others: &[&str]) -> Vec<Option<Cosine>> {
        let vector = |text: &str| self.0.get(text);
        let near = |other: &&str| cosine(vector(text)?, vector(other)?);
        others.iter().map(near).collect()
    }
}

/// A model to which texts that begin with the same word are this near, and others are not.
#[derive(Debug)]
struct ByFirstWord(i32);

impl Comparer for ByFirstWord {
    fn model(&self) -> &'static str {
        "first word"
    }

    fn cosines(&self, text: &str, others: &[&str]) -> Vec<Option<Cosine>> {
        let first = |text: &str| text.split(' ').next().map(str::to_lowercase);
        let near = |other: &&str| match first(text) == first(other) {
            true => Cosine(self.0),
            false => Cosine(1_000_000),
        };
        others.iter().map(|other| Some(near(other))).collect()
    }
}

/// Likeness alone: the grammar would decide some of the pairs before it.
fn options(comparer: impl Comparer + 'static) -> Options {
    let reconciler = Reconciler::with(Arc::new(comparer));
    Options { grammar: false, reconciler: Some(Arc::new(reconciler)), ..Options::default() }
}

fn write(ledger: &Ledger, text: &str) -> (RecordId, Outcome) {
    outcome(&ledger.remember(&ana(), words(text)).unwrap())
}

fn outcome(written: &Written) -> (RecordId, Outcome) {
    let WriteOutcome::Decided { outcome, .. } = &written.outcome else { panic!("{written:?}") };
    (written.id, outcome.clone())
}

/// The decisions of the log, in order.
fn decisions(ledger: &Ledger) -> Vec<Decided<'static>> {
    let mut found = Vec::new();
    for record in ledger.records(Seq(0), None).unwrap() {
        let record = record.unwrap();
        let Ok(Some(body)) = decode(&record) else { continue };
        if let Event::Reconcile(ReconcileEvent::Decided(decided)) = body.event {
            found.push(owned(decided));
        }
    }
    found
}

fn owned(decided: Decided<'_>) -> Decided<'static> {
    let said = |said: Arbitration<'_>| Arbitration { by: said.by.into_owned(), reply: said.reply };
    let weighing = decided.weighing.map(|weighing| {
        let Weighing { thresholds, near, arbitration, contests } = *weighing;
        Box::new(Weighing { thresholds, near, arbitration: arbitration.map(said), contests })
    });
    Decided {
        text: decided.text.into_owned(),
        slot: None,
        model: decided.model.map(memlith_event::Text::into_owned),
        weighing,
        candidates: decided.candidates,
        outcome: decided.outcome,
        closings: decided.closings,
        settled: decided.settled,
    }
}

fn authority(ledger: &Ledger, id: RecordId) -> Authority {
    ledger.show(&ana(), id).unwrap().authority
}

fn live(ledger: &Ledger) -> u64 {
    let standing = ledger.audit().stat(ledger.now()).unwrap().memories;
    let shown = |(authority, _): &&(Authority, u64)| authority.is_shown();
    standing.iter().filter(shown).map(|(_, count)| count).sum()
}

#[test]
fn vectors_part_at_the_thresholds_to_the_last_digit() {
    let cases: [(f32, i32, &str); 11] = [
        (1.0, 10_000_000, "restated"),
        (0.950_000_1, 9_500_001, "restated"),
        (0.95, 9_500_000, "restated"),
        (0.949_999_9, 9_499_999, "superseded"),
        (0.875_000_1, 8_750_001, "superseded"),
        (0.875, 8_750_000, "superseded"),
        (0.874_999_9, 8_749_999, "added"),
        (0.800_000_1, 8_000_001, "added"),
        (0.8, 8_000_000, "added"),
        (0.799_999_9, 7_999_999, "added"),
        (-1.0, -10_000_000, "added"),
    ];
    for (at, expected, label) in cases {
        let (old, new) = ("enjoys tea at home", "enjoys cups of tea at work");
        let given = [(old, [1.0, 0.0]), (new, [at, (1.0 - at * at).sqrt()])];
        let world = World::new();
        let ledger = Ledger::create_in(world.env(), options(Given(given.into()))).unwrap();
        let (first, _) = write(&ledger, old);
        let written = ledger.remember(&ana(), words(new)).unwrap();
        assert_eq!(written.outcome.label(), label, "{at}");
        let decided = decisions(&ledger).pop().unwrap();
        let weighing = decided.weighing.unwrap();
        let near: Vec<_> = weighing.near.iter().map(|one| (one.id, one.cosine.0)).collect();
        assert_eq!(near, [(first, expected)], "{at}");
        assert_eq!(decided.model.as_deref(), Some("given"));
        assert_eq!(live(&ledger), if label == "added" { 2 } else { 1 });
    }
}

#[test]
fn what_no_guard_can_tell_apart_is_never_lost() {
    let long = |end: &str| format!("seats {} {end}", "and rows of seats ".repeat(200));
    for (old, new) in [
        (
            "seats on the aisle are best for her".to_owned(),
            "seats on the ramp are best for her".to_owned(),
        ),
        (long("on the aisle"), long("on the ramp by the window")),
    ] {
        for (cosine, label) in [(9_999_999, "added"), (9_000_000, "superseded")] {
            let world = World::new();
            let ledger = Ledger::create_in(world.env(), options(ByFirstWord(cosine))).unwrap();
            write(&ledger, &old);
            let written = ledger.remember(&ana(), words(&new)).unwrap();
            assert_eq!(written.outcome.label(), label, "{cosine} {}", new.len());
            let contested = authority(&ledger, written.id) == Authority::Contested;
            assert_eq!(contested, label == "added", "{cosine} {}", new.len());
        }
    }
}

#[test]
fn there_and_back_is_replayed_without_any_model() {
    let world = World::new();
    let ledger = Ledger::create_in(world.env(), options(ByFirstWord(9_000_000))).unwrap();
    let mut chain = Vec::new();
    for text in ["home is in pune", "home is in delhi", "home is in pune"] {
        chain.push(write(&ledger, text));
        world.tick();
    }
    let [(a, _), (b, second), (c, third)] = chain.try_into().unwrap();
    assert_eq!([second, third], [Outcome::Superseded(vec![a]), Outcome::Superseded(vec![b])]);
    assert_eq!(
        [a, b, c].map(|id| authority(&ledger, id)),
        [Authority::Superseded, Authority::Superseded, Authority::Active]
    );
    ledger.checkpoints().write().unwrap();
    let folded = digest(&ledger);
    let other = world.open();
    assert_eq!(other.audit().stat(other.now()).unwrap().reconciling, Reconciling::Off);
    assert_eq!((digest(&other), live(&other)), (folded, 1));
}

/// An arbiter that does as it is told, and counts how often it was asked.
struct Says(Box<Judge>, AtomicUsize);

/// Function that gives the arbiter's reply; it takes the question and its number.
type Judge = dyn Fn(&ArbiterQuestion, usize) -> Reply + Send + Sync;

impl std::fmt::Debug for Says {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Says")
    }
}

impl Arbiter for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(20)
    }

    fn judge(&self, question: &ArbiterQuestion, _: Duration) -> Reply {
        (self.0)(question, self.1.fetch_add(1, Ordering::Relaxed))
    }
}

fn arbitrated(
    world: &World,
    says: impl Fn(&ArbiterQuestion, usize) -> Reply + Send + Sync + 'static,
) -> (Ledger, Arc<Says>) {
    let arbiter = Arc::new(Says(Box::new(says), AtomicUsize::new(0)));
    let mut reconciler = Reconciler::with(Arc::new(ByFirstWord(9_000_000)));
    reconciler.arbiter = Some(arbiter.clone());
    let options =
        Options { grammar: false, reconciler: Some(Arc::new(reconciler)), ..Options::default() };
    (Ledger::create_in(world.env(), options).unwrap(), arbiter)
}

#[test]
fn an_arbiter_is_heard_and_what_is_no_reply_is_the_midpoint() {
    let cases: [(Reply, &str); 8] = [
        (Reply::Add, "added"),
        (Reply::Skip, "skipped"),
        (Reply::Update(RecordId { seq: Seq(99), hash: [9; 6] }), "superseded"),
        (Reply::TimedOut, "superseded"),
        (Reply::Failed(Some(1)), "superseded"),
        (Reply::Unreadable, "superseded"),
        (Reply::TooLong, "superseded"),
        (Reply::Unavailable, "superseded"),
    ];
    for (reply, label) in cases {
        let world = World::new();
        let (ledger, arbiter) = arbitrated(&world, move |_, _| reply);
        say(&ledger, "home is in pune");
        let written = ledger.remember(&ana(), words("home is in delhi")).unwrap();
        assert_eq!(written.outcome.label(), label, "{reply:?}");
        assert_eq!(arbiter.1.load(Ordering::Relaxed), 1);
        let decided = decisions(&ledger).pop().unwrap();
        let said = decided.weighing.unwrap().arbitration.unwrap();
        let invented = matches!(reply, Reply::Update(_));
        assert_eq!(said.reply, if invented { Reply::Invented } else { reply });
        assert_eq!(said.by.as_str(), "says");
        assert_eq!(live(&ledger), if label == "added" { 2 } else { 1 });
        if label == "skipped" {
            assert_eq!(decided.text.as_str(), "home is in delhi");
        }
    }
    let world = World::new();
    let (ledger, _) = arbitrated(&world, |question, _| Reply::Update(question.candidates[0].id));
    let first = say(&ledger, "home is in pune");
    assert_eq!(write(&ledger, "home is in delhi").1, Outcome::Superseded(vec![first]));
}

/// No lock is held while it is asked, and it is asked again if what it was shown has changed.
#[test]
fn an_arbiter_is_asked_again_while_the_log_moves_and_not_for_ever() {
    for (moves, asked, reply) in [(1, 2, Reply::Add), (9, 3, Reply::Outrun)] {
        let world = Arc::new(World::new());
        let beside: Arc<Mutex<Option<Ledger>>> = Arc::default();
        let other = beside.clone();
        let (ledger, arbiter) = arbitrated(&world, move |_, at| {
            if at < moves
                && let Some(other) = other.lock().unwrap().as_ref()
            {
                say(other, &format!("home of {} is elsewhere", ["ana", "ben", "cem"][at]));
            }
            Reply::Add
        });
        say(&ledger, "home is in pune");
        *beside.lock().unwrap() = Some(world.open());
        write(&ledger, "home is in delhi");
        assert_eq!(arbiter.1.load(Ordering::Relaxed), asked);
        let said = decisions(&ledger).pop().unwrap().weighing.unwrap().arbitration.unwrap();
        assert_eq!(said.reply, reply);
    }
}

#[test]
fn without_a_model_the_step_is_skipped_and_said_so() {
    let world = World::new();
    let options =
        Options { reconciler: Some(Arc::new(Reconciler::default())), ..Options::default() };
    let ledger = Ledger::create_in(world.env(), options).unwrap();
    assert_eq!(ledger.audit().stat(ledger.now()).unwrap().reconciling.label(), "degraded");
    let (first, _) = write(&ledger, "home is in pune");
    assert_eq!(write(&ledger, "Home is in Pune.").1, Outcome::Restated(first));
    assert_eq!(write(&ledger, "home is in delhi").1, Outcome::Added);
    assert!(decisions(&ledger).iter().all(|decided| decided.weighing.is_none()));
}

#[test]
fn what_is_contested_shows_the_other_side_until_one_is_confirmed() {
    let world = World::new();
    let ledger = Ledger::create_in(world.env(), options(ByFirstWord(9_800_000))).unwrap();
    let (old, _) = write(&ledger, "api listens on port 8080");
    let written = ledger.remember(&ana(), words("api listens on port 9090")).unwrap();
    assert_eq!((written.outcome.label(), written.outcome.contested()), ("added", &[old][..]));
    let asked = Question { query: "which port does the api listen on".into(), as_of: None };
    let shown = ledger.recall(&ana(), &asked, 5).unwrap();
    let sides: BTreeMap<_, _> =
        shown.iter().map(|cited| (cited.id, cited.why.contested_with.clone())).collect();
    assert_eq!(sides, [(old, vec![written.id]), (written.id, vec![old])].into());
    let _ = ledger
        .change(&ana(), Change::Confirm { weight: None, verified: false }, [written.id])
        .unwrap();
    let standing = [old, written.id].map(|id| authority(&ledger, id));
    assert_eq!(standing, [Authority::Superseded, Authority::Active]);
    assert_eq!(digest(&world.open()), digest(&ledger));
}

#[test]
fn a_row_holds_up_to_the_instant_at_which_the_next_one_does() {
    let world = World::new();
    let ledger = Ledger::create_in(world.env(), options(ByFirstWord(9_000_000))).unwrap();
    let [t0, t1] = [10, 20].map(|day| Timestamp(crate::world::NOW.0 - day * Timestamp::DAY_US));
    let (t0, t1) = (t0.min(t1), t0.max(t1));
    let since = |text: &str, from| {
        let validity = Validity { from: Some(from), until: None };
        ledger.remember(&ana(), memlith::Remember { validity, ..words(text) }).unwrap().id
    };
    let pune = since("home is in pune", t0);
    let known = ledger.head().seq;
    world.tick();
    let delhi = since("home is in delhi", t1);
    let at = |now: i64, as_of: Option<AsOf>| {
        let caller = Caller { now: Some(Timestamp(now)), ..ana() };
        let asked = Question { query: "where is home in".into(), as_of };
        let shown = ledger.recall(&caller, &asked, 5).unwrap();
        shown.iter().map(|cited| cited.id).collect::<Vec<_>>()
    };
    assert_eq!(at(t0.0 - 1, None), []);
    assert_eq!(at(t0.0, None), [pune]);
    assert_eq!(at(t1.0 - 1, None), [pune]);
    assert_eq!(at(t1.0, None), [delhi]);
    // What was known then is another matter than what held then.
    assert_eq!(at(t1.0, Some(AsOf::Seq(known))), [pune]);
    assert_eq!(at(world.clock.now().0, Some(AsOf::Seq(known))), [pune]);
}

#[test]
fn near_duplicates_leave_room_for_the_better_fact() {
    let flood = [
        "invoice goes to the accounts team in lyon",
        "invoice goes to accounts team in lyon please",
        "invoice should go to the accounts team in lyon",
        "invoice is to go to the lyon accounts team",
        "invoice goes straight to accounts team in lyon",
        "invoice always goes to the accounts team in lyon",
    ];
    let better = "each bill is paid by accounts within a fortnight of its invoice";
    let rank = |options| {
        let world = World::new();
        let ledger = Ledger::create_in(world.env(), options).unwrap();
        flood.iter().for_each(|text| drop(write(&ledger, text)));
        let (better, _) = write(&ledger, better);
        let query = "invoice accounts team in lyon".into();
        let shown = ledger.recall(&ana(), &Question { query, as_of: None }, 10).unwrap();
        shown.iter().position(|cited| cited.id == better).unwrap()
    };
    assert!(rank(Options::default()) >= 2, "a store without it shows duplicates first");
    assert!(rank(options(ByFirstWord(9_700_000))) <= 1);
}

#[test]
fn many_threads_that_write_one_fact_leave_one_row() {
    let world = World::new();
    let given = Options {
        durability: memlith::storage::Durability::Buffered,
        ..options(ByFirstWord(9_700_000))
    };
    let ledger = Ledger::create_in(world.env(), given).unwrap();
    let texts = ["tea is what she drinks", "tea is the drink she takes", "Tea is what she drinks."];
    std::thread::scope(|scope| {
        for thread in 0..64 {
            let (ledger, texts) = (&ledger, &texts);
            scope.spawn(move || {
                for at in 0..4 {
                    let text = texts[(thread + at) % texts.len()];
                    let _ = ledger.remember(&ana(), words(text)).unwrap();
                }
            });
        }
    });
    assert_eq!(live(&ledger), 1);
    let decided = decisions(&ledger);
    let added = decided.iter().filter(|one| one.outcome == Outcome::Added).count();
    assert_eq!((decided.len(), added), (256, 1));
}

#[test]
fn facts_that_change_leave_one_live_row_each() {
    let world = World::new();
    let given = Options {
        durability: memlith::storage::Durability::Buffered,
        ..options(ByFirstWord(9_000_000))
    };
    let ledger = Ledger::create_in(world.env(), given).unwrap();
    let word = |at: usize| -> String {
        [at / 10, at % 10]
            .map(|one| ["ba", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu"][one])
            .concat()
    };
    for round in 0..6 {
        for fact in 0..40 {
            write(&ledger, &format!("{}x prefers {}", word(fact), word(90 - round)));
        }
        world.tick();
    }
    assert_eq!(live(&ledger), 40);
    for fact in 0..40 {
        let query = format!("what does {}x prefer", word(fact));
        for cited in ledger.recall(&ana(), &Question { query, as_of: None }, 10).unwrap() {
            assert_eq!(cited.why.authority, Authority::Active);
        }
    }
}

#[test]
fn random_writes_never_cross_scopes() {
    let world = World::new();
    let given = Options {
        durability: memlith::storage::Durability::Buffered,
        ..options(ByFirstWord(9_000_000))
    };
    let ledger = Ledger::create_in(world.env(), given).unwrap();
    let mut state = 7_u64;
    let mut below = |most: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut last: BTreeMap<(u64, u64, u64, u64), RecordId> = BTreeMap::new();
    for at in 0..600_u64 {
        let place = (below(2), below(3), below(3), below(4));
        let name = |kind: &str, number: u64| (number > 0).then(|| format!("{kind}{number}").into());
        let scope = Scope {
            agent: name("agent", place.1),
            subject: name("subject", place.2),
            session: (place.3 > 1).then(|| format!("session{}", place.3).into()),
            session_only: place.3 > 1,
            ..Scope::tenant(format!("tenant{}", place.0))
        };
        // What is no session's alone is one room.
        let room = (place.0, place.1, place.2, place.3.max(1));
        let caller = Caller { scope, ..ana() };
        let marks = ["quay", "reef", "sand", "tide"][usize::try_from(below(4)).unwrap()];
        let text =
            format!("home near {marks} of {}", ["ash", "elm", "fir", "oak"][(at % 4) as usize]);
        let (id, found) = outcome(&ledger.remember(&caller, words(&text)).unwrap());
        match last.get(&room) {
            None => assert_eq!(found, Outcome::Added, "{place:?}"),
            Some(row) => {
                let met = [Outcome::Superseded(vec![*row]), Outcome::Restated(*row)];
                assert!(met.contains(&found), "{found:?} in {place:?}");
            }
        }
        last.insert(room, id);
    }
}

#[test]
fn a_lower_rank_proposes_what_a_person_may_do() {
    let world = World::new();
    let ledger = Ledger::create_in(world.env(), options(ByFirstWord(9_000_000))).unwrap();
    let old = say(&ledger, "home is in pune");
    let assistant = Caller::new("default", "helper", Rank::Assistant);
    let written = ledger.remember(&assistant, words("home is in delhi")).unwrap();
    assert_eq!(outcome(&written).1, Outcome::Proposed(vec![old]));
    assert_eq!(authority(&ledger, old), Authority::Active);
    // A person who accepts it ends what it was proposed against.
    let reviewer = Caller::new("default", "rita", Rank::Reviewer);
    let _ =
        ledger.review().judge(&reviewer, memlith::Judgement::Accept, [written.id], None).unwrap();
    let standing = [old, written.id].map(|id| authority(&ledger, id));
    assert_eq!(standing, [Authority::Superseded, Authority::Active]);
}

/// A ledger that gives sentences no slots: what is not compared by likeness stands as it is.
fn without_grammar(world: &World) -> Ledger {
    Ledger::create_in(world.env(), Options { grammar: false, ..Options::default() }).unwrap()
}

#[test]
fn what_review_takes_in_is_weighed_and_the_reviewer_asked_alone() {
    let world = World::new();
    let ledger = without_grammar(&world);
    let tool = Caller::new("default", "scan", Rank::Tool);
    let pune = say(&ledger, "home is in pune");
    let port = say(&ledger, "the port of the gateway is 8080");
    let home = ledger.remember(&tool, words("home lies in the city of goa")).unwrap().id;
    let other = ledger.remember(&tool, words("the port of the gateway is 9090")).unwrap().id;
    assert_eq!([home, other].map(|id| authority(&ledger, id)), [Authority::Pending; 2]);
    ledger.close().unwrap();
    let ledger = Ledger::open_in(world.env(), options(ByFirstWord(9_000_000))).unwrap();
    for id in [home, other] {
        let reviewer = Caller::new("default", "rita", Rank::Reviewer);
        let _ = ledger.review().judge(&reviewer, memlith::Judgement::Accept, [id], None).unwrap();
        world.tick();
    }
    let standing = [pune, home, port, other].map(|id| authority(&ledger, id));
    let expected = [Authority::Superseded, Authority::Active];
    assert_eq!(standing, [expected, [Authority::Contested; 2]].concat()[..]);
    let weighing = decisions(&ledger).pop().unwrap().weighing.unwrap();
    assert_eq!((weighing.near[0].id, weighing.arbitration), (port, None));
    let digest = digest(&ledger);
    ledger.close().unwrap();
    let plain = Options { use_checkpoint: false, ..Options::default() };
    let again = Ledger::open_in(world.env(), plain).unwrap();
    assert_eq!(crate::world::digest(&again), digest);
}

/// Copied into a ledger with content, by a handle without any model, each write stands as it did.
/// A ledger a day later that already says something else.
fn another_ledger() -> Ledger {
    let elsewhere = World::on(memlith::storage::MemoryDisk::new(), 900);
    elsewhere.pass_days(1);
    let other = elsewhere.init();
    say(&other, "the cat is called momo");
    other
}

#[test]
fn a_copy_keeps_what_was_decided_by_likeness() {
    let world = World::new();
    let ledger = Ledger::create_in(world.env(), options(ByFirstWord(9_000_000))).unwrap();
    for text in ["home is in pune", "home is in delhi", "work is in goa", "home is in agra"] {
        write(&ledger, text);
        world.tick();
    }
    let again = Ledger::open_in(world.env(), options(ByFirstWord(9_700_000))).unwrap();
    write(&again, "work lies in goa");
    let other = another_ledger();
    other.import_jsonl(&crate::world::owner(), export(&again).as_bytes()).unwrap();
    let superseded = |ledger: &Ledger| {
        let standing = ledger.audit().stat(Timestamp(i64::MAX)).unwrap().memories;
        standing.into_iter().find(|(one, _)| *one == Authority::Superseded).map(|(_, count)| count)
    };
    assert_eq!((superseded(&again), superseded(&other)), (Some(2), Some(2)));
    assert_eq!((live(&again), live(&other)), (2, 3));
}

#[test]
fn a_copy_keeps_what_contradicts_what() {
    let world = World::new();
    let ledger = Ledger::create_in(world.env(), options(ByFirstWord(9_900_000))).unwrap();
    for text in ["rooms open at 9:00", "rooms open at 9:30", "seats on the aisle suit her best"] {
        write(&ledger, text);
        world.tick();
    }
    let (window, _) = write(&ledger, "seats on the ramp suit her best");
    let contested = |ledger: &Ledger| {
        let standing = ledger.audit().stat(ledger.now()).unwrap().memories;
        standing.into_iter().find(|(one, _)| *one == Authority::Contested).map(|(_, count)| count)
    };
    assert_eq!((contested(&ledger), authority(&ledger, window)), (Some(4), Authority::Contested));
    let other = another_ledger();
    for again in [false, true] {
        other.import_jsonl(&crate::world::owner(), export(&ledger).as_bytes()).unwrap();
        assert_eq!((contested(&other), live(&other)), (Some(4), 5), "again: {again}");
    }
}

/// An item that review took in, compared where it was, is copied as it stood: it was weighed
/// anew here without a model once, and stood beside what it had replaced, uncontested by what
/// contradicts it.
#[test]
fn a_copy_keeps_what_review_took_in() {
    let world = World::new();
    let ledger = without_grammar(&world);
    let tool = Caller::new("default", "scan", Rank::Tool);
    say(&ledger, "home is in pune");
    say(&ledger, "the port of the gateway is 8080");
    let waiting = ["home lies in the city of goa", "the port of the gateway is 9090"]
        .map(|text| ledger.remember(&tool, words(text)).unwrap().id);
    ledger.close().unwrap();
    let ledger = Ledger::open_in(world.env(), options(ByFirstWord(9_000_000))).unwrap();
    for id in waiting {
        let reviewer = Caller::new("default", "rita", Rank::Reviewer);
        let _ = ledger.review().judge(&reviewer, memlith::Judgement::Accept, [id], None).unwrap();
        world.tick();
    }
    let standing = |ledger: &Ledger| {
        let all = ledger.audit().stat(ledger.now()).unwrap().memories;
        let shown = [Authority::Superseded, Authority::Contested, Authority::Pending];
        shown.map(|one| all.iter().find(|(found, _)| *found == one).map_or(0, |found| found.1))
    };
    assert_eq!(standing(&ledger), [1, 2, 0]);
    let other = another_ledger();
    for again in [false, true] {
        other.import_jsonl(&crate::world::owner(), export(&ledger).as_bytes()).unwrap();
        assert_eq!((standing(&other), live(&other)), ([1, 2, 0], 4), "again: {again}");
    }
    // Who may not review takes nothing in.
    let third = World::on(memlith::storage::MemoryDisk::new(), 901);
    third.pass_days(1);
    let third = third.init();
    say(&third, "the cat is called momo");
    let helper = Caller::new("default", "helper", Rank::Assistant);
    third.import_jsonl(&helper, export(&ledger).as_bytes()).unwrap();
    assert_eq!(standing(&third), [0, 0, 2]);
}
