use crate::{Fields, Place};

/// One entry of [`crate::Lists`].
///
/// Entries of a list are written one after another, each with the one before it at hand,
/// so that what grows slowly takes little room.
pub trait Entry: Clone + PartialEq {
    /// Key that lists are found by.
    type Key: Ord + Clone;

    /// The name of the section that says where each list is: at most 15 bytes of ASCII,
    /// unique in the whole state. The lists themselves are in the section `NAME+`.
    const NAME: &'static str;

    /// The length in bytes of every encoded key.
    const KEY_WIDTH: usize;

    /// The key of the list it belongs to.
    fn key(&self) -> Self::Key;

    /// Appends exactly [`Entry::KEY_WIDTH`] bytes.
    fn write_key(key: &Self::Key, out: &mut Vec<u8>);

    /// Reads what [`Entry::write_key`] wrote.
    fn read_key(fields: &mut Fields<'_>) -> Self::Key;

    /// Appends the entry, as one that follows `previous`; the first of a block follows none.
    fn write(&self, previous: Option<&Self>, out: &mut Vec<u8>);

    /// Takes an entry off the front of `bytes`: what [`Entry::write`] wrote. `None` for
    /// bytes that no writer produces.
    fn read(key: &Self::Key, previous: Option<&Self>, bytes: &mut &[u8]) -> Option<Self>;

    /// Whether it is in [`crate::Lists::counted`].
    fn is_counted(&self) -> bool {
        true
    }

    /// Where among all possible keys this one lies; see [`crate::Row::place`].
    fn place(_key: &Self::Key) -> Place {
        Place::Unknown
    }
}
