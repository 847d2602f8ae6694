use memlith_event::Projection;

use crate::ledger::{Ledger, Line, home, in_session, said};

const LINES: [&str; 4] = [
    "the physician looked at my knee",
    "we bought a violin for the school",
    "a new bridge over the river",
    "the doctor of the ship in that novel is a pirate",
];

fn ledger() -> Ledger {
    let lines = LINES.map(|text| Line::new(in_session("s1"), said(text)));
    Ledger::of(&lines)
}

#[test]
fn words_that_mean_about_the_same_are_found() {
    let ledger = ledger();
    let hits = ledger.ask(&home(), "Which instrument did they play, a viola?");
    assert_eq!(hits[0].seq.0, 1, "{hits:?}");
    assert!(hits[0].signals.meaning > 0 && hits[0].signals.coverage == 0, "{hits:?}");
    let hits = ledger.ask(&home(), "What did the doctor say about the knee?");
    let meaning = |seq| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().signals.meaning;
    assert!(meaning(0) > meaning(3), "{hits:?}");
}

#[test]
fn what_is_pending_is_found_by_meaning_as_what_is_settled() {
    let pending = ledger();
    let mut settled = ledger();
    settled.recall.freeze();
    for query in ["the doctor", "a viola", "doctors who play a viola by a creek"] {
        assert_eq!(pending.ask(&home(), query), settled.ask(&home(), query), "{query}");
        assert!(!pending.ask(&home(), query).is_empty(), "{query}");
    }
}

#[test]
fn the_same_word_counts_for_more_than_one_near_it() {
    // A neighbour by the table; "physician" is a stated synonym of "doctor", and counts in full.
    let texts = ["the viola was late", "the violin was late"];
    let ledger = Ledger::of(&texts.map(|text| Line::new(home(), said(text))));
    let hits = ledger.ask(&home(), "was a violin late?");
    assert_eq!(hits.iter().map(|hit| hit.seq.0).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(hits[0].signals.meaning, 1_000_000);
    assert!((500_000..1_000_000).contains(&hits[1].signals.meaning), "{hits:?}");
}

#[test]
fn nothing_derived_takes_the_place_of_what_is_near() {
    let mut ledger = Ledger::default();
    for _ in 0..200 {
        ledger.write(&Line { derived: true, ..Line::new(home(), said("violin")) });
    }
    ledger.write(&Line::new(home(), said("the long day of a violin that I had")));
    assert!(ledger.seqs(&home(), "a viola").contains(&200));
}

#[test]
fn another_scope_is_not_found_by_meaning() {
    let other = memlith_event::Scope { subject: Some("x".into()), ..home() };
    let ledger = Ledger::of(&[Line::new(other, said("the violin"))]);
    assert!(ledger.seqs(&home(), "a viola").is_empty());
}
