use memlith_event::OwnStatus;
use memlith_memory::Authority;
use proptest::prelude::*;

use super::*;
use crate::Sort;
use crate::tests::{Ledger, SMALL, cell, event, ledgers, session};

/// The sequences of the primary items of each span, and whether it is closed.
fn spans(ledger: &Ledger) -> Vec<(Vec<u64>, bool)> {
    let cut = cut(&ledger.view(), &SMALL).unwrap();
    let numbers = |span: &Span<'_>| span.primary().map(|item| item.seq.0).collect();
    cut.spans.iter().map(|span| (numbers(span), span.closed)).collect()
}

#[test]
fn a_run_is_closed_once_it_is_whole_and_the_log_has_gone_on() {
    let mut ledger = Ledger::default();
    for _ in 0..8 {
        ledger.says("x", |_| ());
    }
    assert_eq!(spans(&ledger), [((1..=6).collect(), false), (vec![7, 8], false)]);
    ledger.pass(1);
    assert_eq!(spans(&ledger)[0], ((1..=6).collect(), false));
    ledger.pass(1);
    assert_eq!(spans(&ledger), [((1..=6).collect(), true), (vec![7, 8], false)]);
}

#[test]
fn a_session_is_closed_by_its_end_and_one_that_goes_on_begins_anew() {
    let mut ledger = Ledger::default();
    let one = session(0, 1);
    for _ in 0..2 {
        ledger.says("x", |item| item.session = Some(one));
    }
    assert_eq!(spans(&ledger), [(vec![1, 2], false)]);
    ledger.ends(one);
    assert_eq!(spans(&ledger), [(vec![1, 2], true)]);
    ledger.says("x", |item| item.session = Some(one));
    ledger.says("x", |item| item.session = Some(session(0, 2)));
    assert_eq!(spans(&ledger), [(vec![1, 2], true), (vec![4], false), (vec![5], false)]);
    // An end that lies past the view hasn't happened.
    assert_eq!(spans(&ledger.until(2)), [(vec![1, 2], false)]);
}

#[test]
fn what_the_engine_writes_itself_makes_no_span() {
    let mut ledger = Ledger::default();
    for _ in 0..5 {
        ledger.says("x", |_| ());
        ledger.says("x", |item| item.derived = true);
        ledger.says("x", |item| item.sort = Sort::Bookkeeping);
    }
    ledger.says("x", |_| ());
    assert_eq!(spans(&ledger), [(vec![1, 4, 7, 10, 13, 16], false)]);
    let mut alone = Ledger::default();
    alone.says("x", |item| item.derived = true);
    assert_eq!(spans(&alone), []);
}

#[test]
fn nobody_is_in_a_span_with_another_scope() {
    let mut ledger = Ledger::default();
    for number in 0..3 {
        ledger.says("x", |item| item.cell = cell(number));
        ledger.says("x", |item| item.session = Some(session(0, number)));
        ledger.says("x", |item| {
            (item.session, item.session_only) = (Some(session(0, number)), true);
        });
    }
    let cut = cut(&ledger.view(), &SMALL).unwrap();
    assert_eq!(cut.spans.len(), 9);
    ledger.says("x", |item| item.session_only = true);
    let cut = super::cut(&ledger.view(), &SMALL).unwrap();
    let reasons: Vec<Reason> = cut.left_out.iter().map(|one| one.reason).collect();
    assert_eq!((cut.spans.len(), &reasons[..]), (9, &[Reason::NoSession][..]));
}

#[test]
fn an_item_is_there_once_and_within_the_view() {
    let mut ledger = Ledger::default();
    let seq = ledger.says("x", |_| ());
    ledger.head = 0;
    let error = cut(&ledger.view(), &SMALL).unwrap_err();
    assert_eq!(error, Error::Beyond { seq, view: Seq(0) });
    ledger.says("y", |_| ());
    assert_eq!(cut(&ledger.view(), &SMALL).unwrap_err(), Error::Twice { seq });
}

proptest! {
    #[test]
    fn a_closed_span_stays_as_it_is(
        ledger in ledgers(60),
        later in proptest::collection::vec(event(), 0..30),
        decided in proptest::collection::vec((any::<prop::sample::Index>(), 0..6_u8), 0..9),
    ) {
        let earlier = spans(&ledger);
        let mut grown = ledger.clone();
        later.iter().for_each(|event| event.append(&mut grown));
        for (which, own) in decided {
            if !grown.items.is_empty() {
                let count = grown.items.len();
                let item = &mut grown.items[which.index(count)];
                (item.own, item.label) = (OwnStatus::from_code(own), Authority::Stale);
            }
        }
        let after = spans(&grown);
        for span in earlier.iter().filter(|span| span.1) {
            prop_assert!(after.contains(span), "{span:?} is gone");
        }
    }

    #[test]
    fn every_primary_item_is_in_one_span_of_its_own_scope(ledger in ledgers(60)) {
        let cut = cut(&ledger.view(), &SMALL).unwrap();
        let mut found = Vec::new();
        for span in &cut.spans {
            prop_assert!(span.items.iter().all(|item| Group::of(item) == Some(span.group)));
            let count = span.primary().count();
            prop_assert!((1..=SMALL.span_items).contains(&count));
            found.extend(span.primary().map(|item| item.seq));
        }
        found.sort_unstable();
        let primary = ledger.items.iter().filter(|item| item.is_primary());
        let placed = primary.filter(|item| Group::of(item).is_some());
        prop_assert_eq!(found, placed.map(|item| item.seq).collect::<Vec<_>>());
    }
}
