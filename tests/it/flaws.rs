//! What a system of the same kind gets wrong, on the same histories: what is shown, how
//! strongly, and what is made of it. `benches/peers/zaxy_flaws.py` runs that system beside
//! this one; the numbers are those of its table.

use std::borrow::Cow;
use std::collections::BTreeSet;

use memlith::compaction::{Bodies, Item, Rules, Sort, View, Words, plan};
use memlith::{
    Authority, Caller, Change, Ending, Kind, Ledger, LeftOutReason, Miner, Rank, RecordId, Seq,
    Sessions, Step, decode,
};
use memlith_event::{
    Actor, BODY_CODEC, Body, Envelope, Event, Link, LinkKind, MemoryEvent, Origin, PendingReason,
    Remembered, Scope,
};
use memlith_log::{Durability, Flags, Log, LogOptions, NewRecord};

use crate::salience::forge_showing;
use crate::world::{
    NOW, World, ana, ask, fact, ids, invalidate, look, reconfirm, salience, say, words,
};

const TASKS: [&str; 4] = [
    "Deploy the release: build the image.",
    "Deploy the release: push the image.",
    "Deploy the release: restart the service.",
    "Deploy the release: watch the dashboard.",
];

const QUESTION: &str = "how do we deploy the release?";

fn tasks(ledger: &Ledger) -> Vec<RecordId> {
    TASKS.iter().map(|task| say(ledger, task)).collect()
}

/// What the engine makes of items, as a miner or a summary would write it.
fn derived(world: &World, text: &str, on: &[RecordId], pending: bool) -> RecordId {
    let mut envelope =
        Envelope::new(Scope::tenant("default"), Actor::new("miner", Rank::Engine), NOW);
    envelope.origin = Origin::Derived;
    envelope.links =
        on.iter().map(|target| Link { kind: LinkKind::RestsOn, target: *target }).collect();
    let pending = pending.then_some(PendingReason::Extracted);
    let remembered = Remembered { pending, ..Remembered::text(text.to_owned()) };
    let body = Body { envelope, event: Event::Memory(MemoryEvent::Remembered(remembered)) };
    let encoded = body.encode();
    let log = Log::open(world.env(), LogOptions::default()).unwrap();
    let record = NewRecord {
        kind: Kind::REMEMBERED.number,
        kind_version: Kind::REMEMBERED.version,
        codec: BODY_CODEC,
        flags: Flags::NONE,
        body: &encoded,
    };
    let appended = log.writer().unwrap().append(&[record], Durability::Immediate).unwrap();
    log.close().unwrap();
    appended[0].id
}

#[test]
fn f1_a_candidate_is_neither_shown_nor_raised() {
    let world = World::new();
    let ledger = world.init();
    let tasks = tasks(&ledger);
    let candidate = derived(&world, "To deploy the release, build, push, restart.", &tasks, true);
    for _ in 0..3 {
        let mut shown = ids(&ask(&ledger, QUESTION));
        shown.sort_unstable();
        assert_eq!(shown, tasks);
    }
    forge_showing(&world, candidate);
    ledger.refresh().unwrap();
    assert_eq!(salience(&ledger, candidate), 1.0);
    assert_eq!(salience(&ledger, tasks[0]), 1.157625, "shown three times");
}

#[test]
fn f2_what_rests_on_what_is_gone_goes_with_it() {
    let world = World::new();
    let ledger = world.init();
    let tasks = tasks(&ledger);
    let summary = derived(&world, "In short: deploy the release step by step.", &tasks, false);
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

/// The items of a ledger as a planner of summaries takes them, and their words.
struct Planned {
    items: Vec<Item>,
    texts: Vec<(RecordId, String)>,
    head: Seq,
}

impl Planned {
    fn of(ledger: &Ledger) -> Planned {
        let (mut items, mut texts, mut head) = (Vec::new(), Vec::new(), Seq::GENESIS);
        for record in ledger.records(Seq::GENESIS.next(), None).unwrap() {
            let record = record.unwrap();
            head = record.seq;
            let Some(body) = decode(&record).unwrap() else { continue };
            let shown = ledger.show(&ana(), record.id()).ok();
            let item = shown.as_ref().map(|shown| shown.item);
            if let Event::Memory(MemoryEvent::Remembered(remembered)) = &body.event {
                texts.push((record.id(), remembered.text.to_string()));
            }
            items.push(Item {
                seq: record.seq,
                hash: record.record_hash,
                sort: if item.is_some() { Sort::Memory } else { Sort::Bookkeeping },
                cell: body.envelope.scope.cell(),
                session: None,
                session_only: false,
                own: item.map_or(memlith::OwnStatus::Active, |item| item.own),
                label: shown.map_or(Authority::Active, |shown| shown.authority),
                derived: item.is_some_and(|item| item.is_derived()),
                tier: item.map_or(memlith::Tier(4), |item| item.tier),
                level: memlith::compaction::Log2::ZERO,
            });
        }
        Planned { items, texts, head }
    }

    /// What a summary would cite and quote, once the span is closed.
    fn summarised(&self) -> BTreeSet<Seq> {
        let rules = Rules { span_items: 6, tail_events: 1, sources_min: 1, ..Rules::default() };
        let seq = Seq(self.head.0 + 2);
        let view = View { seq, items: &self.items, ends: &[], written: &BTreeSet::new() };
        let plan = plan(&view, self, &rules).unwrap();
        let of = |summary: &memlith::compaction::Summary| {
            let quoted = summary.exemplars.iter().map(|quote| quote.source.seq);
            summary.sources.iter().map(|source| source.seq).chain(quoted).collect::<Vec<_>>()
        };
        plan.summaries.iter().flat_map(of).collect()
    }
}

impl Bodies for Planned {
    fn read(&self, id: RecordId) -> Option<Words<'_>> {
        let (_, text) = self.texts.iter().find(|(known, _)| *known == id)?;
        Some(Words { text: Cow::Borrowed(text), entity: None })
    }
}

#[test]
fn f3_a_summary_is_made_of_what_stands() {
    let world = World::new();
    let ledger = world.init();
    let tasks = tasks(&ledger);
    derived(&world, "To deploy the release, build, push, restart.", &tasks, true);
    ask(&ledger, QUESTION);
    invalidate(&ledger, tasks[3]);
    let others = [say(&ledger, "The office has tea."), say(&ledger, "The office has coffee.")];
    let standing = tasks[..3].iter().chain(&others).map(|id| id.seq);
    assert_eq!(Planned::of(&ledger).summarised(), standing.collect());
}

fn by(name: &str) -> Caller {
    Caller::user("default", name)
}

fn confirm(ledger: &Ledger, who: &Caller, id: RecordId) {
    ledger.change(who, Change::Confirm { weight: None, verified: false }, &[id]).unwrap();
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
    let within = |session: &'static str| {
        let mut caller = ana();
        caller.scope.session = Some(session.into());
        caller
    };
    let (worker, mission) = (within("worker"), within("mission"));
    let finding = ledger.remember(&worker, words("The cache is the bottleneck.")).unwrap().id;
    ledger.change(&mission, Change::Promote { weight: None }, &[finding]).unwrap();
    for who in [&worker, &mission] {
        let request = memlith::CheckoutRequest {
            observe: false,
            ..memlith::CheckoutRequest::new("what is the bottleneck?")
        };
        let items = ledger.checkout(who, &request).unwrap().pack.items;
        assert_eq!(items.len(), 1);
        assert_eq!((items[0].id, items[0].why.salience.to_string()), (finding, "2.0".to_owned()));
    }
}

#[test]
fn n10_what_is_taken_back_and_what_is_stale_counts_at_any_distance() {
    let world = World::new();
    let ledger = world.init();
    let tasks = tasks(&ledger);
    let summary = derived(&world, "In short: deploy the release step by step.", &tasks, false);
    tasks.iter().for_each(|task| invalidate(&ledger, *task));
    for number in 0..60 {
        say(&ledger, &format!("Later note number {number} about lunch."));
    }
    let authority = |id| ledger.show(&ana(), id).unwrap().authority;
    assert_eq!(ids(&look(&ledger, QUESTION, None)), []);
    assert_eq!(authority(summary), Authority::Stale);
    assert!(
        Planned::of(&ledger).summarised().is_disjoint(&tasks.iter().map(|id| id.seq).collect())
    );
    world.tick();
    tasks.iter().for_each(|task| reconfirm(&ledger, *task));
    assert_eq!(authority(summary), Authority::Active);
    assert_eq!(ids(&look(&ledger, QUESTION, None)).len(), tasks.len(), "told by its sources");
}

#[test]
fn n11_procedures_are_mined_across_sessions() {
    let (mut sessions, mut seq) = (Sessions::default(), 0);
    // Every third session follows it; three sessions alone would prove nothing.
    for number in 0..30_usize {
        sessions.begin(&format!("session {number}"), Ending::Succeeded).unwrap();
        let other = |at: usize| format!("tool{}", (number * 13 + at * at * 7) % 31);
        let mut verbs: Vec<String> = (0..15).map(other).collect();
        if number % 3 == 0 {
            verbs.extend(["fetch", "patch", "verify"].map(str::to_owned));
        }
        verbs.extend((40..55).map(other));
        for verb in &verbs {
            sessions.push(Step { seq: Seq(seq), verb, parameters: "", ok: Some(true) }).unwrap();
            seq += 1;
        }
    }
    let found = Miner::default().mine(&sessions);
    let verbs =
        |at: usize| found[at].steps.iter().map(|step| step.verb.as_str()).collect::<Vec<_>>();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((verbs(0), found[0].support), (vec!["fetch", "patch", "verify"], 10));
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
