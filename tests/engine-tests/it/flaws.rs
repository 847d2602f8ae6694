//! Flaws of a system of the same kind, on the same histories: which items are shown, how
//! strongly, and what is made of them. `benches/peers/zaxy_flaws.py` runs that system beside
//! this one; the numbers are those of its table.

use std::collections::BTreeSet;

use memlith::compaction::Rules;
use memlith::{
    Authority, Caller, Change, Error, Judgement, Ledger, Rank, RecordId, Remember, Scope,
    compaction::{CompactOptions, Compacted},
    log::{LinkKind, decode},
    procedures::MinedStanding,
    read::LeftOutReason,
    write::{CandidateKind, Rejection, TaskReport, TaskResult},
};

use crate::procedures::{mine, proposed, work};
use crate::salience::forge_showing;
use crate::world::{
    World, ana, ask, digest, exported_records, fact, head, ids, invalidate, look, reconfirm,
    salience, say, words,
};

const TASKS: [&str; 4] = [
    "Deploy the release: build the image.",
    "Deploy the release: push the image.",
    "Deploy the release: restart the service.",
    "Deploy the release: watch the dashboard.",
];

const QUESTION: &str = "how do we deploy the release?";

/// Question that asks for a derived item in its own words: beside its sources it would be
/// left out.
const DRILL: &str = "how many steps has the drill?";

fn tasks(ledger: &Ledger) -> Vec<RecordId> {
    TASKS.iter().map(|task| say(ledger, task)).collect()
}

fn reviewer() -> Caller {
    Caller::new("default", "rita", Rank::Reviewer)
}

fn authority(ledger: &Ledger, id: RecordId) -> Authority {
    ledger.show(&ana(), id).unwrap().authority
}

/// Proposes an item that rests on others, for review.
fn candidate(ledger: &Ledger, text: &str, on: &[RecordId]) -> RecordId {
    let what = Remember { rests_on: on.to_vec(), ..words(text) };
    ledger.review().propose(&ana(), CandidateKind::Procedure, what).unwrap().id
}

/// Small spans, soon closed.
const RULES: Rules = Rules {
    span_items: 4,
    tail_events: 2,
    sources_min: 2,
    sources_per_exemplar: 8,
    excerpt_tokens: 32,
};

fn compact(ledger: &Ledger) -> Compacted {
    let options = CompactOptions { rules: RULES, ..CompactOptions::default() };
    ledger.compact(&ana(), &options).unwrap()
}

/// Closes the span of what was said.
fn close_span(ledger: &Ledger) {
    for number in 0..4 {
        say(ledger, &format!("Later note number {number} about lunch."));
    }
}

fn sources(ledger: &Ledger, id: RecordId) -> Vec<RecordId> {
    ledger.show(&ana(), id).unwrap().rests_on.into_iter().flat_map(|(_, all)| all).collect()
}

#[test]
fn f1_a_candidate_is_neither_shown_nor_raised() {
    let world = World::new();
    let ledger = world.init();
    let tasks = tasks(&ledger);
    let made = candidate(&ledger, "To deploy the release, build, push, restart.", &tasks);
    for _ in 0..3 {
        let mut shown = ids(&ask(&ledger, QUESTION));
        shown.sort_unstable();
        assert_eq!(shown, tasks);
    }
    // Nor by what came of it, nor by saying it again in other words.
    let seen = ask(&ledger, QUESTION).observed.unwrap();
    let success = TaskReport { result: TaskResult::Success, ..TaskReport::default() };
    let _ = ledger.report_shown(&ana(), seen, success.clone()).unwrap();
    let named = TaskReport { targets: vec![made], ..success };
    let refused = ledger.report(&ana(), named);
    assert!(matches!(refused, Err(Error::Rejected(Rejection::Status { id, .. })) if id == made));
    let again = words("To deploy the release: build, push, restart");
    let again = ledger.remember_new(&by("ben"), again).unwrap();
    assert_ne!(again.id, made);
    assert_eq!(salience(&ledger, made), 1.0);
    let raised = 1.05 * 1.05 * 1.05 * 1.05 * 1.5;
    assert!((salience(&ledger, tasks[0]) / raised - 1.0).abs() < 1e-9, "shown, and confirmed");
    // It is what review makes of it.
    invalidate(&ledger, again.id);
    assert_eq!(authority(&ledger, made), Authority::Pending);
    let accepted = candidate(&ledger, "The drill has four steps.", &tasks);
    let _ = ledger.review().judge(&reviewer(), Judgement::Accept, [accepted], None).unwrap();
    assert_eq!(ids(&ask(&ledger, DRILL)), [accepted]);
}

#[test]
fn f2_what_rests_on_what_is_gone_goes_with_it() {
    let world = World::new();
    let ledger = world.init();
    let tasks = tasks(&ledger);
    close_span(&ledger);
    let summary = compact(&ledger).written[0];
    assert_eq!(sources(&ledger, summary), tasks);
    let mut claim = words("We deploy the release every Friday.");
    claim.rests_on.clone_from(&tasks);
    let claim = ledger.remember(&ana(), claim).unwrap().id;
    tasks.iter().for_each(|task| invalidate(&ledger, *task));
    for _ in 0..3 {
        assert_eq!(ids(&ask(&ledger, QUESTION)), []);
    }
    for id in [summary, claim] {
        assert_eq!(ledger.show(&ana(), id).unwrap().authority, Authority::Stale);
        assert_eq!(salience(&ledger, id), 1.0);
    }
}

#[test]
fn f3_a_summary_is_made_of_what_stands() {
    let world = World::new();
    let ledger = world.init();
    let tasks = tasks(&ledger);
    candidate(&ledger, "To deploy the release, build, push, restart.", &tasks);
    ask(&ledger, QUESTION);
    invalidate(&ledger, tasks[3]);
    // One of them has proved itself, and isn't what lies in the middle of them.
    let _ = ledger.change(&ana(), Change::Promote { weight: None }, [tasks[1]]).unwrap();
    close_span(&ledger);
    let compacted = compact(&ledger);
    let [summary] = compacted.written[..] else { panic!("{compacted:?}") };
    assert_eq!(sources(&ledger, summary), tasks[..3]);
    let quotes = &compacted.plan.summaries[0].exemplars;
    assert_eq!(quotes[0].source.seq, tasks[1].seq, "{quotes:?}");
    assert!(quotes.iter().all(|quote| tasks[..3].iter().any(|id| id.seq == quote.source.seq)));
    assert_eq!(ledger.audit().summaries(&ana()).unwrap().findings, []);
}

fn by(name: &str) -> Caller {
    Caller::user("default", name)
}

fn confirm(ledger: &Ledger, who: &Caller, id: RecordId) {
    let _ = ledger.change(who, Change::Confirm { weight: None, verified: false }, [id]).unwrap();
}

#[test]
fn n1_one_showing_brings_nothing_back_to_life() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, TASKS[0]);
    ["ana", "ben", "eve"].iter().for_each(|name| confirm(&ledger, &by(name), id));
    assert_eq!(salience(&ledger, id), 3.375);
    world.pass_days(180);
    let faded = salience(&ledger, id);
    assert!((faded / (3.375 / 64.0) - 1.0).abs() < 1e-9, "{faded}");
    assert_eq!(ids(&ask(&ledger, QUESTION)), [id], "the best answer is found at any age");
    let shown = salience(&ledger, id);
    assert!((shown / (faded * 1.05) - 1.0).abs() < 1e-9, "{shown}");
}

#[test]
fn n2_an_invalidation_raises_nothing() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, TASKS[0]);
    confirm(&ledger, &ana(), id);
    world.pass_days(120);
    let before = salience(&ledger, id);
    assert!((before - 1.5 / 16.0).abs() < 1e-9, "{before}");
    invalidate(&ledger, id);
    let after = salience(&ledger, id);
    assert!((after / (before * 0.2) - 1.0).abs() < 1e-9, "{after}");
}

#[test]
fn n3_what_is_invalidated_is_out_at_once_and_stays_out() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, TASKS[0]);
    invalidate(&ledger, id);
    for days in 0..14 {
        assert_eq!(ids(&ask(&ledger, QUESTION)), [], "day {days}");
        forge_showing(&world, id);
        ledger.refresh().unwrap();
        world.pass_days(1);
    }
    world.pass_days(16);
    let left = salience(&ledger, id);
    assert!((left / 0.1 - 1.0).abs() < 1e-9, "a half-life later: {left}");
}

#[test]
fn n4_what_was_shown_is_never_below_what_was_not_and_both_fade() {
    let world = World::new();
    let ledger = world.init();
    let (shown, untouched) = (say(&ledger, TASKS[0]), say(&ledger, "Tea is in the kitchen."));
    assert_eq!(ids(&ask(&ledger, "build the image")), [shown]);
    for days in [0, 3, 30, 60] {
        let (one, other) = (salience(&ledger, shown), salience(&ledger, untouched));
        assert!((one / (other * 1.05) - 1.0).abs() < 1e-9, "day {days}: {one}, {other}");
        world.pass_days(if days == 0 { 3 } else { 30 });
    }
    let other = salience(&ledger, untouched);
    assert!((0.1..0.13).contains(&other), "after 93 days it has faded: {other}");
}

#[test]
fn n8_a_promotion_in_one_session_counts_in_another() {
    let world = World::new();
    let ledger = world.init();
    let within = |session: &'static str, session_only, who: Caller| {
        let session = Some(session.into());
        Caller { scope: Scope { session, session_only, ..Scope::tenant("default") }, ..who }
    };
    let assistant = Caller::new("default", "worker", Rank::Assistant);
    let (worker, mission) = (within("worker", true, assistant), within("mission", false, ana()));
    let finding = ledger.remember(&worker, words("The cache is the bottleneck.")).unwrap().id;
    let merged = ledger.review().offer(&worker, finding).unwrap().id;
    let _ = ledger.review().judge(&reviewer(), Judgement::Accept, [merged], None).unwrap();
    let _ = ledger.change(&mission, Change::Promote { weight: None }, [merged]).unwrap();
    let shown = |who: &Caller| {
        let mut request = memlith::CheckoutRequest::new("what is the bottleneck?");
        request.observe = false;
        let items = ledger.checkout(who, &request).unwrap().pack.items;
        items.iter().map(|item| (item.id, item.why.salience.to_string())).collect::<Vec<_>>()
    };
    let promoted = (merged, "2.0".to_owned());
    for who in [&mission, &within("another", false, ana())] {
        assert_eq!(shown(who), std::slice::from_ref(&promoted));
    }
    assert!(shown(&worker).contains(&promoted), "and where it was found");
}

#[test]
fn n9_compacting_adds_what_stands_for_the_log_and_rewrites_none_of_it() {
    let world = World::new();
    let ledger = world.init();
    for number in 0..22 {
        say(&ledger, &format!("Ticket {number}: the release was deployed."));
    }
    let before = exported_records(&ledger);
    let compacted = compact(&ledger);
    let after = exported_records(&ledger);
    assert!(after.starts_with(&before), "no record of before is another one");
    let added = after.len() - before.len();
    assert_eq!((compacted.written.len(), added), (5, 5), "{compacted:?}");
    assert!(compacted.written.iter().all(|id| sources(&ledger, *id).len() == 4));
    // Once: another run has nothing to add, and a fold of the whole log agrees.
    let end = (head(&ledger), digest(&ledger));
    assert_eq!(compact(&ledger).written, []);
    assert_eq!(ledger.audit().digest().unwrap().digest, end.1);
    assert_eq!((head(&ledger), digest(&world.open())), end);
    assert_eq!(world.findings(), []);
}

#[test]
fn n10_what_is_taken_back_and_what_is_stale_counts_at_any_distance() {
    let world = World::new();
    let ledger = world.init();
    let tasks = tasks(&ledger);
    close_span(&ledger);
    let summary = compact(&ledger).written[0];
    let steps = candidate(&ledger, "The drill has four steps.", &tasks);
    let _ = ledger.review().judge(&reviewer(), Judgement::Accept, [steps], None).unwrap();
    assert_eq!(ids(&look(&ledger, DRILL, None)), [steps]);
    let _ = ledger.roll_back(&reviewer(), steps, None).unwrap();
    tasks.iter().for_each(|task| invalidate(&ledger, *task));
    for number in 0..60 {
        say(&ledger, &format!("Later note number {number} about dinner."));
    }
    assert_eq!(ids(&look(&ledger, QUESTION, None)), []);
    assert_eq!(ids(&look(&ledger, DRILL, None)), []);
    assert_eq!((authority(&ledger, summary), authority(&ledger, steps)), OUT);
    let cited = |compacted: &Compacted| -> BTreeSet<RecordId> {
        compacted.written.iter().flat_map(|id| sources(&ledger, *id)).collect()
    };
    let later = compact(&ledger);
    assert_eq!(later.written.len(), 15, "of the notes alone");
    assert!(cited(&later).is_disjoint(&tasks.iter().copied().collect()));
    world.tick();
    tasks.iter().for_each(|task| reconfirm(&ledger, *task));
    assert_eq!(authority(&ledger, summary), Authority::Active);
    assert_eq!(authority(&ledger, steps), Authority::Retracted, "for good");
    assert_eq!(ids(&look(&ledger, QUESTION, None)).len(), tasks.len(), "told by its sources");
}

/// Stale for its sources, and taken back.
const OUT: (Authority, Authority) = (Authority::Stale, Authority::Retracted);

#[test]
fn n11_procedures_are_mined_across_sessions() {
    let world = World::new();
    let ledger = world.init();
    // Each session is a file of its own.
    work(&ledger, 0..12);
    let mined = mine(&ledger);
    let id = proposed(&mined);
    assert_eq!((mined.sessions, mined.procedures[0].mined.support), (12, 12));
    let shown = ledger.show(&ana(), id).unwrap();
    let body = decode(&shown.record).unwrap().unwrap();
    let session = |id: RecordId| {
        let record = ledger.show(&ana(), id).unwrap().record;
        decode(&record).unwrap().unwrap().envelope.scope.session.unwrap().to_string()
    };
    let cited: BTreeSet<String> = body.envelope.linked(LinkKind::RestsOn).map(session).collect();
    assert_eq!(cited.len(), 12, "it cites a run of each");
    assert_eq!(authority(&ledger, id), Authority::Pending);
    let _ = ledger.review().judge(&reviewer(), Judgement::Accept, [id], None).unwrap();
    assert!(ids(&look(&ledger, "cargo fmt, cargo test, git commit", None)).contains(&id));
    let again = mine(&ledger);
    assert!(!matches!(again.procedures[0].standing, MinedStanding::Proposed(_)), "once");
}

#[test]
fn n15_what_is_left_out_is_counted_once() {
    let world = World::new();
    let ledger = world.init();
    // Found by its words, by its slot and by what stands beside it.
    let moved = fact("Ana deploys the release from Pune.", "Ana", "deploys from", "Pune");
    let gone = ledger.remember(&ana(), moved).unwrap().id;
    let stands = say(&ledger, TASKS[0]);
    invalidate(&ledger, gone);
    let pack = look(&ledger, "Where does \"Ana\" deploy the release from?", None).pack;
    assert_eq!(pack.items.iter().map(|item| item.id).collect::<Vec<_>>(), [stands]);
    let left_out: Vec<_> = pack.left_out.iter().map(|out| (out.id, out.reason)).collect();
    assert_eq!(left_out, [(gone, LeftOutReason::Authority)]);
    let counted: Vec<_> = pack.receipt.left_out.iter().map(|out| (out.reason, out.count)).collect();
    assert_eq!(counted, [(LeftOutReason::Authority, 1)]);
}
