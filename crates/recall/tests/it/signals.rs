use memlith_recall::{SCORER_VERSION, WEIGHTS, weights_digest};

use crate::ledger::{Ledger, Line, home, in_session, ran, remembered, said};

/// A tool that is called in a session.
fn looks(session: &'static str) -> Line {
    Line::new(in_session(session), ran("Read", "notes", "I look around"))
}

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
    assert!(both.iter().all(|hit| hit.signals.about == 0 && !hit.is_named));
    assert_eq!(ledger.seqs(&home(), "Bob's")[0], 2);
}

#[test]
fn a_record_begins_its_session_and_a_memory_does_not() {
    let ledger = Ledger::of(&[
        Line::new(in_session("s1"), said("the harbour is closed")),
        Line::new(in_session("s1"), ran("Bash", "tide", "the harbour opens in May")),
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
    assert_eq!((hits[0].signals.day, hits[1].seq.0), (1_000_000, 2));
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
        Line::new(in_session("a"), ran("Bash", "close", "Closed.")),
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
        looks("a"),
        turn("a", "it has a new seal now"),
        turn("b", "please mend the leaking roof of the old canteen kitchen"),
        looks("b"),
        turn("b", "it has a new tile now"),
        turn("c", "good morning"),
        looks("c"),
        turn("c", "the leaking kettle of the old canteen kitchen is mended"),
        turn("c", "it has a new lid now"),
    ]);
    let query = "Who did mend the leaking kettle of the old canteen kitchen?";
    let hits = ledger.ask(&home(), query);
    let of = |seq| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals;
    // What began the first session has all of it; that of the second most; of the third none.
    assert_eq!((of(1).request, of(2).request), (1_000_000, 1_000_000));
    assert!((1..900_000).contains(&of(5).request), "{}", of(5).request);
    assert_eq!((of(9).request, of(0).request, of(3).request), (0, 0, 0));
    assert_eq!([0, 1, 8].map(|seq| of(seq).opening), [1_000_000, 0, 0]);
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
        looks("a"),
        turn("a", "it has a new seal now"),
        turn("b", "please mend the leaking roof of the old canteen kitchen"),
        looks("b"),
        turn("b", "it has a new seal now"),
        turn("c", "good morning"),
        looks("c"),
        turn("c", "it has a new seal now"),
    ]);
    let query = "Which seal does the leaking kettle of the old canteen kitchen have?";
    let hits = ledger.ask(&home(), query);
    let of = |seq| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals.cause;
    assert!(of(2) > of(1) && of(2) > of(5) && of(5) > 0, "{} {} {}", of(2), of(1), of(5));
    assert_eq!((of(0), of(8)), (0, 0));
}

#[test]
fn another_form_of_a_word_counts_among_the_terms_of_an_item() {
    let ledger = Ledger::of(&[
        Line::new(home(), said("the harbour is deep")),
        Line::new(home(), said("Decision: the harbour is dredged")),
        Line::new(home(), said("the harbour decided nothing")),
    ]);
    let hits = ledger.ask(&home(), "What was decided for the harbour?");
    let terms = |seq: u64| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals.context;
    assert!(terms(2) > terms(1) && terms(1) > terms(0), "{hits:?}");
}

/// Fifteen words of no question, some 90 bytes.
const FILLING: &str =
    "grey seas rolled under low clouds all morning while gulls cried above empty wharves ";

#[test]
fn a_long_item_ranks_by_its_best_passage() {
    let (apart, together): (&'static str, &'static str) = (
        Box::leak(format!("harbour {} dredged", FILLING.repeat(8)).into_boxed_str()),
        Box::leak(format!("{} harbour dredged", FILLING.repeat(8)).into_boxed_str()),
    );
    let ledger = Ledger::of(&[apart, together].map(|text| Line::new(home(), said(text))));
    let hits = ledger.ask(&home(), "was the harbour dredged");
    assert_eq!(hits[0].seq.0, 1);
    assert_eq!((hits[0].signals.coverage, hits[0].signals.near > 0), (1_000_000, true));
    assert!(hits[1].signals.coverage < 1_000_000 && hits[1].signals.near == 0, "{hits:?}");
}

#[test]
fn a_request_has_what_the_long_text_that_answers_it_has() {
    let long: &'static str =
        Box::leak(format!("the harbour: {}", FILLING.repeat(8)).into_boxed_str());
    let turn = |text: &'static str| Line::new(in_session("s1"), said(text));
    let ledger = Ledger::of(&[
        turn("Tell me of that harbour."),
        turn(long),
        turn("And of the other one, the harbour of Pune."),
        turn("It is a harbour."),
    ]);
    let hits = ledger.ask(&home(), "harbour");
    let of = |seq| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals;
    assert!(of(0).reply > 0 && of(1).reply == 0 && of(2).reply == 0);
}

/// A change of weights is a change of the scorer: receipts name both.
#[test]
fn weights_change_with_the_version_alone() {
    let digest = weights_digest().to_string();
    assert_eq!((SCORER_VERSION, &digest[..16]), (7, "72c38105f7104e98"));
    assert!(WEIGHTS.each().iter().all(|(_, weight)| *weight != 0));
}
