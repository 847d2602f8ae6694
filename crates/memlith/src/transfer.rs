//! Imports, exports and backups.

pub use crate::intake::ImportReport;
pub use memlith_import::{DEMO_SESSION, Dialect, Format, ImportError, Options as ImportOptions};
pub use memlith_log::BackedUp;
