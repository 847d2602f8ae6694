use std::ops::Range;

/// A part of a prompt without the words between quotation marks, where they are six or more.
pub(crate) fn without_quotations(prompt: &str, place: Range<usize>) -> Vec<Range<usize>> {
    let text = prompt.get(place.clone()).unwrap_or_default();
    let (mut own, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let opens = before.is_none_or(|before| !before.is_alphanumeric());
        match quotation(text, at, letter).filter(|_| opens) {
            Some(end) => {
                own.push(place.start + from..place.start + at);
                (from, at) = (end, end);
            }
            None => at += letter.len_utf8(),
        }
    }
    own.push(place.start + from..place.end);
    own.retain(|part| !part.is_empty());
    own
}

/// A longer quotation, in bytes, is none.
const QUOTATION_MAX: usize = 8_192;

/// Where a quotation of six words or more ends that the mark at `at` opens.
fn quotation(text: &str, at: usize, mark: char) -> Option<usize> {
    const MARKS: [(char, &[char]); 6] = [
        ('"', &['"']),
        ('\'', &['\'']),
        ('\u{2018}', &['\u{2019}']),
        ('\u{201c}', &['\u{201d}']),
        ('\u{201e}', &['\u{201c}', '\u{201d}']),
        ('\u{ab}', &['\u{bb}']),
    ];
    let (_, closing) = MARKS.iter().find(|(open, _)| *open == mark)?;
    let begin = at + mark.len_utf8();
    let rest = text.get(begin..)?;
    let rest = rest.get(..rest.floor_char_boundary(QUOTATION_MAX))?;
    // An apostrophe stands within a word.
    let ends = |(_, close): &(usize, &str), rest: &str, at: usize| {
        let behind = rest.get(at + close.len()..).and_then(|rest| rest.chars().next());
        behind.is_none_or(|behind| !behind.is_alphanumeric())
    };
    let close = rest.match_indices(*closing).find(|found| ends(found, rest, found.0))?;
    let inside = rest.get(..close.0)?;
    inside.split_whitespace().nth(5)?;
    Some(begin + close.0 + close.1.len())
}
