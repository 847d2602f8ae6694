use crate::Fields;

/// One row of a [`crate::Table`], or one entry of [`crate::Lists`].
///
/// A row is plain data of one width: no padding whose value is left open, so that
/// equal rows are equal bytes.
pub trait Row: Clone + PartialEq {
    /// What rows are found and ordered by.
    type Key: Ord + Clone;

    /// The table's name: at most 16 bytes of ASCII, unique in the whole state.
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
}
