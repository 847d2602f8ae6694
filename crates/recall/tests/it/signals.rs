use memlith_recall::{SCORER_VERSION, WEIGHTS, weights_digest};

use crate::ledger::{Ledger, Line, home, in_session, ran, remembered, said};

#[test]
fn the_actor_that_a_query_names_speaks_first() {
    let by = |actor, text: &'static str| Line { actor, ..Line::new(in_session("s1"), said(text)) };
    let ledger = Ledger::of(&[
        by("cy", "Hello you two"),
        by("Ana Lopez", "I went climbing in the hills"),
        by("bob", "I went climbing in the woods"),
    ]);
    assert_eq!(ledger.seqs(&home(), "Where did Bob go climbing?")[..2], [2, 1]);
    assert_eq!(ledger.seqs(&home(), "Where did Ana go climbing?")[..2], [1, 2]);
    let both = ledger.ask(&home(), "Did Ana and Bob go climbing?");
    assert!(both.iter().all(|hit| hit.signals.actor == 0));
    assert_eq!(ledger.seqs(&home(), "Bob's")[0], 2);
}

#[test]
fn a_record_begins_its_session_and_a_memory_does_not() {
    let ledger = Ledger::of(&[
        Line::new(in_session("s1"), said("the harbour is closed")),
        Line::new(in_session("s1"), said("the harbour opens in May")),
        Line::new(in_session("s2"), remembered("the harbour is shallow", "Pune")),
        Line::new(home(), said("the harbour is old")),
    ]);
    let opening = |seq: u64| {
        let hits = ledger.ask(&home(), "harbour");
        hits.iter().find(|hit| hit.seq.0 == seq).map(|hit| hit.signals.opening)
    };
    assert_eq!([0, 1, 2, 3].map(opening), [Some(1_000_000), Some(0), Some(0), Some(0)]);
}

#[test]
fn a_day_that_a_query_names_counts() {
    let on = |day, text: &'static str| Line { day, ..Line::new(home(), said(text)) };
    let ledger = Ledger::of(&[
        on(100, "we had dinner"),
        on(200, "we had dinner"),
        on(205, "five days ago we had dinner"),
        on(300, "we had dinner"),
        on(400, "something else"),
    ]);
    let hits = ledger.ask(&home(), "Who had dinner on 20 July 1970?");
    assert_eq!(hits[0].seq.0, 1);
    assert_eq!(
        (hits[0].signals.day, hits[1].seq.0, hits[1].signals.named_day),
        (1_000_000, 2, 1_000_000)
    );
    assert_eq!(ledger.seqs(&home(), "what happened on 1971-02-05?")[0], 4);
}

#[test]
fn a_tool_is_found_by_name_arguments_and_output() {
    let ledger = Ledger::of(&[
        Line::new(
            home(),
            ran("Bash", "cargo test -p memlith-log", "error[E0432]: unresolved import"),
        ),
        Line::new(home(), ran("Read", "src/checkout/retry.rs", "fn checkout_retry() {}")),
        Line::new(home(), remembered("lives there since May", "Pune")),
    ]);
    for (query, expected) in [
        ("bash", 0),
        ("E0432", 0),
        ("memlith-log", 0),
        ("src/checkout/retry.rs", 1),
        ("checkout_retry", 1),
        ("retry.rs", 1),
        ("pune", 2),
    ] {
        assert_eq!(ledger.seqs(&home(), query)[0], expected, "{query}");
    }
}

#[test]
fn equal_hits_come_in_order_of_sequence_and_a_limit_is_a_prefix() {
    let lines: Vec<Line> = (0..9).map(|_| Line::new(home(), said("a retry"))).collect();
    let ledger = Ledger::of(&lines);
    assert!(ledger.seqs(&home(), "retry").iter().copied().eq(0..9));
}

#[test]
fn how_a_task_ended_is_said_last() {
    let turn =
        |session: &'static str, text: &'static str| Line::new(in_session(session), said(text));
    let ledger = Ledger::of(&[
        turn("a", "the kettle of the canteen leaks"),
        turn("a", "there is a new seal in it now"),
        turn("a", "Closed."),
        turn("b", "the kettle of the office is loud"),
        turn("b", "nobody cares"),
    ]);
    let hits = ledger.ask(&home(), "How did it end with the kettle of the canteen?");
    let of = |seq| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals;
    assert_eq!((of(2).outcome, of(0).outcome), (1_000_000, 0));
    let hits = ledger.ask(&home(), "Which kettle of the canteen leaks?");
    assert!(hits.iter().all(|hit| hit.signals.outcome == 0));
}

#[test]
fn what_was_asked_for_counts_for_all_that_came_of_it() {
    let turn =
        |session: &'static str, text: &'static str| Line::new(in_session(session), said(text));
    let ledger = Ledger::of(&[
        turn("a", "please mend the leaking kettle of the old canteen kitchen"),
        turn("a", "I look around"),
        turn("a", "it has a new seal now"),
        turn("b", "please mend the leaking roof of the old canteen kitchen"),
        turn("b", "I look around"),
        turn("b", "it has a new tile now"),
        turn("c", "good morning"),
        turn("c", "the leaking kettle of the old canteen kitchen is mended"),
        turn("c", "it has a new lid now"),
    ]);
    let query = "Who did mend the leaking kettle of the old canteen kitchen?";
    let hits = ledger.ask(&home(), query);
    let of = |seq| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals;
    // What began the first session has all of it; that of the second most; of the third none.
    assert_eq!((of(1).request, of(2).request), (1_000_000, 1_000_000));
    assert!((1..900_000).contains(&of(5).request), "{}", of(5).request);
    assert_eq!((of(8).request, of(0).request, of(3).request), (0, 0, 0));
    assert_eq!([0, 1, 7].map(|seq| of(seq).opening), [1_000_000, 0, 0]);
    // Two words of a question may well stand in a greeting.
    let hits = ledger.ask(&home(), "leaking kettle");
    assert!(hits.iter().all(|hit| hit.signals.request == 0));
}

#[test]
fn an_item_has_what_was_asked_for_in_its_session_besides_its_own_words() {
    let turn =
        |session: &'static str, text: &'static str| Line::new(in_session(session), said(text));
    let ledger = Ledger::of(&[
        turn("a", "please mend the leaking kettle of the old canteen kitchen"),
        turn("a", "I look around"),
        turn("a", "it has a new seal now"),
        turn("b", "please mend the leaking roof of the old canteen kitchen"),
        turn("b", "it has a new seal now"),
        turn("c", "good morning"),
        turn("c", "it has a new seal now"),
    ]);
    let query = "Which seal does the leaking kettle of the old canteen kitchen have?";
    let hits = ledger.ask(&home(), query);
    let of = |seq| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals.cause;
    assert!(of(2) > of(1) && of(2) > of(4) && of(4) > 0, "{} {} {}", of(2), of(1), of(4));
    assert_eq!((of(0), of(6)), (0, 0));
}

#[test]
fn a_reason_is_given_to_who_asks_why() {
    let ledger = Ledger::of(&[
        Line::new(home(), said("the harbour was closed")),
        Line::new(home(), said("the harbour was closed, the cause was ice")),
        Line::new(home(), said("the reason is a different one")),
    ]);
    let reasons = |query: &str| {
        let hits = ledger.ask(&home(), query);
        hits.iter().map(|hit| (hit.seq.0, hit.signals.reason)).collect::<Vec<_>>()
    };
    assert_eq!(reasons("Why was the harbour closed?"), [(1, 1_000_000), (0, 0)]);
    assert!(reasons("When was the harbour closed?").iter().all(|(_, reason)| *reason == 0));
    // A word of reasons is about nothing by itself.
    assert_eq!(reasons("Why the violin?"), [] as [(u64, i64); 0]);
}

#[test]
fn another_form_of_a_word_counts_among_the_terms_of_an_item() {
    let ledger = Ledger::of(&[
        Line::new(home(), said("the harbour is deep")),
        Line::new(home(), said("Decision: the harbour is dredged")),
        Line::new(home(), said("the harbour decided nothing")),
    ]);
    let hits = ledger.ask(&home(), "What was decided for the harbour?");
    let terms = |seq: u64| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals.terms;
    assert!(terms(2) > terms(1) && terms(1) > terms(0), "{hits:?}");
}

#[test]
fn what_stands_before_an_item_is_told_from_what_is_in_it() {
    let turn = |text: &'static str| Line::new(in_session("s1"), said(text));
    let ledger = Ledger::of(&[
        turn("the violin was made in 1720"),
        turn("that is old"),
        turn("is it"),
        turn("it is"),
    ]);
    let hits = ledger.ask(&home(), "violin");
    let of = |seq| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals;
    assert_eq!([0, 1, 2].map(|seq| of(seq).before), [0, 1_000_000, 700_000]);
    assert_eq!([0, 1].map(|seq| of(seq).number), [1_000_000, 0]);
}

/// A change of weights is a change of the scorer: receipts name both.
#[test]
fn weights_change_with_the_version_alone() {
    let digest = weights_digest().to_string();
    assert_eq!((SCORER_VERSION, &digest[..16]), (6, "e05b7c2977c07a99"));
    assert!(WEIGHTS.each().iter().all(|(_, weight)| *weight != 0));
}
