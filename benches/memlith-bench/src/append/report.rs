use std::fmt::Write;

use serde::Serialize;

use crate::summary::Summary;

/// The report; the times at its top are those of one event, synced.
#[derive(Serialize)]
pub(crate) struct Printed {
    #[serde(flatten)]
    pub(crate) summary: Summary,
    pub(crate) payload_bytes: usize,
    pub(crate) one: OneFigures,
    pub(crate) buffered: Buffered,
    pub(crate) group: Vec<Group>,
    /// `null` without `--seconds`.
    pub(crate) sustained: Option<Sustained>,
    pub(crate) small: OnDisk,
    /// `null` without `--grown`.
    pub(crate) grown: Option<Grown>,
}

/// One event, synced: by the log, by a bare write and sync, by the engine.
#[derive(Serialize)]
pub(crate) struct OneFigures {
    pub(crate) wall_us_p50: f64,
    pub(crate) wall_us_p99: f64,
    pub(crate) bare_us_p50: f64,
    pub(crate) bare_us_p99: f64,
    pub(crate) ratio_p50: Option<f64>,
    pub(crate) syncs_per_event: Option<f64>,
    pub(crate) remember_us_p50: f64,
    pub(crate) remember_us_p99: f64,
    pub(crate) remember_ratio_p50: Option<f64>,
    pub(crate) remember_syncs: Option<f64>,
}

/// Batches whose syncs come later.
#[derive(Serialize)]
pub(crate) struct Buffered {
    pub(crate) events: u64,
    pub(crate) batch: usize,
    pub(crate) events_per_s: f64,
    pub(crate) events_per_cpu_s: f64,
    pub(crate) cpu_us_per_event: Option<f64>,
    pub(crate) file_syncs: u64,
    /// Zeros that were written ahead are in it.
    pub(crate) written_per_payload: Option<f64>,
    /// Bytes of the log that stay, for each byte of payload.
    pub(crate) log_per_payload: Option<f64>,
}

/// Threads that append synced events to one log.
#[derive(Serialize)]
pub(crate) struct Group {
    pub(crate) threads: usize,
    pub(crate) events: u64,
    pub(crate) events_per_s: f64,
    pub(crate) events_per_sync: Option<f64>,
    pub(crate) over_first: Option<f64>,
    pub(crate) cpu_us_per_event: Option<f64>,
}

/// Memories written one by one, synced, with all that a ledger does beside.
#[derive(Serialize)]
pub(crate) struct Sustained {
    pub(crate) wall_us_p50: f64,
    pub(crate) wall_us_p99: f64,
    pub(crate) wall_us_p999: f64,
    pub(crate) wall_us_max: f64,
    pub(crate) memories_per_s: f64,
    pub(crate) segments: u64,
    pub(crate) checkpoints: u64,
    #[serde(flatten)]
    pub(crate) on_disk: OnDisk,
}

/// Bytes that a ledger takes of the disk once it is closed, zeros and what is set aside included.
#[derive(Serialize)]
pub(crate) struct OnDisk {
    pub(crate) memories: u64,
    pub(crate) disk_bytes: u64,
    pub(crate) disk_bytes_per_memory: Option<f64>,
}

/// A long log against a short one.
#[derive(Serialize)]
pub(crate) struct Grown {
    pub(crate) small_bytes: u64,
    pub(crate) grown_bytes: u64,
    pub(crate) small_cpu_us_per_event: f64,
    pub(crate) grown_cpu_us_per_event: f64,
    pub(crate) ratio_buffered: Option<f64>,
    pub(crate) ratio_one: Option<f64>,
}

impl Printed {
    pub(crate) fn to_text(&self) -> String {
        let (one, buffered) = (&self.one, &self.buffered);
        let mut out = format!(
            "{:24} {:>9} {:>9} {:>9} {:>9}\n",
            "one, synced", "p50 us", "p99 us", "to bare", "syncs"
        );
        let rows = [
            ("log", one.wall_us_p50, one.wall_us_p99, one.ratio_p50, one.syncs_per_event),
            ("bare write and sync", one.bare_us_p50, one.bare_us_p99, Some(1.0), Some(1.0)),
            (
                "engine: remember",
                one.remember_us_p50,
                one.remember_us_p99,
                one.remember_ratio_p50,
                one.remember_syncs,
            ),
        ];
        for (name, p50, p99, ratio, syncs) in rows {
            // Writing to a string can't fail.
            let _ = writeln!(
                out,
                "  {name:22} {p50:>9.1} {p99:>9.1} {:>9} {:>9}",
                shown(ratio),
                shown(syncs)
            );
        }
        let _ = writeln!(
            out,
            "buffered, batches of {}: {:.0} events/s, {:.0} a second of processor time, {} syncs, {} bytes of log a byte of payload",
            buffered.batch,
            buffered.events_per_s,
            buffered.events_per_cpu_s,
            buffered.file_syncs,
            shown(buffered.log_per_payload),
        );
        self.groups_and_ledgers(&mut out);
        out + &self.summary.to_text()
    }

    /// The lines of threads that share syncs, and of whole ledgers.
    fn groups_and_ledgers(&self, out: &mut String) {
        for group in &self.group {
            let _ = writeln!(
                out,
                "{:>4} threads: {:>10.0} events/s, {:>6} events a sync, {:>6} times the first, \
                 {:>6} us of processor time an event",
                group.threads,
                group.events_per_s,
                shown(group.events_per_sync),
                shown(group.over_first),
                shown(group.cpu_us_per_event),
            );
        }
        if let Some(sustained) = &self.sustained {
            let _ = writeln!(
                out,
                "memories one by one: p50 {:.0} us, p99 {:.0}, p99.9 {:.0}, most {:.0}; {:.0} a \
                 second, {} segments, {} checkpoints kept, {} bytes on disk each",
                sustained.wall_us_p50,
                sustained.wall_us_p99,
                sustained.wall_us_p999,
                sustained.wall_us_max,
                sustained.memories_per_s,
                sustained.segments,
                sustained.checkpoints,
                shown(sustained.on_disk.disk_bytes_per_memory),
            );
        }
        let _ = writeln!(
            out,
            "a ledger of {} memories takes {:.1} MB of the disk",
            self.small.memories,
            self.small.disk_bytes as f64 / 1e6
        );
        if let Some(grown) = &self.grown {
            let _ = writeln!(
                out,
                "at {} MB against {} MB: buffered {} times, one synced {} times",
                grown.grown_bytes / 1_000_000,
                grown.small_bytes / 1_000_000,
                shown(grown.ratio_buffered),
                shown(grown.ratio_one),
            );
        }
    }
}

fn shown(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}
