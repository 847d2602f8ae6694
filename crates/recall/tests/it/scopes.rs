use std::collections::BTreeSet;

use memlith_event::Scope;
use memlith_log::{Seq, Timestamp};
use memlith_recall::Search;
use proptest::prelude::*;

use crate::ledger::{Ledger, Line, home, in_session, lines, said, words};

proptest! {
    /// Lines that other tenants, subjects and sessions write move nobody's order.
    #[test]
    fn other_scopes_move_nothing(
        own in lines("home", 24),
        other in lines("elsewhere", 24),
        query in words(),
    ) {
        let scope = Scope { subject: Some("x".into()), ..in_session("s1") };
        let visible = |line: &&Line| {
            let scope = &line.scope;
            let subject = scope.subject.as_deref().is_none_or(|subject| subject == "x");
            subject && (!scope.session_only || scope.session.as_deref() == Some("s1"))
        };
        let alone = Ledger::of(own.iter().filter(visible));
        let mut mixed = Ledger::default();
        let mut numbers = Vec::new();
        for at in 0..own.len().max(other.len()) {
            other.get(at).into_iter().for_each(|line| mixed.write(line));
            if let Some(line) = own.get(at) {
                if visible(&line) {
                    numbers.push(mixed.next);
                }
                mixed.write(line);
            }
        }
        let expected: Vec<_> = (alone.ask(&scope, &query).into_iter())
            .map(|hit| (numbers[usize::try_from(hit.seq.0).unwrap()], hit.relevance, hit.signals))
            .collect();
        let found: Vec<_> = (mixed.ask(&scope, &query).into_iter())
            .map(|hit| (hit.seq.0, hit.relevance, hit.signals))
            .collect();
        prop_assert_eq!(found, expected);
    }

    /// Derived items are found, and move no primary item.
    #[test]
    fn derived_items_move_nothing(all in lines("home", 40), query in words()) {
        let scope = Scope { subject: Some("y".into()), ..in_session("s2") };
        let whole = Ledger::of(&all);
        let numbers: Vec<u64> = (0..).zip(&all).filter(|(_, line)| !line.derived).map(|(at, _)| at).collect();
        let primaries = Ledger::of(all.iter().filter(|line| !line.derived));
        let expected: Vec<_> = (primaries.ask(&scope, &query).into_iter())
            .map(|hit| (numbers[usize::try_from(hit.seq.0).unwrap()], hit.relevance))
            .collect();
        let found: Vec<_> = (whole.ask(&scope, &query).into_iter())
            .map(|hit| (hit.seq.0, hit.relevance))
            .filter(|(seq, _)| numbers.contains(seq))
            .collect();
        prop_assert_eq!(found, expected);
    }

    /// Eligibility decides which hits there are, and nothing else about them.
    #[test]
    fn eligibility_is_a_filter(all in lines("home", 40), query in words(), hidden in prop::collection::btree_set(0_u64..40, 0..20)) {
        let ledger = Ledger::of(&all);
        let shown = |hit: &memlith_recall::Hit| !hidden.contains(&hit.seq.0);
        let found = ledger.ask_of(&in_session("s1"), &query, &|seq| !hidden.contains(&seq.0));
        let seqs: BTreeSet<u64> = found.iter().map(|hit| hit.seq.0).collect();
        let open = ledger.ask(&in_session("s1"), &query);
        // Neighbours of a hidden item are no candidates on its account.
        let expected: Vec<_> = open.into_iter().filter(shown).filter(|hit| seqs.contains(&hit.seq.0)).collect();
        prop_assert_eq!(found, expected);
    }

    /// A search gathered once answers each question about it as if it were the only one.
    #[test]
    fn a_search_can_be_asked_again(all in lines("home", 40), query in words()) {
        let scope = Scope { subject: Some("y".into()), ..in_session("s2") };
        let ledger = Ledger::of(&all);
        let mut search = Search::of(&ledger.recall, &query, &scope, Timestamp(0));
        for part in 0..3 {
            let eligible = |seq: Seq| seq.0 % 3 == part;
            let again = search.hits(1_000, &eligible, &|_| {});
            prop_assert_eq!(again, ledger.ask_of(&scope, &query, &eligible));
        }
    }
}

#[test]
fn many_derived_items_crowd_out_no_primary() {
    let text = "my own retry, that I did long ago, in many more words than this";
    let mut ledger = Ledger::of(&[Line { actor: "bob", ..Line::new(home(), said(text)) }]);
    for _ in 0..1_200 {
        ledger.write(&Line {
            derived: true,
            ..Line::new(
                home(),
                said("a retry, that was done long ago, in many more words than this"),
            )
        });
    }
    // By its terms alone the primary item comes last; by who said it, first.
    assert_eq!(ledger.seqs(&home(), "What did Bob retry?")[0], 0);
    assert!(ledger.seqs(&home(), "what was on 1970-01-01?").contains(&0));
}

#[test]
fn the_actor_of_a_derived_item_alone_is_nobody_a_query_names() {
    let mut ledger = Ledger::of(&[Line::new(home(), said("the miner said so"))]);
    let before = ledger.ask(&home(), "what did the miner say");
    ledger.write(&Line { derived: true, actor: "miner", ..Line::new(home(), said("a summary")) });
    assert_eq!(ledger.ask(&home(), "what did the miner say"), before);
}

#[test]
fn working_memory_is_seen_by_its_own_session_alone() {
    let own = Scope { session_only: true, ..in_session("s1") };
    let ledger = Ledger::of(&[Line::new(own, said("a draft of the retry"))]);
    assert_eq!(ledger.seqs(&in_session("s1"), "retry"), [0]);
    assert_eq!(ledger.seqs(&in_session("s2"), "retry"), [0; 0]);
    assert_eq!(ledger.seqs(&home(), "retry"), [0; 0]);
}

#[test]
fn an_item_of_a_subject_is_seen_by_queries_about_it() {
    let pune = Scope { subject: Some("ana".into()), ..home() };
    let ledger = Ledger::of(&[Line::new(pune.clone(), said("lives in Pune"))]);
    assert_eq!(ledger.seqs(&pune, "Pune"), [0]);
    assert_eq!(ledger.seqs(&home(), "Pune"), [0; 0]);
    assert_eq!(ledger.seqs(&Scope::tenant("work"), "Pune"), [0; 0]);
}
