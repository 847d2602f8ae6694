//! Proof: verification, receipts and state run again, heads that were kept.

pub use crate::auditing::{ReceiptAudit, ReceiptsAudit, StateAudit};
pub use crate::checkpoint::{CHECKPOINT_EVENTS, Checkpointed};
pub use crate::kept_head::{HeadVerdict, KeptHead, ParseHeadError, check_head, check_head_in};
pub use crate::privacy::{enclosing_ledger, exposed, mend_exposed};
pub use crate::replay::{Replay, Replayed};
pub use crate::standing::CheckpointStanding;
pub use crate::stat::Stat;
pub use crate::state::FOLD_VERSION;
pub use crate::verifying::verify_in;
pub use memlith_log::{Exposed, FileRole, Finding, Level, LogFile, Report};
pub use memlith_state::CheckpointError;
