use memlith_event::Scope;

use crate::ledger::{Ledger, Line, home, in_session, said};

#[test]
fn an_answer_is_found_by_its_question() {
    let ledger = Ledger::of(&[
        Line::new(in_session("s1"), said("Which database did you choose?")),
        Line::new(in_session("s1"), said("Postgres, in the end.")),
        Line::new(in_session("s1"), said("Good.")),
    ]);
    let hits = ledger.ask(&home(), "which database was chosen");
    let answer = hits.iter().find(|hit| hit.seq.0 == 1).unwrap();
    assert_eq!(answer.signals.near, 0);
    assert_eq!(answer.signals.answer, 1_000_000);
    assert!(answer.signals.coverage > 0 && answer.signals.context > 0);
    let later = hits.iter().find(|hit| hit.seq.0 == 2).unwrap();
    assert_eq!(later.signals.answer, 0);
    assert!(later.relevance < answer.relevance);
}

#[test]
fn what_follows_a_statement_answers_nothing() {
    let ledger = Ledger::of(&[
        Line::new(in_session("s1"), said("We chose a database.")),
        Line::new(in_session("s1"), said("Good.")),
    ]);
    let hits = ledger.ask(&home(), "which database was chosen");
    assert!(hits.iter().all(|hit| hit.signals.answer == 0));
}

#[test]
fn neighbours_stay_in_the_session_and_the_cell() {
    let question = || said("Which database did you choose?");
    let elsewhere = [
        in_session("s2"),
        home(),
        Scope { subject: Some("x".into()), ..in_session("s1") },
        Scope { session_only: true, ..in_session("s1") },
    ];
    for scope in elsewhere {
        let ledger = Ledger::of(&[
            Line::new(in_session("s1"), question()),
            Line::new(scope.clone(), said("Postgres, in the end.")),
        ]);
        let asked = Scope { subject: Some("x".into()), ..in_session("s1") };
        assert_eq!(ledger.seqs(&asked, "which database was chosen"), [0], "{scope:?}");
    }
}

#[test]
fn sessions_that_interleave_keep_their_own_neighbours() {
    let ledger = Ledger::of(&[
        Line::new(in_session("s1"), said("Hello.")),
        Line::new(in_session("s2"), said("Hello.")),
        Line::new(in_session("s1"), said("Which database did you choose?")),
        Line::new(in_session("s2"), said("Is it raining?")),
        Line::new(in_session("s1"), said("Postgres.")),
        Line::new(in_session("s2"), said("A little.")),
    ]);
    assert_eq!(ledger.seqs(&home(), "database")[..2], [4, 2]);
    assert_eq!(ledger.seqs(&home(), "rain")[..2], [3, 5]);
}

#[test]
fn a_derived_item_is_nobodys_neighbour() {
    let ledger = Ledger::of(&[
        Line::new(in_session("s1"), said("Hello.")),
        Line::new(in_session("s1"), said("Which database did you choose?")),
        Line { derived: true, ..Line::new(in_session("s1"), said("a summary")) },
        Line::new(in_session("s1"), said("Postgres.")),
    ]);
    assert_eq!(ledger.seqs(&home(), "database")[..2], [3, 1]);
    assert!(!ledger.seqs(&home(), "database").contains(&2));
}

/// Numbers 4,096 apart share a place in the table of rows.
#[test]
fn items_far_apart_are_not_taken_for_each_other() {
    let text = |at| if at % 4_096 == 2 { "a quince" } else { "nothing" };
    let lines = (0..4_200).map(|at| Line::new(in_session("s1"), said(text(at))));
    let ledger = Ledger::of(&lines.collect::<Vec<_>>());
    let mut found = ledger.seqs(&in_session("s1"), "quince");
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3, 4, 4_096, 4_097, 4_098, 4_099, 4_100]);
}
