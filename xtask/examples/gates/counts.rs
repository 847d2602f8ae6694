use std::path::Path;

use memlith::measured::{Counts, Log, LogOptions};
use memlith::{CheckoutRequest, Ledger, Options, storage::Durability};

use crate::ledger::{bytes, caller, env, folder, options, storage, word};
use crate::steps::{QUERIES, append_batch, ask, fresh};

/// Prints what is done to the disk, a line a count: these are the same on every machine.
pub(crate) fn print(dir: &Path) -> anyhow::Result<()> {
    let log = storage(&fresh(dir, "counted")?)?;
    let counters = log.counters();
    let log = Log::create(env(log), LogOptions::default())?;
    let body = bytes(1, 600)?;
    // The first append of a handle names its segment and takes the lock's measure.
    append_batch(&log, &body, 1, Durability::Immediate)?;
    let mut before = counters.now();
    let mut between = |name: &str, keys: &[&str]| {
        let now = counters.now();
        show(name, now.since(before), keys);
        before = now;
    };
    let syncs = ["writes", "written_bytes", "file_syncs", "folder_syncs"];
    append_batch(&log, &body, 1, Durability::Immediate)?;
    between("append-one", &syncs);
    append_batch(&log, &body, 100, Durability::Immediate)?;
    between("append-hundred", &syncs);
    append_batch(&log, &body, 100, Durability::Buffered)?;
    between("append-buffered", &syncs);
    log.close()?;
    between("close", &syncs);

    for (name, mmap) in [("cold-checkout-read", false), ("cold-checkout-mapped", true)] {
        let storage = storage(&folder(dir))?;
        let counters = storage.counters();
        let options = Options { read_only: true, mmap, ..options() };
        let ledger = Ledger::open_in(env(storage), options)?;
        show(&format!("{name}-open"), counters.now(), &["reads", "read_bytes", "mapped_bytes"]);
        ask(&ledger)?;
        show(name, counters.now(), &["opens", "reads", "read_bytes", "mapped_bytes"]);
    }
    observed(dir)
}

/// An observed checkout, which appends: its own durability is the ledger's business.
fn observed(dir: &Path) -> anyhow::Result<()> {
    let copied = fresh(dir, "observed")?;
    std::fs::create_dir(&copied)?;
    for entry in std::fs::read_dir(folder(dir))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), copied.join(entry.file_name()))?;
        }
    }
    let storage = storage(&copied)?;
    let counters = storage.counters();
    let ledger = Ledger::open_in(env(storage), options())?;
    let query = QUERIES.first().map(|ranks| ranks.map(word).join(" ")).unwrap_or_default();
    for name in ["first-observed", "observed"] {
        let before = counters.now();
        ledger
            .checkout(&caller(), CheckoutRequest::new(query.clone()))?
            .observed
            .map_err(anyhow::Error::msg)?;
        show(name, counters.now().since(before), &["file_syncs", "folder_syncs"]);
    }
    Ok(ledger.close()?)
}

fn show(name: &str, counts: Counts, keys: &[&str]) {
    let all = [
        ("opens", counts.opens),
        ("reads", counts.reads),
        ("read_bytes", counts.read_bytes),
        ("mapped_bytes", counts.mapped_bytes),
        ("writes", counts.writes),
        ("written_bytes", counts.written_bytes),
        ("file_syncs", counts.file_syncs),
        ("folder_syncs", counts.folder_syncs),
    ];
    for (key, count) in all.into_iter().filter(|(key, _)| keys.contains(key)) {
        println!("{name}.{key} {count}");
    }
}
