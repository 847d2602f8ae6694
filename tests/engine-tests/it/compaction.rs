//! Summaries: what they cite, what they never bring back, and what goes with them.

use std::collections::BTreeSet;

use memlith::compaction::Rules;
use memlith::{
    Authority, Caller, Change, CheckoutRequest, Error, Ledger, Origin, Question, Rank, RecordId,
    Remember,
    compaction::{CompactOptions, Compacted},
    prove::Level,
    read::Listing,
    write::Rejection,
};
use memlith_testkit::sim::Chance;

use crate::world::{
    World, ana, digest, export, fact, head, ids, invalidate, look, owner, reconfirm, say, words,
};

/// Small spans, soon closed.
const SMALL: Rules = Rules {
    span_items: 4,
    tail_events: 2,
    sources_min: 2,
    sources_per_exemplar: 2,
    excerpt_tokens: 32,
};

fn compact(ledger: &Ledger) -> Compacted {
    let options = CompactOptions { rules: SMALL, ..CompactOptions::default() };
    ledger.compact(&ana(), &options).unwrap()
}

fn authority(ledger: &Ledger, id: RecordId) -> Authority {
    ledger.show(&ana(), id).unwrap().authority
}

fn sources(ledger: &Ledger, id: RecordId) -> Vec<RecordId> {
    ledger.show(&ana(), id).unwrap().rests_on.into_iter().flat_map(|(_, all)| all).collect()
}

/// Six facts of one house, and a first compaction.
fn house() -> (World, Ledger, Vec<RecordId>, RecordId) {
    let world = World::new();
    let ledger = world.init();
    let rooms = ["kitchen", "cellar", "attic", "garden", "hall", "porch"];
    let all: Vec<RecordId> = rooms
        .iter()
        .map(|room| {
            world.tick();
            say(&ledger, &format!("The {room} of the house needs zq{room} paint."))
        })
        .collect();
    let compacted = compact(&ledger);
    assert_eq!((compacted.written.len(), compacted.refused.len()), (1, 0), "{compacted:?}");
    (world, ledger, all, compacted.written[0])
}

#[test]
fn a_summary_cites_its_sources_and_is_written_once() {
    let (_world, ledger, all, summary) = house();
    let shown = ledger.show(&ana(), summary).unwrap();
    assert_eq!(shown.authority, Authority::Active);
    assert_eq!(sources(&ledger, summary), all[..4]);
    let last = ledger.show(&ana(), all[3]).unwrap().item;
    assert_eq!((shown.item.tier, shown.item.guard), (last.tier, last.tier.0));
    assert_eq!(shown.item.occurred_at, last.occurred_at);
    assert!(shown.item.is_summary() && shown.item.is_derived() && !shown.item.is_record());
    let listed = ledger.list(&ana(), &Listing { limit: 100, ..Listing::default() }).unwrap();
    assert!(listed.items.iter().any(|one| one.item.id == summary), "a summary is a memory");
    let end = head(&ledger);
    assert_eq!(compact(&ledger).written, []);
    assert_eq!(head(&ledger), end, "nothing was appended");
    // Its words are found; who looks things up sees it beside its sources.
    let question = Question { query: "zqkitchen zqcellar paint".into(), as_of: None };
    let found = ledger.recall(&ana(), &question, 20).unwrap();
    assert!(found.iter().any(|one| one.id == summary && one.why.origin == Origin::Derived));
    assert_eq!(ledger.audit().digest().unwrap().digest, digest(&ledger));
}

#[test]
fn an_audit_reads_everything_again_as_it_was() {
    let (_world, ledger, all, _) = house();
    invalidate(&ledger, all[1]);
    compact(&ledger);
    let audit = ledger.audit().summaries(&ana()).unwrap();
    assert_eq!(audit.findings, []);
    assert_eq!((audit.summaries, audit.cited.part, audit.cited.whole), (2, 7, 7));
    ledger.erasure().erase(&owner(), &[all[1]]).unwrap();
    let audit = ledger.audit().summaries(&ana()).unwrap();
    assert_eq!((audit.summaries, audit.findings), (1, vec![]));
    let stranger = Caller::user("elsewhere", "bob");
    assert_eq!(ledger.audit().summaries(&stranger).unwrap().summaries, 0);
}

#[test]
fn a_dry_run_writes_nothing_and_plans_the_same() {
    let (world, ledger, ..) = house();
    for room in ["shed", "barn", "well", "gate"] {
        say(&ledger, &format!("The {room} is old."));
    }
    let end = head(&ledger);
    let options = CompactOptions { rules: SMALL, dry_run: true, ..CompactOptions::default() };
    let planned = ledger.compact(&ana(), &options).unwrap();
    assert_eq!((planned.plan.summaries.len(), planned.written.len()), (1, 0));
    assert_eq!(head(&ledger), end);
    assert_eq!(compact(&world.open()).plan.summaries, planned.plan.summaries);
}

#[test]
fn a_summary_leaves_with_a_source_and_the_next_one_does_without_it() {
    let (_world, ledger, all, summary) = house();
    invalidate(&ledger, all[1]);
    assert_eq!(authority(&ledger, summary), Authority::Stale);
    let again = compact(&ledger).written;
    assert_eq!(again.len(), 1);
    assert_eq!(sources(&ledger, again[0]), [all[0], all[2], all[3]]);
    assert_eq!(compact(&ledger).written, []);
    // Its source is back, and another summary stands in its place.
    reconfirm(&ledger, all[1]);
    assert_eq!(authority(&ledger, summary), Authority::Superseded);
    let third = compact(&ledger).written;
    assert_eq!(sources(&ledger, third[0]), all[..4]);
    assert_eq!(authority(&ledger, again[0]), Authority::Superseded);
    assert_eq!(authority(&ledger, third[0]), Authority::Active);
    assert_eq!(compact(&ledger).written, []);
}

#[test]
fn who_takes_a_summary_out_is_not_told_it_again() {
    let (_world, ledger, _, summary) = house();
    invalidate(&ledger, summary);
    assert_eq!(compact(&ledger).written, []);
    reconfirm(&ledger, summary);
    assert_eq!(authority(&ledger, summary), Authority::Active);
}

#[test]
fn a_word_for_a_summary_makes_none_of_its_sources_true() {
    let (_world, ledger, all, summary) = house();
    let confirm = || Change::Confirm { weight: None, verified: false };
    let guard = |id| ledger.show(&ana(), id).unwrap().item.guard;
    let before = guard(summary);
    let _ = ledger.change(&ana(), confirm(), [summary]).unwrap();
    let _ = ledger.change(&owner(), Change::Promote { weight: None }, [summary]).unwrap();
    assert_eq!(guard(summary), before);
    for refused in [
        ledger.change(&ana(), Change::Pin, [summary]),
        ledger.correct(&ana(), summary, words("The house is fine.")),
    ] {
        let is = matches!(refused, Err(Error::Rejected(Rejection::IsSummary { .. })));
        assert!(is, "{refused:?}");
    }
    invalidate(&ledger, all[0]);
    assert_eq!(authority(&ledger, summary), Authority::Stale);
}

#[test]
fn a_scope_is_compacted_by_who_sees_it() {
    let (_world, ledger, ..) = house();
    for room in ["shed", "barn", "well", "gate", "stable", "loft"] {
        say(&ledger, &format!("The {room} is old."));
    }
    let options = CompactOptions { rules: SMALL, ..CompactOptions::default() };
    let stranger = Caller::user("elsewhere", "bob");
    let theirs = ledger.compact(&stranger, &options).unwrap();
    assert_eq!(theirs.plan, memlith::compaction::Plan::default());
    let all = CompactOptions { everywhere: true, ..options };
    let refused = ledger.compact(&ana(), &all);
    assert!(matches!(refused, Err(Error::Rejected(Rejection::EverywhereRank { .. }))));
    let owner = Caller::new("elsewhere", "olga", Rank::Owner);
    let written = ledger.compact(&owner, &all).unwrap().written;
    assert_eq!(written.len(), 1);
    assert_eq!(authority(&ledger, written[0]), Authority::Active);
    let bad = Rules { span_items: 0, ..SMALL };
    let refused = ledger.compact(&ana(), &CompactOptions { rules: bad, ..options });
    assert!(matches!(refused, Err(Error::Compaction(_))), "{refused:?}");
}

#[test]
fn an_erased_source_takes_the_words_of_its_summaries_along() {
    let (world, ledger, all, summary) = house();
    ledger.checkpoints().write().unwrap();
    let record = ledger.show(&ana(), summary).unwrap().record;
    let text =
        memlith::log::decode(&record).unwrap().unwrap().event.item_text().unwrap().into_owned();
    let rooms = ["kitchen", "cellar", "attic", "garden"];
    let quoted = rooms.iter().position(|room| text.contains(&format!("zq{room}"))).unwrap();
    let canary = format!("zq{}", rooms[quoted]);
    assert_eq!(world.files_with(&canary).len(), 1);
    let erased = ledger.erasure().erase(&owner(), &[all[quoted]]).unwrap();
    assert!(erased.records.contains(&summary));
    assert_eq!(world.files_with(&canary), Vec::<String>::new());
    assert_eq!(authority(&ledger, summary), Authority::Erased);
    let again = compact(&ledger).written;
    for id in &again {
        assert!(!sources(&ledger, *id).contains(&all[quoted]));
    }
    ledger.checkpoints().write().unwrap();
    assert_eq!(world.files_with(&canary), Vec::<String>::new());
    assert!(ids(&look(&ledger, &canary, None)).is_empty());
    assert_eq!(memlith::prove::verify_in(&world.env(), Level::Full).unwrap().findings, []);
    assert_eq!(world.open().audit().digest().unwrap().digest, digest(&ledger));
}

#[test]
fn an_export_restores_summaries_and_a_copy_makes_its_own() {
    let (_world, ledger, ..) = house();
    let text = export(&ledger);
    let restored = World::new().init();
    let report = restored.import_jsonl(&owner(), text.as_bytes()).unwrap();
    assert_eq!(report.skipped.get("summary"), None);
    assert_eq!(digest(&restored), digest(&ledger));
    let later = World::new();
    later.pass_days(1);
    let other = later.init();
    say(&other, "Something of its own.");
    let report = other.import_jsonl(&ana(), text.as_bytes()).unwrap();
    assert_eq!(report.skipped.get("summary"), Some(&1), "{report:?}");
    assert_eq!(compact(&other).written.len(), 1);
}

/// Items of a random history, each with a word of its own.
struct Story {
    world: World,
    ledger: Ledger,
    chance: Chance,
    said: Vec<(RecordId, String)>,
}

const SUBJECTS: [&str; 4] = ["harbour", "lighthouse", "ferry", "market"];

impl Story {
    fn of(seed: u64) -> Story {
        let world = World::new();
        let ledger = world.init();
        Story { world, ledger, chance: Chance::of(&[seed, 0xc0de]), said: Vec::new() }
    }

    fn caller(&mut self) -> Caller {
        match self.chance.below(4) {
            0 => Caller::new("default", "helper", Rank::Assistant),
            1 => Caller::new("default", "shell", Rank::Tool),
            _ => ana(),
        }
    }

    fn remember(&mut self, caller: &Caller, remember: Remember, word: String) {
        if let Ok(written) = self.ledger.remember(caller, remember)
            && !self.said.iter().any(|(id, _)| *id == written.id)
        {
            self.said.push((written.id, word));
        }
    }

    fn pick(&mut self) -> Option<RecordId> {
        let at = self.chance.below(self.said.len().max(1));
        self.said.get(at).map(|(id, _)| *id)
    }

    fn step(&mut self) {
        self.world.tick();
        let number = self.said.len();
        let word = format!("zq{number}x");
        let subject = SUBJECTS[self.chance.below(SUBJECTS.len())];
        let text = format!("The {subject} has {word} to it.");
        let caller = self.caller();
        match self.chance.below(16) {
            0..=5 => self.remember(&caller, words(&text), word),
            6 => {
                let slot = fact(&text, subject, "has", &word);
                self.remember(&caller, slot, word);
            }
            7 => {
                let Some(on) = self.pick() else { return };
                let on = Remember { rests_on: vec![on], ..words(&text) };
                self.remember(&ana(), on, word);
            }
            8 => {
                let Some(id) = self.pick() else { return };
                if let Ok(written) = self.ledger.correct(&ana(), id, words(&text)) {
                    self.said.push((written.id, word));
                }
            }
            9 | 10 => {
                let Some(id) = self.pick() else { return };
                let change = Change::Invalidate { weight: None, reason: None };
                let _ = self.ledger.change(&caller, change, [id]);
            }
            11 => {
                let Some(id) = self.pick() else { return };
                let _ = self.ledger.change(&ana(), Change::Reconfirm { reason: None }, [id]);
            }
            12 => {
                let Some(id) = self.pick() else { return };
                let change = Change::Confirm { weight: None, verified: false };
                let _ = self.ledger.change(&ana(), change, [id]);
            }
            13 if self.chance.once_in(3) => {
                let Some(id) = self.pick() else { return };
                self.ledger.erasure().erase(&owner(), &[id]).unwrap();
            }
            _ => {
                let compacted = compact(&self.ledger);
                assert_eq!(compacted.refused, []);
            }
        }
    }

    fn pack(&self, query: &str, budget_tokens: u32) -> memlith::Pack {
        let question = Question { query: query.to_owned(), as_of: None };
        let request =
            CheckoutRequest { question, budget_tokens, observe: false, ..CheckoutRequest::new("") };
        self.ledger.checkout(&ana(), &request).unwrap().pack
    }

    /// Says which word came back that was forgotten, if any did.
    fn resurfaced(&self, query: &str) -> Option<String> {
        let pack = self.pack(query, 4_000);
        let question = Question { query: query.to_owned(), as_of: None };
        let mut said: Vec<String> = pack.items.into_iter().map(|item| item.excerpt.text).collect();
        let recalled = self.ledger.recall(&ana(), &question, 50).unwrap();
        said.extend(recalled.into_iter().map(|item| item.excerpt.text));
        self.said.iter().find_map(|(id, word)| {
            let authority = authority(&self.ledger, *id);
            let forgotten = !matches!(authority, Authority::Active | Authority::Outdated);
            let whole = format!("{word} ");
            let back = forgotten && said.iter().any(|text| text.contains(&whole));
            back.then(|| format!("{word} of {id}, which is {authority}"))
        })
    }

    /// Says which item of a pack stands beside its own source.
    fn doubled(&self, pack: &memlith::Pack) -> Option<RecordId> {
        let shown: BTreeSet<RecordId> = pack.items.iter().map(|item| item.id).collect();
        let summaries = pack.items.iter().filter(|item| item.why.origin == Origin::Derived);
        let mut ids = summaries.map(|item| item.id);
        ids.find(|id| sources(&self.ledger, *id).iter().any(|source| shown.contains(source)))
    }
}

#[test]
fn nothing_forgotten_comes_back_through_a_summary() {
    let (mut summaries, mut forgotten) = (0, 0);
    for seed in 0..1_000 {
        let mut story = Story::of(seed);
        for _ in 0..24 {
            story.step();
        }
        for round in 0..2 {
            for query in SUBJECTS {
                let back = story.resurfaced(&format!("what has the {query} to it?"));
                assert_eq!(back, None, "seed {seed}, round {round}");
            }
            for (id, word) in &story.said {
                if authority(&story.ledger, *id) == Authority::Erased {
                    assert_eq!(
                        story.world.files_with(&format!("{word} ")),
                        Vec::<String>::new(),
                        "seed {seed}, round {round}"
                    );
                }
            }
            let compacted = compact(&story.ledger);
            assert_eq!(compacted.refused, [], "seed {seed}");
            for id in compacted.written {
                for source in sources(&story.ledger, id) {
                    assert_eq!(authority(&story.ledger, source), Authority::Active, "seed {seed}");
                }
                summaries += 1;
            }
            // Its own events are behind what is written last, and close it.
            let settled = (0..4).any(|_| compact(&story.ledger).written.is_empty());
            assert!(settled, "seed {seed}: compaction never ends");
        }
        let audit = story.ledger.audit().summaries(&ana()).unwrap();
        assert_eq!(audit.findings, [], "seed {seed}");
        let gone = |id| authority(&story.ledger, id) != Authority::Active;
        forgotten += story.said.iter().filter(|(id, _)| gone(*id)).count();
    }
    assert!(summaries > 500 && forgotten > 2_000, "{summaries} {forgotten}");
}

#[test]
fn no_budget_shows_a_summary_beside_its_source() {
    let (mut shown, mut budgets) = (0, 0);
    for seed in 0..100 {
        let mut story = Story::of(10_000 + seed);
        for _ in 0..40 {
            story.step();
        }
        compact(&story.ledger);
        for _ in 0..10 {
            let budget = 1 + u32::try_from(story.chance.below(400)).unwrap();
            let subject = SUBJECTS[story.chance.below(SUBJECTS.len())];
            let other = SUBJECTS[story.chance.below(SUBJECTS.len())];
            let query = format!("{subject} has to it {other}");
            let pack = story.pack(&query, budget);
            let doubled = story.doubled(&pack);
            assert_eq!(doubled, None, "seed {seed}, budget {budget}, query {query}");
            shown += pack.items.iter().filter(|item| item.why.origin == Origin::Derived).count();
            budgets += 1;
        }
    }
    assert_eq!(budgets, 1_000);
    assert!(shown > 50, "{shown} summaries were shown");
}
