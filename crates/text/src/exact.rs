/// Returns the values of `text` that are compared letter for letter, in order: words with a digit,
/// a slash, an underscore, or a dot or a capital inside.
///
/// Two texts of one normal form that differ here say two things: `3.1` and `3.10`, `/srv/Data`
/// and `/srv/data`. Signs around a word don't count. Cost: linear.
///
/// ```
/// use memlith_text::exact_values;
///
/// assert_eq!(exact_values("Mount /srv/Data on v3.10, Ana."), ["/srv/Data", "v3.10"]);
/// ```
#[must_use]
pub fn exact_values(text: &str) -> Vec<&str> {
    let bare = |word: &'_ str| -> bool { is_exact(word) };
    let outside = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '/' | '_' | '-');
    let words = text.split_whitespace().map(|word| word.trim_matches(outside));
    words.filter(|word| bare(word)).collect()
}

/// Whether a word is compared letter for letter.
#[must_use]
pub fn is_exact(word: &str) -> bool {
    let inner = |letter: char| matches!(letter, '.' | '/' | '_') || letter.is_ascii_digit();
    let mut letters = word.chars();
    let first = letters.next();
    let capital_inside =
        word.chars().any(char::is_lowercase) && letters.clone().any(char::is_uppercase);
    first.is_some_and(|first| first.is_ascii_digit() || matches!(first, '/' | '_'))
        || letters.any(inner)
        || capital_inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_sign_or_a_digit_is_exact() {
        for (text, expected) in [
            ("The ticket is 00123.", vec!["00123"]),
            ("iPhone and Iphone", vec!["iPhone"]),
            ("We use snake_case, e.g. here!", vec!["snake_case", "e.g"]),
            ("Ana lives in Oslo", vec![]),
            ("NASA calls", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(exact_values(text), expected, "{text}");
        }
    }
}
