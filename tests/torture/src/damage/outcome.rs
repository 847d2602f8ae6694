/// Outcome of a damage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Somebody who reads or writes is refused with an error, and verification finds it.
    Refused,
    /// Verification finds it; records and answers are as before.
    Found,
    /// Nobody finds it; records and answers are as before.
    Harmless,
    /// A reader isn't told that records are missing, or that an erased text is back, where
    /// the guarantees say so.
    NotPromised,
    /// A promise is broken.
    Harm(String),
}

impl Outcome {
    /// The columns of a table.
    pub const COLUMNS: [&str; 5] = ["refused", "found", "harmless", "not promised", "harm"];

    /// The column that it is counted in.
    #[must_use]
    pub fn column(&self) -> usize {
        match self {
            Outcome::Refused => 0,
            Outcome::Found => 1,
            Outcome::Harmless => 2,
            Outcome::NotPromised => 3,
            Outcome::Harm(_) => 4,
        }
    }
}
