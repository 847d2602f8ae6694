//! Measures redaction: `cargo run --release -p memlith-redact --example throughput FILE...`.
//!
//! Prints for each file its size, megabytes a second (best of five) and what was
//! found; with `--show`, each line that changed. Run it over ordinary prose and code to
//! see what is taken for a secret that is none.
#![expect(clippy::disallowed_methods, reason = "a stopwatch around a measurement")]

use std::time::Instant;

use memlith_redact::redact;

fn main() -> std::io::Result<()> {
    let (flags, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    for file in files {
        let bytes = std::fs::read(&file)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            std::hint::black_box(redact(&text));
            best = best.min(start.elapsed().as_secs_f64());
        }
        let redacted = redact(&text);
        let megabytes = bytes.len() as f64 / 1e6;
        println!("{file}: {megabytes:.2} MB, {:.0} MB/s, {:?}", megabytes / best, redacted.counts);
        if flags.iter().any(|flag| flag == "--show") {
            let changed = text.lines().map(|line| (line, redact(line)));
            for (line, redacted) in changed.filter(|(_, redacted)| !redacted.counts.is_empty()) {
                println!("- {}\n+ {}", line.trim(), redacted.text.trim());
            }
        }
    }
    Ok(())
}
