//! Report of a process on its own resources once its answer is out: for benches.

use std::fs::read_to_string;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Resources that a process has used so far; `None` where the system doesn't count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Bytes read through calls to the system, from the page cache or not: `rchar` of
    /// `/proc/self/io`. What is only mapped is not among them.
    pub bytes_read: Option<u64>,
    /// Bytes that came from the storage device for it: `read_bytes`.
    pub device_bytes_read: Option<u64>,
    /// Mapped bytes of the ledger's files that are resident in it, those that the system
    /// mapped along with a touched page among them: `Rss` of `/proc/self/smaps`.
    pub mapped_bytes: Option<u64>,
    /// Page faults that waited for the device.
    pub major_faults: Option<u64>,
    /// Page faults that did not.
    pub minor_faults: Option<u64>,
    /// The most that was resident at once: `VmHWM` of `/proc/self/status`.
    pub rss_bytes: Option<u64>,
    /// Bytes resident at this moment and backed by no file: `RssAnon`. The system keeps
    /// no record of the most; `rss_bytes` bounds it.
    pub anonymous_bytes: Option<u64>,
}

impl Usage {
    /// Measures this process, which has the ledger in `dir` open.
    pub fn now(dir: &Path) -> Usage {
        // In this order: reading these files counts as reading.
        let read = |name| read_to_string(Path::new("/proc/self").join(name)).unwrap_or_default();
        let (io, stat, status) = (read("io"), read("stat"), read("status"));
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        Usage::of(&io, &stat, &status, &read("smaps"), &dir)
    }

    fn of(io: &str, stat: &str, status: &str, smaps: &str, dir: &Path) -> Usage {
        let kibibytes = |name| Some(number(status, name)? << 10);
        // Behind the program's name, which may hold blanks: state is the first.
        let (_, fields) = stat.rsplit_once(')').unwrap_or_default();
        let field = |place| fields.split_whitespace().nth(place)?.parse().ok();
        Usage {
            bytes_read: number(io, "rchar"),
            device_bytes_read: number(io, "read_bytes"),
            mapped_bytes: (!smaps.is_empty()).then(|| mapped(smaps, dir)),
            minor_faults: field(7),
            major_faults: field(9),
            rss_bytes: kibibytes("VmHWM"),
            anonymous_bytes: kibibytes("RssAnon"),
        }
    }

    /// The greater of each.
    pub fn max(self, other: Usage) -> Usage {
        Usage {
            bytes_read: self.bytes_read.max(other.bytes_read),
            device_bytes_read: self.device_bytes_read.max(other.device_bytes_read),
            mapped_bytes: self.mapped_bytes.max(other.mapped_bytes),
            major_faults: self.major_faults.max(other.major_faults),
            minor_faults: self.minor_faults.max(other.minor_faults),
            rss_bytes: self.rss_bytes.max(other.rss_bytes),
            anonymous_bytes: self.anonymous_bytes.max(other.anonymous_bytes),
        }
    }
}

/// Resident bytes of the maps of files below `dir`.
fn mapped(smaps: &str, dir: &Path) -> u64 {
    let (mut inside, mut bytes) = (false, 0);
    for line in smaps.lines() {
        let first = line.split_whitespace().next().unwrap_or_default();
        if !first.ends_with(':') {
            // Addresses, rights, offset, device, inode, path.
            inside = line.split_whitespace().nth(5).is_some_and(|path| {
                let path = line.find(path).and_then(|at| line.get(at..)).unwrap_or_default();
                Path::new(path).starts_with(dir)
            });
        } else if inside && first == "Rss:" {
            bytes += number(line, "Rss").unwrap_or_default() << 10;
        }
    }
    bytes
}

/// The number after `name:`; a unit after it is not read.
fn number(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_by_their_whole_name() {
        let io = "rchar: 17\nwchar: 3\nread_bytes: 4096\ncancelled_write_bytes: 1\n";
        assert_eq!(number(io, "rchar"), Some(17));
        assert_eq!(number(io, "bytes"), None);
        let stat = "7 (a b) R 1 2 3 4 5 6 70 8 90 10 11";
        let status = "VmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\nRssAnon:\t  12 kB\n";
        let smaps = "\
7f00-7f01 r--s 00000000 08:01 42         /a b/seg-1
Size:    4096 kB
Rss:       64 kB
7f02-7f03 r--s 00000000 08:01 43         /a/program
Rss:      100 kB
7f04-7f05 rw-p 00000000 00:00 0
Rss:      100 kB
";
        let usage = Usage::of(io, stat, status, smaps, Path::new("/a b"));
        let expected = Usage {
            bytes_read: Some(17),
            device_bytes_read: Some(4096),
            mapped_bytes: Some(64 << 10),
            minor_faults: Some(70),
            major_faults: Some(90),
            rss_bytes: Some(2 << 20),
            anonymous_bytes: Some(12 << 10),
        };
        assert_eq!(usage, expected);
        assert_eq!(Usage::of("", "", "", "", Path::new("/")), Usage::default());
    }

    #[test]
    fn this_process_has_used_something() {
        let usage = Usage::now(Path::new("/"));
        assert!(usage.rss_bytes > Some(1 << 20) && usage.mapped_bytes > Some(0), "{usage:?}");
    }
}
