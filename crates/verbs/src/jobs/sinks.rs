//! How far deliveries are behind, and how long they take.

use anyhow::Result;
use memlith::Ledger;
use memlith_delivery::Routes;
use memlith_delivery::{Delivery, Latency};
use serde::Serialize;

use crate::context::Context;

#[derive(Serialize)]
pub(super) struct SinkLine {
    name: String,
    /// All that the sink has not.
    depth: usize,
    /// The share of its batches that failed.
    failure_rate: f64,
    /// Of its last 256 batches; nothing before the first.
    latency_ms: Option<Latency>,
    paused: bool,
}

/// The sinks of deliver.toml; none where there is no such file.
pub(super) fn lines(ledger: &Ledger, context: &mut Context) -> Result<Vec<SinkLine>> {
    let routes = Routes::named(&context.ledger_dir()?).unwrap_or_else(|error| {
        context.note(error);
        Vec::new()
    });
    let line = |route| {
        let standing = Delivery::of(ledger).sink(route)?;
        Ok(SinkLine {
            name: route.name.clone(),
            depth: standing.depth(),
            failure_rate: standing.failure_rate(),
            latency_ms: standing.latency,
            paused: standing.paused,
        })
    };
    routes.iter().map(line).collect()
}

impl SinkLine {
    pub(super) fn to_text(&self) -> String {
        let paused = if self.paused { ", paused" } else { "" };
        let latency = match self.latency_ms {
            Some(Latency { p50, p95, p99, .. }) => {
                format!(", {p50}, {p95}, {p99} ms a batch (p50, p95, p99)")
            }
            None => String::new(),
        };
        let percent = self.failure_rate * 100.0;
        let (name, depth) = (&self.name, self.depth);
        format!("sink {name}: {depth} wait, {percent:.1} % of batches failed{latency}{paused}\n")
    }
}
