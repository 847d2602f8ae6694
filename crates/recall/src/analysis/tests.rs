use proptest::prelude::*;

use super::*;
use crate::glance::Glance;
use crate::question::QueryTerm;

fn terms(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.term).collect()
}

#[test]
fn words_become_stems() {
    for (text, expected) in [
        ("Caroline's running shoes", "carolin run shoe"),
        ("I can't, I won't: they\u{2019}re gone", "gone"),
        ("O'Brien won 3.14 of 1,000", "obrien won 3.14 1000"),
        ("Caf\u{e9} CAFE\u{301}", "cafe cafe"),
        ("Stra\u{df}e STRASSE", "strass strass"),
        (
            "\u{c11c}\u{bc84}\u{b97c} \u{c11c}\u{bc84}\u{c5d0}\u{c11c}",
            "\u{c11c}\u{bc84} \u{c11c}\u{bc84}",
        ),
        ("the and of", ""),
        ("", ""),
        ("\u{1f600} \u{200b} !?", ""),
        (
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{4f60}\u{597d}",
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{4f60} \u{597d}",
        ),
    ] {
        assert_eq!(terms(text).join(" "), expected, "{text}");
    }
}

#[test]
fn identifiers_are_found_whole_and_in_parts() {
    for (text, expected) in [
        ("see checkout::retry.", "see checkout::retry checkout retri"),
        ("src/main.rs", "src/main.rs src main rs"),
        ("error[E0432]: x", "error e0432 x"),
        ("max_token_count", "max_token_count max token count"),
        ("DoorDash", "doordash door dash"),
        ("parseHTTPBody", "parsehttpbody pars httpbodi"),
        ("2023-05-03", "2023-05-03 2023 05 03"),
    ] {
        assert_eq!(terms(text).join(" "), expected, "{text}");
    }
}

#[test]
fn positions_count_content_words() {
    let places: Vec<(String, u16)> =
        tokens("the red src/main of it").into_iter().map(|t| (t.term, t.position)).collect();
    let places: Vec<(&str, u16)> = places.iter().map(|(term, at)| (term.as_str(), *at)).collect();
    assert_eq!(places, [("red", 0), ("src/main", 1), ("src", 1), ("main", 2)]);
}

#[test]
fn one_word_of_a_megabyte_is_one_short_term() {
    for text in [
        "x".repeat(1 << 20),
        "\u{fdfa}".repeat(1 << 18),
        "a_".repeat(1 << 19),
        "aB".repeat(1 << 19),
    ] {
        let tokens = tokens(&text);
        assert!(tokens.iter().all(|token| token.term.len() <= TERM_LEN_MAX));
        assert!(tokens.iter().filter(|token| !token.whole).count() <= usize::from(TOKENS_MAX));
    }
}

proptest! {
    #[test]
    fn any_text_has_terms_within_bounds(text in any::<String>()) {
        for token in tokens(&text) {
            prop_assert!(!token.term.is_empty() && token.term.len() <= TERM_LEN_MAX);
            prop_assert!(token.position <= TOKENS_MAX);
        }
    }

    #[test]
    fn a_word_alone_and_among_others_is_the_same_term(word in "[a-z]{1,12}", other in "[a-z]{1,12}") {
        let alone = terms(&word);
        let among = terms(&format!("{other}, {word}! {other}"));
        prop_assert!(alone.iter().all(|term| among.contains(term)));
    }
}

/// Words whose stems change letters that other words keep.
const IRREGULAR: &str = "dying lying tying dies lies ties skis skies sky idly gently ugly early only \
    singly news howe atlas cosmos bias andes using used hoping hopped cries cried flying flies \
    happily happiness valency relational conditional digitizer operator feudalism decisiveness \
    hopefulness callousness formality sensitivity sensibility generously arsenal communism \
    yearly yelling saying boy enjoyment knightly inning outing canning herring proceed exceed";

#[test]
fn every_word_begins_with_the_needle_of_its_stem() {
    let stemmer = Stemmer::create(Algorithm::English);
    for word in IRREGULAR.split_whitespace() {
        let stem = stemmer.stem(word);
        assert!(word.starts_with(needle(&stem)), "{word} is {stem}");
    }
}

proptest! {
    /// A text that has a term has its needle, unless an apostrophe or a comma parts it.
    #[test]
    fn a_text_has_the_needles_of_its_terms(text in "[a-zA-Z0-9_.:/ -]{0,60}") {
        let lower = text.to_ascii_lowercase();
        for term in terms(&text) {
            prop_assert!(lower.contains(needle_of(&term)), "{term}");
            let sought = [QueryTerm { term, tenths: 10, misspelt: false }];
            prop_assert!(Glance::of(&sought).is_none_or(|glance| glance.last_in(&text).is_some()));
        }
    }

    /// Behind the last place of its needles no term begins, and what is scanned up to there is
    /// as it is in the whole text.
    #[test]
    fn a_scan_through_the_last_needle_passes_no_term_over(
        text in "([a-cA-C]{1,3}[ ./:-]{1,2}){0,20}",
        term in "[a-c]{3}|[a-c]{1,2}[./:-][a-c]{1,2}",
    ) {
        let sought = [QueryTerm { term: term.clone(), tenths: 10, misspelt: false }];
        let glance = Glance::of(&sought).unwrap();
        let stems = Stems::new();
        let all = |last: Option<usize>| {
            let mut found = Vec::new();
            scan_through(&text, last.unwrap_or_default(), &mut |word| {
                found.push((stems.term(word), word.position, word.whole));
            });
            found
        };
        let (whole, begun) = (all(Some(usize::MAX)), all(glance.last_in(&text)));
        prop_assert!(whole.starts_with(&begun));
        let having = |found: &[(String, u16, bool)]| found.iter().filter(|one| one.0 == term).count();
        let expected = if glance.last_in(&text).is_some() { having(&begun) } else { 0 };
        prop_assert_eq!(having(&whole), expected);
    }

    /// A word that has a term is never passed over.
    #[test]
    fn what_may_not_be_a_term_is_not(text in "[a-zA-Z0-9'_.:, -]{0,40}", other in "[a-z]{1,8}") {
        let stems = Stems::new();
        let all: Vec<String> = terms(&text).into_iter().chain(terms(&other)).collect();
        scan(&text, &mut |word| {
            let own = stems.term(word);
            for term in &all {
                assert!(*term != own || word.may_be(term, needle(term)), "{word:?} is {term}");
            }
        });
    }
}
