//! The state is a fold of the log: the same however it is reached.

use memlith::{
    AsOf, Caller, Change, Digest, Ledger, Options, Question, Rank, RecordId, Remember,
    prove::{Level, Replay},
    write::{SaliencePolicy, TaskReport, TaskResult, TrustPolicy},
};
use proptest::prelude::*;

use crate::outcomes::report;
use crate::world::{
    World, ana, ask, dialogue, digest, export, fact, head, import, little_of_everything, look,
    owner, say, words,
};

fn replayed(ledger: &Ledger, replay: Replay) -> Digest {
    ledger.audit().replay(&replay).unwrap().digest
}

#[test]
fn every_way_to_the_state_gives_one_digest() {
    let world = World::new();
    let ledger = world.init();
    for _ in 0..3 {
        little_of_everything(&world, &ledger);
        ledger.checkpoints().write().unwrap();
    }
    say(&ledger, "After the last checkpoint.");
    let from_zero = digest(&ledger);
    assert_eq!(ledger.audit().digest().unwrap().digest, from_zero);
    let kept = ledger.checkpoints().list().unwrap();
    assert_eq!(kept.len(), 3);
    for threads in [None, Some(1), Some(2)] {
        assert_eq!(replayed(&ledger, Replay { threads, ..Replay::default() }), from_zero);
        for seq in &kept {
            let from_checkpoint = Some(*seq);
            let replay = Replay { threads, from_checkpoint, ..Replay::default() };
            assert_eq!(replayed(&ledger, replay), from_zero, "{seq} {threads:?}");
        }
    }
    drop(ledger);
    for use_checkpoint in [true, false] {
        let ledger = world.open_with(Options { use_checkpoint, ..Options::default() }).unwrap();
        assert_eq!(ledger.audit().digest().unwrap().digest, from_zero, "{use_checkpoint}");
        assert_eq!(digest(&ledger), from_zero);
    }
    assert_eq!(world.findings(), []);
}

#[test]
fn a_replay_ends_at_a_batch_end_and_not_before_its_checkpoint() {
    // `until` cut a batch in two, and a checkpoint behind it was returned as it was.
    let world = World::new();
    let ledger = world.init();
    say(&ledger, "The cat is called Momo.");
    let middle = head(&ledger);
    say(&ledger, "The dog is called Rex.");
    ledger.checkpoints().write().unwrap();
    let sealed = ledger.checkpoints().list().unwrap()[0];
    let until = |seq| Replay { until: Some(seq), ..Replay::default() };
    assert_eq!(ledger.audit().replay(&until(middle)).unwrap().seq, middle);
    // A decision and its row are one batch: half of it was never the state.
    let half = middle.previous().unwrap();
    assert_eq!(ledger.audit().replay(&until(half)).unwrap().seq, middle);
    // From a checkpoint behind the end there is no way back to it.
    let back = Replay { from_checkpoint: Some(sealed), ..until(middle) };
    assert!(ledger.audit().replay(&back).is_err());
    assert!(ledger.audit().replay(&until(head(&ledger).next())).is_err());
}

#[test]
fn the_digest_moves_with_every_event_and_with_nothing_else() {
    let world = World::new();
    let ledger = world.init();
    let cat = say(&ledger, "The cat is called Momo.");
    let dog = say(&ledger, "The dog is called Rex.");
    let seen = std::cell::Cell::new(digest(&ledger));
    let moved = |what: &str| {
        world.tick();
        let now = digest(&ledger);
        assert_ne!(now, seen.replace(now), "{what}");
        assert_eq!(ledger.audit().digest().unwrap().digest, now, "{what}");
    };
    let change = |change, id| ledger.change(&ana(), change, [id]).map(drop).unwrap();
    say(&ledger, "The fish has no name.");
    moved("remembered");
    let _ = ledger.remember(&ana(), words("the CAT is called Momo")).unwrap();
    moved("restated");
    ask(&ledger, "cat");
    moved("surfaced");
    change(Change::Confirm { weight: None, verified: false }, cat);
    moved("confirmed");
    change(Change::Promote { weight: None }, cat);
    moved("promoted");
    change(Change::Pin, cat);
    moved("pinned");
    change(Change::Unpin, cat);
    moved("unpinned");
    change(Change::Invalidate { weight: None, reason: None }, dog);
    moved("invalidated");
    change(Change::Reconfirm { reason: None }, dog);
    moved("reconfirmed");
    let _ = ledger.correct(&ana(), cat, words("The cat is called Mimi.")).unwrap();
    moved("corrected");
    let _ = report(&ledger, dog, TaskResult::Success);
    moved("success");
    let _ = report(&ledger, dog, TaskResult::Failure);
    moved("failure");
    let _ = ledger.policy().choose_salience(&owner(), SaliencePolicy::AttestedOnly).unwrap();
    moved("another policy");
    let _ = ledger.policy().choose_trust(&owner(), TrustPolicy::Strict).unwrap();
    moved("another policy of trust");
    let tool = Caller::new("default", "shell", Rank::Tool);
    let _ = ledger.change(&tool, Change::Invalidate { weight: None, reason: None }, [dog]).unwrap();
    moved("disputed");
    import(&ledger, &dialogue("trip", &["We went to Goa."])).unwrap();
    moved("said");

    assert!(matches!(
        ledger.checkpoints().write().unwrap(),
        memlith::prove::Checkpointed::Sealed { .. }
    ));
    assert_eq!(digest(&ledger), seen.get(), "a seal");
    assert_eq!(ledger.audit().digest().unwrap().digest, seen.get(), "a seal");
    ledger.erasure().erase(&owner(), &[dog]).unwrap();
    moved("erased");
}

type Look<'a> = &'a dyn Fn(&Ledger);

#[test]
fn looking_changes_no_byte() {
    let world = World::new();
    let ledger = world.init();
    little_of_everything(&world, &ledger);
    ledger.checkpoints().write().unwrap();
    let cat = say(&ledger, "The cat is called Mimi, of course.");
    // A handle that only reads must not even make the file that checkpoints are locked by.
    world.disk.delete("ckpt.lock");
    let bytes = || -> Vec<(String, Option<Vec<u8>>)> {
        let names = world.disk.names().into_iter();
        names.map(|name| (name.clone(), world.disk.bytes(&name))).collect()
    };
    let (before, seen) = (bytes(), digest(&ledger));
    let question = Question { query: "cat".into(), as_of: None };
    let looks: [(&str, Look); 12] = [
        ("checkout", &|ledger| drop(look(ledger, "cat", None))),
        ("as of", &|ledger| drop(look(ledger, "cat", Some(AsOf::Seq(memlith::Seq(9)))))),
        ("recall", &|ledger| drop(ledger.recall(&ana(), &question, 9).unwrap())),
        ("show", &|ledger| drop(ledger.show(&ana(), cat).unwrap())),
        ("history", &|ledger| drop(ledger.history(&ana(), cat).unwrap())),
        ("trace", &|ledger| drop(ledger.trace(&ana(), cat).unwrap())),
        ("explain", &|ledger| drop(ledger.explain(&ana(), cat).unwrap())),
        ("records", &|ledger| assert!(ledger.records(memlith::Seq(0), None).unwrap().count() > 9)),
        ("stat", &|ledger| drop(ledger.audit().stat(ledger.now()).unwrap())),
        ("export", &|ledger| drop(export(ledger))),
        ("audit", &|ledger| {
            ledger.audit().receipts().unwrap();
            ledger.audit().state().unwrap();
        }),
        ("verify", &|_| {
            let report = memlith::prove::verify_in(&world.env(), Level::Full).unwrap();
            assert_eq!(report.findings, []);
        }),
    ];
    for (name, look) in looks {
        look(&ledger);
        assert!(bytes() == before, "{name} wrote");
        assert_eq!(digest(&ledger), seen, "{name}");
    }
    let reader = world.open_with(Options { read_only: true, ..Options::default() }).unwrap();
    for (name, look) in looks {
        look(&reader);
        assert!(bytes() == before, "{name} wrote through a read-only handle");
    }
    let refused = reader.checkpoints().write();
    assert!(matches!(refused, Err(memlith::Error::Log(memlith_log::Error::ReadOnly))));
    assert!(reader.checkpoints().write_if_due().unwrap().is_none());
    assert!(reader.remember(&ana(), words("no")).is_err());
    let unobserved = reader.checkout(&ana(), memlith::CheckoutRequest::new("cat")).unwrap();
    assert!(unobserved.observed.is_err());
    drop(reader);
    assert!(bytes() == before, "a read-only handle wrote");
}

/// One step of a random history; numbers choose among what there is.
#[derive(Clone, Debug)]
enum Step {
    Remember { text: u8, slot: bool, on: Option<u8>, rank: u8 },
    Correct { target: u8, text: u8 },
    Change { change: u8, target: u8, rank: u8 },
    Report { target: u8, result: u8, rank: u8, expected: Option<u8> },
    Choose(u8),
    Ask(u8),
    Import(u8),
    Checkpoint,
    Erase(u8),
    Reopen { use_checkpoint: bool },
    Pass,
}

fn step() -> impl Strategy<Value = Step> {
    let small = any::<u8>;
    prop_oneof![
        6 => (small(), any::<bool>(), prop::option::of(small()), small())
            .prop_map(|(text, slot, on, rank)| Step::Remember { text, slot, on, rank }),
        1 => (small(), small()).prop_map(|(target, text)| Step::Correct { target, text }),
        6 => (small(), small(), small())
            .prop_map(|(change, target, rank)| Step::Change { change, target, rank }),
        3 => (small(), small(), small(), prop::option::of(small()))
            .prop_map(|(target, result, rank, expected)| Step::Report { target, result, rank, expected }),
        1 => small().prop_map(Step::Choose),
        3 => small().prop_map(Step::Ask),
        1 => small().prop_map(Step::Import),
        1 => Just(Step::Checkpoint),
        1 => small().prop_map(Step::Erase),
        1 => any::<bool>().prop_map(|use_checkpoint| Step::Reopen { use_checkpoint }),
        2 => Just(Step::Pass),
    ]
}

/// A random history: two processes take turns in it.
struct History {
    world: World,
    here: Option<Ledger>,
    there: Ledger,
    items: Vec<RecordId>,
}

const WORDS: [&str; 5] = ["tea", "Goa", "the cat", "a red bicycle", "winter"];

fn caller(rank: u8) -> Caller {
    let (name, rank) = match rank % 5 {
        0 => ("shell", Rank::Tool),
        1 => ("helper", Rank::Assistant),
        2 => ("olga", Rank::Owner),
        _ => ("ana", Rank::User),
    };
    Caller::new("default", name, rank)
}

impl History {
    fn new() -> History {
        let world = World::new();
        let here = world.init();
        let there = world.open();
        History { world, here: Some(here), there, items: Vec::new() }
    }

    fn pick(&self, number: u8) -> Option<RecordId> {
        let index = usize::from(number).checked_rem(self.items.len())?;
        self.items.get(index).copied()
    }

    fn remember(&self, text: u8, slot: bool) -> Remember {
        let word = WORDS[usize::from(text) % WORDS.len()];
        let sentence = format!("Ana likes {word}.");
        if slot { fact(&sentence, "ana", "likes", word) } else { words(&sentence) }
    }

    /// Does one step; what is refused changes nothing.
    fn run(&mut self, step: &Step) {
        let here = self.here.as_ref().unwrap();
        match *step {
            Step::Remember { text, slot, on, rank } => {
                let mut remember = self.remember(text, slot);
                remember.rests_on = on.and_then(|on| self.pick(on)).into_iter().collect();
                if let Ok(written) = here.remember(&caller(rank), remember) {
                    self.items.push(written.id);
                }
            }
            Step::Correct { target, text } => {
                let Some(target) = self.pick(target) else { return };
                if let Ok(written) = here.correct(&ana(), target, self.remember(text, false)) {
                    self.items.push(written.id);
                }
            }
            Step::Change { change, target, rank } => {
                let Some(target) = self.pick(target) else { return };
                let change = match change % 6 {
                    0 => Change::Confirm { weight: None, verified: false },
                    1 => Change::Promote { weight: None },
                    2 => Change::Pin,
                    3 => Change::Unpin,
                    4 => Change::Invalidate { weight: None, reason: None },
                    _ => Change::Reconfirm { reason: None },
                };
                let _ = self.there.change(&caller(rank), change, [target]);
            }
            Step::Report { target, result, rank, expected } => {
                let Some(target) = self.pick(target) else { return };
                let results = [TaskResult::Success, TaskResult::Partial, TaskResult::Failure];
                let report = TaskReport {
                    targets: vec![target],
                    result: results[usize::from(result) % results.len()],
                    verified: result.is_multiple_of(2),
                    expected: expected.map(|expected| u32::from(expected) * 5_000),
                    ..TaskReport::default()
                };
                let _ = self.there.report(&caller(rank), report);
            }
            Step::Choose(policy) => {
                let of = usize::from(policy / 2) % 3;
                let _ = if policy.is_multiple_of(2) {
                    here.policy().choose_salience(&owner(), SaliencePolicy::ALL[of])
                } else {
                    here.policy().choose_trust(&owner(), TrustPolicy::ALL[of])
                };
            }
            Step::Ask(word) => drop(ask(here, WORDS[usize::from(word) % WORDS.len()])),
            Step::Import(number) => {
                let document = dialogue(&format!("d{}", number % 4), &["We saw Goa.", "And tea."]);
                import(here, &document).unwrap();
                assert_eq!(import(here, &document).unwrap().added, 0, "what is there comes once");
            }
            Step::Checkpoint => drop(self.there.checkpoints().write().unwrap()),
            Step::Erase(target) => {
                let Some(target) = self.pick(target) else { return };
                here.erasure().erase(&owner(), &[target]).unwrap();
            }
            Step::Reopen { use_checkpoint } => {
                drop(self.here.take());
                let options = Options { use_checkpoint, ..Options::default() };
                self.here = Some(self.world.open_with(options).unwrap());
            }
            Step::Pass => self.world.pass_days(3),
        }
    }

    fn check(&self) {
        let here = self.here.as_ref().unwrap();
        let folded = digest(here);
        assert_eq!(here.audit().digest().unwrap().digest, folded, "the live state");
        assert_eq!(self.there.audit().digest().unwrap().digest, folded, "the other process's");
    }

    fn check_end(&self) {
        let here = self.here.as_ref().unwrap();
        let replay = Replay { threads: Some(2), ..Replay::default() };
        assert_eq!(here.audit().replay(&replay).unwrap().digest, digest(here));
        for audit in here.audit().receipts().unwrap() {
            use memlith::read::Verdict::{Affected, Reproduced};
            assert!(matches!(audit.verdict, Reproduced | Affected { .. }), "{audit:?}");
        }
        assert_eq!(self.world.findings(), []);
        let restored = World::on(memlith::storage::MemoryDisk::new(), 5_000);
        let copy = restored.init();
        copy.import_jsonl(&owner(), export(here).as_bytes()).unwrap();
        assert_eq!(copy.audit().digest().unwrap().digest, digest(here));
        assert_eq!(restored.findings(), []);
        self.check_copy(&export(here));
        check_explanations(here);
    }

    /// Into a ledger with content an import goes once, and what it makes is sound.
    fn check_copy(&self, text: &str) {
        let world = World::on(memlith::storage::MemoryDisk::new(), 9_000);
        world.clock.set(memlith::storage::Clock::now(&*self.world.clock));
        let ledger = world.init();
        say(&ledger, "Ana likes tea.");
        ledger.import_jsonl(&owner(), text.as_bytes()).unwrap();
        let end = head(&ledger);
        let again = ledger.import_jsonl(&owner(), text.as_bytes()).unwrap();
        assert_eq!((again.added, head(&ledger)), (0, end), "{again:?}");
        assert_eq!(ledger.audit().digest().unwrap().digest, digest(&ledger));
        assert_eq!(world.findings(), []);
    }
}

/// Checks that the folded state ranks by the values that the item's own events explain.
fn check_explanations(ledger: &Ledger) {
    let everything = Question { query: format!("Ana likes {}", WORDS.join(" ")), as_of: None };
    for found in ledger.recall(&ana(), &everything, 99).unwrap() {
        let explained = ledger.explain(&ana(), found.id).unwrap();
        assert_eq!(explained.explanation.salience, found.why.salience, "{}", found.id);
        assert_eq!(explained.authority, found.why.authority, "{}", found.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        max_shrink_iters: 400,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_live_state_is_the_fold_after_every_step(steps in prop::collection::vec(step(), 1..40)) {
        let mut history = History::new();
        for step in &steps {
            history.run(step);
            history.check();
        }
        history.check_end();
    }
}
