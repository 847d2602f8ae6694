use crate::quantity::{is_number, is_unit};

/// `text` with its contractions written out, compounds of letters cut at their hyphens, arrows
/// as "changed from ... to", and an article that counts ("after an hour") as a number.
///
/// The words of "billing-service" and of "the billing service" are the same ones then.
pub(super) fn spelled_out(text: &str) -> String {
    let text = text.replace('\u{2019}', "'");
    let text = arrows(&text);
    let mut words: Vec<String> = Vec::new();
    let all: Vec<&str> = text.split_whitespace().collect();
    let mut until = 0;
    for (at, word) in all.iter().enumerate() {
        if at < until {
            continue;
        }
        if let Some((clock, count)) = clock(&all, at) {
            words.push(clock);
            until = at + count;
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| all.get(at)).copied().unwrap_or_default();
        let after = all.get(at + 1).copied().unwrap_or_default();
        if counts(before, word, after) {
            words.push("1".to_owned());
        } else {
            words.push(unhyphened(&written_out(word)));
        }
    }
    ranges(&mut words);
    shared_unit(&mut words);
    words.join(" ")
}

/// "from 30 to 10 seconds" is from 30 seconds.
fn ranges(words: &mut Vec<String>) {
    let number = |word: Option<&String>| {
        word.is_some_and(|word| {
            let digits = word.trim_end_matches('.');
            is_number(digits)
                || !digits.is_empty()
                    && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.'))
        })
    };
    let is = |word: Option<&String>, texts: &[&str]| {
        word.is_some_and(|word| texts.contains(&word.to_lowercase().as_str()))
    };
    for at in 0..words.len() {
        let range = is(words.get(at), &["from"])
            && number(words.get(at + 1))
            && is(words.get(at + 2), &["to"])
            && number(words.get(at + 3));
        let unit = words
            .get(at + 4)
            .map(|unit| unit.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned());
        if let Some(unit) = unit.filter(|unit| range && is_unit(unit)) {
            words.insert(at + 2, unit);
        }
    }
}

/// "90 days instead of 30" is instead of 30 days.
fn shared_unit(words: &mut Vec<String>) {
    let Some((last, before)) = words.split_last() else { return };
    let digits = last.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_count = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let link = LINKS.iter().find(|link| before.ends_with(&link.map(str::to_owned)[..]));
    let short = SHORT_LINKS.iter().find(|link| before.last().is_some_and(|word| word == **link));
    let skipped = if link.is_some() { 2 } else { usize::from(short.is_some()) };
    let rest = before.get(..before.len() - skipped).unwrap_or_default();
    let [.., count, unit] = rest else { return };
    if skipped == 0 || !is_count(digits) || !is_count(count) || !is_unit(unit) {
        return;
    }
    let (digits, sign, unit) = (digits.to_owned(), last.replace(digits, ""), unit.clone());
    words.pop();
    words.extend([digits, format!("{unit}{sign}")]);
}

/// Words between two numbers of one unit.
const LINKS: [[&str; 2]; 4] =
    [["instead", "of"], ["rather", "than"], ["up", "from"], ["down", "from"]];

const SHORT_LINKS: [&str; 3] = ["from", "to", "not"];

/// "half past eight", "eight o'clock", and the hour behind "at", as the digits of a clock.
fn clock(words: &[&str], at: usize) -> Option<(String, usize)> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default().to_lowercase();
    let (first, second) = (word(at), word(at + 1));
    let sign = |word: &str| -> String {
        word.chars().skip_while(|c| c.is_alphanumeric() || *c == '\'').collect()
    };
    if matches!(first.as_str(), "half" | "quarter") && matches!(second.as_str(), "past" | "to") {
        let hour = hour(&word(at + 2))?;
        let (hour, minutes) = match (first.as_str(), second.as_str()) {
            ("half", _) => (hour, 30),
            (_, "past") => (hour, 15),
            (_, _) => (hour.checked_sub(1)?, 45),
        };
        return Some((format!("{hour}:{minutes}{}", sign(&word(at + 2))), 3));
    }
    if second.starts_with("o'clock") {
        return Some((format!("{}:00{}", hour(&first)?, sign(&second)), 2));
    }
    let before = at.checked_sub(1).map(word).unwrap_or_default();
    let unit = second.trim_end_matches(|c: char| !c.is_alphanumeric());
    let halved = matches!(unit, "am" | "pm" | "a.m" | "p.m" | "percent") || is_unit(unit);
    let ends = !first.ends_with(char::is_alphanumeric);
    let alone = ends || second.is_empty() || CLOCK_ENDS.contains(&unit);
    (before == "at" && alone && !halved)
        .then(|| hour(&first).map(|hour| (format!("{hour}:00{}", sign(&first)), 1)))?
}

/// The hour that a word names.
fn hour(word: &str) -> Option<u32> {
    let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let named = HOURS.iter().position(|name| *name == bare);
    let hour = match named.and_then(|at| u32::try_from(at + 1).ok()) {
        Some(hour) => hour,
        None => bare.parse().ok()?,
    };
    (1..=24).contains(&hour).then_some(hour % 24)
}

const HOURS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// Words behind an hour that go on without it.
const CLOCK_ENDS: &[&str] =
    &["on", "in", "now", "instead", "from", "every", "because", "and", "to", "for", "not", "since"];

/// "Heap: 4 GB -> 6 GB" says that it changed.
fn arrows(text: &str) -> String {
    let text = text.replace('\u{2192}', "->").replace("=>", "->");
    let Some((before, after)) = text.split_once("->") else { return text };
    match before.split_once(": ") {
        Some((topic, value)) => format!("{topic} changed from {value} to {after}"),
        None => format!("{before} to {after}"),
    }
}

/// Whether an article in front of a unit is the number one, and not "per".
fn counts(before: &str, word: &str, after: &str) -> bool {
    let unit = after.trim_end_matches(|c: char| !c.is_alphanumeric());
    let article = matches!(word, "a" | "an" | "one");
    let nouns = word == "one" && !after.is_empty() && !matches!(after, "of" | "to" | "in" | "that");
    article && UNITS.contains(&unit) && BEFORE_COUNTS.contains(&before)
        || nouns && !matches!(before, "the" | "this" | "that")
}

/// A word without its contraction; the sign behind it stays.
fn written_out(word: &str) -> String {
    let end = word.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
    let (bare, sign) = word.split_at_checked(end).unwrap_or((word, ""));
    let lower = bare.to_lowercase();
    if let Some((_, long)) = IRREGULAR.iter().find(|(short, _)| *short == lower) {
        return format!("{long}{sign}");
    }
    for (ending, long) in ENDINGS {
        if lower.len() > ending.len() && lower.ends_with(ending) {
            let stem = bare.get(..bare.len() - ending.len()).unwrap_or(bare);
            return format!("{stem} {long}{sign}");
        }
    }
    word.to_owned()
}

fn unhyphened(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let is_cut = |at: usize| {
        let letter = |at: Option<usize>| {
            at.and_then(|at| letters.get(at)).is_some_and(|letter| letter.is_alphabetic())
        };
        letters.get(at) == Some(&'-') && letter(at.checked_sub(1)) && letter(at.checked_add(1))
    };
    let cut = |(at, letter): (usize, &char)| if is_cut(at) { ' ' } else { *letter };
    if letters.iter().any(char::is_ascii_digit) {
        return word.to_owned();
    }
    letters.iter().enumerate().map(cut).collect()
}

/// Contractions that no ending explains.
const IRREGULAR: &[(&str, &str)] = &[
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("it's", "it is"),
    ("he's", "he is"),
    ("she's", "she is"),
    ("that's", "that is"),
    ("there's", "there is"),
    ("who's", "who is"),
    ("here's", "here is"),
    ("what's", "what is"),
    ("let's", "let us"),
    ("anymore", "any more"),
];

/// Endings of contractions.
const ENDINGS: &[(&str, &str)] = &[
    ("n't", "not"),
    ("'ve", "have"),
    ("'re", "are"),
    ("'m", "am"),
    ("'ll", "will"),
    ("'d", "would"),
];

/// Units that an article counts.
const UNITS: &[&str] = &["hour", "minute", "day", "week", "month", "year", "second"];

/// Words behind which it does.
const BEFORE_COUNTS: &[&str] =
    &["after", "in", "for", "within", "to", "than", "is", "lasts", "takes", "by", "of"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_written_out() {
        for (text, expected) in [
            ("It's Zed's mail-relay, isn't it?", "it is Zed's mail relay, is not it?"),
            ("Seats: 4 -> 6", "Seats changed from 4 to 6"),
            ("lasts an hour", "lasts 1 hour"),
            ("ten calls an hour", "ten calls an hour"),
            ("2026-11-23", "2026-11-23"),
        ] {
            assert_eq!(spelled_out(text), expected);
        }
    }
}
