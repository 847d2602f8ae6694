use memlith::Scope;

use crate::{Extraction, Turn};

/// Finds in a session's turns what is worth keeping.
pub trait Extractor: Send + Sync {
    /// Its name, as jobs record it.
    fn name(&self) -> &str;

    /// How long a worker may take for one job, in microseconds: then another one may.
    fn claim_us(&self) -> i64;

    /// Looks at the turns of one job, oldest first, which are of `scope`.
    ///
    /// # Errors
    /// [`ExtractError`]: the job is tried again, or not.
    fn extract(&self, scope: &Scope<'_>, turns: &[Turn]) -> Result<Extracted, ExtractError>;

    /// Does a job that this one gave up; where there is none, such a job is dead.
    fn fallback(&self) -> Option<&dyn Extractor> {
        None
    }
}

/// The result of an extractor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extracted {
    /// The extraction that it found: the rules' own, made of the turns.
    Found(Extraction),
    /// The reply of a model, to be read and checked against the turns.
    Reply(String),
}

/// An extractor failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// It may do better later.
    #[error("{what}")]
    Later {
        /// The failure, without a word of what was sent or received.
        what: String,
        /// How long it asked to be left alone, in microseconds.
        wait_us: Option<i64>,
    },
    /// It will not do better with the same turns.
    #[error("{what}")]
    Never {
        /// The failure, without a word of what was sent or received.
        what: String,
    },
}
