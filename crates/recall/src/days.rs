//! The days that a text names: "on 3 May 2023", "2023-05-03", "last Friday".

use std::borrow::Cow;

use memlith_log::Timestamp;
use time::{Date, Month};

use crate::ascii::{WORD, is};

/// A run of days, first and last included, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Days {
    /// The first day.
    pub(crate) first: i32,
    /// The last day.
    pub(crate) last: i32,
    /// Whether no year was named, so that the same days of other years are meant too.
    pub(crate) any_year: bool,
}

/// A text is read no further than this many words for its days.
const WORDS_MAX: usize = 512;

/// The Julian day of 1970-01-01.
const EPOCH_JULIAN: i32 = 2_440_588;

impl Days {
    /// The days that `text`, written on day `today`, names first, if it names any.
    ///
    /// A month without a year is the last one that began by `today`.
    pub(crate) fn named_in(text: &str, today: i32) -> Option<Days> {
        if !text.is_ascii() {
            let words = words(text);
            return (0..words.len()).find_map(|at| Window::at(at, &words, today)?.days());
        }
        // Every name of a day has such a word first or second.
        let (mut before, mut number) = ([0, 0], 0);
        let mut starts = Starts { bytes: text.as_bytes(), at: 0 };
        while let Some(start) = starts.next().filter(|_| number < WORDS_MAX) {
            if is_of_days(text.as_bytes().get(start..).unwrap_or_default()) {
                let skipped = number.min(2);
                let left = WORDS_MAX - (number - skipped);
                let around = text.get(before[0]..).unwrap_or_default();
                if let Some(days) = Days::named_around(skipped, around, left, today) {
                    return Some(days);
                }
            }
            before = [if number == 0 { start } else { before[1] }, start];
            number += 1;
        }
        None
    }

    /// The days whose name has the word at `at` as its first or second, if it is one of the
    /// first `left` words.
    fn named_around(at: usize, text: &str, left: usize, today: i32) -> Option<Days> {
        let words: Vec<Word<'_>> = each_word(text).take(left.min(at + Window::WORDS)).collect();
        let days = |at| Window::at(at, &words, today)?.days();
        at.checked_sub(1).and_then(days).or_else(|| days(at))
    }

    /// How many days lie between these days and `other`; 0 where they overlap.
    pub(crate) fn gap(self, other: Days) -> i32 {
        let gap = |first: i32, last: i32| {
            (first.saturating_sub(other.last)).max(other.first.saturating_sub(last)).max(0)
        };
        if self.any_year {
            (-3..=3)
                .map(|year: i32| gap(self.first + year * 365, self.last + year * 365))
                .min()
                .unwrap_or(i32::MAX)
        } else {
            gap(self.first, self.last)
        }
    }

    /// How many days they are.
    pub(crate) fn length(self) -> i32 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }

    /// One day.
    pub(crate) fn day(day: i32) -> Days {
        Days { first: day, last: day, any_year: false }
    }
}

/// The day of an instant, counted from 1970-01-01 in UTC; saturates far outside any calendar.
pub(crate) fn day_of(instant: Timestamp) -> i32 {
    let day = instant.0.div_euclid(Timestamp::DAY_US);
    i32::try_from(day.clamp(-10_000_000, 10_000_000)).unwrap_or_default()
}

/// The past days that `text` names, asked at `now`: their first instant, and the first after them.
/// Days that reach into today, or lie ahead, are none.
#[must_use]
pub fn past_days(text: &str, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
    let today = day_of(now);
    let days = Days::named_in(text, today).filter(|days| days.last < today)?;
    let start = |day: i32| Timestamp(i64::from(day).saturating_mul(Timestamp::DAY_US));
    Some((start(days.first), start(days.last.saturating_add(1))))
}

#[derive(Debug)]
struct Word<'a> {
    lower: Cow<'a, str>,
    capital: bool,
    /// Whether a hyphen, a slash or a full stop ends it and joins it to the next word.
    joined: bool,
}

/// Of a word no more is looked at, in characters.
const WORD_CHARS_MAX: usize = 12;

/// The start of a word in lower case.
fn lower(word: &str) -> Cow<'_, str> {
    let plain = |byte: &u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    // Most words are copied by nobody.
    match word.get(..word.len().min(WORD_CHARS_MAX)) {
        Some(start) if start.as_bytes().iter().all(plain) => Cow::Borrowed(start),
        Some(_) | None => word.chars().take(WORD_CHARS_MAX).flat_map(char::to_lowercase).collect(),
    }
}

fn words(text: &str) -> Vec<Word<'_>> {
    each_word(text).take(WORDS_MAX).collect()
}

fn each_word(text: &str) -> impl Iterator<Item = Word<'_>> {
    text.split_inclusive(|c: char| !c.is_alphanumeric())
        .map(|piece| {
            let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
            Word {
                lower: lower(word),
                capital: word.starts_with(char::is_uppercase),
                joined: piece.ends_with(['-', '/', '.']),
            }
        })
        .filter(|word| !word.lower.is_empty())
}

/// Where the words of a text of ASCII begin. Cost: a few steps a byte.
struct Starts<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for Starts<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let left = self.bytes.get(self.at..)?;
        let start = self.at + left.iter().position(|byte| is(WORD, *byte))?;
        let word = self.bytes.get(start..)?;
        let len = word.iter().position(|byte| !is(WORD, *byte));
        self.at = start + len.unwrap_or(word.len());
        Some(start)
    }
}

/// Whether the word that stands here, in any case, is one of [`OF_DAYS`] or begins with a
/// digit.
fn is_of_days(bytes: &[u8]) -> bool {
    let Some(first) = bytes.first() else { return false };
    if first.is_ascii_digit() {
        return true;
    }
    // The first three letters tell all but a few others.
    let code = bytes.first_chunk().map_or(0, code);
    if BEGINS_OF_DAYS.get(code >> 6).is_none_or(|bits| bits >> (code & 63) & 1 == 0) {
        return false;
    }
    let len = bytes.iter().position(|byte| !byte.is_ascii_alphanumeric());
    let word = bytes.get(..len.unwrap_or(bytes.len())).unwrap_or_default();
    OF_DAYS.iter().any(|of_days| of_days.as_bytes().eq_ignore_ascii_case(word))
}

/// The words of which every name of a day without a digit has one, the first or the second.
#[rustfmt::skip]
const OF_DAYS: [&str; 50] = [
    "january", "jan", "february", "feb", "march", "april", "apr", "may", "june", "jun",
    "july", "jul", "august", "aug", "september", "sept", "sep", "october", "oct", "november",
    "nov", "december", "dec",
    "monday", "tuesday", "tues", "wednesday", "thursday", "thurs", "friday", "fri", "saturday",
    "sunday",
    "today", "tonight", "yesterday", "tomorrow", "night", "morning", "afternoon", "evening",
    "day", "days", "week", "weeks", "weekend", "month", "months", "year", "years",
];

/// A bit for the first three letters, in any case.
static BEGINS_OF_DAYS: [u64; 1 << 9] = bits_of(&OF_DAYS);

/// The low bits of letters, which are the same in either case.
const fn code(letters: &[u8; 3]) -> usize {
    let [first, second, third] = *letters;
    (first as usize & 31) << 10 | (second as usize & 31) << 5 | third as usize & 31
}

#[expect(
    clippy::indexing_slicing,
    reason = "worked out by the compiler alone, which refuses what lies outside"
)]
const fn bits_of(words: &[&str]) -> [u64; 1 << 9] {
    let (mut bits, mut at) = ([0; 1 << 9], 0);
    while at < words.len() {
        let word = words[at].as_bytes();
        let code = code(&[word[0], word[1], word[2]]);
        bits[code >> 6] |= 1 << (code & 63);
        at += 1;
    }
    bits
}

/// Whether what names a day may begin with this word: cheap, and right where it says no.
fn may_begin(word: &[u8]) -> bool {
    matches!(
        word,
        [b'0'..=b'9', ..]
            | [b'a']
            | [b'a', b'n' | b'p' | b'u', ..]
            | [b'c', b'o', ..]
            | [b'd', b'e', ..]
            | [b'e', b'i', ..]
            | [b'f', b'e' | b'i' | b'o', ..]
            | [b'j', b'a' | b'u', ..]
            | [b'l', b'a', ..]
            | [b'm', b'a', ..]
            | [b'n', b'e' | b'i' | b'o', ..]
            | [b'o', b'c' | b'n', ..]
            | [b's', b'e' | b'i', ..]
            | [b't', b'e' | b'h' | b'o' | b'w', ..]
            | [b'y', b'e', ..]
    )
}

fn before<'a>(words: &'a [Word<'a>], at: usize) -> Option<&'a Word<'a>> {
    words.get(at.checked_sub(1)?)
}

struct Window<'a> {
    words: &'a [Word<'a>],
    before: Option<&'a Word<'a>>,
    today: i32,
}

impl<'a> Window<'a> {
    /// No name of a day has more words.
    const WORDS: usize = 4;

    /// The words from the one at `at`, where a name of a day may begin.
    fn at(at: usize, words: &'a [Word<'a>], today: i32) -> Option<Window<'a>> {
        if !may_begin(words.get(at)?.lower.as_bytes()) {
            return None;
        }
        Some(Window { words: words.get(at..)?, before: before(words, at), today })
    }

    /// The days that the words name first.
    fn days(&self) -> Option<Days> {
        self.iso_date()
            .or_else(|| self.day_and_month())
            .or_else(|| self.month())
            .or_else(|| self.year())
            .or_else(|| self.relative())
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.lower.as_ref())
    }

    fn iso_date(&self) -> Option<Days> {
        let joined = self.words.get(..2)?.iter().all(|word| word.joined);
        let [year, month, day] = [0, 1, 2].map(|at| self.word(at));
        if !joined || year.len() != 4 {
            return None;
        }
        let month = Month::try_from(month.parse::<u8>().ok()?).ok()?;
        let day = day.get(..2).unwrap_or(day).parse().ok()?;
        day_number(year.parse().ok()?, month, day).map(Days::day)
    }

    /// "3 May 2023", "3rd of May", "May 3, 2023", "May 3".
    fn day_and_month(&self) -> Option<Days> {
        let day_first = day_of_month(self.word(0)).and_then(|day| {
            let at = if self.word(1) == "of" { 2 } else { 1 };
            Some((day, month_of(self.word(at))?, at + 1))
        });
        let month_first =
            month_of(self.word(0)).and_then(|month| Some((day_of_month(self.word(1))?, month, 2)));
        let (day, month, next) = day_first.or(month_first)?;
        match year_of(self.word(next)) {
            Some(year) => day_number(year, month, day).map(Days::day),
            None => {
                let day = latest(self.today, |year| day_number(year, month, day))?;
                Some(Days { any_year: true, ..Days::day(day) })
            }
        }
    }

    /// "May 2023"; "May" where it is no verb, nor a person.
    fn month(&self) -> Option<Days> {
        let month = month_of(self.word(0))?;
        let next = month.next();
        if let Some(year) = year_of(self.word(1)) {
            let first = day_number(year, month, 1)?;
            let next_year = if next == Month::January { year + 1 } else { year };
            let last = day_number(next_year, next, 1)? - 1;
            return Some(Days { first, last, any_year: false });
        }
        let introduced = self.before.is_some_and(|word| {
            matches!(
                word.lower.as_ref(),
                "in" | "of"
                    | "last"
                    | "this"
                    | "since"
                    | "during"
                    | "early"
                    | "late"
                    | "mid"
                    | "by"
            )
        });
        if !introduced || !self.words.first()?.capital {
            return None;
        }
        let first = latest(self.today, |year| day_number(year, month, 1))?;
        Some(Days { first, last: first + 30, any_year: true })
    }

    /// "in 2022".
    fn year(&self) -> Option<Days> {
        let year = year_of(self.word(0))?;
        let introduced = self.before.is_some_and(|word| {
            matches!(
                word.lower.as_ref(),
                "in" | "of"
                    | "since"
                    | "during"
                    | "year"
                    | "summer"
                    | "winter"
                    | "spring"
                    | "fall"
                    | "autumn"
            )
        });
        let first = day_number(year, Month::January, 1)?;
        introduced.then_some(Days { first, last: first + 364, any_year: false })
    }

    /// "yesterday", "two weeks ago", "last Friday", "next month".
    fn relative(&self) -> Option<Days> {
        let days = |first: i32, last: i32| {
            let (first, last) = (self.today.saturating_add(first), self.today.saturating_add(last));
            Some(Days { first, last, any_year: false })
        };
        match (self.word(0), self.word(1)) {
            ("today" | "tonight", _) | ("this", "morning" | "afternoon" | "evening") => days(0, 0),
            ("yesterday", _) | ("last", "night") => days(-1, -1),
            ("tomorrow", _) => days(1, 1),
            ("last", "week") => days(-10, -4),
            ("last", "weekend") => days(-8, -1),
            ("last", "month") => days(-45, -15),
            ("last", "year") => days(-500, -230),
            ("this", "week") | ("the", "weekend") => days(-4, 4),
            ("this", "weekend") => days(-2, 6),
            ("this", "month") => days(-15, 15),
            ("next", "week") => days(4, 10),
            ("next", "weekend") => days(3, 10),
            ("next", "month") => days(15, 45),
            ("last", name) => weekday_of(name).and_then(|weekday| {
                let back = (self.weekday() - weekday + 6).rem_euclid(7) + 1;
                days(-back, -back)
            }),
            ("next" | "this", name) => weekday_of(name).and_then(|weekday| {
                let ahead = (weekday - self.weekday() + 6).rem_euclid(7) + 1;
                days(ahead, ahead)
            }),
            (count, unit) => {
                let unit_days = match unit {
                    "day" | "days" => 1,
                    "week" | "weeks" => 7,
                    "month" | "months" => 30,
                    "year" | "years" => 365,
                    _ => return None,
                };
                let count = count_of(count)?;
                let back = i32::saturating_mul(count, unit_days);
                let slack = unit_days / 3;
                (self.word(2) == "ago").then(|| days(-back - slack, -back + slack)).flatten()
            }
        }
    }

    /// The weekday of today, Monday 0; 1970-01-01 was a Thursday.
    fn weekday(&self) -> i32 {
        (self.today + 3).rem_euclid(7)
    }
}

fn day_number(year: i32, month: Month, day: u8) -> Option<i32> {
    let date = Date::from_calendar_date(year, month, day).ok()?;
    Some(date.to_julian_day() - EPOCH_JULIAN)
}

/// The last day of those `day` gives for any year that is not after `today`.
fn latest(today: i32, day: impl Fn(i32) -> Option<i32>) -> Option<i32> {
    let year = Date::from_julian_day(today.saturating_add(EPOCH_JULIAN)).ok()?.year();
    [year, year - 1, year - 4].into_iter().filter_map(day).find(|day| *day <= today)
}

fn year_of(word: &str) -> Option<i32> {
    let digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| digits && (1900..=2100).contains(year))
}

fn day_of_month(word: &str) -> Option<u8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let suffix = word.get(digits.len()..)?;
    let day = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    matches!(suffix, "" | "st" | "nd" | "rd" | "th").then_some(day)
}

fn count_of(word: &str) -> Option<i32> {
    match word {
        "a" | "an" | "one" => Some(1),
        "two" | "couple" => Some(2),
        "three" | "few" => Some(3),
        "four" => Some(4),
        "five" => Some(5),
        "six" => Some(6),
        "seven" => Some(7),
        "eight" => Some(8),
        "nine" => Some(9),
        "ten" => Some(10),
        _ => word.parse().ok().filter(|count| (1..=1_000).contains(count)),
    }
}

pub(crate) fn month_of(word: &str) -> Option<Month> {
    Some(match word {
        "january" | "jan" => Month::January,
        "february" | "feb" => Month::February,
        "march" => Month::March,
        "april" | "apr" => Month::April,
        "may" => Month::May,
        "june" | "jun" => Month::June,
        "july" | "jul" => Month::July,
        "august" | "aug" => Month::August,
        "september" | "sept" | "sep" => Month::September,
        "october" | "oct" => Month::October,
        "november" | "nov" => Month::November,
        "december" | "dec" => Month::December,
        _ => return None,
    })
}

pub(crate) fn weekday_of(word: &str) -> Option<i32> {
    Some(match word {
        "monday" => 0,
        "tuesday" | "tues" => 1,
        "wednesday" => 2,
        "thursday" | "thurs" => 3,
        "friday" | "fri" => 4,
        "saturday" => 5,
        "sunday" => 6,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Wednesday 2023-05-10.
    const TODAY: i32 = 19_487;

    #[test]
    fn days_are_read() {
        let may = |day: i32| TODAY - 10 + day;
        for (text, first, last) in [
            ("on 2023-05-03 at noon", may(3), may(3)),
            ("due 2023-05-03T12:00:00Z", may(3), may(3)),
            ("May 3, 2023", may(3), may(3)),
            ("the 3rd of May, 2023", may(3), may(3)),
            ("3 May", may(3), may(3)),
            ("in May 2023", may(1), may(31)),
            ("early in May", may(1), may(31)),
            ("in 2022", 18_993, 18_993 + 364),
            ("yesterday", may(9), may(9)),
            ("two days ago", may(8), may(8)),
            ("last Friday", may(5), may(5)),
            ("last Wednesday", may(3), may(3)),
            ("next Friday", may(12), may(12)),
        ] {
            let days = Days::named_in(text, TODAY).map(|days| (days.first, days.last));
            assert_eq!(days, Some((first, last)), "{text}");
            assert!(Days::named_in(&text.to_uppercase(), TODAY).is_some(), "{text}");
        }
    }

    #[test]
    fn every_first_word_of_a_day_is_looked_at() {
        for word in "today tonight this yesterday last tomorrow the next a an one two couple \
            three few four five six seven eight nine ten 3 3rd 2023 january jan february feb march \
            mar april apr may june jun july jul august aug september sept sep october oct \
            november nov december dec"
            .split(' ')
        {
            assert!(may_begin(word.as_bytes()), "{word}");
        }
        assert!(!may_begin(b"harbour") && !may_begin(b""));
    }

    #[test]
    fn what_names_no_day_names_none() {
        for text in ["", "it may be", "You may march", "In 20 minutes", "version 2023.5"] {
            assert_eq!(Days::named_in(text, TODAY), None, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_read_to_the_same_word_however_it_is_read() {
        let days = |text: String| Days::named_in(&text, TODAY);
        for before in WORDS_MAX - 9..WORDS_MAX + 3 {
            let text = "harbour ".repeat(before) + "two weeks ago, on May 3, 2023";
            let other = format!("\u{e9} {}", text.replacen("harbour ", "", 1));
            assert_eq!(days(text), days(other), "{before}");
        }
        assert!(days("harbour ".repeat(WORDS_MAX - 1) + "today").is_some());
        assert!(days("harbour ".repeat(WORDS_MAX) + "today").is_none());
    }

    #[test]
    fn a_gap_is_counted_between_runs() {
        let run = |first, last| Days { first, last, any_year: false };
        assert_eq!(run(1, 5).gap(run(8, 9)), 3);
        assert_eq!(run(8, 9).gap(run(1, 5)), 3);
        assert_eq!(run(1, 5).gap(run(5, 9)), 0);
        assert_eq!(Days { any_year: true, ..run(400, 400) }.gap(Days::day(36)), 1);
    }

    /// All that names of days are made of.
    #[rustfmt::skip]
    const WORDS: [&str; 72] = [
        "today", "tonight", "this", "morning", "afternoon", "evening", "yesterday", "last",
        "night", "tomorrow", "week", "weekend", "month", "year", "the", "next", "ago", "days",
        "day", "weeks", "months", "years", "a", "an", "one", "two", "couple", "three", "few",
        "ten", "3", "3rd", "2023", "05", "of", "in", "since", "by", "january", "jan", "february",
        "feb", "march", "mar", "april", "apr", "may", "june", "jun", "july", "jul", "august",
        "aug", "september", "sept", "sep", "october", "oct", "november", "nov", "december", "dec",
        "monday", "tuesday", "tues", "wednesday", "thursday", "thurs", "friday", "fri",
        "saturday", "sunday",
    ];

    /// The days that are named where every word is looked at.
    fn all_read(text: &str) -> Option<Days> {
        let words = super::words(text);
        (0..words.len()).find_map(|at| Window::at(at, &words, TODAY)?.days())
    }

    #[test]
    fn no_two_words_that_name_a_day_are_passed_over() {
        for (first, second) in WORDS.iter().flat_map(|first| WORDS.map(|second| (first, second))) {
            let (head, tail) = second.split_at(1);
            let name = format!("{first} {}{tail}", head.to_uppercase());
            for text in [format!("{first} {second}, ago"), name] {
                assert_eq!(Days::named_in(&text, TODAY), all_read(&text), "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_on_any_day_is_read(text in ".{0,60}", micros in any::<i64>()) {
            let today = day_of(Timestamp(micros));
            if let Some(days) = Days::named_in(&text, today) {
                prop_assert!(days.first <= days.last);
                prop_assert!(days.gap(Days::day(today)) >= 0);
            }
        }

        #[test]
        fn no_text_that_names_a_day_is_passed_over(
            words in prop::collection::vec((prop::sample::select(&WORDS[..]), "[ ,.'_/-]", any::<bool>()), 0..6),
        ) {
            let text: String = words
                .into_iter()
                .map(|(word, then, upper)| {
                    let word = if upper { word.to_uppercase() } else { word.to_owned() };
                    word + &then
                })
                .collect();
            prop_assert_eq!(Days::named_in(&text, TODAY), all_read(&text));
        }
    }
}
