//! Kinds of ASCII characters, by one look into a table: every byte of every text is asked.

/// A letter or a digit.
pub(crate) const WORD: u8 = 1;

/// White space, as Unicode has it.
pub(crate) const BLANK: u8 = 2;

/// A small letter.
pub(crate) const SMALL: u8 = 4;

/// A character that may continue a word of letters: a letter, a digit, the low line, and a sign
/// between two letters of one word. Source: UAX #29, table 3.
pub(crate) const LETTERS_GO_ON: u8 = 8;

/// A character that joins two words to one identifier or path.
pub(crate) const CONNECTOR: u8 = 16;

static KINDS: [u8; 256] = kinds();

/// Whether the byte is of the kind. Others than ASCII are of none.
pub(crate) fn is(kind: u8, byte: u8) -> bool {
    KINDS.get(usize::from(byte)).is_some_and(|kinds| kinds & kind != 0)
}

#[expect(
    clippy::indexing_slicing,
    reason = "worked out by the compiler alone, which refuses what lies outside"
)]
const fn kinds() -> [u8; 256] {
    let (mut kinds, mut byte) = ([0; 256], 0);
    while byte < 128_u8 {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' => WORD | SMALL | LETTERS_GO_ON,
            b'0'..=b'9' | b'A'..=b'Z' => WORD | LETTERS_GO_ON,
            b'\t'..=b'\r' | b' ' => BLANK,
            b'_' | b'.' | b':' => LETTERS_GO_ON | CONNECTOR,
            b'\'' => LETTERS_GO_ON,
            b'/' | b'\\' | b'-' | b'@' | b'#' => CONNECTOR,
            _ => 0,
        };
        byte += 1;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_what_unicode_says_of_it() {
        for byte in 0..=u8::MAX {
            let character = char::from(byte);
            let ascii = character.is_ascii();
            assert_eq!(is(WORD, byte), ascii && character.is_alphanumeric(), "{byte}");
            assert_eq!(is(BLANK, byte), ascii && character.is_whitespace(), "{byte}");
            assert_eq!(is(SMALL, byte), byte.is_ascii_lowercase(), "{byte}");
            assert!(!is(WORD, byte) || is(LETTERS_GO_ON, byte), "{byte}");
        }
    }
}
