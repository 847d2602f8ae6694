//! Redaction by example and by law.

mod drawn;
mod laws;
mod ordinary;
mod samples;
