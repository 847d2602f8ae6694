//! Reader of the environment; all that the program reads of it is here.

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
pub fn log_level() -> Option<String> {
    var_os("MEMLITH_LOG").and_then(|level| level.into_string().ok())
}

/// The editor that the user writes with.
pub(crate) fn editor() -> Option<String> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(var_os);
    named.filter_map(|name| name.into_string().ok()).find(|name| !name.trim().is_empty())
}

/// The token that `$MEMLITH_REVIEW_TOKEN` shows for the right to review.
pub(crate) fn review_token() -> Option<String> {
    var_os("MEMLITH_REVIEW_TOKEN").and_then(|token| token.into_string().ok())
}

/// The token that `$MEMLITH_MCP_TOKEN` has clients of the HTTP server show.
pub fn mcp_token() -> Option<String> {
    var_os("MEMLITH_MCP_TOKEN").and_then(|token| token.into_string().ok())
}

/// Environment that an arbiter is given: where programs are, where its user is at home, and how
/// text is written.
pub(crate) fn of_arbiters() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let kept = ["PATH", "HOME", "LANG", "TMPDIR"].into_iter();
    kept.filter_map(|name| Some((name.into(), var_os(name)?))).collect()
}

/// Environment of programs that the person's settings name: all of it. Git asks nobody.
pub(crate) fn of_person() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    std::env::vars_os().chain([("GIT_TERMINAL_PROMPT".into(), "0".into())]).collect()
}

/// Whether a client runs to look at evidence: memory has nothing to do with that session.
pub(crate) fn is_asked() -> bool {
    var_os(ASKED).is_some()
}

const ASKED: &str = "MEMLITH_ASKED";

/// Environment of a client that is asked about evidence: all that this process was told, and that
/// it is asked. A client inside another one would refuse, where it is told of that.
#[cfg(feature = "chat")]
pub(crate) fn of_clients() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let is_of_session = |name: &std::ffi::OsStr| {
        let name = name.to_string_lossy();
        name == "CLAUDECODE" || name.starts_with("CLAUDE_CODE_ENTRY") || name == ASKED
    };
    let kept = std::env::vars_os().filter(|(name, _)| !is_of_session(name));
    kept.chain([(ASKED.into(), "1".into())]).collect()
}

/// Secret that another server is shown, in the variable that its settings name.
#[cfg(any(feature = "chat", feature = "deliver"))]
pub(crate) fn secret(variable: &str) -> Option<String> {
    var_os(variable).and_then(|key| key.into_string().ok())
}

/// The folder of the user.
pub(crate) fn home() -> Option<PathBuf> {
    folder("HOME")
}

/// The ledger of whoever names none and has none of the project's own.
pub(crate) fn default_ledger() -> Option<PathBuf> {
    let data = folder("XDG_DATA_HOME").or_else(|| Some(home()?.join(".local").join("share")));
    data.map(|data| data.join("memlith"))
}

/// Where hooks note what they need between two calls.
pub(crate) fn hook_state() -> Option<PathBuf> {
    let state = folder("XDG_STATE_HOME").or_else(|| Some(home()?.join(".local").join("state")));
    state.map(|state| state.join("memlith"))
}

/// Where it is kept what is switched off: losing what hooks noted doesn't switch it on.
pub fn hook_settings() -> Option<memlith_agents::StateFolder> {
    Some(memlith_agents::StateFolder::new(settings()?.join("memlith")))
}

/// Whether a program is there: by its path, or by its name alone where `$PATH` has it.
pub(crate) fn has_program(program: &std::path::Path) -> bool {
    if program.components().count() > 1 {
        return program.is_file();
    }
    let path = var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Where hooks of coding agents find what they need.
pub fn agents_home() -> Option<memlith_agents::Home> {
    let ledger = ledger().or_else(default_ledger)?;
    let state = memlith_agents::StateFolder::new(hook_state()?);
    Some(memlith_agents::Home { ledger, state, settings: hook_settings()? })
}

fn folder(variable: &str) -> Option<PathBuf> {
    var_os(variable).filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// The folder of the user's settings.
pub(crate) fn settings() -> Option<PathBuf> {
    let named = ["XDG_CONFIG_HOME", "APPDATA"].into_iter().find_map(folder);
    named.or_else(|| Some(folder("HOME")?.join(".config")))
}
