//! How sinks stand, as node_exporter's textfile collector reads it.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use memlith_files::Replacing;

use super::{Latency, SinkLine};

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
    let gauges: [(&str, &str, Of); 7] = [
        ("claimed", "gauge", |line| line.unsettled as u64),
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
    let _ = writeln!(text, "# TYPE memlith_delivery_failure_ratio gauge");
    for line in lines {
        let (sink, rate) = (&line.name, line.failure_rate);
        let _ = writeln!(text, "memlith_delivery_failure_ratio{{sink=\"{sink}\"}} {rate}");
    }
    let _ = writeln!(text, "# TYPE memlith_delivery_latency_seconds gauge");
    for (sink, latency) in lines.iter().filter_map(|line| Some((&line.name, line.latency_ms?))) {
        let Latency { p50, p95, p99 } = latency;
        for (quantile, ms) in [("0.5", p50), ("0.95", p95), ("0.99", p99)] {
            let seconds = f64::from(ms) / 1e3;
            let labels = format!("{{sink=\"{sink}\",quantile=\"{quantile}\"}}");
            let _ = writeln!(text, "memlith_delivery_latency_seconds{labels} {seconds}");
        }
    }
    text
}
