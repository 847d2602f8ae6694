use std::ops::Range;

use crate::moment::moment_at;
use crate::normalise::squeezed;
use crate::quantity::Quantity;
use crate::token::Token;

/// A word of a clause, in the one form that the tables have it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Lower case, without hyphen or possessive ending; an amount or a moment in its exact form.
    pub text: String,
    /// Without the ending of a plural or of the third person.
    pub lemma: String,
    /// Kind of the word.
    pub sort: Sort,
    /// The article before it; set by who reads clauses.
    pub article: Article,
    /// Whether it stands in the possessive.
    pub owner: bool,
    /// Whether it is written as a name.
    pub proper: bool,
}

/// Kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A word.
    Plain,
    /// A number with its unit.
    Amount,
    /// A time of day.
    Clock,
    /// A day of the week.
    Day,
    /// A day of a month.
    Date,
    /// How often.
    Often,
    /// A word that means another day tomorrow.
    Relative,
}

/// Article before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Article {
    /// No article.
    None,
    /// "the", "this".
    Definite,
    /// "a", "an".
    Indefinite,
}

impl Word {
    /// The word that begins at `at`, and how many tokens it takes.
    pub fn at(tokens: &[Token], at: usize) -> Option<(Word, usize)> {
        let token = tokens.get(at)?;
        if let Some((date, count)) = dated(tokens, at) {
            return Some((Word::of(date, Sort::Date), count));
        }
        if let Some((moment, count)) = moment_at(tokens, at) {
            let sort = sort_of(&moment.form);
            return Some((Word::of(moment.form, sort), count));
        }
        if let Some(quantity) = Quantity::at(tokens, at) {
            return Some((Word::of(quantity.feature.form, Sort::Amount), quantity.tokens));
        }
        let lower = token.lower.as_str();
        let bare = lower.strip_suffix("'s").or(lower.strip_suffix('\''));
        let text = spelled(&squeezed(bare.unwrap_or(lower)));
        let marked = |c: char| c.is_ascii_digit() || matches!(c, '_' | '/' | '@' | '.' | '-' | ':');
        let proper = token.capital || lower.contains(marked);
        let owner = bare.is_some() && !CONTRACTED.contains(&lower);
        let next = tokens.get(at + 1).map_or("", |next| next.lower.as_str());
        let named = token.capital && (!token.first || FINITE.contains(&next));
        let lemma = if named { text.clone() } else { singular(&text) };
        Some((Word { lemma, owner, proper, ..Word::of(text, Sort::Plain) }, 1))
    }

    /// A word of this form alone.
    #[must_use]
    pub fn of(text: String, sort: Sort) -> Word {
        let lemma = text.clone();
        Word { text, lemma, sort, article: Article::None, owner: false, proper: false }
    }

    /// Whether the word is one of these.
    pub fn is_in(&self, words: &[&str]) -> bool {
        self.sort == Sort::Plain && words.contains(&self.text.as_str())
    }

    /// Whether it is a day, a date, a time of day or a rhythm.
    pub fn is_moment(&self) -> bool {
        matches!(self.sort, Sort::Clock | Sort::Day | Sort::Date | Sort::Often)
    }
}

/// The word without the ending of a plural.
pub fn singular(word: &str) -> String {
    let keep = |stem: &str| stem.len() > 1 && stem.is_ascii();
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| keep(stem)) {
        return format!("{stem}y");
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) && keep(word) {
            return word.get(..word.len() - 2).unwrap_or(word).to_owned();
        }
    }
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2 || *stem == "i");
    let keeps = |stem: &&str| keep(stem) && !stem.ends_with(['s', 'u', 'i']);
    stem.filter(keeps).unwrap_or(word).to_owned()
}

/// A day of a month: "May 4", "4 May 2026", "March 3rd".
fn dated(tokens: &[Token], at: usize) -> Option<(String, usize)> {
    let word = |at: usize| tokens.get(at).filter(|token| !token.broken);
    let (one, two) = (tokens.get(at)?, word(at + 1)?);
    let day = |token: &Token| {
        let digits: Range<usize> =
            0..token.lower.find(char::is_alphabetic).unwrap_or(token.lower.len());
        let (number, rest) = token.lower.split_at_checked(digits.end)?;
        let ordinal = matches!(rest, "" | "st" | "nd" | "rd" | "th");
        number.parse::<u32>().ok().filter(|day| ordinal && (1..=31).contains(day))
    };
    let month = |token: &Token| {
        let short = token.lower.get(..3)?;
        let month = MONTHS.iter().position(|name| *name == short)?;
        let whole = token.lower.len() == 3 || LONG_MONTHS.contains(&token.lower.as_str());
        whole.then_some(month + 1)
    };
    let (month, day, mut count) = match (month(one), day(two), day(one), month(two)) {
        (Some(month), Some(day), _, _) | (_, _, Some(day), Some(month)) => (month, day, 2),
        (_, _, Some(day), _) if two.lower == "of" => (month(word(at + 2)?)?, day, 3),
        (_, _, _, _) => return None,
    };
    let year = word(at + count)
        .filter(|year| year.lower.len() == 4 && year.lower.bytes().all(|b| b.is_ascii_digit()));
    let year = year.map(|year| {
        count += 1;
        format!("{}-", year.lower)
    });
    Some((format!("{}{month:02}-{day:02}", year.unwrap_or_default()), count))
}

fn sort_of(form: &str) -> Sort {
    match form {
        "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday"
        | "weekend" | "weekday" => Sort::Day,
        "daily" | "weekly" | "fortnightly" | "monthly" | "quarterly" | "yearly" | "hourly" => {
            Sort::Often
        }
        "today" | "yesterday" | "tomorrow" | "tonight" => Sort::Relative,
        "morning" | "afternoon" | "evening" | "night" => Sort::Clock,
        _ if form.starts_with("at ") => Sort::Clock,
        _ => Sort::Date,
    }
}

/// The one spelling of words with several.
fn spelled(word: &str) -> String {
    SPELLINGS.iter().find(|(from, _)| *from == word).map_or(word, |(_, to)| to).to_owned()
}

const SPELLINGS: &[(&str, &str)] = &[
    ("favourite", "favorite"),
    ("colour", "color"),
    ("licence", "license"),
    ("licensed", "licensed"),
    ("db", "database"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("repo", "repository"),
    ("organisation", "organization"),
    ("centre", "center"),
    ("timezone", "zone"),
    ("emails", "email"),
    ("mails", "email"),
    ("msrv", "msrv"),
    ("wi", "wifi"),
    ("telephone", "phone"),
    ("mobile", "phone"),
];

/// Verbs behind one subject: what stands before them is no plural.
const FINITE: &[&str] = &[
    "is", "isn't", "has", "hasn't", "was", "wasn't", "does", "doesn't", "can", "can't", "cannot",
    "lives", "works", "likes", "prefers", "speaks", "leads", "owns", "eats", "hates", "loves",
];

/// Where the ending is a verb.
const CONTRACTED: &[&str] = &["it's", "he's", "she's", "that's", "there's", "who's", "let's"];

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const LONG_MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "sept",
    "october",
    "november",
    "december",
];
