use std::fmt::Write;

use crate::cold_checkout::report::{Figures, Printed, Sizes};

impl Sizes {
    /// A table for each ledger.
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        for printed in &self.sizes {
            printed.write_text(&mut out);
        }
        if let (Some(p50), Some(p99)) = (self.ratio_p50, self.ratio_p99) {
            // Writing to a string can't fail.
            let _ = writeln!(out, "the longest over the one before: p50 {p50}, p99 {p99}");
        }
        out
    }
}

impl Printed {
    fn write_text(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "{:21} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
            "", "runs", "p50 ms", "p99 ms", "min ms", "read MB", "mapped MB", "RSS MB", "anon MB"
        );
        for (mode, all, classes) in self.modes() {
            row(out, mode, all);
            for (class, figures) in classes {
                row(out, &format!("  {} words", class.name()), figures);
            }
        }
        let load = self.load.map_or_else(|| "unknown".to_owned(), |load| load.to_string());
        let _ = writeln!(
            out,
            "{} events in {} records, {} of them after the checkpoint\n\
             ledger {:.1} MB, its checkpoint {:.1} MB\n{}\n{}, load {load}",
            self.events,
            self.records,
            self.tail_records,
            megabytes(self.ledger_bytes),
            megabytes(self.checkpoint_bytes),
            self.engine,
            self.machine,
        );
    }
}

fn row(out: &mut String, name: &str, figures: &Figures) {
    let shown = |bytes: Option<u64>| {
        bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1}", megabytes(bytes)))
    };
    let _ = writeln!(
        out,
        "{name:21} {:>5} {:>9.1} {:>9.1} {:>9.1} {:>9} {:>9} {:>9} {:>9}",
        figures.runs,
        figures.wall_ms_p50,
        figures.wall_ms_p99,
        figures.wall_ms_min,
        shown(figures.usage.bytes_read),
        shown(figures.usage.mapped_bytes),
        shown(figures.usage.rss_bytes),
        shown(figures.usage.anonymous_bytes),
    );
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
