use std::collections::BTreeMap;

use memlith_recall::StaticTable;

/// The marks that a text begins and ends with, and what stands for an unknown word.
const BEGIN: &str = "[CLS]";
const END: &str = "[SEP]";
const UNKNOWN: &str = "[UNK]";

/// The model reads so many pieces, its marks among them; what is past them is not in the
/// vector. Source: `max_seq_length` of the model's `sentence_bert_config.json`.
const PIECES_MAX: usize = 256;

/// The numbers of the pieces, and the marks'.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    ids: BTreeMap<String, u32>,
    begin: u32,
    end: u32,
    unknown: u32,
}

impl Vocabulary {
    /// Reads a vocabulary of a piece a line; `None` where it lacks a mark.
    pub(crate) fn read(text: &str) -> Option<Vocabulary> {
        let ids: BTreeMap<String, u32> =
            (0..).zip(text.lines()).map(|(id, piece)| (piece.to_owned(), id)).collect();
        let mark = |mark: &str| ids.get(mark).copied();
        let (begin, end, unknown) = (mark(BEGIN)?, mark(END)?, mark(UNKNOWN)?);
        Some(Vocabulary { ids, begin, end, unknown })
    }

    /// How many pieces there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The numbers of a text's pieces between the marks; `None` where it has none.
    pub(crate) fn numbers(&self, text: &str) -> Option<Vec<u32>> {
        let mut numbers = vec![self.begin];
        for word in StaticTable::built_in().pieces(text) {
            let known = word.iter().map(|piece| self.ids.get(piece).copied());
            match known.collect::<Option<Vec<u32>>>() {
                Some(pieces) if !pieces.is_empty() => numbers.extend(pieces),
                _ => numbers.push(self.unknown),
            }
            if numbers.len() >= PIECES_MAX {
                break;
            }
        }
        numbers.truncate(PIECES_MAX - 1);
        let says = numbers.len() > 1;
        numbers.push(self.end);
        says.then_some(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_its_pieces_between_the_marks() {
        let vocabulary = Vocabulary::read("[UNK]\n[CLS]\n[SEP]\nem\n##bed\n,\n").unwrap();
        assert_eq!(vocabulary.numbers("Embed, dog \u{1f600}"), Some(vec![1, 3, 4, 5, 0, 0, 2]));
        assert_eq!(vocabulary.numbers(" "), None);
        let long = vocabulary.numbers(&", ".repeat(1_000)).unwrap();
        assert_eq!((long.len(), long.last()), (PIECES_MAX, Some(&2)));
        assert!(Vocabulary::read("[CLS]\n[SEP]\n").is_none());
    }
}
