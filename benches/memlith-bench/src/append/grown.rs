use std::path::Path;

use anyhow::Result;
use memlith::storage::Durability;

use crate::append::AppendArgs;
use crate::append::report::Grown;
use crate::append::series::{BATCH, timed};
use crate::append::subject::Subject;
use crate::size::Size;
use crate::summary::{cpu_time, median, ratio};
use memlith_verbs::wall::{Walls, micros};

/// Size of the log that the longer one is compared with, in bytes.
const SMALL: u64 = 10_000_000;

/// Batches that are timed together.
const BATCHES: usize = 20;

/// A log of a length, and what appending to it cost.
struct Measured {
    subject: Subject,
    cpu_us: Vec<f64>,
    walls: Walls,
}

/// Appends to a short log and to a long one in turn.
pub(crate) fn compare(folder: &Path, size: Size, args: &AppendArgs) -> Result<Grown> {
    let mut small = Measured::new(&folder.join("small"), SMALL, args)?;
    let mut grown = Measured::new(&folder.join("grown"), size.bytes, args)?;
    for _ in 0..args.rounds * 5 {
        small.buffered()?;
        grown.buffered()?;
    }
    for _ in 0..args.single {
        small.one()?;
        grown.one()?;
    }
    let cpu = |measured: &Measured| median(measured.cpu_us.clone());
    let one = |measured: &Measured| micros(measured.walls.percentile(50));
    let figures = Grown {
        small_bytes: SMALL,
        grown_bytes: size.bytes,
        small_cpu_us_per_event: crate::rounded(cpu(&small), 3),
        grown_cpu_us_per_event: crate::rounded(cpu(&grown), 3),
        ratio_buffered: ratio(cpu(&grown), cpu(&small)),
        ratio_one: ratio(one(&grown), one(&small)),
    };
    small.subject.finish()?;
    grown.subject.finish()?;
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
        Ok(Measured { subject, cpu_us: Vec::new(), walls: Walls::default() })
    }

    fn buffered(&mut self) -> Result<()> {
        let bodies = self.subject.bodies(BATCH);
        let busy = cpu_time();
        for _ in 0..BATCHES {
            self.subject.append(&bodies, Durability::Buffered)?;
        }
        let took = cpu_time() - busy;
        self.cpu_us.push(took.as_secs_f64() * 1e6 / (BATCHES * BATCH) as f64);
        Ok(())
    }

    fn one(&mut self) -> Result<()> {
        let bodies = self.subject.bodies(1);
        let subject = &self.subject;
        self.walls.push(timed(|| subject.append(&bodies, Durability::Immediate))?);
        Ok(())
    }
}
