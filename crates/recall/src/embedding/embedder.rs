use std::error::Error;
use std::fmt;

use super::model::ModelId;
use super::vector::{Vector, VectorError};

/// A model that gives a text a vector.
///
/// One model gives equal texts equal vectors of one width.
pub trait Embedder {
    /// The model, which goes with every vector.
    fn model(&self) -> ModelId;

    /// The width of each vector.
    fn dimensions(&self) -> usize;

    /// The vector of each text, in their order; `None` for a text of which the model knows
    /// nothing, such as an empty one.
    ///
    /// # Errors
    /// The model fails, or gives what is no vector. No vector is given then.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>, EmbedError>;
}

/// Why a model gave no vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model failed.
    Failed {
        /// The message of the model.
        reason: String,
    },
    /// It gave vectors for another number of texts.
    Count {
        /// Number of texts that were given.
        expected: usize,
        /// Number of vectors that came back.
        found: usize,
    },
    /// It gave for a text something else than a vector of its own width.
    Vector {
        /// The text, from 0.
        text: usize,
        /// The fault of the vector.
        source: VectorError,
    },
}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmbedError::Failed { reason } => write!(f, "the model failed: {reason}"),
            EmbedError::Count { expected, found } => {
                write!(f, "the model gave {found} vectors for {expected} texts")
            }
            EmbedError::Vector { text, source: _ } => {
                write!(f, "the model gave no vector for text {text}")
            }
        }
    }
}

impl Error for EmbedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            EmbedError::Vector { source, text: _ } => Some(source),
            EmbedError::Failed { .. } | EmbedError::Count { .. } => None,
        }
    }
}
