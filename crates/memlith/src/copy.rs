//! Copies: imports, exports and backups.

pub(crate) mod backup;
mod frame;
pub(crate) mod import;
pub(crate) mod jsonl;
mod replica;
pub(crate) mod shared;
pub(crate) mod stretch;

pub use self::frame::SharedFrame;
pub use self::import::ImportReport;
pub use self::replica::{Replica, TakenIn};
pub use self::shared::{OpenShared, SharedError, SharedLog, open_shared_with};
pub use self::stretch::Stretch;
pub use memlith_import::{
    DEMO_SESSION, Dialect, Format, IgnoredFiles, ImportError, InputEnd, Options as ImportOptions,
    Place, Resume, UnknownFormat, Whose, Withheld,
};
pub use memlith_log::BackedUp;
