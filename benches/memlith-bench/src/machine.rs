use std::fs::read_to_string;
use std::num::NonZero;

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
