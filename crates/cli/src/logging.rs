use std::io::Write as _;

use tracing_subscriber::filter::LevelFilter;

/// Sends what the engine has to tell to standard error: warnings, or what
/// `$MEMLITH_LOG` says; with `--quiet` errors alone.
pub(crate) fn start(quiet: bool) {
    let default = if quiet { LevelFilter::ERROR } else { LevelFilter::WARN };
    let level = match memlith_verbs::environment::log_level().map(|level| (level.parse(), level)) {
        None => default,
        Some((Ok(level), _)) => level,
        Some((Err(_), level)) => {
            // Where that can't be written, nobody can be told.
            let _ = writeln!(
                anstream::stderr(),
                "MEMLITH_LOG is `{level}`; it takes off, error, warn, info, debug or trace"
            );
            default
        }
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(anstream::stderr)
        // A client may close our standard error: to say so there would be a panic.
        .log_internal_errors(false)
        .with_target(false)
        .without_time()
        .init();
}
