/// No word is longer, in bytes; what runs on is another word.
pub(crate) const WORD_BYTES_MAX: usize = 64;

/// Calls `found` with the first and the last byte of each word of `text`, the last excluded.
///
/// A word is a run of letters, digits and low lines; in scripts that set no blanks each
/// character is one. Coarser than the index: nothing is searched by it.
/// Cost: linear in the text.
pub(crate) fn words(text: &str, found: &mut impl FnMut(usize, usize)) {
    let mut begun: Option<usize> = None;
    for (at, c) in text.char_indices() {
        let alone = stands_alone(c);
        let goes_on = !alone && is_of_word(c);
        let full = begun.is_some_and(|start| at + c.len_utf8() - start > WORD_BYTES_MAX);
        if (!goes_on || full)
            && let Some(start) = begun.take()
        {
            found(start, at);
        }
        if goes_on {
            begun.get_or_insert(at);
        } else if alone {
            found(at, at + c.len_utf8());
        }
    }
    if let Some(start) = begun {
        found(start, text.len());
    }
}

/// Whether `text` has a word.
pub(crate) fn has_word(text: &str) -> bool {
    text.contains(is_of_word)
}

/// Appends the word in lower case.
pub(crate) fn push_lower(word: &str, out: &mut String) {
    if word.is_ascii() {
        let start = out.len();
        out.push_str(word);
        if let Some(pushed) = out.get_mut(start..) {
            pushed.make_ascii_lowercase();
        }
        return;
    }
    out.extend(word.chars().flat_map(char::to_lowercase));
}

fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Letters of Chinese, Japanese, Thai, Lao and Khmer.
fn stands_alone(c: char) -> bool {
    let written = matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    written && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut all = Vec::new();
        words(text, &mut |start, end| {
            let mut word = String::new();
            push_lower(&text[start..end], &mut word);
            all.push(word);
        });
        assert_eq!(all, expected, "{text}");
        assert_eq!(has_word(text), !expected.is_empty(), "{text}");
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        check("", &[]);
        check(" -- ", &[]);
        check("Ana's dog_3, src/Main.rs", &["ana", "s", "dog_3", "src", "main", "rs"]);
        check("\u{c9}t\u{e9} \u{df}", &["\u{e9}t\u{e9}", "\u{df}"]);
        check("\u{6771}\u{4eac}x \u{3002}", &["\u{6771}", "\u{4eac}", "x"]);
    }

    #[test]
    fn a_long_run_is_cut() {
        check(&"a".repeat(130), &[&*"a".repeat(64), &*"a".repeat(64), "aa"]);
        // Thirty-two letters of two bytes fill a word exactly.
        let two = "\u{e9}".repeat(33);
        check(&two, &[&*"\u{e9}".repeat(32), "\u{e9}"]);
    }
}
