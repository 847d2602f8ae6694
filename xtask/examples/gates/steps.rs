use std::path::Path;

use anyhow::ensure;
use memlith::measured::{FIRST_EVENT_KIND, Flags, Log, LogOptions, NewRecord, verify_log};
use memlith::{
    CheckoutRequest, Ledger, Options,
    prove::{Level, Replay},
    storage::Durability,
};

use crate::ledger::{bytes, caller, env, folder, options, remember, storage, word};

/// A part of the workload, in a folder that `build` has filled.
type Step = fn(&Path) -> anyhow::Result<()>;

/// Each step. What the first one costs, starting and ending a process, is taken from the
/// others.
pub(crate) const STEPS: [(&str, Step); 8] = [
    ("nothing", nothing),
    ("append", append),
    ("remember", remember_notes),
    ("verify-sealed", verify_sealed),
    ("verify-full", verify_full),
    ("open", open),
    ("checkout", checkout),
    ("replay", replay),
];

/// Events that are appended to a log, in batches.
const EVENTS: u64 = 1_000;
const BATCH: u64 = 10;

/// Questions, by the ranks of their words: common, middling, rare.
pub(crate) const QUERIES: [[usize; 3]; 3] = [[0, 1, 2], [60, 90, 120], [500, 700, 900]];

fn nothing(dir: &Path) -> anyhow::Result<()> {
    ensure!(folder(dir).is_dir(), "no ledger was built");
    Ok(())
}

fn append(dir: &Path) -> anyhow::Result<()> {
    let log = Log::create(env(storage(&fresh(dir, "append")?)?), LogOptions::default())?;
    let body = bytes(1, 600)?;
    for _ in 0..EVENTS / BATCH {
        append_batch(&log, &body, BATCH, Durability::Buffered)?;
    }
    ensure!(log.head().seq.0 == EVENTS, "events are missing");
    Ok(log.close()?)
}

/// Appends a body so many times, as one batch.
pub(crate) fn append_batch(
    log: &Log,
    body: &[u8],
    count: u64,
    durability: Durability,
) -> anyhow::Result<()> {
    let record =
        NewRecord { kind: FIRST_EVENT_KIND, kind_version: 0, codec: 1, flags: Flags::NONE, body };
    let records: Vec<NewRecord<'_>> = (0..count).map(|_| record).collect();
    log.writer()?.append(&records, durability)?;
    Ok(())
}

fn remember_notes(dir: &Path) -> anyhow::Result<()> {
    let options = Options { durability: Durability::Buffered, ..options() };
    let ledger = Ledger::create_in(env(storage(&fresh(dir, "remember")?)?), options)?;
    remember(&ledger, 0..100)?;
    Ok(ledger.close()?)
}

fn verify_sealed(dir: &Path) -> anyhow::Result<()> {
    verify(dir, Level::Sealed)
}

fn verify_full(dir: &Path) -> anyhow::Result<()> {
    verify(dir, Level::Full)
}

fn verify(dir: &Path, level: Level) -> anyhow::Result<()> {
    let report = verify_log(&env(storage(&folder(dir))?), level)?;
    ensure!(report.is_ok(), "the ledger isn't sound: {:?}", report.findings);
    Ok(())
}

fn open(dir: &Path) -> anyhow::Result<()> {
    to_read(dir, true).map(drop)
}

/// Opens the ledger from its checkpoint.
pub(crate) fn to_read(dir: &Path, mmap: bool) -> anyhow::Result<Ledger> {
    let options = Options { read_only: true, mmap, ..options() };
    Ok(Ledger::open_in(env(storage(&folder(dir))?), options)?)
}

fn checkout(dir: &Path) -> anyhow::Result<()> {
    ask(&to_read(dir, true)?)
}

/// Asks every question, unobserved.
pub(crate) fn ask(ledger: &Ledger) -> anyhow::Result<()> {
    for ranks in QUERIES {
        let query = ranks.map(word).join(" ");
        let request = CheckoutRequest { observe: false, ..CheckoutRequest::new(query) };
        let found = ledger.checkout(&caller(), &request)?.pack.items.len();
        ensure!(found >= 3, "{found} items");
    }
    Ok(())
}

fn replay(dir: &Path) -> anyhow::Result<()> {
    to_read(dir, true)?.audit().replay(&Replay { threads: Some(1), ..Replay::default() })?;
    Ok(())
}

/// A folder of this name that is not there.
pub(crate) fn fresh(dir: &Path, name: &str) -> anyhow::Result<std::path::PathBuf> {
    let folder = dir.join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(folder)
}
