use memlith_text::{Article, Sort, Word};

/// The value of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// In one form for all the ways to write it.
    pub(crate) text: String,
    /// Further details beside the value.
    pub(crate) detail: String,
}

/// The kind of value that a verb or a noun takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Anything short.
    Any,
    /// A name or an identifier.
    Proper,
    /// A number with what it counts.
    Amount,
    /// A day, a date, a time of day or a rhythm.
    Moment,
}

/// A value of more words is a sentence of its own.
const WORDS_MAX: usize = 6;

impl Value {
    /// The value in `words`, as far as they are what is taken.
    pub(crate) fn of(words: &[Word], takes: Takes) -> Option<Value> {
        let words = match words {
            [first, rest @ ..] if first.is_in(LEADING) => rest,
            words => words,
        };
        let first = words.first()?;
        let fits = match takes {
            Takes::Any => true,
            Takes::Proper => first.proper && first.sort == Sort::Plain,
            Takes::Amount => first.sort == Sort::Amount,
            Takes::Moment => words.iter().all(|word| word.is_moment() || word.is_in(BETWEEN)),
        };
        // What was, or will be, or is meant for something, is said besides.
        let ends = words.iter().skip(1).position(|word| word.is_in(DETAILS)).map(|at| at + 1);
        let ends = ends.filter(|_| takes != Takes::Moment).unwrap_or(words.len());
        let (value, detail) = words.split_at_checked(ends)?;
        let joined = |words: &[Word]| -> String {
            let texts: Vec<&str> = words.iter().map(form).filter(|form| !form.is_empty()).collect();
            texts.join(" ")
        };
        let text = joined(value);
        let short = value.len() <= WORDS_MAX && !text.is_empty();
        let denies = value.iter().any(|word| word.is_in(&["i", "we", "he", "she", "they", "be"]));
        (fits && short && !denies).then(|| Value { text, detail: joined(detail) })
    }
}

fn form(word: &Word) -> &str {
    match word.sort {
        Sort::Plain if word.is_in(BETWEEN) => "",
        Sort::Plain => &word.lemma,
        Sort::Amount | Sort::Clock | Sort::Day | Sort::Date | Sort::Often | Sort::Relative => {
            &word.text
        }
    }
}

/// Whether the words name one thing: "the port", and not "a port".
pub(crate) fn is_definite(words: &[Word]) -> bool {
    words.first().is_some_and(|word| word.article != Article::Indefinite)
}

/// Prepositions that a value may begin with.
const LEADING: &[&str] = &["in", "on", "at", "by", "to", "as", "under", "with", "into"];

/// Words between the parts of a value that say nothing.
const BETWEEN: &[&str] = &["on", "at", "every", "each", "in", "o'clock", "next", "of", "per"];

/// Words with which what is said besides begins.
const DETAILS: &[&str] = &[
    "since",
    "last",
    "for",
    "from",
    "until",
    "till",
    "during",
    "with",
    "without",
    "in",
    "after",
    "before",
    "by",
    "via",
    "because",
    "as",
    "starting",
    "effective",
    "temporarily",
    "ago",
    "together",
    "near",
    "only",
];
