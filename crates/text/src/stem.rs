use crate::token::Token;

/// The stem of a word: without the endings of plurals and of present tenses.
///
/// Light on purpose: what it joins wrongly could be taken for a restatement. "-ed" stays,
/// since what was is not what is.
pub fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let long = |stem: &str| stem.len() > 1 && stem.is_ascii();
    for (ending, replaced) in [("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh")] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| long(stem)) {
            return format!("{stem}{replaced}");
        }
    }
    if let Some(stem) = word.strip_suffix("ing").filter(|stem| long(stem)) {
        let doubled = stem.as_bytes().last_chunk::<2>().is_some_and(|[a, b]| a == b && *a != b's');
        let stem = if doubled { stem.get(..stem.len() - 1).unwrap_or(stem) } else { stem };
        return stem.trim_end_matches('e').to_owned();
    }
    let plural = word.strip_suffix('s').filter(|stem| long(stem) && !stem.ends_with(['s', 'u']));
    plural.unwrap_or(word).trim_end_matches('e').to_owned()
}

/// Whether the word says nothing by itself.
pub fn is_filler(token: &Token) -> bool {
    FILLERS.contains(&token.lower.as_str())
}

/// Articles, the present of "to be" and "to do", and words that are there for politeness.
const FILLERS: &[&str] = &[
    "a",
    "an",
    "the",
    "is",
    "are",
    "am",
    "be",
    "being",
    "do",
    "does",
    "please",
    "that",
    "just",
    "currently",
    "now",
    "really",
    "very",
    "so",
    "well",
    "also",
];

/// Returns the Snowball English stem of a word in lower case (M. F. Porter, 2001); a word with
/// a letter that isn't ASCII is its own.
#[must_use]
pub fn snowball(word: &str) -> String {
    let plain = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'');
    let stemmer = || rust_stemmers::Stemmer::create(rust_stemmers::Algorithm::English);
    if plain { stemmer().stem(word).into_owned() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (left, right) in [
            ("runs", "running"),
            ("database", "databases"),
            ("party", "parties"),
            ("uses", "using"),
            ("ana's", "ana"),
            ("watches", "watching"),
        ] {
            assert_eq!(stem(left), stem(right), "{left} {right}");
        }
        for (left, right) in [("use", "used"), ("status", "stat"), ("live", "lived")] {
            assert_ne!(stem(left), stem(right), "{left} {right}");
        }
        assert_eq!(stem("ing"), "ing");
        assert_eq!(stem("\u{e9}t\u{e9}s"), "\u{e9}t\u{e9}s");
    }
}
