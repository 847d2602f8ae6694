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
fn a_word_that_was_typed_wrong_finds_what_was_meant() {
    use memlith_event::Projection;

    let mut ledger = Ledger::of(&[
        Line::new(in_session("s1"), said("Ana owns the billing service")),
        Line::new(in_session("s2"), said("we moved to another database in March")),
        Line::new(in_session("s3"), said("the gateway is Bob's")),
    ]);
    let typed = [
        ("Who owns the biling service?", 0),
        ("Which databse did we choose?", 1),
        ("databaes", 1),
        ("datavase", 1),
        ("gatewayy", 2),
    ];
    // As long as it is pending, and in the index.
    for _ in 0..2 {
        for (query, expected) in typed {
            assert_eq!(ledger.seqs(&home(), query)[0], expected, "{query}");
        }
        for query in ["dtabsae", "atabase", "xgateway", "gat"] {
            assert_eq!(ledger.seqs(&home(), query), [0; 0], "{query}");
        }
        let covered = |query| ledger.ask(&home(), query)[0].signals.coverage;
        assert_eq!((covered("database"), covered("databse")), (1_000_000, 800_000));
        ledger.recall.settle();
    }
}

#[test]
fn a_word_that_an_item_has_is_typed_right() {
    let ledger = Ledger::of(&[
        Line::new(in_session("s1"), said("the billing service")),
        Line::new(in_session("s2"), said("the biling service, as Ana writes it")),
    ]);
    assert_eq!(ledger.ask(&home(), "biling")[0].seq.0, 1);
    assert_eq!(ledger.ask(&home(), "biling")[0].signals.coverage, 1_000_000);
    // It is nobody else's business what another scope has.
    let elsewhere = memlith_event::Scope::tenant("elsewhere");
    assert!(ledger.seqs(&elsewhere, "databse").is_empty());
}

#[test]
fn other_languages_are_found_by_their_own_words() {
    use memlith_event::Projection;

    let mut ledger = Ledger::of(&[
        Line::new(
            in_session("s1"),
            said("El jefe prefiere el caf\u{e9} con leche por la ma\u{f1}ana."),
        ),
        Line::new(
            in_session("s2"),
            said("Die Pr\u{fc}fung der Br\u{fc}cke findet am Dienstag statt."),
        ),
        // "The bridge in Kyoto is old."
        Line::new(
            in_session("s3"),
            said(
                "\u{4eac}\u{90fd}\u{306e}\u{6a4b}\u{306f}\u{53e4}\u{3044}\u{3067}\u{3059}\u{3002}",
            ),
        ),
        // "I drink coffee in Tokyo."
        Line::new(
            in_session("s4"),
            said(
                "\u{6771}\u{4eac}\u{3067}\u{30b3}\u{30fc}\u{30d2}\u{30fc}\u{3092}\u{98f2}\u{3080}\u{3002}",
            ),
        ),
    ]);
    let asked = [
        ("\u{bf}Qu\u{e9} caf\u{e9} prefiere el jefe?", 0),
        ("cafe", 0),
        ("Wann ist die Pr\u{fc}fung der Br\u{fc}cke?", 1),
        ("BR\u{dc}CKE", 1),
        // "Where is the old bridge?", "Kyoto", "coffee", "Where does one drink coffee?"
        ("\u{53e4}\u{3044}\u{6a4b}\u{306f}\u{3069}\u{3053}\u{ff1f}", 2),
        ("\u{4eac}\u{90fd}", 2),
        ("\u{30b3}\u{30fc}\u{30d2}\u{30fc}", 3),
        (
            "\u{ff7a}\u{ff70}\u{ff8b}\u{ff70}\u{306f}\u{3069}\u{3053}\u{3067}\u{98f2}\u{3080}\u{ff1f}",
            3,
        ),
    ];
    for _ in 0..2 {
        for (query, expected) in asked {
            assert_eq!(ledger.seqs(&home(), query).first(), Some(&expected), "{query}");
        }
        ledger.recall.settle();
    }
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
