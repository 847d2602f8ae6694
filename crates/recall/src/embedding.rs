//! Vectors of texts, in whole numbers: a built-in table of word pieces, and what another
//! model gives.
//!
//! Nothing here is read, and no memory taken, before a vector is asked for.

mod characters;
mod embedder;
mod model;
mod model_vector;
mod static_table;
mod table;
mod table_error;
mod vector;
mod word_pieces;

pub use embedder::{EmbedError, Embedder};
pub use model::ModelId;
pub use model_vector::ModelVector;
pub(crate) use model_vector::Products;
pub use static_table::StaticTable;
pub use table::Table;
pub use table_error::TableError;
pub use vector::{Vector, VectorError};
