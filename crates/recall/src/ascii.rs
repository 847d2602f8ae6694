//! What a character of ASCII is, by one look into a table: every byte of every text is asked.

/// A letter or a digit.
pub(crate) const WORD: u8 = 1;

/// White space, as Unicode has it.
pub(crate) const BLANK: u8 = 2;

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
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => WORD,
            b'\t'..=b'\r' | b' ' => BLANK,
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
        }
    }
}
