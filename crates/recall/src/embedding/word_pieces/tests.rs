use proptest::prelude::*;

use super::*;
use crate::StaticTable;

fn pieces(text: &str) -> Vec<String> {
    let unknown = |word: Vec<String>| if word.is_empty() { vec!["[UNK]".to_owned()] } else { word };
    StaticTable::built_in().pieces(text).into_iter().flat_map(unknown).collect()
}

#[test]
fn texts_are_taken_apart_as_the_model_does() {
    // As the tokenizer of PyPI `tokenizers` 0.22 gives them.
    let cases: [(&str, &[&str]); 14] = [
        ("", &[]),
        (" \t\r\n", &[]),
        ("a", &["a"]),
        (
            "Embeddings, unaffable!",
            &["em", "##bed", "##ding", "##s", ",", "una", "##ffa", "##ble", "!"],
        ),
        ("don't", &["don", "'", "t"]),
        ("NA\u{cf}VE cafe\u{301}", &["naive", "cafe"]),
        ("\u{130}stanbul", &["istanbul"]),
        ("2026-11-23", &["202", "##6", "-", "11", "-", "23"]),
        ("a\u{200b}b\u{ad}c", &["abc"]),
        ("\u{4e2d}\u{6587}", &["\u{4e2d}", "\u{6587}"]),
        ("\u{1f600}\u{1f680}", &["[UNK]"]),
        ("x\0y\u{fffd}z", &["x", "##y", "##z"]),
        ("[CLS] [MASK]", &["[", "cl", "##s", "]", "[", "mask", "]"]),
        ("$5 a_b", &["$", "5", "a", "_", "b"]),
    ];
    for (text, expected) in cases {
        assert_eq!(pieces(text), expected, "{text:?}");
    }
}

#[test]
fn long_words_and_texts_are_bounded() {
    assert_eq!(pieces(&"a".repeat(101)), ["[UNK]"]);
    assert_ne!(pieces(&"a".repeat(100)), ["[UNK]"]);
    let long = "word ".repeat(1 << 20);
    assert_eq!(pieces(&long).len(), TEXT_LEN_MAX.div_ceil(5));
    // The cut is where a character ends.
    assert_eq!(
        pieces(&format!("a{}", "\u{4e2d}".repeat(30_000))).len(),
        1 + (TEXT_LEN_MAX - 1) / 3
    );
}

proptest! {
    #[test]
    fn any_text_is_taken_apart_into_pieces_of_its_words(text in "\\PC{0,60}") {
        let table = StaticTable::built_in().table();
        WordPieces::new(table).each(&text, &mut |_, indices| {
            for (at, index) in indices.iter().enumerate() {
                assert_eq!(table.piece(*index).unwrap().0, at > 0);
            }
        });
    }

    #[test]
    fn ascii_is_taken_apart_as_other_texts_are(text in "[\\x00-\\x7f]{0,60}") {
        // A character that is no ASCII, and a word of its own, takes the other way.
        let expected: Vec<String> =
            pieces(&text).into_iter().chain(["\u{4e2d}".to_owned()]).collect();
        prop_assert_eq!(pieces(&format!("{text}\u{4e2d}")), expected);
    }
}
