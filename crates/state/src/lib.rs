//! Folded state as bytes: immutable runs, a small ordered overlay, and the files that
//! hold the runs.
//!
//! A projection keeps its state in [`Table`]s (rows by key, the last write wins)
//! and [`Lists`] (entries by key, append only). Both read through one interface
//! that merges runs and overlay, so a projection never learns whether a row came
//! from a checkpoint or from an event of this minute. A run holds what one stretch of the
//! log changed; its bytes are those of its file, of which a chunk is checked when it is
//! first read: loading one decodes nothing.
//!
//! ```
//! use memlith_state::{Fields, Row, Table, Tabular};
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
//! table.freeze();
//! table.put(Count { key: 9, count: 2 });
//! assert_eq!(table.range(8..).map(|row| row.count).collect::<Vec<_>>(), [2]);
//! assert_eq!(table.get(&7).unwrap().count, 1);
//! ```

mod block;
mod bytes;
mod checkpoint;
mod chunks;
mod digests;
mod entry;
mod error;
mod fields;
mod lists;
mod merge;
mod order;
mod overlay;
mod part;
mod row;
mod run;
mod search;
mod section;
mod table;
mod tabular;
mod varint;
mod wave;

pub use bytes::Bytes;
pub use checkpoint::{Checkpoint, CheckpointName};
pub use chunks::FileBytes;
pub use entry::Entry;
pub use error::CheckpointError;
pub use fields::Fields;
pub use lists::{Found, Lists};
pub use row::Row;
pub use run::{CHUNK_LEN, Run, RunName};
pub use search::Place;
pub use section::Sections;
pub use table::Table;
pub use tabular::Tabular;
pub use varint::{read_varint, unzigzag, write_varint, zigzag};
