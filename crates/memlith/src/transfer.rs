//! Imports, exports and backups.

pub use crate::intake::ImportReport;
pub use memlith_import::{
    DEMO_SESSION, Dialect, Format, ImportError, InputEnd, Options as ImportOptions, Resume,
};
pub use memlith_log::BackedUp;
