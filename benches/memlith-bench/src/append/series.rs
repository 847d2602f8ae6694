use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use memlith::measured::CountedStorage;
use memlith::{
    Caller, Ledger, Options, Remember,
    storage::{Durability, Env, LocalStorage},
};

use crate::append::AppendArgs;
use crate::append::bare::Bare;
use crate::append::report::{Buffered, OneFigures};
use crate::append::subject::{Subject, body};
use crate::rounded;
use crate::summary::{cpu_time, median, ratio};
use crate::words::Random;
use memlith_verbs::wall::{Stopwatch, Walls, micros};

/// Appends that come first and are not timed.
pub(crate) const WARMING_UP: u64 = 16;

/// Events of a batch.
pub(crate) const BATCH: usize = 100;

/// Single synced events: the log's, the bare file's, the engine's.
pub(crate) struct One {
    pub(crate) walls: Walls,
    bare: Walls,
    remember: Walls,
    syncs: u64,
    remember_syncs: u64,
}

/// Times single events, each beside a bare write and one that the engine decides on: what
/// disturbs the machine disturbs all three.
pub(crate) fn one(
    subject: &mut Subject,
    bare: &mut Bare,
    engine: &Path,
    args: &AppendArgs,
) -> Result<One> {
    let storage = CountedStorage::new(LocalStorage::create(engine)?);
    let engine_counts = storage.counters();
    let ledger = Ledger::create_in(Env::system(storage), Options::default())?;
    let caller = Caller::user("default", "bench");
    let mut random = Random::new(args.seed + 1);
    let mut one = One {
        walls: Walls::default(),
        bare: Walls::default(),
        remember: Walls::default(),
        syncs: 0,
        remember_syncs: 0,
    };
    let mut before = (subject.counts(), engine_counts.now());
    let rounds = WARMING_UP + args.single as u64;
    for round in 0..rounds {
        if round == WARMING_UP {
            before = (subject.counts(), engine_counts.now());
        }
        let bodies = subject.bodies(1);
        let text = String::from_utf8(body(&mut random, args.payload)).context("a text")?;
        let note = Remember { text, ..Remember::default() };
        let written = timed(|| subject.append(&bodies, Durability::Immediate))?;
        let written_bare = bare.append()?;
        let remembered = timed(|| Ok(ledger.remember(&caller, note).map(drop)?))?;
        if round >= WARMING_UP {
            one.walls.push(written);
            one.bare.push(written_bare);
            one.remember.push(remembered);
        }
    }
    one.syncs = subject.counts().since(before.0).file_syncs;
    one.remember_syncs = engine_counts.now().since(before.1).file_syncs;
    ledger.close()?;
    Ok(one)
}

/// Times batches that are buffered.
pub(crate) fn buffered(subject: &mut Subject, args: &AppendArgs) -> Result<Buffered> {
    let (mut per_s, mut per_cpu_s) = (Vec::new(), Vec::new());
    let (before, extent_before) = (subject.counts(), subject.extent()?);
    for _ in 0..args.rounds {
        // Made before the clock runs, and few: a core's cache is not what is measured.
        let batches: Vec<Vec<Vec<u8>>> = (0..args.batches).map(|_| subject.bodies(BATCH)).collect();
        let (watch, busy) = (Stopwatch::start(), cpu_time());
        for batch in &batches {
            subject.append(batch, Durability::Buffered)?;
        }
        let events = (args.batches * BATCH) as f64;
        per_s.push(events / watch.elapsed().as_secs_f64());
        per_cpu_s.push(events / (cpu_time() - busy).as_secs_f64());
    }
    let events = (args.rounds * args.batches * BATCH) as u64;
    let done = subject.counts().since(before);
    let payload = events * args.payload as u64;
    let per_cpu_s = median(per_cpu_s);
    Ok(Buffered {
        events,
        batch: BATCH,
        events_per_s: rounded(median(per_s), 0),
        events_per_cpu_s: rounded(per_cpu_s, 0),
        cpu_us_per_event: ratio(1e6, per_cpu_s),
        file_syncs: done.file_syncs,
        written_per_payload: ratio(done.written_bytes as f64, payload as f64),
        log_per_payload: ratio((subject.extent()? - extent_before) as f64, payload as f64),
    })
}

pub(crate) fn timed(run: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let watch = Stopwatch::start();
    run()?;
    Ok(watch.elapsed())
}

impl One {
    pub(crate) fn figures(&self) -> OneFigures {
        let at = |walls: &Walls, percent| micros(walls.percentile(percent));
        let over_bare = |walls: &Walls| ratio(at(walls, 50), at(&self.bare, 50));
        let events = self.walls.count() as f64;
        OneFigures {
            wall_us_p50: at(&self.walls, 50),
            wall_us_p99: at(&self.walls, 99),
            bare_us_p50: at(&self.bare, 50),
            bare_us_p99: at(&self.bare, 99),
            ratio_p50: over_bare(&self.walls),
            syncs_per_event: ratio(self.syncs as f64, events),
            remember_us_p50: at(&self.remember, 50),
            remember_us_p99: at(&self.remember, 99),
            remember_ratio_p50: over_bare(&self.remember),
            remember_syncs: ratio(self.remember_syncs as f64, events),
        }
    }
}
