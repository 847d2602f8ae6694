use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

/// A word or a sign of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// NFKC and lower case, typographic apostrophes as plain ones.
    pub lower: String,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// Whether it begins with a capital.
    pub capital: bool,
    /// Whether it begins a sentence.
    pub first: bool,
    /// Whether a comma, a semicolon, a bracket or the end of a sentence stands before it.
    pub broken: bool,
}

/// Takes `text` apart, or gives `None` where it has more than `max` tokens.
///
/// A word is a run of letters and digits with what joins them: an apostrophe, a hyphen,
/// an underscore, a full stop, a colon, a slash or an at sign inside, a comma between
/// digits. Other signs stand by themselves as far as they say something. Cost: linear.
pub fn tokens(text: &str, max: usize) -> Option<Vec<Token>> {
    let mut found: Vec<Token> = Vec::new();
    let (mut first, mut broken) = (true, false);
    let mut chars = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((start, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let signed = c == '-' && next.is_ascii_digit() && !before.is_alphanumeric();
        if !c.is_alphanumeric() && !signed && !SIGNS.contains(c) {
            let short = found.last().is_some_and(|last| TITLES.contains(&last.lower.as_str()));
            first |= ends_sentence(c, next) && !short;
            broken |= first || BREAKS.contains(c);
            before = c;
            continue;
        }
        let mut end = start + c.len_utf8();
        let mut last = c;
        while !SIGNS.contains(c) {
            let Some(&(at, inner)) = chars.peek() else { break };
            let mut ahead = text.get(at + inner.len_utf8()..).unwrap_or_default().chars();
            let after = ahead.next().unwrap_or(' ');
            if !(is_inner(inner) || joins(last, inner, after)) {
                break;
            }
            (end, last) = (at + inner.len_utf8(), inner);
            chars.next();
        }
        if found.len() == max {
            return None;
        }
        let word = text.get(start..end).unwrap_or_default();
        let lower: String = word.nfkc().flat_map(char::to_lowercase).map(plain).collect();
        found.push(Token { lower, range: start..end, capital: c.is_uppercase(), first, broken });
        (first, broken) = (false, false);
        before = last;
    }
    Some(found)
}

/// Signs that say something by themselves.
const SIGNS: &str = "%$\u{20ac}\u{a3}\u{20b9}<>=";

/// Words behind which a full stop ends nothing.
const TITLES: &[&str] = &["dr", "mr", "mrs", "ms", "st", "prof", "no", "vs", "approx"];

/// Signs that end a part of a sentence.
const BREAKS: &str = ",;:()[]\u{2013}\u{2014}\n";

fn ends_sentence(c: char, next: char) -> bool {
    c == '\n' || (matches!(c, '.' | '!' | '?') && next.is_whitespace())
}

/// Letters, digits, and marks that combine with them.
fn is_inner(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

/// Whether `sign` belongs to the word that it stands in or ends.
fn joins(before: char, sign: char, after: char) -> bool {
    match sign {
        // $10/month is an amount and its time.
        '/' if before.is_ascii_digit() && after.is_alphabetic() => false,
        '\'' | '\u{2019}' | '-' | '_' | '.' | '/' | '@' | ':' => {
            is_inner(before) && is_inner(after)
        }
        ',' => before.is_ascii_digit() && after.is_ascii_digit(),
        // C++ and C#.
        '+' => before.is_alphabetic() || before == '+',
        '#' => before.is_alphabetic(),
        _ => false,
    }
}

fn plain(c: char) -> char {
    if c == '\u{2019}' { '\'' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_where_they_end() {
        for (text, expected) in [
            ("Ana's API listens on :8080.", vec!["ana's", "api", "listens", "on", "8080"]),
            ("don\u{2019}t e-mail a@b.io", vec!["don't", "e-mail", "a@b.io"]),
            ("1,000 at 18:30, -5 C++", vec!["1,000", "at", "18:30", "-5", "c++"]),
            ("50% of $3.20 (v1.2.3)", vec!["50", "%", "of", "$", "3.20", "v1.2.3"]),
            ("a, b. C", vec!["a", "b", "c"]),
            ("", vec![]),
        ] {
            let found: Vec<String> =
                tokens(text, 99).unwrap().into_iter().map(|token| token.lower).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn sentences_and_parts_are_seen() {
        let found = tokens("One two, three. Four", 99).unwrap();
        let first: Vec<bool> = found.iter().map(|token| token.first).collect();
        let broken: Vec<bool> = found.iter().map(|token| token.broken).collect();
        assert_eq!(first, [true, false, false, true]);
        assert_eq!(broken, [false, false, true, true]);
    }

    #[test]
    fn a_text_of_too_many_words_is_not_taken_apart() {
        assert!(tokens("a b c", 3).is_some());
        assert!(tokens("a b c d", 3).is_none());
    }
}
