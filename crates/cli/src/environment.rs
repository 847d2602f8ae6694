//! What is read of the environment, all of it.

use std::env::var_os;
use std::path::PathBuf;

/// The ledger that `$MEMLITH_LEDGER` names.
pub(crate) fn ledger() -> Option<PathBuf> {
    var_os("MEMLITH_LEDGER").filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// The name of the operating system's user.
pub(crate) fn user() -> Option<String> {
    let name = |variable| var_os(variable).and_then(|name| name.into_string().ok());
    ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(name).find(|name| !name.is_empty())
}

/// How much `$MEMLITH_LOG` wants to hear: off, error, warn, info, debug or trace.
pub(crate) fn log_level() -> Option<String> {
    var_os("MEMLITH_LOG").and_then(|level| level.into_string().ok())
}

/// The token that `$MEMLITH_REVIEW_TOKEN` shows for the right to review.
pub(crate) fn review_token() -> Option<String> {
    var_os("MEMLITH_REVIEW_TOKEN").and_then(|token| token.into_string().ok())
}

/// What an arbiter is told of the environment: where programs are, where its user is at home,
/// and how text is written.
pub(crate) fn of_arbiters() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let kept = ["PATH", "HOME", "LANG", "TMPDIR"].into_iter();
    kept.filter_map(|name| Some((name.into(), var_os(name)?))).collect()
}

/// The folder of the user's settings.
pub(crate) fn settings() -> Option<PathBuf> {
    let folder = |variable| var_os(variable).filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let named = ["XDG_CONFIG_HOME", "APPDATA"].into_iter().find_map(folder);
    named.or_else(|| Some(folder("HOME")?.join(".config")))
}
