//! Imports by example, by law, and under attack.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by a panic"
)]

mod eventloom;
mod fixtures;
mod hostile;
mod render;
mod resume;
mod stable;
