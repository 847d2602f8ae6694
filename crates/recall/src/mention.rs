use crate::analysis::tokens;

/// Whether `query` names `name`: has all its terms, side by side and in order.
///
/// For a slot's entity or predicate; inflection, case and possessives don't matter
/// ("Ana's dogs" names "ana" and "dog"). Nothing names an empty name, or one of stop
/// words alone.
#[must_use]
pub fn names(query: &str, name: &str) -> bool {
    contains(&terms(query), &terms(name))
}

/// Whether `query` quotes `text`: some phrase in quotation marks or backticks in the
/// query stands in the text.
#[must_use]
pub fn quotes(query: &str, text: &str) -> bool {
    let phrases = phrases(query);
    if phrases.is_empty() {
        return false;
    }
    let text = terms(text);
    phrases.into_iter().any(|phrase| contains(&text, &terms(phrase)))
}

/// The terms of `text` in order, identifiers in parts.
fn terms(text: &str) -> Vec<String> {
    tokens(text).into_iter().filter(|token| !token.whole).map(|token| token.term).collect()
}

fn contains(all: &[String], some: &[String]) -> bool {
    !some.is_empty() && all.windows(some.len()).any(|window| window == some)
}

/// What stands between quotation marks.
fn phrases(text: &str) -> Vec<&str> {
    let mut phrases = Vec::new();
    for (open, close) in [('"', '"'), ('`', '`'), ('\u{201c}', '\u{201d}'), ('\u{ab}', '\u{bb}')] {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((phrase, after)) = after.split_once(close) else { break };
            phrases.push(phrase);
            rest = after;
        }
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_a_query() {
        for (query, name, expected) in [
            ("Where does Ana live?", "ana", true),
            ("Ana's dogs", "Ana dog", true),
            ("what about checkout::retry", "checkout::retry", true),
            ("what lives in the sea", "lives_in", true),
            ("analysis of it", "ana", false),
            ("dog of Ana", "Ana dog", false),
            ("the of", "the", false),
            ("", "ana", false),
            ("ana", "", false),
        ] {
            assert_eq!(names(query, name), expected, "{query} / {name}");
        }
    }

    #[test]
    fn a_quoted_phrase_is_found_in_a_text() {
        let text = "error: index out of range in src/main.rs";
        for (query, expected) in [
            ("who saw \"index out of range\"?", true),
            ("what is `src/main.rs`", true),
            ("\u{201c}out of range\u{201d}", true),
            ("index out of range", false),
            ("\"range index\"", false),
            ("an \"unclosed index", false),
            ("\"\" ``", false),
        ] {
            assert_eq!(quotes(query, text), expected, "{query}");
        }
    }
}
