use std::fmt;

/// The position of a record in its ledger.
///
/// Starts at 0 (genesis) and rises by one with every record, without gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Seq(pub u64);

impl Seq {
    /// The genesis record.
    pub const GENESIS: Seq = Seq(0);

    /// The largest position that can be named; past the end of every ledger.
    pub const MAX: Seq = Seq(u64::MAX);

    /// The position after this one; stays at [`Seq::MAX`].
    #[must_use]
    pub fn next(self) -> Seq {
        Seq(self.0.saturating_add(1))
    }

    /// The position before this one, or `None` at genesis.
    #[must_use]
    pub fn previous(self) -> Option<Seq> {
        self.0.checked_sub(1).map(Seq)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
