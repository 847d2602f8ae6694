use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::feature::Feature;
use crate::token::Token;

/// A date or a time of day that begins at `at`, and how many tokens it takes.
pub fn moment_at(tokens: &[Token], at: usize) -> Option<(Feature, usize)> {
    let token = tokens.get(at)?;
    if let Some((minutes, count)) = clock_at(tokens, at) {
        let end = tokens.get(at + count - 1).map_or(token.range.end, |last| last.range.end);
        return Some((feature(format!("at {minutes}"), token.range.start..end), count));
    }
    let lower = token.lower.as_str();
    let name = BY_WORD.get(lower);
    // Some are other words as well: the month of May stands with its capital.
    let ambiguous = AMBIGUOUS.contains(&lower) && (!token.capital || token.first);
    if let Some(name) = name.filter(|_| !ambiguous) {
        return Some((feature((*name).to_owned(), token.range.clone()), 1));
    }
    (is_date(lower) || is_year(lower)).then(|| (feature(lower.to_owned(), token.range.clone()), 1))
}

/// Whether a text names a day by the day on which it is said: "tomorrow", "next week".
///
/// The same words mean another day tomorrow. English alone. Cost: linear.
///
/// ```
/// use memlith_text::is_of_its_day;
///
/// assert!(is_of_its_day("The call is tomorrow."));
/// assert!(is_of_its_day("Moved to next Friday"));
/// assert!(!is_of_its_day("Next to the bakery, each Friday"));
/// ```
#[must_use]
pub fn is_of_its_day(text: &str) -> bool {
    let words = || text.split(|letter: char| !letter.is_alphanumeric()).filter(|w| !w.is_empty());
    let is_in = |list: &[&str], word: &str| list.iter().any(|own| own.eq_ignore_ascii_case(word));
    let names =
        |word: &str| BY_WORD.contains_key(word.to_lowercase().as_str()) || is_in(&SPANS, word);
    words().any(|word| is_in(&RELATIVE, word))
        || words().zip(words().skip(1)).any(|(one, next)| is_in(&BEFORE, one) && names(next))
}

/// Days that are told by the day on which they are said.
const RELATIVE: [&str; 4] = ["today", "tomorrow", "tonight", "yesterday"];

/// Words that make the name of a time one.
const BEFORE: [&str; 4] = ["next", "last", "this", "coming"];

/// Times that have no name in [`DAYS`].
const SPANS: [&str; 4] = ["week", "month", "year", "quarter"];

fn feature(form: String, range: Range<usize>) -> Feature {
    Feature { form, range }
}

/// A time of day in minutes: "18:30", "6pm", "6:30 pm".
fn clock_at(tokens: &[Token], at: usize) -> Option<(u32, usize)> {
    let lower = tokens.get(at)?.lower.as_str();
    if let "noon" | "midday" = lower {
        return Some((720, 1));
    }
    if lower == "midnight" {
        return Some((0, 1));
    }
    if let Some(found) = spoken_clock_at(tokens, at) {
        return Some(found);
    }
    let digits = lower.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(lower.len());
    let (clock, mut half) = lower.split_at_checked(digits)?;
    let mut count = 1;
    if half.is_empty() {
        let next = tokens.get(at + 1).map(|next| next.lower.as_str());
        if let Some(next @ ("am" | "pm" | "a.m" | "p.m")) = next {
            (half, count) = (next, 2);
        }
    }
    let (hours, minutes) = clock.split_once(':').unwrap_or((clock, "00"));
    if hours.is_empty() || hours.len() > 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes) = (hours.parse::<u32>().ok()?, minutes.parse::<u32>().ok()?);
    let hours = match half {
        "" if clock.contains(':') => hours,
        "am" | "a.m" if hours <= 12 => hours % 12,
        "pm" | "p.m" if hours <= 12 => hours % 12 + 12,
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some((hours * 60 + minutes, count))
}

/// A time of day in words: "half past two", "quarter to four", "ten past 5", "half five".
fn spoken_clock_at(tokens: &[Token], at: usize) -> Option<(u32, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let number = |word: &str| {
        let spelled =
            HOURS.iter().position(|hour| *hour == word).and_then(|at| u32::try_from(at + 1).ok());
        spelled.or_else(|| word.parse::<u32>().ok())
    };
    let part = match word(at) {
        "half" => 30,
        "quarter" => 15,
        other => number(other).filter(|part| [5, 10, 20, 25].contains(part))?,
    };
    let (sign, hour_at) = match word(at + 1) {
        "past" => (1, at + 2),
        "to" => (-1, at + 2),
        _ if part == 30 => (1, at + 1),
        _ => return None,
    };
    let hour = number(word(hour_at)).filter(|hour| (1..=12).contains(hour))?;
    let minutes = i64::from(hour * 60) + sign * i64::from(part);
    Some((u32::try_from(minutes.rem_euclid(1440)).ok()?, hour_at + 1 - at))
}

const HOURS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// Such as 2026-11-23 or 23/11/2026.
fn is_date(word: &str) -> bool {
    if !word.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let parts: Vec<&str> = word.split(['-', '/', '.']).collect();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    parts.len() == 3
        && parts.iter().all(|part| is_number(part))
        && parts.iter().any(|part| is_year(part))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse::<u32>().is_ok_and(|year| (1900..2100).contains(&year))
}

/// Words that name a day in one of these senses only.
const AMBIGUOUS: &[&str] =
    &["may", "march", "mar", "sun", "sat", "mon", "wed", "jan", "dec", "fall", "spring"];

/// The first way to write each name of [`DAYS`].
static BY_WORD: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let names = DAYS.iter().filter_map(|names| Some((names.first()?, names)));
    names.flat_map(|(first, names)| names.iter().map(|name| (*name, *first))).collect()
});

/// Names of days, months and the like, each with the ways to write it.
#[rustfmt::skip]
const DAYS: &[&[&str]] = &[
    &["monday", "mon", "mondays"], &["tuesday", "tue", "tues", "tuesdays"],
    &["wednesday", "wed", "wednesdays"], &["thursday", "thu", "thurs", "thursdays"],
    &["friday", "fri", "fridays"], &["saturday", "sat", "saturdays"],
    &["sunday", "sun", "sundays"], &["january", "jan"], &["february", "feb"],
    &["march", "mar"], &["april", "apr"], &["may"], &["june", "jun"], &["july", "jul"],
    &["august", "aug"], &["september", "sep", "sept"], &["october", "oct"],
    &["november", "nov"], &["december", "dec"], &["today"], &["yesterday"], &["tomorrow"],
    &["tonight"], &["morning", "mornings"], &["afternoon", "afternoons"],
    &["evening", "evenings"], &["night", "nights"], &["weekend", "weekends"],
    &["weekday", "weekdays"], &["daily", "nightly"], &["weekly"], &["fortnightly", "biweekly"],
    &["monthly"], &["quarterly"], &["yearly", "annually"], &["hourly"], &["q1"], &["q2"],
    &["q3"], &["q4"], &["spring"], &["summer"], &["autumn", "fall"], &["winter"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    fn form(text: &str) -> Option<String> {
        let tokens = tokens(text, 99).unwrap();
        (0..tokens.len()).find_map(|at| moment_at(&tokens, at)).map(|(feature, _)| feature.form)
    }

    #[test]
    fn one_moment_has_one_form() {
        for (left, right) in [
            ("after 6pm", "after 18:00"),
            ("at 6:30 pm", "at 18:30"),
            ("on Mondays", "every Monday"),
            ("at noon", "at 12pm"),
            ("at 12am", "at midnight"),
            ("in Sept", "in September"),
        ] {
            assert_eq!(form(left), form(right), "{left} {right}");
            assert!(form(left).is_some(), "{left}");
        }
        for none in ["it may rain", "25:00", "5:7", "13pm", "sat down", "8080"] {
            assert_eq!(form(none), None, "{none}");
        }
        assert_eq!(form("due in May"), Some("may".to_owned()));
        assert_eq!(form("due 2026-11-23"), Some("2026-11-23".to_owned()));
    }
}
