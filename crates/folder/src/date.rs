//! Instants as the files write them.

use memlith::Timestamp;
use time::OffsetDateTime;

fn utc(at: Timestamp) -> OffsetDateTime {
    let seconds = at.0.div_euclid(1_000_000);
    OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// `2026-05-01T12:00:00+00:00`.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    let at = utc(at);
    format!("{}T{:02}:{:02}:{:02}+00:00", at.date(), at.hour(), at.minute(), at.second())
}

/// `2026-05-01T12-00-00`, as names of files have it.
pub(crate) fn for_name(at: Timestamp) -> String {
    let at = utc(at);
    format!("{}T{:02}-{:02}-{:02}", at.date(), at.hour(), at.minute(), at.second())
}

/// `2026-05-01`.
pub(crate) fn day(at: Timestamp) -> String {
    utc(at).date().to_string()
}
