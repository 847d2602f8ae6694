use memlith_testkit::sim::SimDisk;

use crate::failure::Failure;

/// The segments of a ledger before a recovery, of which it may cut off only what it keeps
/// a copy of.
#[derive(Debug)]
pub struct Tails {
    segments: Vec<(String, Vec<u8>)>,
}

impl Tails {
    pub(crate) fn of(disk: &SimDisk) -> Tails {
        let names = disk.names().into_iter().filter(|name| name.starts_with("seg-"));
        let read = |name: String| disk.bytes(&name).map(|bytes| (name, bytes));
        Tails { segments: names.filter_map(read).collect() }
    }

    /// Whether a segment is longer than `len`.
    pub(crate) fn are_longer_than(&self, len: usize) -> bool {
        self.segments.iter().any(|(_, bytes)| bytes.len() > len)
    }

    /// Whether every byte that is another one now, and was not zero, is in the quarantine.
    pub(crate) fn are_kept(&self, disk: &SimDisk) -> Result<(), Failure> {
        for (name, before) in &self.segments {
            let after = disk.bytes(name).unwrap_or_default();
            if let Some((first, last)) = gone(before, &after)
                && !is_quarantined(disk, name, before, first, last)
            {
                let what = format!("bytes {first} to {last} of {name} are gone without a copy");
                return Err(Failure::wrong(what));
            }
        }
        Ok(())
    }
}

/// The first and the last place whose byte was not zero, and is another one now.
fn gone(before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    // Most of a segment is as it was, or was zero: whole chunks of it are passed over.
    const CHUNK: usize = 256;
    const ZEROS: [u8; CHUNK] = [0; CHUNK];
    let mut found: Option<(usize, usize)> = None;
    for (number, chunk) in before.chunks(CHUNK).enumerate() {
        let start = number * CHUNK;
        let there = after.get(start..start + chunk.len()).unwrap_or_default();
        if chunk == there || ZEROS.starts_with(chunk) {
            continue;
        }
        for (offset, byte) in chunk.iter().enumerate() {
            if *byte != 0 && after.get(start + offset) != Some(byte) {
                let at = start + offset;
                found = Some((found.map_or(at, |(first, _)| first), at));
            }
        }
    }
    found
}

fn is_quarantined(disk: &SimDisk, name: &str, before: &[u8], first: usize, last: usize) -> bool {
    let prefix = format!("quarantine/{name}-");
    disk.names().iter().any(|copy| {
        let start = copy.strip_prefix(&prefix).and_then(|rest| rest.split('-').next());
        let Some(start) = start.and_then(|start| start.parse::<usize>().ok()) else { return false };
        let bytes = disk.bytes(copy).unwrap_or_default();
        let end = start.saturating_add(bytes.len());
        start <= first && last < end && before.get(start..end) == Some(bytes.as_slice())
    })
}
