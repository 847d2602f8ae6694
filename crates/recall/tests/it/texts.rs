use proptest::prelude::*;

use crate::ledger::{Ledger, Line, home, in_session, said};

#[test]
fn nothing_is_found_by_nothing() {
    let ledger = Ledger::of(&[Line::new(in_session("s1"), said("a retry of the checkout"))]);
    for query in ["", " ", "the of and", "\u{1f600}", "\u{200b}", "unheard", "?!"] {
        assert_eq!(ledger.seqs(&home(), query), [0; 0], "{query:?}");
    }
    assert_eq!(Ledger::default().seqs(&home(), "retry"), [0; 0]);
}

#[test]
fn odd_and_long_texts_are_folded_and_found() {
    let word = "x".repeat(1 << 20);
    let many: String = (0..100_000).map(|number| format!("w{number} ")).collect();
    let texts = [
        word.clone(),
        many,
        "a ".repeat(1 << 19),
        "retry ".repeat(200_000),
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{202e}\u{200d}\u{1f469}\u{200d}\u{1f4bb}".to_owned(),
        String::new(),
    ];
    let lines: Vec<Line> =
        texts.iter().map(|text| Line::new(in_session("s1"), said(text))).collect();
    let ledger = Ledger::of(&lines);
    for (query, expected) in
        [(word.as_str(), 0), ("w17", 1), ("retry", 3), ("\u{5e9}\u{5dc}\u{5d5}\u{5dd}", 4)]
    {
        assert_eq!(ledger.seqs(&home(), query)[0], expected);
    }
    assert!(!ledger.seqs(&home(), "w99999").contains(&1), "past the bound nothing is indexed");
    let query: String = (0..100_000).map(|number| format!("w{number} ")).collect();
    assert_eq!(ledger.seqs(&home(), &query)[0], 1);
}

#[test]
fn a_word_said_over_and_over_has_few_places() {
    use memlith_event::Projection;

    let mut ledger = Ledger::of(&[Line::new(home(), said("retry ".repeat(1_000)))]);
    ledger.recall.settle();
    let mut rows = 0;
    for table in ledger.recall.tables() {
        table.each_row(&mut |name, _| rows += usize::from(name == "recall.terms"));
    }
    // The word, the actor and the day, however often it was said.
    assert_eq!(rows, 3);
}

#[test]
fn a_common_term_finds_the_newest_items() {
    use memlith_event::Projection;
    use memlith_recall::{Query, search};

    let mut ledger = Ledger::default();
    for number in 0..4_200 {
        let rare = if number == 7 { "zebra" } else { "" };
        ledger.write(&Line::new(home(), said(format!("retry {rare}"))));
        if number == 4_000 {
            ledger.recall.freeze();
        }
    }
    let found = |text: &str| -> Vec<u64> {
        let (scope, now, eligible) = (home(), memlith_log::Timestamp(0), |_| true);
        let query = Query { text, scope: &scope, now, limit: 10_000, eligible: &eligible };
        let mut found: Vec<u64> =
            search(&ledger.recall, &query).iter().map(|hit| hit.seq.0).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(found("retry"), (104..4_200).collect::<Vec<_>>());
    assert_eq!(found("zebra"), [7]);
}

proptest! {
    #[test]
    fn any_text_is_folded_and_asked(texts in prop::collection::vec(any::<String>(), 1..6), query in any::<String>()) {
        let lines: Vec<Line> = texts.iter().map(|text| Line::new(in_session("s1"), said(text))).collect();
        let ledger = Ledger::of(&lines);
        for hit in ledger.ask(&home(), &query) {
            prop_assert!(hit.relevance >= 1);
            prop_assert!(hit.signals.each().iter().all(|(_, value)| *value >= 0));
        }
        // A text that has terms is found by itself.
        for text in &texts {
            let found = ledger.ask(&home(), text);
            prop_assert!(found.first().is_none_or(|hit| hit.signals.coverage > 0));
        }
    }
}
