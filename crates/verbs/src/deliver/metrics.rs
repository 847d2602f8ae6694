//! How sinks stand, as node_exporter's textfile collector reads it.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use memlith_files::Replacing;

use super::SinkLine;

/// Replaces the file at once, so that nobody reads half of it.
pub(super) fn write(file: &Path, lines: &[SinkLine]) -> Result<()> {
    // The collector is another user.
    let permissions = Some(std::fs::Permissions::from_mode(0o644));
    let how = Replacing { permissions, durable: false };
    let written = how.replace(file, text(lines).as_bytes());
    written.with_context(|| format!("write {}", file.display()))
}

fn text(lines: &[SinkLine]) -> String {
    type Of = fn(&SinkLine) -> u64;
    let gauges: [(&str, &str, Of); 6] = [
        ("pending", "gauge", |line| (line.pending + line.tombstones) as u64),
        ("retrying", "gauge", |line| line.retrying as u64),
        ("dead", "gauge", |line| line.dead as u64),
        ("applied_total", "counter", |line| line.applied),
        ("attempts_total", "counter", |line| line.attempts),
        ("failures_total", "counter", |line| line.failures),
    ];
    let mut text = String::new();
    for (name, kind, of) in gauges {
        // Writing to a string can't fail; a sink's name has no quote.
        let _ = writeln!(text, "# TYPE memlith_delivery_{name} {kind}");
        for line in lines {
            let _ =
                writeln!(text, "memlith_delivery_{name}{{sink=\"{}\"}} {}", line.name, of(line));
        }
    }
    text
}
