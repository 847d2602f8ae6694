use crate::analysis::tokens;
use crate::words::{Piece, words};

/// The words of a text, for telling whether another says the same.
///
/// English alone is understood: of another language every word is a content word, so that
/// texts are alike only where all their words are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// The terms of its content words, in order.
    terms: Vec<String>,
    /// The terms of its content words, each once, ascending.
    distinct: Vec<String>,
    /// Numbers, months, days, in order.
    figures: Vec<String>,
    /// Words that can turn the meaning round, in order: negations, prepositions, tenses, signs.
    turns: Vec<String>,
}

/// How what one text says stands to what another says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// They may differ in what matters.
    Other,
    /// One says all that the other says, and not much more.
    Akin,
    /// The first adds nothing to the second.
    Same,
}

/// A longer text is compared with nothing: what one comparison costs is bounded.
const WORDS_MAX: usize = 1_024;

/// Fewer terms are found in too many texts that say something else.
const AKIN_TERMS_MIN: usize = 3;

impl Wording {
    /// Takes `text` apart, unless it is too long or has no content word. Cost: linear in it.
    #[must_use]
    pub fn of(text: &str) -> Option<Wording> {
        let (mut figures, mut turns, mut count) = (Vec::new(), Vec::new(), 0);
        let mut last = 0;
        words(text, &mut |Piece { start, end, .. }: Piece| {
            turns.extend(signs(text.get(last..start).unwrap_or_default()));
            last = end;
            let word = text.get(start..end).unwrap_or_default().to_lowercase();
            let word = word.replace('\u{2019}', "'");
            if is_negated(&word) {
                turns.push("not".to_owned());
            }
            if TURNS.contains(&word.as_str()) {
                turns.push(word);
            } else if FIGURES.contains(&word.as_str()) || word.contains(char::is_numeric) {
                // With what stands before it: -5 is not 5, and 1.5 not 1, 5.
                let sign = text.get(..start).and_then(|before| before.chars().next_back());
                let sign = sign.filter(|sign| !sign.is_whitespace());
                figures.push(sign.into_iter().chain(word.chars()).collect());
            }
            count += 1;
            count <= WORDS_MAX
        });
        if count > WORDS_MAX {
            return None;
        }
        turns.extend(signs(text.get(last..).unwrap_or_default()));
        let found = tokens(text).into_iter().filter(|token| !token.whole);
        let terms: Vec<String> = found.map(|token| token.term).collect();
        let mut distinct = terms.clone();
        distinct.sort_unstable();
        distinct.dedup();
        (!terms.is_empty()).then_some(Wording { terms, distinct, figures, turns })
    }

    /// How what this says stands to what `other` says, in integers and by nothing else than
    /// the two.
    ///
    /// `Same`: each term of this stands in `other`, in the same order, and 95 % of `other`'s
    /// in this; a word that this alone has could be what it is about, so that none may be
    /// missing. `Akin`: one has every term of the other, which has at least three, and half
    /// of the longer one's; a word on each side that the other lacks may be the very
    /// difference. Numbers, days, negations, prepositions and tenses that differ make no two
    /// texts the same, nor akin, but that the longer one may have further numbers.
    ///
    /// Source: `docs/model.md`, "Novelty". Cost: linear in both.
    #[must_use]
    pub fn likeness(&self, other: &Wording) -> Likeness {
        let common = self.distinct.iter().filter(|term| other.distinct.binary_search(term).is_ok());
        let (common, own, others) = (common.count(), self.distinct.len(), other.distinct.len());
        let turned = self.turns != other.turns;
        let in_order = is_within(&self.terms, &other.terms);
        let has_all = common == own && common * 20 >= others * 19 && in_order;
        if has_all && !turned && self.figures == other.figures {
            return Likeness::Same;
        }
        let (longer, shorter) = if own >= others { (self, other) } else { (other, self) };
        let (most, least) = (own.max(others), own.min(others));
        let whole = common == least && least >= AKIN_TERMS_MIN && least * 2 >= most;
        if whole && !turned && is_within(&shorter.figures, &longer.figures) {
            return Likeness::Akin;
        }
        Likeness::Other
    }

    /// The terms, each once, ascending.
    pub(crate) fn distinct(&self) -> &[String] {
        &self.distinct
    }

    /// A text that is the same or akin has no more terms.
    pub(crate) fn alike_max(&self) -> usize {
        let all = self.distinct.len();
        if all < AKIN_TERMS_MIN { all * 20 / 19 } else { all * 2 }
    }

    /// Maximum number of terms that may be missing in a text that is akin: it has half of them, and
    /// three.
    pub(crate) fn missing_max(&self) -> usize {
        let all = self.distinct.len();
        (all / 2).min(all.saturating_sub(AKIN_TERMS_MIN))
    }
}

/// Whether `part` is what is left of `whole` without some of it.
fn is_within(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|one| rest.any(|other| other == one))
}

/// A contraction, written with its apostrophe or without.
fn is_negated(word: &str) -> bool {
    word.ends_with("n't") || BARE_CONTRACTIONS.contains(&word)
}

/// The signs that are no mere punctuation.
fn signs(between: &str) -> impl Iterator<Item = String> {
    let punctuation = |c: &char| c.is_whitespace() || ".,;:'\"()[]{}`-_*#\u{2019}".contains(*c);
    between.chars().filter(move |c| !punctuation(c)).map(String::from)
}

/// Words that can turn a statement into another: of the stop words all but articles, the
/// present of "to be" and "to do", and fillers.
#[rustfmt::skip]
const TURNS: &[&str] = &[
    "not", "no", "nor", "never", "none", "nothing", "nobody", "nowhere", "neither", "without",
    "cannot", "hardly", "except", "unless", "instead", "about", "above", "across", "after",
    "again", "against", "all", "along", "always", "among", "any", "around", "as", "at", "because",
    "been", "before", "behind", "being", "below", "between", "beyond", "both", "but", "by", "can",
    "could", "did", "done", "down", "during", "each", "either", "else", "enough", "ever", "every",
    "few", "fewer", "first", "for", "former", "from", "further", "had", "has", "have", "having",
    "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "inside", "into", "it",
    "its", "last", "latter", "least", "less", "many", "may", "me", "might", "mine", "more", "most",
    "much", "must", "my", "next", "now", "of", "off", "often", "on", "once", "only", "or", "other",
    "our", "ours", "out", "outside", "over", "own", "rarely", "same", "seldom", "shall", "she",
    "should", "since", "some", "sometimes", "soon", "still", "such", "than", "their", "theirs",
    "them", "then", "there", "these", "they", "those", "through", "till", "to", "too", "under",
    "until", "up", "upon", "us", "usually", "was", "we", "were", "what", "when", "where",
    "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "would",
    "yes", "yet", "you", "your", "yours",
];

/// Contractions as they are written in haste.
const BARE_CONTRACTIONS: &[&str] = &[
    "aint", "arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt", "havent",
    "isnt", "mustnt", "shouldnt", "wasnt", "werent", "wont", "wouldnt",
];

/// Numbers and times in words.
#[rustfmt::skip]
const FIGURES: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "dozen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy",
    "eighty", "ninety", "hundred", "thousand", "million", "billion", "half", "third", "quarter",
    "twice", "double", "second", "january", "february", "march", "april", "june", "july",
    "august", "september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun",
    "jul", "aug", "sep", "sept", "oct", "nov", "dec", "monday", "tuesday", "wednesday",
    "thursday", "friday", "saturday", "sunday", "mon", "tue", "wed", "thu", "fri", "sat", "sun",
    "today", "yesterday", "tomorrow", "morning", "noon", "afternoon", "evening", "night",
    "midnight", "daily", "weekly", "monthly", "yearly", "spring", "summer", "autumn", "winter",
];

#[cfg(test)]
mod tests;
