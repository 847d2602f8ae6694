use memlith_text::Feature;
use memlith_text::Quantity;
use memlith_text::Token;

/// The name at `at`, where a word is taken for one: capitalised inside a sentence, or an
/// identifier of any kind.
pub(crate) fn name_at(tokens: &[Token], at: usize) -> Option<Feature> {
    let token = tokens.get(at)?;
    let lower = token.lower.as_str();
    let bare = lower.strip_suffix("'s").or(lower.strip_suffix('\'')).unwrap_or(lower);
    let named = is_identifier(bare)
        || (token.capital && !STARTERS.contains(&bare) && (!token.first || begins(tokens, at)));
    named.then(|| Feature { form: memlith_text::squeezed(bare), range: token.range.clone() })
}

/// The number that names one of several: "test 3", "room 12".
pub(crate) fn numbered(tokens: &[Token], at: usize, quantity: &Quantity) -> Option<Feature> {
    let before = tokens.get(at.checked_sub(1)?)?;
    let named = NUMBERED.contains(&before.lower.as_str()) && quantity.unit.is_empty();
    let form = format!("{} {}", before.lower, quantity.number);
    named.then(|| Feature { form, range: quantity.feature.range.clone() })
}

/// Of digits and letters, or with a sign inside that words don't have.
fn is_identifier(word: &str) -> bool {
    let has = |test: fn(char) -> bool| word.chars().any(test);
    let mixed = has(|c| c.is_ascii_digit()) && has(char::is_alphabetic);
    let ordinal = ["st", "nd", "rd", "th"].iter().any(|end| word.ends_with(end));
    has(|c| matches!(c, '_' | '/' | '@' | '.' | ':'))
        || (mixed && !ordinal)
        || (word.contains('-') && has(char::is_alphabetic))
}

/// Whether the first word of a sentence is the name of who does what follows.
fn begins(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    if token.lower.ends_with("'s") {
        return true;
    }
    let Some(next) = tokens.get(at + 1).filter(|next| !next.broken) else { return false };
    let verb = next.lower.as_str();
    next.capital
        || VERBS.contains(&verb)
        || (verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss"))
        || (verb.len() > 4 && verb.ends_with("ed"))
}

/// Words for things that are told apart by their number.
const NUMBERED: &[&str] = &[
    "test",
    "room",
    "ticket",
    "step",
    "issue",
    "build",
    "chapter",
    "page",
    "figure",
    "task",
    "case",
    "bug",
    "pr",
    "sprint",
    "phase",
    "floor",
    "gate",
    "flight",
    "section",
    "item",
    "line",
    "question",
    "server",
    "node",
    "week",
    "group",
    "team",
    "unit",
    "module",
    "lesson",
    "episode",
    "season",
    "part",
    "table",
    "invoice",
    "order",
    "run",
    "job",
    "shard",
    "replica",
    "slide",
    "platform",
    "track",
    "bus",
    "tram",
    "route",
    "apartment",
    "house",
    "desk",
    "exercise",
    "adr",
];

/// Verbs in forms that don't end like one.
const VERBS: &[&str] = &[
    "is", "was", "has", "had", "will", "can", "does", "did", "do", "should", "must", "may",
    "doesn't", "isn't", "wasn't", "won't", "can't", "hasn't", "didn't", "never", "always", "now",
    "no", "not", "and", "or", "went", "got", "took", "left", "came", "sits", "eats", "runs",
    "uses", "said", "told", "wrote", "made", "also", "just", "still", "already", "usually",
];

/// Words that begin a sentence, or stand with a capital, without being a name.
const STARTERS: &[&str] = &[
    "a",
    "an",
    "the",
    "i",
    "i'm",
    "i've",
    "i'd",
    "i'll",
    "we",
    "you",
    "he",
    "she",
    "it",
    "they",
    "my",
    "our",
    "your",
    "his",
    "her",
    "its",
    "their",
    "this",
    "that",
    "these",
    "those",
    "there",
    "here",
    "in",
    "on",
    "at",
    "for",
    "from",
    "to",
    "by",
    "with",
    "of",
    "and",
    "but",
    "or",
    "if",
    "when",
    "while",
    "since",
    "after",
    "before",
    "until",
    "all",
    "each",
    "every",
    "both",
    "some",
    "any",
    "no",
    "not",
    "never",
    "always",
    "now",
    "please",
    "do",
    "don't",
    "is",
    "are",
    "was",
    "were",
    "be",
    "has",
    "have",
    "had",
    "can",
    "will",
    "would",
    "should",
    "must",
    "may",
    "what",
    "who",
    "where",
    "why",
    "how",
    "yes",
    "ok",
    "also",
    "then",
    "so",
    "as",
    "per",
    "today",
    "tomorrow",
    "yesterday",
    "currently",
    "only",
    "most",
    "more",
    "less",
    "everyone",
    "nobody",
    "somebody",
    "someone",
    "everything",
    "nothing",
    "it's",
    "that's",
    "there's",
    "he's",
    "she's",
];

#[cfg(test)]
mod tests {
    use super::*;
    use memlith_text::tokens;

    #[test]
    fn names_are_told_from_words() {
        for (text, expected) in [
            ("Ana lives in Pune", vec!["ana", "pune"]),
            ("The API of api-gateway listens", vec!["api", "apigateway"]),
            ("Prefers email", vec![]),
            ("Bob's birthday is on the 3rd", vec!["bob"]),
            ("We deploy db_1 to /srv/app", vec!["db_1", "srv/app"]),
            ("I am here", vec![]),
            ("Favourite number is 7", vec![]),
        ] {
            let tokens = tokens(text, 99).unwrap();
            let found: Vec<String> = (0..tokens.len())
                .filter_map(|at| name_at(&tokens, at))
                .map(|feature| feature.form)
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
