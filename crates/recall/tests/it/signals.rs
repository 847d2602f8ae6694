use memlith_recall::{SCORER_VERSION, WEIGHTS, weights_digest};

use crate::ledger::{Ledger, Line, home, in_session, ran, remembered, said};

#[test]
fn the_actor_that_a_query_names_speaks_first() {
    let by = |actor, text: &'static str| Line { actor, ..Line::new(in_session("s1"), said(text)) };
    let ledger = Ledger::of(&[
        by("Ana Lopez", "I went climbing in the hills"),
        by("bob", "I went climbing in the woods"),
    ]);
    assert_eq!(ledger.seqs(&home(), "Where did Bob go climbing?"), [1, 0]);
    assert_eq!(ledger.seqs(&home(), "Where did Ana go climbing?"), [0, 1]);
    let both = ledger.ask(&home(), "Did Ana and Bob go climbing?");
    assert!(both.iter().all(|hit| hit.signals.actor == 0));
    assert_eq!(ledger.seqs(&home(), "Bob's"), [1]);
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
fn words_side_by_side_count_for_more() {
    let ledger = Ledger::of(&[
        Line::new(home(), said("a range, later an index")),
        Line::new(home(), said("an index, later a range")),
        Line::new(home(), said("later an index range")),
    ]);
    let hits = ledger.ask(&home(), "index range");
    assert_eq!((hits[0].seq.0, hits[0].signals.adjacency), (2, 1_000_000));
    assert_eq!(hits[1].signals.adjacency, 0);
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
    assert_eq!(of(2).task, 1_000_000);
    assert!(hits.iter().all(|hit| hit.seq.0 < 3 || hit.signals.task < 1_000_000));
    let hits = ledger.ask(&home(), "Which kettle of the canteen leaks?");
    assert!(hits.iter().all(|hit| hit.signals.outcome == 0));
}

/// A change of weights is a change of the scorer: receipts name both.
#[test]
fn weights_change_with_the_version_alone() {
    let digest = weights_digest().to_string();
    assert_eq!((SCORER_VERSION, &digest[..16]), (3, "e5c95e39d2520a30"));
    assert!(WEIGHTS.each().iter().all(|(_, weight)| *weight != 0));
}
