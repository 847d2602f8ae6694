use crate::{Fields, Place};

/// One row of a [`crate::Table`].
///
/// A row is plain data of one width: no padding whose value is left open, so that
/// equal rows are equal bytes.
pub trait Row: Clone + PartialEq {
    /// Key that rows are found and ordered by.
    type Key: Ord + Clone;

    /// The table's name: at most 15 bytes of ASCII, unique in the whole state.
    const NAME: &'static str;

    /// The length in bytes of every encoded row; at least 1.
    const WIDTH: usize;

    /// The row's key.
    fn key(&self) -> Self::Key;

    /// Appends exactly [`Row::WIDTH`] bytes.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads what [`Row::write`] wrote. Total: bytes that no writer produces give
    /// some row, never a panic.
    fn read(fields: &mut Fields<'_>) -> Self;

    /// The key of an encoded row; quicker than reading all of it.
    fn read_key(row: &[u8]) -> Self::Key {
        Self::read(&mut Fields::new(row)).key()
    }

    /// Where a search for the key begins.
    fn place(_key: &Self::Key) -> Place {
        Place::Unknown
    }
}
