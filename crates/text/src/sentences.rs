use std::ops::Range;

/// Returns where the sentences of `text` stand, in bytes, in order, without the blanks around them.
///
/// A sentence ends with its line, and behind a stop that a blank follows, also where a small letter
/// comes next, as people type; not behind an abbreviation. `16.1`, `v1.2.0`, `e.g.` and paths stay
/// whole. Cost: linear.
///
/// ```
/// use memlith_text::sentences;
///
/// let text = "Ask Dr. Fenn. Staging runs 16.1, e.g. here.";
/// let all: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(all, ["Ask Dr. Fenn.", "Staging runs 16.1, e.g. here."]);
/// ```
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        let rest = text.get(end..).unwrap_or_default();
        let ends = match letter {
            '\n' | '\u{3002}' | '\u{ff01}' | '\u{ff1f}' => true,
            '.' | '!' | '?' => {
                rest.chars().next().is_none_or(char::is_whitespace)
                    && !is_abbreviated(text.get(from..at).unwrap_or_default())
            }
            _ => false,
        };
        if ends {
            found.extend(trimmed(text, from..end));
            from = end;
        }
    }
    found.extend(trimmed(text, from..text.len()));
    found
}

fn trimmed(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let sentence = text.get(at.clone())?;
    let start = at.start + (sentence.len() - sentence.trim_start().len());
    let end = start + sentence.trim().len();
    (start < end).then_some(start..end)
}

/// Whether a stop behind a text only shortens its last word.
fn is_abbreviated(text: &str) -> bool {
    let last = text.rsplit([' ', '(']).next().unwrap_or_default();
    ABBREVIATIONS.contains(&last)
}

/// Words that are shortened by a stop.
const ABBREVIATIONS: [&str; 12] =
    ["e.g", "i.e", "etc", "vs", "Mr", "Mrs", "Ms", "Dr", "St", "No", "approx", "Prof"];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        sentences(text).into_iter().filter_map(|range| text.get(range)).collect()
    }

    #[test]
    fn a_stop_inside_a_value_ends_nothing() {
        for (text, expected) in [
            ("Runs 16.1, not 15.2. Ask Ana!", vec!["Runs 16.1, not 15.2.", "Ask Ana!"]),
            ("Use v1.2.0 of /a/b.c here. OK?", vec!["Use v1.2.0 of /a/b.c here.", "OK?"]),
            ("Mr. Fenn came\nand left", vec!["Mr. Fenn came", "and left"]),
            (
                "\u{6771}\u{4eac}\u{3002}\u{5927}\u{962a}",
                vec!["\u{6771}\u{4eac}\u{3002}", "\u{5927}\u{962a}"],
            ),
            (" a, b; c: d\t(e) ", vec!["a, b; c: d\t(e)"]),
            ("\n\n", vec![]),
        ] {
            assert_eq!(of(text), expected, "{text:?}");
        }
    }
}
