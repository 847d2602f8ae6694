//! A sentence-transformers model of the BERT family (all-MiniLM, bge-small, e5-small), run on the
//! processor from a folder that the user has: nothing is fetched.
//!
//! The arithmetic is the processor's own, so that two machines may differ in the last bits of a
//! vector: what comes of one belongs in an event, never in a fold.

mod model;

pub use model::Model;
