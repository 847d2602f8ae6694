use std::fs::{File, read_to_string};
use std::io::Read as _;
use std::num::NonZero;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::Serialize;

use crate::plan::entries;
use crate::summary::{cpu_time, median};

/// Speed of a core of this machine over bytes that are in the page cache.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Rates {
    /// Hashes with BLAKE3 what it holds itself.
    pub(crate) hash_gb_per_cpu_s: f64,
    /// Reads from a file.
    pub(crate) read_gb_per_cpu_s: f64,
}

impl Rates {
    /// Reads all segments of the ledger in `dir` once and hashes as many bytes.
    pub(crate) fn of(dir: &Path) -> Result<Rates> {
        // As much as a core still holds between the reading and the hashing.
        let mut buffer = vec![0; 256 << 10];
        let (mut read, mut hash, mut bytes) = (Duration::ZERO, Duration::ZERO, 0_u64);
        for entry in entries(dir)? {
            if !entry.file_name().to_string_lossy().starts_with("seg-") {
                continue;
            }
            let mut file = File::open(entry.path()).context("open a segment")?;
            loop {
                let before = cpu_time();
                let count = file.read(&mut buffer).context("read a segment")?;
                let between = cpu_time();
                let part = buffer.get(..count).unwrap_or_default();
                std::hint::black_box(blake3::hash(part));
                read += between - before;
                hash += cpu_time() - between;
                bytes += count as u64;
                if count == 0 {
                    break;
                }
            }
        }
        let rate = |time: Duration| bytes as f64 / 1e9 / time.as_secs_f64().max(1e-9);
        Ok(Rates { hash_gb_per_cpu_s: rate(hash), read_gb_per_cpu_s: rate(read) })
    }

    /// The median of each.
    pub(crate) fn median(all: &[Rates]) -> Rates {
        let of =
            |rate: fn(&Rates) -> f64| crate::rounded(median(all.iter().map(rate).collect()), 3);
        Rates {
            hash_gb_per_cpu_s: of(|rates| rates.hash_gb_per_cpu_s),
            read_gb_per_cpu_s: of(|rates| rates.read_gb_per_cpu_s),
        }
    }

    /// One after the other.
    pub(crate) fn both(&self) -> f64 {
        1.0 / (1.0 / self.hash_gb_per_cpu_s + 1.0 / self.read_gb_per_cpu_s)
    }
}

/// The machine in one line: processors, their model, memory, kernel.
pub(crate) fn machine() -> String {
    let read = |path| read_to_string(path).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let hardware = describe(cores, &read("/proc/cpuinfo"), &read("/proc/meminfo"));
    match read("/proc/sys/kernel/osrelease").trim() {
        "" => format!("{hardware}, unknown kernel"),
        kernel => format!("{hardware}, Linux {kernel}"),
    }
}

/// From here on this process, and whatever it starts, has one processor.
pub(crate) fn keep_one_processor() -> Result<()> {
    let all = sched_getaffinity(None).context("ask for the processors")?;
    let first = (0..CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu)).context("no processor")?;
    let mut one = CpuSet::new();
    one.set(first);
    sched_setaffinity(None, &one).context("keep one processor")
}

/// Processes that ran or waited for a processor in the last minute, on average: above
/// the number of processors, times are the neighbours' as much as ours.
pub(crate) fn load() -> Option<f64> {
    read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn describe(cores: usize, cpuinfo: &str, meminfo: &str) -> String {
    let model = field(cpuinfo, "model name").unwrap_or("unknown processor");
    let memory = field(meminfo, "MemTotal")
        .and_then(|size| size.strip_suffix(" kB")?.parse::<u64>().ok())
        .map_or_else(|| "unknown memory".to_owned(), gibibytes);
    format!("{cores} x {model}, {memory}")
}

fn gibibytes(kibibytes: u64) -> String {
    let tenths = (kibibytes * 10 + (1 << 19)) >> 20;
    format!("{}.{} GiB", tenths / 10, tenths % 10)
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let values = text.lines().filter_map(|line| line.split_once(':'));
    values.into_iter().find(|(field, _)| field.trim() == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_described_by_what_it_says_of_itself() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n\nprocessor\t: 1\n";
        let meminfo = "MemTotal:       24684084 kB\nMemFree:        1 kB\n";
        assert_eq!(describe(2, cpuinfo, meminfo), "2 x Some CPU @ 2 GHz, 23.5 GiB");
        assert_eq!(describe(1, "", ""), "1 x unknown processor, unknown memory");
    }
}
