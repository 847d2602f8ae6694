/// The half of a set that a line belongs to, by a hash of its first text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// May be looked at while the engine is tuned.
    Tuned,
    /// Is only counted.
    Untouched,
}

impl Half {
    /// The half of a line whose first text is `text`: untouched where the first byte of its
    /// BLAKE3 is even.
    pub(crate) fn of(text: &str) -> Half {
        let hash = blake3::hash(text.as_bytes());
        match hash.as_bytes() {
            [first, ..] if first.is_multiple_of(2) => Half::Untouched,
            _ => Half::Tuned,
        }
    }
}
