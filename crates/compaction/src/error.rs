use memlith_log::Seq;

/// A reason why something can't be planned, or is no summary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number lies outside of what it may be.
    #[error("{what} is {found}, not within {least} and {most}")]
    Outside {
        /// The name of the number.
        what: &'static str,
        /// The number.
        found: u64,
        /// The least it may be.
        least: u64,
        /// The most it may be.
        most: u64,
    },
    /// Two items have one sequence.
    #[error("two items have sequence {seq}; hand each over once")]
    Twice {
        /// The sequence.
        seq: Seq,
    },
    /// An item is newer than the view.
    #[error("the item at {seq} is past the view's sequence {view}; hand over what the view sees")]
    Beyond {
        /// The sequence of the item.
        seq: Seq,
        /// The last sequence of the view.
        view: Seq,
    },
}

impl Error {
    /// Refuses a number that lies outside of `least` and `most`.
    pub(crate) fn unless_within(
        what: &'static str,
        found: usize,
        least: usize,
        most: usize,
    ) -> Result<(), Error> {
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let [found, least, most] = [found, least, most].map(|number| number as u64);
        Err(Error::Outside { what, found, least, most })
    }
}
