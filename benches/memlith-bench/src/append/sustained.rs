use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use memlith::{Caller, Keeper, Ledger, Options, Remember};

use crate::append::AppendArgs;
use crate::append::report::{OnDisk, Sustained};
use crate::plan::entries;
use crate::summary::ratio;
use crate::words::{Random, Vocabulary};
use memlith_verbs::wall::{Stopwatch, Walls, micros};

/// Memories of the small ledger.
const SMALL: u64 = 1_000;

/// Bytes of a word and what is between it and the next, about.
const WORD_LEN: u64 = 8;

/// Writes memories one by one, each synced, for `seconds`: segments are sealed and checkpoints
/// are written meanwhile.
pub(crate) fn sustained(dir: &Path, seconds: u64, args: &AppendArgs) -> Result<Sustained> {
    let ledger = Ledger::create(dir, Options::default())?;
    let keeper = Keeper::of(&ledger)?;
    let mut random = Random::new(args.seed + 2);
    let words = Vocabulary::new(&mut random);
    let (mut walls, watch) = (Vec::new(), Stopwatch::start());
    while watch.elapsed() < Duration::from_secs(seconds) {
        let text = text(&words, &mut random, args.payload);
        let one = Stopwatch::start();
        remember(&ledger, text)?;
        walls.push(one.elapsed());
    }
    let elapsed = watch.elapsed().as_secs_f64();
    drop(keeper);
    let checkpoints = ledger.checkpoints().list()?.len() as u64;
    ledger.close()?;
    let memories = walls.len() as u64;
    let walls: Walls = walls.into_iter().collect();
    let segments = entries(dir)?.iter().filter(|entry| is_segment(entry)).count();
    Ok(Sustained {
        wall_us_p50: micros(walls.percentile(50)),
        wall_us_p99: micros(walls.percentile(99)),
        wall_us_p999: micros(walls.permille(999)),
        wall_us_max: micros(walls.percentile(100)),
        memories_per_s: crate::rounded(memories as f64 / elapsed, 1),
        segments: segments as u64,
        checkpoints,
        on_disk: on_disk(dir, memories)?,
    })
}

/// A ledger of a thousand memories of a line each.
pub(crate) fn small(dir: &Path, args: &AppendArgs) -> Result<OnDisk> {
    let options =
        Options { durability: memlith::storage::Durability::Buffered, ..Options::default() };
    let ledger = Ledger::create(dir, options)?;
    let mut random = Random::new(args.seed + 3);
    let words = Vocabulary::new(&mut random);
    for _ in 0..SMALL {
        remember(&ledger, text(&words, &mut random, 80))?;
        ledger.checkpoints().write_if_due()?;
    }
    ledger.close()?;
    on_disk(dir, SMALL)
}

fn remember(ledger: &Ledger, text: String) -> Result<()> {
    let caller = Caller::user("default", "bench");
    let _ = ledger.remember(&caller, Remember { text, ..Remember::default() })?;
    Ok(())
}

/// Words of about `len` bytes.
fn text(words: &Vocabulary, random: &mut Random, len: usize) -> String {
    words.text(random, len as u64 / WORD_LEN)
}

fn is_segment(entry: &std::fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with("seg-")
}

/// Returns the bytes of the ledger's files in `dir`, by the blocks that the system gave them.
fn on_disk(dir: &Path, memories: u64) -> Result<OnDisk> {
    let blocks = |entry: &std::fs::DirEntry| entry.metadata().map_or(0, |data| data.blocks());
    let disk_bytes = entries(dir)?.iter().map(blocks).sum::<u64>() * 512;
    let disk_bytes_per_memory = ratio(disk_bytes as f64, memories as f64);
    Ok(OnDisk { memories, disk_bytes, disk_bytes_per_memory })
}
