//! Folded state as bytes: an immutable base, a small ordered overlay, and the
//! checkpoint file that holds the base.
//!
//! A projection keeps its state in [`Table`]s (rows by key, the last write wins)
//! and [`Lists`] (items by key, append only). Both read through one interface
//! that merges base and overlay, so a projection never learns whether a row came
//! from a checkpoint or from an event of this minute. The base is the very bytes
//! of a checkpoint's sections: loading one decodes nothing.
//!
//! ```
//! use memlith_state::{Bytes, Fields, Row, Table};
//!
//! #[derive(Clone, Debug, PartialEq)]
//! struct Count { key: u64, count: u32 }
//!
//! impl Row for Count {
//!     type Key = u64;
//!     const NAME: &'static str = "counts";
//!     const WIDTH: usize = 12;
//!     fn key(&self) -> u64 { self.key }
//!     fn write(&self, out: &mut Vec<u8>) {
//!         out.extend(self.key.to_le_bytes());
//!         out.extend(self.count.to_le_bytes());
//!     }
//!     fn read(fields: &mut Fields<'_>) -> Count {
//!         Count { key: fields.u64(), count: fields.u32() }
//!     }
//! }
//!
//! let mut table = Table::<Count>::default();
//! table.put(Count { key: 7, count: 1 });
//! table.rebase();
//! table.put(Count { key: 9, count: 2 });
//! assert_eq!(table.range(8..).map(|row| row.count).collect::<Vec<_>>(), [2]);
//! assert_eq!(table.get(&7).unwrap().count, 1);
//! ```

mod bytes;
mod checkpoint;
mod error;
mod fields;
mod lists;
mod row;
mod section;
mod table;

pub use bytes::Bytes;
pub use checkpoint::{CHUNK_LEN, Checkpoint, CheckpointName};
pub use error::CheckpointError;
pub use fields::Fields;
pub use lists::{Entry, Lists};
pub use row::Row;
pub use section::{Section, Sections, Tabular};
pub use table::Table;
