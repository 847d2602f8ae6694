use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use memlith::{Caller, Keeper, Ledger, Options, Remember, storage::Durability};
use serde_json::{Value, json};

use crate::append::subject::Subject;
use crate::append::{AppendArgs, BATCH, timed};
use crate::plan::entries;
use crate::report::{Timed, in_micros, merged, ratio};
use crate::size::Size;
use crate::words::{Random, Vocabulary};
use memlith_verbs::wall::{Stopwatch, Walls, micros, rounded};

/// Size of the log that the longer one is compared with, in bytes.
const SHORT: u64 = 10_000_000;

/// Batches that are timed together.
const BATCHES: usize = 20;

/// Memories of the small ledger.
const SMALL: u64 = 1_000;

/// Bytes of a word and what is between it and the next, about.
const WORD_LEN: u64 = 8;

/// A log of a length, and what appending to it cost.
struct Measured {
    subject: Subject,
    batches: Timed,
    walls: Walls,
}

/// Appends to a short log and to a long one in turn.
pub(crate) fn grown(folder: &Path, size: Size, args: &AppendArgs) -> Result<Value> {
    let mut short = Measured::new(&folder.join("small"), SHORT, args)?;
    let mut long = Measured::new(&folder.join("grown"), size.bytes, args)?;
    for _ in 0..args.rounds * 5 {
        short.buffered()?;
        long.buffered()?;
    }
    for _ in 0..args.single {
        short.one()?;
        long.one()?;
    }
    let events = (BATCHES * BATCH) as f64;
    let cpu = |one: &Measured| micros(one.batches.cpu.percentile(50)) / events;
    let wall = |one: &Measured| micros(one.walls.percentile(50));
    let figures = json!({
        "small_bytes": SHORT,
        "grown_bytes": size.bytes,
        "small_cpu_us_per_event": rounded(cpu(&short), 3),
        "grown_cpu_us_per_event": rounded(cpu(&long), 3),
        "ratio_buffered": ratio(cpu(&long), cpu(&short)),
        "ratio_one": ratio(wall(&long), wall(&short)),
    });
    short.subject.finish()?;
    long.subject.finish()?;
    Ok(figures)
}

impl Measured {
    /// A log with so many bytes of bodies.
    fn new(dir: &Path, bytes: u64, args: &AppendArgs) -> Result<Measured> {
        let mut subject = Subject::new(dir, args)?;
        let batches = bytes.div_ceil((args.payload * BATCH) as u64);
        // What the bodies are doesn't matter here, and they take longer than their append.
        let bodies = subject.bodies(BATCH);
        for _ in 0..batches {
            subject.append(&bodies, Durability::Buffered)?;
        }
        Ok(Measured { subject, batches: Timed::default(), walls: Walls::default() })
    }

    fn buffered(&mut self) -> Result<()> {
        let bodies = self.subject.bodies(BATCH);
        let subject = &self.subject;
        let append = |_| subject.append(&bodies, Durability::Buffered);
        self.batches.run(|| (0..BATCHES).try_for_each(append))
    }

    fn one(&mut self) -> Result<()> {
        let bodies = self.subject.bodies(1);
        let subject = &self.subject;
        self.walls.push(timed(|| subject.append(&bodies, Durability::Immediate))?);
        Ok(())
    }
}

/// Writes memories one by one, each synced, for `seconds`: segments are sealed and checkpoints
/// are written meanwhile.
pub(crate) fn sustained(dir: &Path, seconds: u64, args: &AppendArgs) -> Result<Value> {
    let ledger = Ledger::create(dir, Options::default())?;
    let keeper = Keeper::of(&ledger)?;
    let mut random = Random::new(args.seed + 2);
    let words = Vocabulary::new(&mut random);
    let (mut walls, watch) = (Vec::new(), Stopwatch::start());
    while watch.elapsed() < Duration::from_secs(seconds) {
        let text = words.text(&mut random, args.payload as u64 / WORD_LEN);
        walls.push(timed(|| remember(&ledger, text))?);
    }
    let elapsed = watch.elapsed().as_secs_f64();
    drop(keeper);
    let checkpoints = ledger.checkpoints().list()?.len();
    ledger.close()?;
    let walls: Walls = walls.into_iter().collect();
    let is_segment =
        |entry: &&std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with("seg-");
    let more = json!({
        "wall_us_p999": micros(walls.permille(999)),
        "memories_per_s": rounded(walls.count() as f64 / elapsed, 1),
        "segments": entries(dir)?.iter().filter(is_segment).count(),
        "checkpoints": checkpoints,
    });
    Ok(merged([in_micros(&walls), more, on_disk(dir, walls.count() as u64)?]))
}

/// Makes a ledger of a thousand memories of a line each, and counts what it takes of the disk.
pub(crate) fn small(dir: &Path, args: &AppendArgs) -> Result<Value> {
    let options = Options { durability: Durability::Buffered, ..Options::default() };
    let ledger = Ledger::create(dir, options)?;
    let mut random = Random::new(args.seed + 3);
    let words = Vocabulary::new(&mut random);
    for _ in 0..SMALL {
        remember(&ledger, words.text(&mut random, 80 / WORD_LEN))?;
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

/// Counts the bytes of the closed ledger's files in `dir`, by the blocks that the system gave
/// them: zeros ahead and what is set aside are among them.
fn on_disk(dir: &Path, memories: u64) -> Result<Value> {
    let blocks = |entry: &std::fs::DirEntry| entry.metadata().map_or(0, |data| data.blocks());
    let disk_bytes = entries(dir)?.iter().map(blocks).sum::<u64>() * 512;
    Ok(json!({
        "memories": memories,
        "disk_bytes": disk_bytes,
        "disk_bytes_per_memory": ratio(disk_bytes as f64, memories as f64),
    }))
}
