use std::fs::read_to_string;
use std::num::NonZero;

use anyhow::{Context as _, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

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
        .map_or_else(
            || "unknown memory".to_owned(),
            |size| format!("{:.1} GiB", size as f64 / f64::from(1 << 20)),
        );
    format!("{cores} x {model}, {memory}")
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
