use super::table_error::TableError;

/// First bytes of a table of version 1.
const MAGIC: [u8; 8] = *b"MLWORDS\x01";

/// The bytes of the header.
const HEADER: usize = 64;

/// Where in the header the digest of all other bytes is.
const DIGEST: usize = 32;

/// Number of pieces from one whose place is written down to the next.
const BLOCK: usize = 16;

/// A vector for each piece of a vocabulary, read where it lies: `docs/format.md` has the bytes.
///
/// Invariants
/// 1. Its parts are of the lengths that the header says.
/// 2. Nothing is taken for granted of what they hold: a lookup in a tampered table finds
///    another piece or none. [`Table::verify`] checks the rest.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    all: &'a [u8],
    dimensions: usize,
    /// The pieces, and how many of them begin a word: those come first.
    count: usize,
    begin: usize,
    /// The longest piece, in bytes.
    longest: usize,
    /// Where the text of each sixteenth piece begins, of four bytes.
    starts: &'a [u8],
    /// Of each piece what its row is multiplied by, and what it counts in a text; of two bytes.
    scales: &'a [u8],
    weights: &'a [u8],
    rows: &'a [u8],
    lengths: &'a [u8],
    text: &'a [u8],
}

impl<'a> Table<'a> {
    /// Reads the header. Cost: none; it runs as well when the program is compiled.
    ///
    /// # Errors
    /// The bytes are no table, or a table of another length.
    pub const fn open(bytes: &'a [u8]) -> Result<Table<'a>, TableError> {
        let Some((header, body)) = bytes.split_at_checked(HEADER) else {
            return Err(TableError::Header { found: bytes.len() });
        };
        if number(header, 0) != number(&MAGIC, 0) || number(header, 4) != number(&MAGIC, 4) {
            return Err(TableError::Magic);
        }
        let (dimensions, count) = (number(header, 8), number(header, 12));
        let (begin, text, longest) = (number(header, 16), number(header, 20), number(header, 24));
        // Within these bounds no sum below overflows, on 32 bits either.
        let fits = dimensions <= 1_024 && count <= 65_536 && text <= 1 << 24 && longest <= 255;
        if !fits || dimensions == 0 || begin > count {
            return Err(TableError::Shape);
        }
        let lengths = [count.div_ceil(BLOCK) * 4, count * 2, count * 2, count * dimensions, count];
        let mut expected = HEADER + text;
        let [a, b, c, d, e] = lengths;
        expected += a + b + c + d + e;
        if bytes.len() != expected {
            return Err(TableError::Length { expected, found: bytes.len() });
        }
        let (starts, body) = body.split_at(a);
        let (scales, body) = body.split_at(b);
        let (weights, body) = body.split_at(c);
        let (rows, body) = body.split_at(d);
        let (lengths, text) = body.split_at(e);
        Ok(Table {
            all: bytes,
            dimensions,
            count,
            begin,
            longest,
            starts,
            scales,
            weights,
            rows,
            lengths,
            text,
        })
    }

    /// Checks every byte. Cost: some milliseconds.
    ///
    /// # Errors
    /// The bytes are not those that were written, or their pieces are out of order.
    pub fn verify(&self) -> Result<(), TableError> {
        let (header, body) = self.all.split_at_checked(HEADER).unwrap_or_default();
        let mut hasher = blake3::Hasher::new();
        hasher.update(header.get(..DIGEST).unwrap_or_default()).update(body);
        if *hasher.finalize().as_bytes() != self.digest() {
            return Err(TableError::Digest);
        }
        let mut end = 0;
        let mut last: Option<(bool, &str)> = None;
        for index in 0..self.count {
            let piece = self.piece(index).ok_or(TableError::Pieces)?;
            let is_next = last.is_none_or(|last| last < piece) && piece.1.len() <= self.longest;
            if !is_next || self.place(index).is_none_or(|(start, _)| start != end) {
                return Err(TableError::Pieces);
            }
            end += piece.1.len();
            last = Some(piece);
        }
        if end == self.text.len() { Ok(()) } else { Err(TableError::Pieces) }
    }

    /// BLAKE3 of the table, as its header says.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.all.get(DIGEST..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default()
    }

    /// The width of a row.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many pieces there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The longest piece, in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// Finds the piece `text` that begins a word, or goes on one. Cost: some sixteen
    /// comparisons.
    pub(crate) fn find(&self, goes_on: bool, text: &[u8]) -> Option<usize> {
        let wanted = (goes_on, text);
        let (mut low, mut high) = (0, self.count.div_ceil(BLOCK));
        while low < high {
            let middle = low.midpoint(high);
            if self.bytes_of(middle * BLOCK)? <= wanted { low = middle + 1 } else { high = middle }
        }
        let first = low.checked_sub(1)? * BLOCK;
        let (mut start, mut at) = (self.start(first)?, first);
        for length in self.lengths.get(first..)?.iter().take(BLOCK) {
            let end = start + usize::from(*length);
            if (at >= self.begin, self.text.get(start..end)?) == wanted {
                return Some(at);
            }
            (start, at) = (end, at + 1);
        }
        None
    }

    /// The row of a piece, in bytes that are signed numbers.
    pub(crate) fn row(&self, index: usize) -> Option<&'a [u8]> {
        let start = index.checked_mul(self.dimensions)?;
        self.rows.get(start..start.checked_add(self.dimensions)?)
    }

    /// The factor of a row; of the largest row 65,535.
    pub(crate) fn scale(&self, index: usize) -> u16 {
        pair(self.scales, index)
    }

    /// The weight of a piece in a text, in thousandths.
    pub(crate) fn weight(&self, index: usize) -> u16 {
        pair(self.weights, index)
    }

    /// Whether a piece goes on a word, and its letters.
    #[must_use]
    pub fn piece(&self, index: usize) -> Option<(bool, &'a str)> {
        let (goes_on, text) = self.bytes_of(index)?;
        Some((goes_on, std::str::from_utf8(text).ok()?))
    }

    fn bytes_of(&self, index: usize) -> Option<(bool, &'a [u8])> {
        let (start, end) = self.place(index)?;
        Some((index >= self.begin, self.text.get(start..end)?))
    }

    fn place(&self, index: usize) -> Option<(usize, usize)> {
        let first = index - index % BLOCK;
        let before = self.lengths.get(first..index)?;
        let start = self.start(first)? + before.iter().map(|one| usize::from(*one)).sum::<usize>();
        Some((start, start + usize::from(*self.lengths.get(index)?)))
    }

    fn start(&self, first: usize) -> Option<usize> {
        let bytes = self.starts.get(first / BLOCK * 4..)?.first_chunk()?;
        let start = usize::try_from(u32::from_le_bytes(*bytes)).ok()?;
        (start <= self.text.len()).then_some(start)
    }
}

/// The number of four bytes at `at`, which is in the header.
const fn number(bytes: &[u8], at: usize) -> usize {
    let (_, rest) = bytes.split_at(at);
    match rest.first_chunk() {
        Some(bytes) => u32::from_le_bytes(*bytes) as usize,
        None => 0,
    }
}

fn pair(bytes: &[u8], index: usize) -> u16 {
    let start = index.saturating_mul(2);
    bytes.get(start..).and_then(|rest| rest.first_chunk()).copied().map_or(0, u16::from_le_bytes)
}

#[cfg(test)]
pub(crate) mod tests;
