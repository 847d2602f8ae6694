/// The words by which a speaker means themselves alone.
const OWN: [&str; 9] = ["i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself"];

/// Whether a text speaks of its own speaker: two people who say it say two things.
///
/// English alone. Cost: linear in the text.
///
/// ```
/// use memlith_text::is_first_person;
///
/// assert!(is_first_person("I live in Oslo, with my cat."));
/// assert!(!is_first_person("We moved the I/O tests to the nightly build."));
/// ```
#[must_use]
pub fn is_first_person(text: &str) -> bool {
    // Every write asks this of many texts: only a letter that begins one of ours is looked at.
    text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'i' | b'I' | b'm' | b'M')).any(
        |(at, _)| {
            let (before, word) = text.split_at_checked(at).unwrap_or_default();
            let outside = before.chars().rev().take_while(|letter| !letter.is_whitespace());
            let word = word.split(char::is_whitespace).next().unwrap_or_default();
            outside.into_iter().all(is_outside)
                && OWN.iter().any(|own| is_same(word.trim_end_matches(is_outside), own))
        },
    )
}

fn is_outside(letter: char) -> bool {
    !letter.is_alphanumeric()
}

/// Whether a word is one of ours, in any case and with either apostrophe.
fn is_same(word: &str, own: &str) -> bool {
    let plain = word.chars().map(|letter| if letter == '\u{2019}' { '\'' } else { letter });
    plain.map(|letter| letter.to_ascii_lowercase()).eq(own.chars())
}
