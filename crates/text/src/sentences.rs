use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Returns where the sentences of `text` stand, in bytes, in order, without the blanks around them.
///
/// By the rules of UAX #29, but that a sentence ends with its line at the latest and that a stop
/// behind an abbreviation ends none. `16.1`, `v1.2.0`, `e.g.` and paths stay whole.
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
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let first_of_line = found.len();
        // Those rules take hundreds of steps a letter, and records of tools have no sentences.
        let may_end = |byte: u8| matches!(byte, b'.' | b'?' | b'!' | b'\r' | 0x80..);
        if line.bytes().any(may_end) {
            for (at, one) in line.split_sentence_bound_indices() {
                let Some(range) = trimmed(start + at, one) else { continue };
                let before = found.len().checked_sub(1).filter(|last| *last >= first_of_line);
                let before = before.and_then(|last| found.get_mut(last));
                match before {
                    Some(last) if is_abbreviated(text.get(last.clone()).unwrap_or_default()) => {
                        last.end = range.end;
                    }
                    Some(_) | None => found.push(range),
                }
            }
        } else {
            found.extend(trimmed(start, line));
        }
        start += line.len();
    }
    found
}

fn trimmed(at: usize, sentence: &str) -> Option<Range<usize>> {
    let start = at + (sentence.len() - sentence.trim_start().len());
    let end = start + sentence.trim().len();
    (start < end).then_some(start..end)
}

/// Whether the stop at the end of a text only shortens its last word.
fn is_abbreviated(text: &str) -> bool {
    let Some(text) = text.strip_suffix('.') else { return false };
    let last = text.rsplit([' ', '(']).next().unwrap_or_default();
    ABBREVIATIONS.contains(&last)
}

/// Words that are always followed by what they belong to.
const ABBREVIATIONS: [&str; 9] = ["e.g", "i.e", "vs", "Mr", "Mrs", "Ms", "Dr", "St", "approx"];

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
