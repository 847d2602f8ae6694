use unicode_normalization::UnicodeNormalization;

use super::characters::{is_accent, is_dropped, is_ideograph, is_sign};
use super::table::Table;

/// So much of a text is read, in bytes; what is past that is not in its vector.
pub(crate) const TEXT_LEN_MAX: usize = 65_536;

/// A longer word is unknown, in characters. Source: the model's tokenizer.
const WORD_CHARS_MAX: usize = 100;

/// Takes texts apart into the pieces of a vocabulary, as the model's own tokenizer does:
/// without case and accents, a sign and an ideograph a word, of each word the longest
/// piece that fits, then the longest that goes on. A word that does not end with a piece is
/// unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordPieces<'a> {
    table: &'a Table<'a>,
}

impl<'a> WordPieces<'a> {
    pub(crate) fn new(table: &'a Table<'a>) -> WordPieces<'a> {
        WordPieces { table }
    }

    /// Calls `found` with each word in turn, in lower case and without accents, and the indices
    /// of its pieces; none for an unknown word. Cost: linear in the text, some 200 nanoseconds
    /// a word.
    pub(crate) fn each(&self, text: &str, found: &mut dyn FnMut(&str, &[usize])) {
        let text = text.get(..text.floor_char_boundary(TEXT_LEN_MAX)).unwrap_or_default();
        let mut words = Words { pieces: self, word: String::new(), indices: Vec::new(), found };
        if text.is_ascii() {
            for byte in text.bytes() {
                if !is_dropped_ascii(byte) {
                    words.take(char::from(byte.to_ascii_lowercase()));
                }
            }
        } else {
            let kept = text.chars().filter(|char| !is_dropped(*char));
            let apart = kept.flat_map(|char| {
                let blank = is_ideograph(char).then_some(' ');
                blank.into_iter().chain([char]).chain(blank)
            });
            let bare = apart.nfd().filter(|char| !is_accent(*char));
            bare.flat_map(char::to_lowercase).for_each(|char| words.take(char));
        }
        words.end();
    }

    /// Puts the pieces of one word into `indices`; leaves it empty where the word is unknown.
    fn pieces_of(&self, word: &str, indices: &mut Vec<usize>) {
        indices.clear();
        if word.len() > WORD_CHARS_MAX && word.chars().count() > WORD_CHARS_MAX {
            return;
        }
        let mut rest = word.as_bytes();
        while !rest.is_empty() {
            let longest = rest.len().min(self.table.longest());
            // A piece is UTF-8, so that one which fits ends where a character does.
            let piece = (1..=longest).rev().find_map(|len| {
                let index = self.table.find(!indices.is_empty(), rest.get(..len)?)?;
                Some((index, len))
            });
            let Some((index, len)) = piece else {
                indices.clear();
                return;
            };
            indices.push(index);
            rest = rest.get(len..).unwrap_or_default();
        }
    }
}

/// The words of a text, as they end.
struct Words<'a, 'b> {
    pieces: &'b WordPieces<'a>,
    word: String,
    indices: Vec<usize>,
    found: &'b mut dyn FnMut(&str, &[usize]),
}

impl Words<'_, '_> {
    fn take(&mut self, char: char) {
        if char.is_whitespace() {
            self.end();
        } else if is_sign(char) {
            self.end();
            self.word.push(char);
            self.end();
        } else {
            self.word.push(char);
        }
    }

    fn end(&mut self) {
        if !self.word.is_empty() {
            self.pieces.pieces_of(&self.word, &mut self.indices);
            (self.found)(&self.word, &self.indices);
            self.word.clear();
        }
    }
}

fn is_dropped_ascii(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests;
