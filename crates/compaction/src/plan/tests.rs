use std::collections::BTreeSet;

use memlith_event::OwnStatus;
use memlith_memory::Authority;
use proptest::prelude::*;

use super::*;
use crate::tests::{LABELS, Ledger, SMALL, event, ledgers, session};
use crate::{Sort, audit_plan};

/// A change of an item.
type Change = Box<dyn Fn(&mut Item)>;

/// Six records that differ, in a session that ended.
fn ended() -> Ledger {
    let mut ledger = Ledger::default();
    for number in 0..6 {
        ledger.says(&format!("Step {number} of the deploy went well"), |item| {
            item.session = Some(session(0, 1));
        });
    }
    ledger.ends(session(0, 1));
    ledger
}

fn sources(plan: &Plan) -> Vec<u64> {
    plan.summaries.iter().flat_map(|one| &one.sources).map(|source| source.seq.0).collect()
}

#[test]
fn a_summary_cites_all_sources_with_the_least_tier() {
    let mut ledger = ended();
    ledger.item(Seq(2)).tier = Tier(2);
    let plan = ledger.plan(&SMALL);
    assert_eq!(plan.summaries.len(), 1, "{plan:?}");
    let summary = &plan.summaries[0];
    assert_eq!(sources(&plan), [1, 2, 3, 4, 5, 6]);
    assert_eq!((summary.tier, summary.first, summary.last), (Tier(2), Seq(1), Seq(6)));
    assert_eq!(summary.exemplars.len(), 2);
    assert_eq!(summary.exemplars[0].text, "Step 0 of the deploy went well");
}

#[test]
fn what_may_not_be_shown_is_no_source_and_listed() {
    // Zaxy's exemplars of four tasks were a pending candidate, a bookkeeping event and an
    // invalidated task (its flaw F3), and its long-horizon tier kept what was rolled back or
    // stale (N10). The most salient item of the span is tried as each of them.
    let own = [
        OwnStatus::Pending,
        OwnStatus::Rejected,
        OwnStatus::Invalidated,
        OwnStatus::Retracted,
        OwnStatus::Erased,
    ];
    let mut changes: Vec<Change> =
        vec![Box::new(|item| item.sort = Sort::Bookkeeping), Box::new(|item| item.derived = true)];
    changes.extend(own.map(|own| -> Change { Box::new(move |item| item.own = own) }));
    changes.extend(LABELS.map(|label| -> Change { Box::new(move |item| item.label = label) }));
    let all = ended().plan(&SMALL);
    for change in changes {
        let mut ledger = ended();
        let item = ledger.item(Seq(3));
        item.level = Log2(9 * Log2::ONE.0);
        change(item);
        let id = item.id();
        let reason = Reason::of(item).unwrap();
        let plan = ledger.plan(&SMALL);
        assert_eq!(sources(&plan), [1, 2, 4, 5, 6], "{reason}");
        let summary = &plan.summaries[0];
        assert!(summary.exemplars.iter().all(|one| one.source != id), "{reason}");
        assert_eq!(summary.left_out, [Excluded { id, reason }]);
        assert_ne!(summary.id, all.summaries[0].id, "{reason}");
    }
}

#[test]
fn what_says_nothing_is_no_source() {
    let mut ledger = ended();
    let (one, other) = (ledger.item(Seq(2)).id(), ledger.item(Seq(5)).id());
    ledger.texts.remove(&one);
    ledger.texts.insert(other, (" ...\n".to_owned(), None));
    let plan = ledger.plan(&SMALL);
    let expected = [(one, Reason::Unreadable), (other, Reason::Wordless)];
    let expected = expected.map(|(id, reason)| Excluded { id, reason });
    assert_eq!(plan.summaries[0].left_out, expected);
}

#[test]
fn a_span_without_summary_says_why() {
    let mut ledger = ended();
    let id = ledger.plan(&SMALL).summaries[0].id;
    let passed = |ledger: &Ledger, rules: &Rules| {
        let plan = ledger.plan(rules);
        assert!(plan.summaries.is_empty(), "{plan:?}");
        plan.passed_over.iter().map(|one| one.reason).collect::<Vec<_>>()
    };
    assert_eq!(passed(&ledger, &Rules { sources_min: 7, ..SMALL }), [Passed::Few { sources: 6 }]);
    assert_eq!(passed(&ledger.until(6), &Rules { span_items: 9, ..SMALL }), [Passed::Open]);
    ledger.written.insert(id);
    assert_eq!(passed(&ledger, &SMALL), [Passed::Written { id }]);
    // Other saliences are no reason to write it again; another source is.
    ledger.item(Seq(4)).level = Log2::ONE;
    assert_eq!(passed(&ledger, &SMALL), [Passed::Written { id }]);
    ledger.item(Seq(4)).own = OwnStatus::Invalidated;
    let again = ledger.plan(&SMALL);
    assert_eq!(sources(&again), [1, 2, 3, 5, 6]);
    assert_ne!(again.summaries[0].id, id);
}

#[test]
fn the_salient_are_quoted() {
    let mut ledger = ended();
    ledger.item(Seq(5)).level = Log2(4 * Log2::ONE.0);
    ledger.item(Seq(3)).level = Log2(2 * Log2::ONE.0);
    let plan = ledger.plan(&SMALL);
    // The first is the top decile; behind it the weight of an item is what its words are worth.
    let quoted = plan.summaries[0].exemplars.iter().map(|one| one.source.seq);
    assert_eq!(quoted.collect::<Vec<_>>(), [Seq(5), Seq(3)]);
}

#[test]
fn identities_are_those_of_texts_and_slots() {
    let mut ledger = ended();
    let id = ledger.item(Seq(3)).id();
    ledger.texts.insert(id, ("Then Ana fixed src/log.rs".to_owned(), Some("Ana Lee".to_owned())));
    let plan = ledger.plan(&SMALL);
    let names: Vec<&str> =
        plan.summaries[0].identities.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(names, ["Ana Lee", "src/log.rs", "Ana"]);
}

#[test]
fn rules_are_checked_first() {
    let ledger = ended();
    let rules = Rules { excerpt_tokens: 0, ..SMALL };
    assert!(matches!(plan(&ledger.view(), &ledger, &rules), Err(Error::Outside { .. })));
}

#[test]
fn an_excerpt_and_a_text_are_bounded() {
    let mut ledger = Ledger::default();
    let long = "a very long word after the other ".repeat(1_000);
    for _ in 0..6 {
        ledger.says(&long, |item| item.session = Some(session(0, 1)));
        ledger.says(&"x".repeat(50_000), |item| item.session = Some(session(0, 1)));
    }
    ledger.pass(9);
    let plan = ledger.plan(&SMALL);
    assert_eq!(plan.summaries.len(), 2);
    for summary in &plan.summaries {
        assert!(summary.exemplars.iter().all(|one| one.text.len() <= SMALL.excerpt_bytes()));
        assert_eq!(summary.body().check(), Ok(()));
    }
    assert!(plan.work.words <= 2 * 6 * 8_192, "{:?}", plan.work);
}

#[test]
fn twice_the_spans_are_twice_the_work() {
    let mut before: Option<u64> = None;
    for count in [1_000, 2_000, 4_000, 8_000] {
        let mut ledger = Ledger::default();
        for number in 0..count {
            ledger.says(&format!("step {} of run {} went well", number % 7, number / 50), |_| ());
        }
        let work = ledger.plan(&Rules { tail_events: 0, span_items: 200, ..SMALL }).work;
        let all = work.words + work.postings + work.heap;
        if let Some(before) = before {
            assert!(all <= before * 2 + before / 20, "{before} to {all}");
        }
        before = Some(all);
    }
}

/// Every summary of a plan: its span, its sources and what was left out.
///
/// Its quotes are not compared: they depend on what else is planned.
fn told(plan: &Plan) -> BTreeSet<(Seq, SummaryId, Vec<Source>, String)> {
    let told = plan
        .summaries
        .iter()
        .map(|one| (one.first, one.id, one.sources.clone(), format!("{:?}", one.left_out)));
    told.collect()
}

proptest! {
    #[test]
    fn the_order_of_items_does_not_matter(
        ledger in ledgers(60),
        keys in proptest::collection::vec(any::<u16>(), 60),
    ) {
        let mut shuffled = ledger.clone();
        let key = |seq: Seq| keys[usize::try_from(seq.0).unwrap() % keys.len()];
        shuffled.items.sort_by_key(|item| key(item.seq));
        shuffled.ends.sort_by_key(|end| key(end.at));
        prop_assert_eq!(shuffled.plan(&SMALL), ledger.plan(&SMALL));
    }

    #[test]
    fn what_is_planned_stays_planned_until_it_is_written(
        ledger in ledgers(60),
        later in proptest::collection::vec(event(), 0..30),
    ) {
        let first = ledger.plan(&SMALL);
        let mut grown = ledger.clone();
        later.iter().for_each(|event| event.append(&mut grown));
        prop_assert!(told(&grown.plan(&SMALL)).is_superset(&told(&first)));
        // Writing them plans them no more, though each is an item of the ledger itself.
        for summary in &first.summaries {
            grown.says("a summary", |item| {
                item.derived = true;
                (item.cell, item.session) = (summary.group.cell, summary.group.session);
            });
            grown.written.insert(summary.id);
        }
        let second = grown.plan(&SMALL);
        prop_assert!(told(&second).is_disjoint(&told(&first)));
        grown.written.extend(second.summaries.iter().map(|one| one.id));
        prop_assert!(grown.plan(&SMALL).summaries.is_empty());
    }

    #[test]
    fn only_what_may_be_shown_is_a_source(ledger in ledgers(80)) {
        let plan = ledger.plan(&SMALL);
        let mut cited = BTreeSet::new();
        for summary in &plan.summaries {
            let mut tiers = Vec::new();
            for source in &summary.sources {
                let item = ledger.items.iter().find(|item| item.seq == source.seq).unwrap();
                prop_assert_eq!(Reason::of(item), None);
                prop_assert_eq!(item.own, OwnStatus::Active);
                prop_assert_eq!(item.label, Authority::Active);
                prop_assert!(item.is_primary());
                prop_assert_eq!(Group::of(item), Some(summary.group));
                prop_assert!(cited.insert(item.seq));
                tiers.push(item.tier);
            }
            prop_assert_eq!(tiers.into_iter().min(), Some(summary.tier));
            let ids: Vec<_> = summary.sources.iter().map(Source::id).collect();
            prop_assert!(!summary.exemplars.is_empty());
            prop_assert!(summary.exemplars.len() <= ids.len());
            prop_assert!(summary.exemplars.iter().all(|one| ids.contains(&one.source)));
            prop_assert!(summary.left_out.iter().all(|one| !ids.contains(&one.id)));
        }
    }

    #[test]
    fn a_plan_passes_its_audit(ledger in ledgers(80)) {
        let plan = ledger.plan(&SMALL);
        let audit = audit_plan(&ledger.view(), &ledger, &plan);
        prop_assert_eq!(&audit.findings, &[]);
        prop_assert_eq!(audit.cited.part, audit.cited.whole);
        prop_assert!(audit.salience_least_per_mille >= 950);
        prop_assert!(audit.salience_overall.per_mille() >= 949, "{:?}", audit.salience_overall);
        prop_assert_eq!(audit.identities.part, audit.identities.whole);
    }

    #[test]
    fn an_invalidation_drops_the_item(ledger in ledgers(60), which in any::<prop::sample::Index>()) {
        let before = sources(&ledger.plan(&SMALL));
        prop_assume!(!before.is_empty());
        let seq = Seq(before[which.index(before.len())]);
        let mut ledger = ledger.clone();
        ledger.item(seq).own = OwnStatus::Invalidated;
        let after = ledger.plan(&SMALL);
        prop_assert!(!sources(&after).contains(&seq.0));
        let id = ledger.item(seq).id();
        let quotes = |summary: &Summary| summary.exemplars.iter().any(|one| one.source == id);
        prop_assert!(!after.summaries.iter().any(quotes));
    }
}
