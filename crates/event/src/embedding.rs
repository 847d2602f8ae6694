use memlith_log::RecordId;
use serde::{Deserialize, Serialize};

use crate::Text;

/// An item was given a vector by its writer, or by a model that somebody asked.
///
/// The newest of an item and a model is the one that counts. It repeats what the item says,
/// so that it is erased with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Embedded<'a> {
    /// The item.
    pub target: RecordId,
    /// Its vector.
    #[serde(borrow)]
    pub vector: Embedding<'a>,
}

/// A vector of a text, and the model it is of.
///
/// 1 to 4,096 components from -127 to 127, of which the greatest is 127 in magnitude: one
/// writing for each direction. What is not so is read, and counts for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Embedding<'a> {
    /// The model: vectors of two models are never compared.
    #[serde(borrow)]
    pub model: Text<'a>,
    /// The direction, in whole numbers.
    pub components: Vec<i8>,
}

impl Embedding<'_> {
    /// Copies the vector, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Embedding<'static> {
        Embedding { model: self.model.into_owned(), components: self.components }
    }
}
