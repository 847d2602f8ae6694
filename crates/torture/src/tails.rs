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

    /// Whether every byte that is another one now, and was not zero, is in the quarantine.
    pub(crate) fn are_kept(&self, disk: &SimDisk) -> Result<(), Failure> {
        for (name, before) in &self.segments {
            let after = disk.bytes(name).unwrap_or_default();
            let gone = |at: &usize| {
                let byte = before.get(*at).copied().unwrap_or_default();
                byte != 0 && byte != after.get(*at).copied().unwrap_or_default()
            };
            let first = (0..before.len()).find(gone);
            let last = (0..before.len()).rev().find(gone);
            if let (Some(first), Some(last)) = (first, last)
                && !is_quarantined(disk, name, before, first, last)
            {
                let what = format!("bytes {first} to {last} of {name} are gone without a copy");
                return Err(Failure::wrong(what));
            }
        }
        Ok(())
    }
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
