//! Whether the words of a model's reply stand on the turns that it cites.

use memlith_text::snowball;

use crate::sentences::sentences;

/// Whether `text` has an identifier, a name or a quantity that stands in none of the turns.
pub(crate) fn has_invented(text: &str, evidence: &[String]) -> bool {
    let is_said = |name: &str, text: &String| {
        // A name that begins the text has a capital that it may not have elsewhere.
        stands_in(name, text) || stands_in(&name.to_lowercase(), &text.to_lowercase())
    };
    let is_missing = |name: &str| !evidence.iter().any(|text| is_said(name, text));
    let is_other = |name: &str| !evidence.iter().any(|text| stands_in(name, text));
    let first = words(text).next().unwrap_or_default();
    let mut identifiers = identifiers(text);
    identifiers.any(|name| if name == first { is_missing(name) } else { is_other(name) })
        || names(text).any(is_missing)
        || quantities(text).any(|(number, unit)| !has_quantity(number, unit, evidence))
}

/// Whether a statement begins with a name that stands in none of the turns: "Kim runs staging".
pub(crate) fn begins_with_an_invented_name(text: &str, evidence: &[String]) -> bool {
    let Some(first) = words(text).next().filter(|word| is_capital(word)) else { return false };
    let lower = first.to_lowercase();
    let stem = snowball(&lower);
    let has = |text: &String| words(text).any(|word| snowball(&word.to_lowercase()) == stem);
    !OPENERS.contains(&lower.as_str()) && !evidence.iter().any(has)
}

/// Whether a statement denies what the sentence says that it has most words in common with, or says
/// what that denies.
pub(crate) fn turns_round(text: &str, evidence: &[String]) -> bool {
    let stems = |text: &str| -> Vec<String> {
        words(text).map(|word| snowball(&word.to_lowercase())).collect()
    };
    let own = stems(text);
    let said = evidence.iter().flat_map(|turn| sentences(turn));
    let shared = |said: &str| stems(said).iter().filter(|stem| own.contains(stem)).count();
    let closest = said.map(|one| (shared(one.text), one.text)).max_by_key(|(shared, _)| *shared);
    closest.is_some_and(|(shared, said)| shared > 1 && is_denial(said) != is_denial(text))
}

/// Words that a statement may begin with and that the turns need not have.
const OPENERS: [&str; 31] = [
    "the", "a", "an", "this", "that", "these", "it", "its", "they", "their", "he", "she", "his",
    "her", "we", "our", "i", "my", "user", "prefers", "likes", "dislikes", "wants", "uses",
    "works", "lives", "needs", "always", "never", "do", "no",
];

/// Words that deny.
const DENIALS: [&str; 14] = [
    "not", "never", "no", "none", "nobody", "nothing", "neither", "without", "cannot", "nicht",
    "nie", "kein", "keine", "stop",
];

fn is_denial(text: &str) -> bool {
    words(text).any(|word| {
        let lower = word.to_lowercase().replace('\u{2019}', "'");
        lower.ends_with("n't") || DENIALS.contains(&lower.as_str())
    })
}

/// The words of a text, with the apostrophes inside.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}' | '_' | '-');
    let words = text.split(move |c| !is_inside(c));
    let trimmed = |word: &str| -> bool { word.contains(char::is_alphanumeric) };
    words.map(|word| word.trim_matches(['\'', '-'])).filter(move |word| trimmed(word))
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

/// The words with a capital that begin no sentence.
fn names(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).into_iter().flat_map(|one| {
        let behind = words(one.text).skip(1);
        behind.filter(|word| is_capital(word) && *word != "I" && !word.starts_with("I'"))
    })
}

/// Numbers, each with the word behind it.
fn quantities(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let pairs = words(text).zip(words(text).skip(1));
    pairs.filter(move |(number, unit)| is_number(number) && !is_number(unit))
}

/// Whether a turn has the number, and somewhere the word behind it or nothing like a unit.
fn has_quantity(number: &str, unit: &str, evidence: &[String]) -> bool {
    let stem = snowball(&unit.to_lowercase());
    evidence.iter().any(|text| {
        let behind = quantities(text).filter(|(other, _)| *other == number);
        let mut units = behind.map(|(_, unit)| snowball(&unit.to_lowercase())).peekable();
        let is_small = |unit: &String| unit.len() < 3;
        units.peek().is_none()
            || units.any(|unit| unit == stem || is_small(&unit))
            || is_small(&stem)
    })
}

/// The words of a text that must be copied and not made: with a digit, a path, a joint or a
/// capital inside, long hexadecimal ones, and what stands between back quotes.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_made = |word: &str| {
        let mut inside = word.chars().skip(1);
        let is_hex = word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        word.chars().any(|c| c.is_ascii_digit() || matches!(c, '/' | '_' | '\\' | '@'))
            || word.contains("::")
            || inside.any(|c| c.is_ascii_uppercase() || c == '.')
            || is_hex
    };
    let quoted = text.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
    let trimmed = |word| str::trim_matches(word, |c: char| !c.is_alphanumeric() && c != '/');
    let plain = text.split_whitespace().map(trimmed).filter(move |word| is_made(word));
    plain.chain(quoted.map(trimmed)).filter(|word| !word.is_empty())
}

/// Whether `name` stands in `text` as a whole: 844 is not in 8443, nor is 15 in 15.3.
pub(crate) fn stands_in(name: &str, text: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let mut before = text.get(..at).unwrap_or_default().chars().rev();
        let mut after = text.get(at + name.len()..).unwrap_or_default().chars();
        let (near, far) = (before.next(), before.next());
        let (next, second) = (after.next(), after.next());
        let is_number = |dot: Option<char>, digit: Option<char>| {
            dot == Some('.') && digit.is_some_and(|c| c.is_ascii_digit())
        };
        let begins = near.is_none_or(|c| !is_inner(c)) && !is_number(near, far);
        let ends = next.is_none_or(|c| !is_inner(c)) && !is_number(next, second);
        begins && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_turns_do_not_say_is_invented() {
        for (text, turn, expected) in [
            ("The user lives in Oslo", "I live in Troms\u{f8}", true),
            ("The user lives in Troms\u{f8}", "I live in Troms\u{f8}", false),
            ("Kim runs staging1", "Marta runs it, staging1 I mean", true),
            ("Marta runs staging1", "Marta runs it, staging1 I mean", false),
            ("Billing uses Postgres 15 and Kafka", "billing is on Postgres 15", true),
            ("Logs are kept 30 weeks", "we keep logs for 30 days", true),
            ("Logs are kept 30 days", "we keep logs for 30 days", false),
            ("The launch is on 4 July", "we launch on 4 June", true),
            ("The database was not moved", "The database was moved", true),
            ("Use npm", "Never use npm", true),
            ("Never uses npm", "I never use npm", false),
            ("Staging1 is the staging host", "Our staging host is staging1", false),
            ("Prefers pnpm", "I like pnpm more", false),
            ("Deployments run on Fridays", "we deploy on Fridays", false),
        ] {
            let evidence = [turn.to_owned()];
            let found = has_invented(text, &evidence)
                || begins_with_an_invented_name(text, &evidence)
                || turns_round(text, &evidence);
            assert_eq!(found, expected, "{text} | {turn}");
        }
    }
}
