use std::io;

use memlith::{Error, log::LogError, write::Rejection};

/// Advice on what to type next, in this command line's words: an engine's error can't name flags.
///
/// `None` where the error says all there is to do.
#[expect(clippy::wildcard_enum_match_arm, reason = "most errors say all there is to do")]
pub(crate) fn advice(error: &Error) -> Option<String> {
    match error {
        Error::Log(error) => of_log(error).map(str::to_owned),
        Error::Rejected(rejection) => of_rejection(rejection),
        Error::Request(memlith::read::RequestError::ZeroBudget) => {
            Some("--budget-tokens takes 1 or more; without it a pack has 2000".to_owned())
        }
        Error::BeforeGenesis { .. } | Error::AfterHead { .. } => {
            Some("`memlith list events` shows the numbers and times of all records".to_owned())
        }
        Error::NowAhead { .. } => {
            Some("--now of a write is the past's; of what only reads it is any instant".to_owned())
        }
        Error::TombstoneKey { .. } => {
            Some("`memlith maintain tombstones lift all --as owner` goes on without it".to_owned())
        }
        Error::NoCheckpoint { .. } => Some(
            "`memlith maintain stat` lists them, `memlith maintain checkpoint` writes one"
                .to_owned(),
        ),
        Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            Some(NO_LEDGER.to_owned())
        }
        Error::Import(memlith::copy::ImportError::LineTooLong { .. }) => {
            Some("the limit can't be raised here: take the line out".to_owned())
        }
        Error::Import(memlith::copy::ImportError::DocumentTooLong { .. }) => {
            Some("the limit can't be raised here: split the document".to_owned())
        }
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most errors say all there is to do")]
fn of_log(error: &LogError) -> Option<&'static str> {
    match error {
        LogError::NoLedger { .. } => Some(NO_LEDGER),
        LogError::AlreadyExists { .. } => {
            Some("`memlith maintain stat` shows what it holds; --ledger DIR names another folder")
        }
        LogError::LockTimeout { .. } => {
            Some("--lock-timeout 60s waits longer; reading takes no lock")
        }
        LogError::ForeignMedium { .. } => {
            Some("--allow-network-fs writes there at your own risk; reading needs no flag")
        }
        LogError::ClockJump { .. } => Some("--accept-clock-jump writes at the time the clock says"),
        LogError::Io { source, .. } if source.kind() == io::ErrorKind::ReadOnlyFilesystem => Some(
            "nothing can be written there; to read: `search`, `checkout --no-observe`, `verify`",
        ),
        LogError::NewerFormat { .. } => {
            Some("nothing is wrong with it: a later memlith reads it, and no flag of this one does")
        }
        LogError::HeadMismatch { .. } => Some(REPLACED),
        LogError::Corrupt { seq: None, .. } => Some(MISSING),
        LogError::SegmentMissing { .. } => Some(GONE),
        LogError::TailLost { .. } | LogError::Corrupt { .. } | LogError::ChainBreak { .. } => {
            Some(DAMAGED)
        }
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most errors say all there is to do")]
fn of_rejection(rejection: &Rejection) -> Option<String> {
    match rejection {
        Rejection::NotFound { id } => Some(format!(
            "`memlith show {id}` says what it is, `memlith list events` lists all ids, --scope names whose \
             memories"
        )),
        Rejection::Erased { id } => Some(format!(
            "`memlith maintain tombstones lift {id} --as owner` lets it come in again"
        )),
        Rejection::EverywhereRank { .. } | Rejection::PolicyRank { .. } => {
            Some("--as owner acts with that rank".to_owned())
        }
        Rejection::Rank { needed, .. } => {
            Some(format!("--as {} acts with that rank", rank_name(*needed)))
        }
        Rejection::PreviouslyInvalidated { id, .. } => {
            Some(format!("`memlith undo {id}` takes the invalidation back"))
        }
        Rejection::Weight { .. } => {
            Some("--weight is from 1 to 10; only `forget` takes less than 1".to_owned())
        }
        Rejection::Unfounded => Some("--rests-on ID names it".to_owned()),
        Rejection::EmptyValidity { .. } => {
            Some("--valid-from has to lie before --valid-until".to_owned())
        }
        _ => None,
    }
}

/// The least actor whose rank is at least `rank`.
fn rank_name(rank: u8) -> &'static str {
    match rank {
        0 | 1 => "web",
        2 => "tool",
        3 => "assistant",
        4 => "user",
        5 => "reviewer",
        _ => "owner",
    }
}

const NO_LEDGER: &str = "`memlith init` makes one; --ledger DIR names one that is elsewhere";

const DAMAGED: &str = "\
copy the folder first; `memlith verify --full` shows all that is wrong, and
--read-past-loss reads what is left. Restore the file from a copy. Or go on without what
is damaged, and in the newest file without every record after it, whole ones too:
`memlith doctor accept-loss --as owner`";

const MISSING: &str = "\
copy the folder first; `memlith verify --full` shows all that is wrong. No flag goes past
a file that is missing, swapped, or without its head or foot: put it back from a copy";

const GONE: &str = "\
nothing was changed, and no ledger is made in this folder. Put the file back, or restore the
whole folder, from a backup (`memlith backup`). Where only the last segments are gone,
`memlith doctor accept-loss --as owner` goes on without them";

const REPLACED: &str = "\
copy the folder first; `memlith verify --full` shows all that is wrong. No flag goes past
this: restore the segments and the mark from one and the same copy";
