//! A graph of entities, observations and relations, kept as rows of a ledger.

mod import;
mod node;
mod row;

pub use import::import_graph;
pub use node::{Entity, Graph, Kept, Names, Relation};
pub use row::{Desk, Row, RowSlot, digest};
