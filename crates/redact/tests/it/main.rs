//! Redaction by example and by law.

mod laws;
mod samples;
