use proptest::prelude::*;

use super::*;
use crate::QuarterBytes;

fn excerpt(query: &str, text: &str) -> Excerpt {
    Excerpt::of(text, &Terms::of(query), &QuarterBytes)
}

/// One token a character: what a counter of another kind looks like.
struct Characters;

impl TokenCounter for Characters {
    fn name(&self) -> &str {
        "characters"
    }

    fn count(&self, text: &str) -> u32 {
        u32::try_from(text.chars().count()).unwrap()
    }
}

#[test]
fn a_short_text_is_shown_whole() {
    let text = " x".repeat(240);
    let shown = excerpt("anything", &text);
    assert!(shown.is_whole());
    assert_eq!((shown.tokens, shown.text), (120, text));
}

#[test]
fn the_excerpt_stands_where_the_terms_do() {
    let filler = "Nothing of note was said about it here. ".repeat(50);
    let text = format!("{filler}The deploy key rotates on Mondays. {filler}");
    let shown = excerpt("When does the deploy key rotate?", &text);
    assert!(shown.text.starts_with("The deploy key rotates on Mondays."), "{}", shown.text);
    assert!(!shown.is_whole());
}

#[test]
fn a_term_that_is_rare_in_the_text_weighs_more() {
    let common = "the build and the test of the build. ".repeat(50);
    let plain = "Nothing was said. ".repeat(50);
    let shown = excerpt("the build of zebra", &format!("{common}{plain}A zebra ran by. {plain}"));
    assert!(shown.text.starts_with("A zebra ran by."), "{}", shown.text);
}

#[test]
fn an_excerpt_begins_between_characters() {
    // A blank of three bytes before a term was once taken for one of one byte.
    let text = format!("{}\u{2003}{} zebra {}", "a".repeat(200), "b".repeat(50), "c ".repeat(200));
    let shown = excerpt("zebra", &text);
    assert!(shown.text.starts_with("bbb"), "{}", shown.text);
    assert_eq!(text.get(shown.start as usize..shown.end as usize), Some(shown.text.as_str()));
}

#[test]
fn without_a_term_it_is_the_beginning() {
    let text = "word ".repeat(500);
    let shown = excerpt("elsewhere", &text);
    assert_eq!((shown.start, shown.end), (0, 479));
    assert!(shown.text.ends_with("word"));
}

#[test]
fn a_word_without_end_is_cut_between_characters() {
    let text = "\u{20ac}".repeat(1_000);
    let shown = excerpt("x", &text);
    assert_eq!((shown.start, shown.end, shown.whole_len), (0, 480, 3_000));
}

fn parts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-e]{1,9}",
        Just("zebra".to_owned()),
        Just(". ".to_owned()),
        Just("\n".to_owned()),
        Just("\u{6771}\u{4eac}".to_owned()),
        Just("\u{1f980}".to_owned()),
        any::<String>(),
    ];
    let joined = |(parts, join): (Vec<String>, bool)| parts.join(if join { " " } else { "" });
    (prop::collection::vec(part, 0..300), any::<bool>()).prop_map(joined)
}

proptest! {
    #[test]
    fn an_excerpt_is_a_bounded_part_of_its_text(text in parts(), query in "(zebra|abc| ){0,6}") {
        for counter in [&QuarterBytes as &dyn TokenCounter, &Characters] {
            let shown = Excerpt::of(&text, &Terms::of(&query), counter);
            let (start, end) = (shown.start as usize, shown.end as usize);
            prop_assert_eq!(text.get(start..end), Some(shown.text.as_str()));
            prop_assert!(shown.tokens <= EXCERPT_TOKENS_MAX);
            prop_assert_eq!(shown.tokens, counter.count(&shown.text));
            prop_assert_eq!(shown.whole_len as usize, text.len());
            prop_assert_eq!(shown.is_whole(), shown.text == text);
            prop_assert_eq!(Excerpt::of(&text, &Terms::of(&query), counter), shown);
        }
    }

    #[test]
    fn a_long_text_is_shown_as_far_as_it_may(
        parts in prop::collection::vec("[a-e]{1,9}|\u{6771}|\u{1f980}", 600..700),
    ) {
        let text = parts.concat();
        let shown = excerpt("none", &text);
        // A character more would be too long.
        prop_assert!(shown.end + 4 > 480);
    }

    #[test]
    fn a_term_in_the_text_is_in_the_excerpt(before in "[a-e .\n]{0,3000}", after in "[a-e .\n]{0,3000}") {
        let text = format!("{before} zebra {after}");
        prop_assert!(excerpt("the zebra", &text).text.contains("zebra"));
    }
}
