use thiserror::Error;

/// Why sessions take no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// There are as many sessions as there may be.
    #[error("{limit} sessions are the most that are mined at once: mine a shorter span")]
    TooManySessions {
        /// How many there may be.
        limit: usize,
    },
    /// There are as many steps as there may be.
    #[error("{limit} steps are the most that are mined at once: mine a shorter span")]
    TooManySteps {
        /// How many there may be.
        limit: usize,
    },
    /// A step was given before any session.
    #[error("a step came before the first session: begin a session first")]
    NoSession,
}
