use std::ops::Range;

/// Whether a byte can stand in a token or a name: ASCII letters, digits, `_`, `-`, `.`.
pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The byte at `at`.
pub(crate) fn byte(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(at).copied()
}

/// The first position from `at` on whose byte is not `accepted`, or the text's end.
pub(crate) fn skip(text: &str, at: usize, accepted: impl Fn(u8) -> bool) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    rest.iter().position(|&byte| !accepted(byte)).map_or(text.len(), |len| at + len)
}

/// The word around the range `hit`, not reaching back over `floor`.
///
/// Dashes and dots at its end do not belong to it; nor does the end of an escape
/// (`\n`, `\u0022`, `%3D`) at its start, which a secret inside an encoded string
/// directly follows.
pub(crate) fn around(text: &str, floor: usize, hit: Range<usize>) -> Range<usize> {
    let before = text.as_bytes().get(floor..hit.start).unwrap_or_default();
    let back = before.iter().rev().take_while(|&&byte| is_word_byte(byte)).count();
    let mut start = hit.start - back;
    start += escape_len(text, floor, start).min(back);

    let rest = text.as_bytes().get(hit.end..).unwrap_or_default();
    let mut dashes = 0;
    let ahead = rest.iter().take_while(|&&byte| {
        dashes = if byte == b'-' { dashes + 1 } else { 0 };
        // Five dashes open or close a PEM block, which is a matter of its own.
        is_word_byte(byte) && dashes < 5
    });
    let end = hit.end + ahead.count();
    let word = text.get(start..end).unwrap_or_default();
    let end = start + word.trim_end_matches(['-', '.']).len();
    start..end.max(hit.end)
}

/// How many of the bytes at `start` belong to an escape that begins just before it.
fn escape_len(text: &str, floor: usize, start: usize) -> usize {
    let Some(previous) = start.checked_sub(1).filter(|&at| at >= floor) else { return 0 };
    let hex = |count: usize| {
        let digits = text.as_bytes().get(start..start + count);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match (byte(text, previous), byte(text, start)) {
        (Some(b'\\'), Some(b'n' | b'r' | b't' | b'b' | b'f')) => 1,
        (Some(b'\\'), Some(b'u')) => 5,
        (Some(b'%'), Some(_)) if hex(2) => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_tokens_do() {
        for (text, hit, word) in [
            ("say token now", "token", "token"),
            ("a.b-token_c. Next", "token", "a.b-token_c"),
            (r"\ntoken", "token", "token"),
            (r"x\u0022token", "token", "token"),
            ("a%3Dtoken", "token", "token"),
            ("átoken--", "token", "token"),
            ("token-----BEGIN", "token", "token"),
            (r"\netoken", "token", "etoken"),
        ] {
            let start = text.find(hit).unwrap();
            let range = around(text, 0, start..start + hit.len());
            assert_eq!(&text[range], word, "{text}");
        }
    }

    #[test]
    fn a_word_does_not_reach_back_over_the_floor() {
        assert_eq!(around("abctoken", 2, 3..8), 2..8);
    }
}
