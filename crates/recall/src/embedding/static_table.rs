use super::embedder::{EmbedError, Embedder};
use super::model::ModelId;
use super::table::Table;
use super::vector::Vector;
use super::word_pieces::WordPieces;

/// The built-in table, in the program file: pages of it are read when a piece is looked up.
static BYTES: &[u8] = include_bytes!("../../table/minilm-256.bin");

/// Its header is checked when the program is compiled.
static BUILT_IN: StaticTable<'static> = StaticTable {
    table: match Table::open(BYTES) {
        Ok(table) => table,
        Err(_) => panic!("the built-in table of vectors is damaged"),
    },
};

/// Number of rows summed in 32 bits before the sums are moved to 64: a row's part is less
/// than 2^23.
const ROWS_TOGETHER: usize = 128;

/// A model that is a table: a text's vector is the sum of its pieces' rows, frequent pieces
/// counting little.
///
/// Pure: the same text has the same vector for ever under one [`ModelId`], so that nothing of
/// it is written down.
#[derive(Clone, Copy, Debug)]
pub struct StaticTable<'a> {
    table: Table<'a>,
}

impl StaticTable<'static> {
    /// The table that is part of the program.
    ///
    /// Its rows are MiniLM's view of each of 29,523 pieces alone, at 256 dimensions;
    /// `crates/recall/table/NOTICE` says of whom, ADR/0022 why.
    #[must_use]
    pub fn built_in() -> &'static StaticTable<'static> {
        &BUILT_IN
    }
}

impl<'a> StaticTable<'a> {
    /// A model of `table`.
    #[must_use]
    pub fn new(table: Table<'a>) -> StaticTable<'a> {
        StaticTable { table }
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Table<'a> {
        &self.table
    }

    /// The pieces of each word of a text, as the model's vocabulary writes them: `##` goes on a
    /// word; none for a word that the table does not know.
    #[must_use]
    pub fn pieces(&self, text: &str) -> Vec<Vec<String>> {
        let mut words = Vec::new();
        WordPieces::new(&self.table).each(text, &mut |_, pieces| {
            let pieces = pieces.iter().filter_map(|piece| self.table.piece(*piece));
            let written = |(goes_on, text)| format!("{}{text}", if goes_on { "##" } else { "" });
            words.push(pieces.map(written).collect());
        });
        words
    }

    /// The vector of a text; `None` where it has no letter or digit that the table knows.
    ///
    /// Of a text past 64 KiB the first 64 KiB. Cost: some 15 microseconds a turn of a
    /// dialogue.
    #[must_use]
    pub fn vector(&self, text: &str) -> Option<Vector> {
        self.sum(text, &mut |piece, _| u32::from(self.table.weight(piece).min(1_000)))
    }

    /// The vector of a text, each word counting as `weight` says, in thousandths from 0 to
    /// 1,000; `None` as of [`StaticTable::vector`], and where no word counts.
    ///
    /// With the frequencies of a ledger's own words instead of those of the language it finds
    /// more in that ledger: ADR 0022. The words are in lower case and without
    /// accents; compare only vectors of the same weights.
    #[must_use]
    pub fn weighed(&self, text: &str, weight: &mut dyn FnMut(&str) -> u32) -> Option<Vector> {
        self.sum(text, &mut |_, word| weight(word).min(1_000))
    }

    /// The vector of a word: the mean of its pieces' rows, frequent or not; `None` for a word
    /// that the table does not know.
    ///
    /// Compare words by [`Vector::cosine`]. Cost: two microseconds.
    #[must_use]
    pub fn word(&self, word: &str) -> Option<Vector> {
        self.sum(word, &mut |_, _| 1_000)
    }

    /// The sum of a text's pieces, each counting as `weight` says, in thousandths.
    fn sum(&self, text: &str, weight: &mut dyn FnMut(usize, &str) -> u32) -> Option<Vector> {
        let mut sums = Sums::new(self.table.dimensions());
        WordPieces::new(&self.table).each(text, &mut |word, pieces| {
            for piece in pieces {
                let scale = u32::from(self.table.scale(*piece));
                sums.add(self.table.row(*piece), scale * weight(*piece, word) / 1_000);
            }
        });
        sums.vector()
    }
}

impl Embedder for StaticTable<'_> {
    fn model(&self) -> ModelId {
        let digest = self.table.digest();
        let hex: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let name = format!("words-{}@{hex}", self.table.dimensions());
        ModelId::of_table(name)
    }

    fn dimensions(&self) -> usize {
        self.table.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

/// Rows added up, in 32 bits while they fit.
struct Sums {
    near: Vec<i32>,
    far: Vec<i64>,
    rows: usize,
}

impl Sums {
    fn new(dimensions: usize) -> Sums {
        Sums { near: vec![0; dimensions], far: Vec::new(), rows: 0 }
    }

    /// Adds a row `factor` times, at most 65,535.
    fn add(&mut self, row: Option<&[u8]>, factor: u32) {
        let (Some(row), Ok(factor)) = (row, i32::try_from(factor)) else { return };
        if factor == 0 {
            return;
        }
        for (sum, byte) in self.near.iter_mut().zip(row) {
            // Within ROWS_TOGETHER times 2^23: it never wraps, and the compiler need not look.
            let part = i32::from(i8::from_le_bytes([*byte])).wrapping_mul(factor);
            *sum = sum.wrapping_add(part);
        }
        self.rows += 1;
        if self.rows == ROWS_TOGETHER {
            self.move_far();
        }
    }

    fn move_far(&mut self) {
        self.far.resize(self.near.len(), 0);
        for (far, near) in self.far.iter_mut().zip(&mut self.near) {
            *far += i64::from(std::mem::take(near));
        }
        self.rows = 0;
    }

    fn vector(mut self) -> Option<Vector> {
        self.move_far();
        Vector::of_sums(&self.far)
    }
}

#[cfg(test)]
mod tests;
