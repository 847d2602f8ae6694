//! Measures the first redaction of a process:
//! `cargo run --release -p memlith-redact --example cold FILE`.
//!
//! Prints the bytes of the file, how many secrets were found, and how long the first and
//! the second call took. Start it anew for every figure: what a process pays once is in
//! the first call only.
#![expect(clippy::disallowed_methods, reason = "a stopwatch around a measurement")]

use std::time::{Duration, Instant};

use memlith_redact::redact;

fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).ok_or_else(|| std::io::Error::other("which file?"))?;
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let (found, first) = timed(&text);
    let (_, second) = timed(&text);
    println!("{} bytes, {found} found, first {first:?}, second {second:?}", text.len());
    Ok(())
}

#[inline(never)]
fn timed(text: &str) -> (u64, Duration) {
    let start = Instant::now();
    let redacted = std::hint::black_box(redact(text));
    (redacted.counts.values().sum(), start.elapsed())
}
