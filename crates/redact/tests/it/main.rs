//! Redaction by example and by law.

#![cfg(test)]

mod drawn;
mod laws;
mod ordinary;
mod recall;
mod samples;
