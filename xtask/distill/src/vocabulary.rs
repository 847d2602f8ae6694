use anyhow::{Context, ensure};

/// Mark of a piece that goes on a word.
const GOES_ON: &str = "##";

/// A piece of a word that gets a vector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Piece {
    /// Whether it goes on a word, instead of beginning one.
    pub(crate) goes_on: bool,
    /// Its letters, without the mark that it goes on.
    pub(crate) text: String,
    /// Its number in the model's vocabulary.
    pub(crate) id: usize,
}

/// The pieces of the model's vocabulary that stand for text, those that begin a word first,
/// each kind in the order of its bytes.
pub(crate) struct Vocabulary {
    pieces: Vec<Piece>,
}

impl Vocabulary {
    /// Reads a vocabulary of a piece a line; of `limit`, the most frequent so many.
    ///
    /// The model's marks and the places that its vocabulary left free get no vector.
    ///
    /// # Errors
    /// It is not the vocabulary that the weights belong to.
    pub(crate) fn read(text: &str, limit: Option<usize>) -> anyhow::Result<Vocabulary> {
        let lines: Vec<&str> = text.lines().collect();
        ensure!(lines.len() == 30_522, "{} pieces, not 30522", lines.len());
        for (id, mark) in [(101, "[CLS]"), (102, "[SEP]"), (1_996, "the")] {
            let there = lines.get(id).context("a short vocabulary")?;
            ensure!(*there == mark, "piece {id} is {there}, not {mark}");
        }
        let limit = limit.unwrap_or(lines.len());
        let of_text = lines.iter().enumerate().filter(|(_, line)| !is_mark(line));
        let mut pieces: Vec<Piece> = of_text
            .map(|(id, line)| match line.strip_prefix(GOES_ON) {
                Some(text) if !text.is_empty() => {
                    Piece { goes_on: true, text: text.to_owned(), id }
                }
                _ => Piece { goes_on: false, text: (*line).to_owned(), id },
            })
            .collect();
        // A quick look wants words, which follow the single characters.
        pieces.sort_by_key(|piece| (piece.id < 1_996, piece.id));
        pieces.truncate(limit);
        pieces.sort();
        Ok(Vocabulary { pieces })
    }

    /// The pieces, in order.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }
}

/// Whether a line is one of the model's marks, such as `[CLS]` or `[unused7]`.
fn is_mark(line: &str) -> bool {
    line.len() > 2 && line.starts_with('[') && line.ends_with(']')
}
