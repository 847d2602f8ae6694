//! Whether a text can answer a question at all: what no number of common words makes up for.
//!
//! English alone; a question of another language is refused nothing. The lists are our own.

/// Words of a question or a text, lower case, with their places in the sentence.
struct Words<'a> {
    words: Vec<&'a str>,
    lower: Vec<String>,
}

/// A sort of answer that can be told by its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Time,
    Amount,
}

/// Whether `text` can be evidence for `question`: it says something of the sort that is asked
/// for, doesn't say that nobody knows, and has those who do and those to whom it is done in the
/// same places.
pub(crate) fn can_answer(question: &str, text: &str) -> bool {
    let (question, text) = (Words::of(question), Words::of(text));
    let told = question.asks_for().is_none_or(|sort| text.tells(sort));
    told && !text.is_open() && !question.is_turned_round_in(&text)
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Words<'a> {
        let is_inside = |c: char| c.is_alphanumeric() || c == '\'' || c == '\u{2019}';
        let words: Vec<&str> =
            text.split(|c| !is_inside(c)).filter(|word| !word.is_empty()).take(WORDS_MAX).collect();
        let lower = words.iter().map(|word| word.to_lowercase().replace('\u{2019}', "'")).collect();
        Words { words, lower }
    }

    fn has_pair(&self, first: &str, seconds: &[&str]) -> bool {
        let pairs = self.lower.iter().zip(self.lower.iter().skip(1));
        pairs.into_iter().any(|(a, b)| a == first && seconds.contains(&b.as_str()))
    }

    fn has_any(&self, words: &[&str]) -> bool {
        self.lower.iter().any(|word| words.contains(&word.as_str()))
    }

    fn asks_for(&self) -> Option<Sort> {
        let first = self.lower.first().map(String::as_str);
        if first == Some("when") || self.has_pair("what", &["time", "date", "day"]) {
            return Some(Sort::Time);
        }
        self.has_pair("how", &["many", "much", "old", "tall", "heavy", "far", "wide", "deep"])
            .then_some(Sort::Amount)
    }

    fn tells(&self, sort: Sort) -> bool {
        let number = self.lower.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
        match sort {
            Sort::Time => number || self.has_any(TIMES) || self.has_any(NUMBERS),
            Sort::Amount => number || self.has_any(NUMBERS),
        }
    }

    /// Whether it says that what it is about isn't known.
    fn is_open(&self) -> bool {
        let unsaid = ["mentioned", "known", "decided", "said", "settled", "clear"];
        self.has_pair("not", &unsaid)
            || ["wasn't", "isn't", "hasn't"].iter().any(|not| self.has_pair(not, &unsaid))
            || self.has_pair("nobody", &["knows", "knew", "said"])
            || self.has_pair("don't", &["know"])
            || self.has_any(&["undecided", "tbd", "unclear"])
    }

    /// Whether `text` has what the question says of one thing for another: who is asked for is
    /// named in the question already, or does what the question's subject does.
    fn is_turned_round_in(&self, text: &Words<'_>) -> bool {
        self.subject_is_known_in(text) || self.subject_is_object_in(text)
    }

    /// "What replaced NATS?" and "NATS replaced SQS": the one who does it is in the question.
    fn subject_is_known_in(&self, text: &Words<'_>) -> bool {
        let verb = match self.lower.first().map(String::as_str) {
            Some("who" | "what") => 1,
            Some("which") => 2,
            _ => return false,
        };
        let Some(verb) = self.lower.get(verb).filter(|verb| !is_auxiliary(verb)) else {
            return false;
        };
        let Some(at) = text.lower.iter().position(|word| is_form(word, verb)) else { return false };
        let before = text.lower.get(..at).unwrap_or_default();
        if before.last().is_some_and(|word| is_auxiliary(word)) {
            return false;
        }
        let named = |word: &&String| !is_small(word);
        let mut subject = before.iter().filter(named).peekable();
        subject.peek().is_some() && subject.all(|word| self.lower.contains(word))
    }

    /// "Whom did Ana hand it to?" and "Raj handed it to Ana".
    fn subject_is_object_in(&self, text: &Words<'_>) -> bool {
        let asked =
            self.lower.iter().position(|word| matches!(word.as_str(), "did" | "does" | "do"));
        let Some(at) = asked else { return false };
        let (Some(subject), Some(verb)) = (self.words.get(at + 1), self.lower.get(at + 2)) else {
            return false;
        };
        if !subject.starts_with(char::is_uppercase) || *subject == "I" {
            return false;
        }
        let subject = subject.to_lowercase();
        let place = |wanted: &dyn Fn(&str) -> bool| text.lower.iter().position(|word| wanted(word));
        let Some(does) = place(&|word| is_form(word, verb)) else { return false };
        let behind = place(&|word| word == subject).is_some_and(|of| of > does);
        let passive = text.has_pair("by", &[&subject]);
        behind && !passive && does > 0
    }
}

/// A longer text says more than one thing.
const WORDS_MAX: usize = 64;

/// Whether two words are forms of one verb: they begin with the same letters but for an ending.
fn is_form(word: &str, verb: &str) -> bool {
    let stem = |word: &str| {
        let endings = ["ing", "ed", "es", "s", "e"];
        let cut = endings.iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        cut.to_owned()
    };
    word == verb || (verb.len() > 3 && stem(word) == stem(verb))
}

fn is_auxiliary(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "is", "are", "was", "were", "be", "been", "am", "do", "does", "did", "has", "have", "had",
        "can", "could", "will", "would", "shall", "should", "may", "might", "must", "being",
    ];
    WORDS.contains(&word) || word.contains('\'')
}

/// Articles, pronouns and prepositions: they name nobody.
fn is_small(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "the", "a", "an", "our", "my", "your", "his", "her", "its", "their", "this", "that", "in",
        "on", "at", "of", "for", "to", "and", "also", "now", "has", "have", "had", "just",
    ];
    WORDS.contains(&word)
}

/// Words that say when.
#[rustfmt::skip]
const TIMES: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays",
    "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays", "january",
    "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
    "nov", "dec", "spring", "summer", "autumn", "fall", "winter", "today", "tomorrow", "yesterday",
    "tonight", "noon", "midnight", "morning", "afternoon", "evening", "night", "nightly", "day",
    "days", "week", "weeks", "weekend", "weekends", "weekly", "month", "months", "monthly", "year",
    "years", "hour", "hours", "hourly", "daily", "quarter", "sprint", "christmas", "easter", "eve",
    "before", "after", "during", "until", "till", "since", "once", "later", "soon", "ago",
    "always", "never", "every", "now", "lunch", "breakfast", "dinner", "dawn", "dusk", "sunset",
    "sunrise", "next", "last", "early", "late", "whenever", "postponed", "cancelled",
];

/// Words that say how many.
#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "no", "none", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty",
    "ninety", "hundred", "thousand", "million", "half", "third", "dozen", "couple", "few", "several",
    "many", "all", "both", "once", "twice", "free", "nothing", "unlimited", "double", "single",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sort_of_the_answer_counts() {
        for (question, text, answers) in [
            ("When is the launch?", "The launch is in June.", true),
            ("When is the launch?", "The launch needs two approvals from legal.", true),
            ("When is the launch?", "The launch is in Oslo.", false),
            ("How much did the tickets cost?", "The tickets were expensive.", false),
            ("How much did the tickets cost?", "The tickets cost 40 euros.", true),
            ("How many nodes are there?", "There are three nodes.", true),
            ("Where is the launch?", "The launch is in Oslo.", true),
            ("Wann ist die Feier?", "Die Feier ist in Bonn.", true),
            ("", "", true),
        ] {
            assert_eq!(can_answer(question, text), answers, "{question} {text}");
        }
    }

    #[test]
    fn what_nobody_knows_answers_nothing() {
        let question = "What is the name of the new intern?";
        assert!(!can_answer(question, "The name of the new intern was not mentioned."));
        assert!(!can_answer(question, "The intern's name is still undecided."));
        assert!(can_answer(question, "The new intern's name is Bo."));
    }

    #[test]
    fn who_does_it_and_to_whom_keep_their_places() {
        for (question, text, answers) in [
            ("What replaced NATS?", "NATS replaced SQS as the queue.", false),
            ("What replaced NATS?", "Kafka replaced NATS as the queue.", true),
            ("What replaced NATS?", "NATS was replaced by Kafka.", true),
            ("Who reported the bug to Acme?", "Acme reported the bug in the importer.", false),
            ("Who reported the bug to Acme?", "Ben reported the bug to Acme.", true),
            ("Which company bought Globex?", "Globex bought a company in Leeds.", false),
            ("Whom did Ana hand billing over to?", "Raj handed billing over to Ana.", false),
            ("Whom did Ana hand billing over to?", "Ana handed billing over to Raj.", true),
            ("What did Ana buy?", "The boat was bought by Ana.", true),
            ("Who owns billing?", "Billing is owned by Raj.", true),
        ] {
            assert_eq!(can_answer(question, text), answers, "{question} {text}");
        }
    }
}
