//! Imports, exports and backups.

pub use crate::intake::ImportReport;
pub use memlith_import::{
    DEMO_SESSION, Dialect, Format, IgnoredFiles, ImportError, InputEnd, Options as ImportOptions,
    Place, Resume, UnknownFormat, Whose, Withheld,
};
pub use memlith_log::BackedUp;
