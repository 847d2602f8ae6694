//! Write-back: what sessions taught is written down once, as whose word it is.

use std::cell::Cell;

use memlith::copy::{Format, ImportOptions};
use memlith::log::{Event, OutcomeEvent, decode};
use memlith::read::{ListOf, ListedItem, Listing};
use memlith::write::TaskResult;
use memlith::{
    Authority, Caller, Ledger, Options, Origin, RecordId, Remember, Scope, Seq, Timestamp,
};
use memlith_log::{Fault, FaultKind};
use memlith_writeback::{
    ExtractError, Extracted, Extraction, Extractor, JobEnd, JobQueue, JobStatus, Statement,
    TaskOutcome, Turn, What, Writeback,
};
use serde_json::json;

use crate::world::{NOW, World, digest, head, owner};

const MINUTE_US: i64 = 60_000_000;

/// Takes every sentence of a person's turn that begins with a mark: facts "!", about the person
/// "@"; "?" begins a fact that is worded anew, and "=" how the task failed.
struct Marked;

impl Extractor for Marked {
    fn name(&self) -> &'static str {
        "marked"
    }

    fn claim_us(&self) -> i64 {
        MINUTE_US
    }

    fn extract(&self, _: &Scope<'_>, turns: &[Turn]) -> Result<Extracted, ExtractError> {
        let mut found = Extraction::default();
        for turn in turns {
            let (What::User(text) | What::Assistant(text)) = &turn.what else { continue };
            let statement = |text: &str, lifted| Statement {
                text: text.to_owned(),
                evidence: vec![turn.id],
                lifted,
            };
            for line in text.lines() {
                match line.split_at(1) {
                    ("!", fact) => found.facts.push(statement(fact, true)),
                    ("@", fact) => found.user_facts.push(statement(fact, true)),
                    ("?", fact) => found.facts.push(statement(fact, false)),
                    ("=", summary) => {
                        found.outcome = Some(TaskOutcome {
                            result: TaskResult::Failure,
                            verified: true,
                            summary: summary.to_owned(),
                            worded: false,
                            evidence: vec![turn.id],
                        });
                    }
                    _ => {}
                }
            }
        }
        Ok(Extracted::Found(found))
    }
}

/// Fails so often, then does as [`Marked`].
struct Failing {
    left: std::sync::atomic::AtomicI32,
    for_good: bool,
}

impl Failing {
    fn times(left: i32) -> Failing {
        Failing { left: left.into(), for_good: false }
    }
}

impl Extractor for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn claim_us(&self) -> i64 {
        MINUTE_US
    }

    fn extract(&self, scope: &Scope<'_>, turns: &[Turn]) -> Result<Extracted, ExtractError> {
        if self.left.fetch_sub(1, std::sync::atomic::Ordering::SeqCst) <= 0 {
            return Marked.extract(scope, turns);
        }
        let what = "the server is away".to_owned();
        Err(match self.for_good {
            true => ExtractError::Never { what },
            false => ExtractError::Later { what, wait_us: None },
        })
    }
}

/// A session of a client, as its transcript grows.
pub(crate) struct Talk<'a> {
    ledger: &'a Ledger,
    name: &'static str,
    lines: Cell<usize>,
}

impl Talk<'_> {
    pub(crate) fn of<'a>(ledger: &'a Ledger, name: &'static str) -> Talk<'a> {
        Talk { ledger, name, lines: Cell::new(0) }
    }

    /// Somebody says something, and it is captured.
    pub(crate) fn says(&self, role: &str, text: &str) {
        let number = self.lines.replace(self.lines.get() + 1);
        let content = match role {
            "user" => json!(text),
            _ => json!([{"type": "text", "text": text}]),
        };
        let line = json!({
            "timestamp": at(number as i64).to_string(), "type": role, "sessionId": self.name,
            "parentUuid": null, "uuid": format!("{}-{number}", self.name),
            "isSidechain": false, "message": {"role": role, "content": content},
        });
        let options = ImportOptions { scope: project(), ..ImportOptions::default() };
        let text = format!("{line}\n");
        self.ledger.import(Format::ClaudeCode, text.as_bytes(), options).unwrap();
    }

    pub(crate) fn queue(&self, due: Timestamp) -> bool {
        JobQueue::of(self.ledger).queue(&self.caller(), due).unwrap()
    }

    fn caller(&self) -> Caller {
        let mut caller = Caller::user("default", "user");
        caller.scope = Scope { session: Some(self.name.into()), ..project() };
        caller
    }
}

pub(crate) fn project() -> Scope<'static> {
    Scope { subject: Some("shop".into()), ..Scope::tenant("default") }
}

pub(crate) fn at(minute: i64) -> Timestamp {
    NOW.plus_us(minute * MINUTE_US)
}

/// Does all jobs that are due; how many were applied.
fn drain(ledger: &Ledger, now: Timestamp) -> usize {
    let mut applied = 0;
    while let Some(run) = JobQueue::of(ledger).run(&Marked, now).unwrap() {
        applied += usize::from(matches!(run.end, JobEnd::Applied(_)));
    }
    applied
}

/// The texts of the memories that stand, as who said them.
fn standing(ledger: &Ledger, subject: Option<&str>) -> Vec<(String, Origin)> {
    let mut caller = Caller::user("default", "user");
    caller.scope.subject = subject.map(|subject| subject.to_owned().into());
    let listing =
        Listing { status: Some(Authority::Active), oldest: true, limit: 100, ..Listing::default() };
    let items = ledger.list(&caller, &listing).unwrap().items;
    let text = |one: &ListedItem| {
        let body = decode(&one.record).unwrap().unwrap();
        body.event.item_text().unwrap().into_owned()
    };
    items.iter().map(|one| (text(one), one.item.origin)).collect()
}

#[test]
fn what_was_said_is_its_speakers_word_and_leaves_with_the_turn() {
    let world = World::new();
    let ledger = world.init();
    let talk = Talk::of(&ledger, "s1");
    talk.says("user", "!The shop listens on port 8080.\n@I write Rust.\nPlease hurry.");
    talk.says("assistant", "!The cause was a full disk.");
    assert!(talk.queue(at(2)));
    assert_eq!(drain(&ledger, at(1)), 0, "it is not due");
    assert_eq!(drain(&ledger, at(2)), 1);
    let shop = standing(&ledger, Some("shop"));
    let expected = [
        ("The shop listens on port 8080.", Origin::User),
        ("The cause was a full disk.", Origin::Assistant),
        ("I write Rust.", Origin::User),
    ];
    let expected = expected.map(|(text, origin)| (text.to_owned(), origin));
    assert_eq!(shop, expected);
    // What a person says of themself follows them; the project's facts don't.
    assert_eq!(standing(&ledger, None), expected[2..]);
    let items = ledger.list(&talk.caller(), &Listing { limit: 9, ..Listing::default() }).unwrap();
    assert!(items.items.iter().all(|one| one.item.tier.0 <= 3));
    assert_eq!(drain(&ledger, at(900)), 0);
    assert!(!talk.queue(at(900)), "memories are no turns");

    let records = Listing { what: ListOf::Records, oldest: true, limit: 9, ..Listing::default() };
    let turns = ledger.list(&talk.caller(), &records).unwrap().items;
    ledger.erasure().erase(&owner().about("shop"), &[turns[0].item.id]).unwrap();
    assert_eq!(standing(&ledger, Some("shop")), expected[1..2]);
}

#[test]
fn a_fact_said_in_many_sessions_is_one_row_and_a_change_ends_it() {
    let world = World::new();
    let ledger = world.init();
    let names: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    for (number, name) in names.into_iter().enumerate() {
        let talk = Talk::of(&ledger, name);
        let port = if number < 4 { "8080" } else { "9090" };
        talk.says("user", &format!("!The shop listens on port {port}."));
        assert!(talk.queue(at(0)));
        assert_eq!(drain(&ledger, at(0)), 1);
        world.tick();
    }
    let standing = standing(&ledger, Some("shop"));
    assert_eq!(standing, [("The shop listens on port 9090.".to_owned(), Origin::User)]);
}

#[test]
fn the_turns_of_one_session_are_one_job_until_somebody_takes_it() {
    let world = World::new();
    let ledger = world.init();
    let talk = Talk::of(&ledger, "s");
    talk.says("user", "!One is here.");
    assert!(talk.queue(at(2)));
    assert!(!talk.queue(at(3)), "it is queued, and due before");
    talk.says("user", "!Two is here.");
    assert!(talk.queue(at(4)));
    assert_eq!(JobQueue::of(&ledger).list().unwrap().len(), 1);
    assert!(talk.queue(at(1)), "an end forces it");
    let before = head(&ledger);
    assert!(!talk.queue(at(1)));
    assert_eq!(head(&ledger), before);
    assert_eq!((drain(&ledger, at(1)), standing(&ledger, Some("shop")).len()), (1, 2));
    talk.says("user", "!Three is here.");
    assert!(talk.queue(at(5)));
    // Another process finds the queue as it was left.
    drop(ledger);
    let ledger = world.open();
    assert_eq!((drain(&ledger, at(5)), standing(&ledger, Some("shop")).len()), (1, 3));
    assert_eq!(JobQueue::of(&ledger).list().unwrap(), []);
    let (known, scope) = JobQueue::of(&ledger).sessions().unwrap().remove(0);
    assert_eq!((known.applied, known.taught, scope.session.as_deref()), (2, 3, Some("s")));
    let live = digest(&ledger);
    assert_eq!(ledger.audit().replay(&memlith::prove::Replay::default()).unwrap().digest, live);
}

#[test]
fn what_fails_is_tried_again_and_in_the_end_dead_until_somebody_says_so() {
    let world = World::new();
    let ledger = world.init();
    let talk = Talk::of(&ledger, "s");
    talk.says("user", "!The shop is open.");
    assert!(talk.queue(at(0)));
    let failing = Failing::times(4);
    let minutes = [0, 1, 11, 71];
    for (attempt, minute) in minutes.into_iter().enumerate() {
        assert_eq!(JobQueue::of(&ledger).run(&failing, at(minute).plus_us(-1)).unwrap(), None);
        let run = JobQueue::of(&ledger).run(&failing, at(minute)).unwrap().unwrap();
        match run.end {
            JobEnd::Retrying { at: again, .. } => assert_eq!(again, at(minutes[attempt + 1])),
            JobEnd::Dead { reason } => {
                assert_eq!((attempt, reason.as_str()), (3, "the server is away"));
            }
            end @ JobEnd::Applied(_) => panic!("{end:?}"),
        }
    }
    assert_eq!(JobQueue::of(&ledger).run(&failing, at(9_000)).unwrap(), None);
    let dead = JobQueue::of(&ledger).list().unwrap().remove(0).job;
    assert_eq!(dead.status, JobStatus::Dead);
    assert!(JobQueue::of(&ledger).retry(&dead, at(9_001)).unwrap());
    assert!(!JobQueue::of(&ledger).retry(&dead, at(9_001)).unwrap());
    assert_eq!((drain(&ledger, at(9_001)), standing(&ledger, Some("shop")).len()), (1, 1));

    talk.says("user", "!The shop is shut.");
    assert!(talk.queue(at(9_002)));
    let hopeless = Failing { for_good: true, ..Failing::times(1) };
    let run = JobQueue::of(&ledger).run(&hopeless, at(9_002)).unwrap().unwrap();
    assert!(matches!(run.end, JobEnd::Dead { .. }), "{run:?}");
}

/// A worker that takes a job and is gone: what it wrote before stays, and is not written again.
#[test]
fn a_job_whose_worker_was_killed_is_done_by_the_next_one() {
    let world = World::new();
    let ledger = world.init();
    let talk = Talk::of(&ledger, "s");
    talk.says("user", "!The shop is open.\n!The mill is shut.\n?It seems to be spring.");
    assert!(talk.queue(at(0)));
    ledger.close().unwrap();
    let whole = {
        let copy = world.copied(1);
        let ledger = copy.open();
        assert_eq!(drain(&ledger, at(0)), 1);
        standing(&ledger, Some("shop"))
    };
    assert_eq!(whole.len(), 3);
    let mut interrupted = 0;
    for cut in 0.. {
        let killed = world.copied(1);
        let ledger = killed.open();
        killed.disk.set_fault(Some(Fault { at: cut, kind: FaultKind::Stop }));
        let ended = JobQueue::of(&ledger).run(&Marked, at(0));
        drop(ledger);
        let after = killed.copied(2);
        let ledger = after.open();
        let some = standing(&ledger, Some("shop")).len();
        interrupted += usize::from((1..whole.len()).contains(&some));
        // The claim of the one that was killed ends with its time.
        drain(&ledger, at(5));
        assert_eq!(standing(&ledger, Some("shop")), whole, "killed at {cut}");
        assert_eq!(JobQueue::of(&ledger).list().unwrap(), []);
        drop(ledger);
        assert_eq!(after.findings(), []);
        if ended.is_ok() {
            break;
        }
        assert!(cut < 200, "a job doesn't take so many operations");
    }
    assert!(interrupted > 0, "none was killed between the first word and the last");
}

#[test]
fn what_leaves_a_window_is_applied_before_and_no_other_session_with_it() {
    let world = World::new();
    let ledger = world.init();
    let (one, other) = (Talk::of(&ledger, "s1"), Talk::of(&ledger, "s2"));
    one.says("user", "!The API listens on port 8443.");
    other.says("user", "!The queue is Kafka.");
    assert!(other.queue(at(0)));
    // An earlier job of the session waits for more turns: it is done as well.
    assert!(one.queue(at(30)));
    one.says("user", "!Deploys go to Oslo.");
    let runs = JobQueue::of(&ledger).run_before(&one.caller(), &Marked, at(10)).unwrap();
    assert!(runs.iter().all(|run| run.session == "s1"), "{runs:?}");
    let told: Vec<String> = standing(&ledger, Some("shop")).into_iter().map(|one| one.0).collect();
    assert_eq!(told, ["The API listens on port 8443.", "Deploys go to Oslo."]);
    assert_eq!(JobQueue::of(&ledger).list().unwrap().len(), 1);
    assert!(JobQueue::of(&ledger).run_before(&one.caller(), &Marked, at(10)).unwrap().is_empty());
    assert_eq!(drain(&ledger, at(10)), 1);
}

#[test]
fn a_worker_of_a_program_does_what_is_due_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::create(folder.path().join("l"), Options::default()).unwrap();
    let talk = Talk::of(&ledger, "s1");
    talk.says("user", "!The API listens on port 8443.");
    assert!(talk.queue(at(0)));
    let writeback = Writeback::new(&ledger, Marked);
    assert_eq!(writeback.run_due().unwrap().len(), 1);
    talk.says("user", "!Deploys go to Oslo.");
    assert!(talk.queue(at(0)));
    let writeback = writeback.start().unwrap();
    let is_done = || JobQueue::of(&ledger).list().unwrap().is_empty();
    // Whoever waits for a thread waits as long as it takes.
    while !is_done() {
        std::thread::yield_now();
    }
    writeback.stop();
    assert_eq!(standing(&ledger, Some("shop")).len(), 2);
    // Stopped, it does nothing more.
    talk.says("user", "!The queue is Kafka.");
    assert!(talk.queue(at(0)));
    assert_eq!(JobQueue::of(&ledger).list().unwrap().len(), 1);
}

/// The queue is as long as it has to be, and a drain that is cut now and then loses nothing.
/// `MEMLITH_SESSIONS` says how many sessions, 200 where it is not set.
#[test]
fn as_many_sessions_wait_as_there_are_and_none_is_dropped() {
    #[expect(clippy::disallowed_methods, reason = "how long the campaign is")]
    let set = std::env::var("MEMLITH_SESSIONS").ok();
    let count: usize = set.and_then(|count| count.parse().ok()).unwrap_or(200);
    let world = World::new();
    let ledger = world.init();
    let mut lines = String::new();
    for number in 0..count {
        let text = format!("!Service s{number} listens on port {}.", 1_000 + number);
        let line = json!({
            "timestamp": at(0).to_string(), "type": "user", "sessionId": format!("s{number}"),
            "parentUuid": null, "uuid": format!("u{number}"), "isSidechain": false,
            "message": {"role": "user", "content": text},
        });
        lines.push_str(&format!("{line}\n"));
    }
    let options = ImportOptions { scope: project(), ..ImportOptions::default() };
    ledger.import(Format::ClaudeCode, lines.as_bytes(), options).unwrap();
    for number in 0..count {
        let mut caller = Caller::user("default", "user");
        caller.scope = Scope { session: Some(format!("s{number}").into()), ..project() };
        assert!(JobQueue::of(&ledger).queue(&caller, at(1)).unwrap());
    }
    assert_eq!(JobQueue::of(&ledger).list().unwrap().len(), count);
    drop(ledger);
    // Every process does some and is gone, in the middle of one.
    let operations = u64::try_from(count).unwrap();
    let mut disk = world.copied(7);
    let mut minute = 1;
    loop {
        let ledger = disk.open();
        disk.disk.set_fault(Some(Fault { at: operations, kind: FaultKind::Stop }));
        while let Ok(Some(_)) = JobQueue::of(&ledger).run(&Marked, at(minute)) {}
        drop(ledger);
        let next = disk.copied(8 + u64::try_from(minute).unwrap());
        let left = JobQueue::of(&next.open()).list().unwrap().len();
        disk = next;
        if left == 0 {
            break;
        }
        minute += 2;
        assert!(minute < 10_000, "{left} jobs are left");
    }
    assert!(minute > 1, "no drain was cut");
    let ledger = disk.open();
    let taught = JobQueue::of(&ledger).sessions().unwrap();
    assert_eq!(taught.len(), count);
    assert!(taught.iter().all(|(known, _)| (known.applied, known.taught) == (1, 1)));
    let mut caller = Caller::user("default", "user");
    caller.scope = project();
    let mut listing =
        Listing { status: Some(Authority::Active), oldest: true, limit: 200, ..Listing::default() };
    let mut texts = std::collections::BTreeSet::new();
    let mut rows = 0;
    loop {
        let page = ledger.list(&caller, &listing).unwrap();
        rows += page.items.len();
        let bodies = page.items.iter().map(|one| decode(&one.record).unwrap().unwrap());
        texts.extend(bodies.map(|body| body.event.item_text().unwrap().into_owned()));
        listing.cursor = page.next;
        if listing.cursor.is_none() {
            break;
        }
    }
    assert_eq!((rows, texts.len()), (count, count));
}

/// The reports of outcomes in a ledger: of which items, and whether they were verified.
fn reported(ledger: &Ledger) -> Vec<(Vec<RecordId>, bool)> {
    let reports = ledger.records(Seq(0), None).unwrap().filter_map(|record| {
        let record = record.unwrap();
        let event = decode(&record).unwrap()?.event;
        let Event::Outcome(OutcomeEvent::Reported(one)) = event else { return None };
        Some((one.targets, one.verified))
    });
    reports.collect()
}

#[test]
fn an_outcome_is_of_what_was_shown_and_else_of_the_turn_which_it_says_nothing_against() {
    let world = World::new();
    let ledger = world.init();
    let talk = Talk::of(&ledger, "s1");
    talk.says("user", "=The build still fails.");
    assert!(talk.queue(at(2)));
    assert_eq!(drain(&ledger, at(2)), 1);
    let found = ledger.recall(&talk.caller(), "does the build fail?", 1).unwrap();
    assert_eq!(reported(&ledger), [(vec![found[0].id], false)]);
    assert!(!found[0].why.disputed, "the turn itself failed at nothing");
    // Shown before the first turn of the session was written down, as hooks show.
    let port = ledger.remember(&talk.caller(), "The shop listens on port 8080.").unwrap().id;
    let next = Talk::of(&ledger, "s2");
    ledger.note_shown(&next.caller(), &[port]).unwrap();
    next.says("user", "=It fails again.");
    assert!(next.queue(at(4)));
    assert_eq!(drain(&ledger, at(4)), 1);
    assert_eq!(reported(&ledger)[1..], [(vec![port], true)]);
}

#[test]
fn an_erasure_takes_the_turn_that_a_worded_memory_stands_on() {
    let world = World::new();
    let ledger = world.init();
    let talk = Talk::of(&ledger, "s1");
    talk.says("user", "My colleague Ingrid owns the payments, and dislikes any mocks in tests.");
    talk.says("user", "The tests of the payments are slow.");
    let records = Listing { what: ListOf::Records, oldest: true, limit: 9, ..Listing::default() };
    let turns = ledger.list(&talk.caller(), &records).unwrap().items;
    let [about, other] = [&turns[0], &turns[1]].map(|turn| turn.item.id);
    let worded = Remember::new("Ingrid dislikes mocks in tests.").rests_on([about, other]);
    let worded = ledger.remember(&talk.caller(), worded).unwrap().id;
    let echoes = ledger.erasure().echoes(&ledger, &[worded]).unwrap();
    assert!(echoes.contains(&about) && !echoes.contains(&other), "{echoes:?}");
}
