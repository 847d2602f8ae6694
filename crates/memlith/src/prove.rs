//! Proof: verification, receipts and state run again, heads that were kept.

pub(crate) mod checkpoints;
pub(crate) mod head;
pub(crate) mod privacy;
pub(crate) mod receipts;
#[cfg(feature = "proof")]
pub mod signed;
pub(crate) mod stat;
pub(crate) mod summaries;
pub(crate) mod verify;

pub use self::checkpoints::CheckpointStanding;
pub use self::head::{HeadVerdict, KeptHead, ParseHeadError, check_head, check_head_in};
pub use self::privacy::{enclosing_ledger, exposed, mend_exposed};
pub use self::receipts::Audit;
pub use self::receipts::{ReceiptAudit, ReceiptsAudit, StateAudit};
pub use self::stat::Stat;
pub use self::verify::verify_in;
pub use crate::fold::checkpoint::Checkpoints;
pub use crate::fold::checkpoint::{CHECKPOINT_EVENTS, Checkpointed};
pub use crate::fold::replay::{Replay, Replayed};
pub use crate::fold::state::FOLD_VERSION;
pub use memlith_log::{Exposed, FileRole, Finding, FindingKind, Level, LogFile, Report};
pub use memlith_state::CheckpointError;
