use unicode_normalization::UnicodeNormalization;

/// The text in the form in which two writings are the same: NFKC, lower case, runs of
/// white space as one blank, no full stop or white space at the end.
#[must_use]
pub fn normalised(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        // Most words: neither the form nor the case of ASCII has more than one letter.
        if word.is_ascii() {
            out.extend(word.chars().map(|letter| letter.to_ascii_lowercase()));
        } else {
            out.extend(word.nfkc().flat_map(char::to_lowercase));
        }
    }
    out.truncate(out.trim_end_matches(['.', ' ']).len());
    out
}

/// Returns a word without its hyphens: "e-mail" is "email".
#[must_use]
pub fn squeezed(word: &str) -> String {
    word.chars().filter(|c| *c != '-').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_text() {
        for (text, expected) in [
            ("  Prefers\te-mail. ", "prefers e-mail"),
            ("cafe\u{301} at 5", "caf\u{e9} at 5"),
            ("\u{ff21}na", "ana"),
            ("...", ""),
            ("v1.2", "v1.2"),
            ("MIXED Caf\u{c9} ONE.", "mixed caf\u{e9} one"),
            ("", ""),
        ] {
            assert_eq!(normalised(text), expected);
            assert_eq!(normalised(&normalised(text)), expected);
        }
    }
}
