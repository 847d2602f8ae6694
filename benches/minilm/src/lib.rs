//! MiniLM (all-MiniLM-L6-v2) as an [`Embedder`](memlith_recall::Embedder), run by candle from
//! weights that the user has: nothing is fetched.
//!
//! Its arithmetic is the processor's own, so that two machines may differ in the last bits of
//! a vector: what comes of one belongs in an event, never in a fold.

mod encoder;
mod layer;
mod minilm;
mod vocabulary;

pub use minilm::{MiniLm, OpenError};
