//! Checkouts of several threads beside one that writes, through one handle.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use memlith::{Caller, CheckoutRequest, Keeper, Ledger, Remember};
use serde::Serialize;

use super::{CheckoutArgs, Figures, figures};
use crate::queries;
use crate::workload::Workload;
use memlith_verbs::wall::{Stopwatch, Walls};

/// Figures of a number of readers.
#[derive(Serialize)]
pub(super) struct Beside {
    pub(super) readers: usize,
    #[serde(flatten)]
    pub(super) figures: Figures,
    pub(super) checkouts_per_s: f64,
    pub(super) writes_per_s: f64,
}

/// Asks every query on each of `readers` threads, while one writes synced memories without a
/// pause and another writes the checkpoints that are due.
pub(super) fn measure(ledger: &Ledger, readers: usize, args: &CheckoutArgs) -> Result<Beside> {
    let keeper = Keeper::of(ledger)?;
    let (is_over, watch) = (AtomicBool::new(false), Stopwatch::start());
    let (walls, writes) = std::thread::scope(|scope| -> Result<(Walls, u64)> {
        let writing = scope.spawn(|| write(ledger, &is_over));
        let asking: Vec<_> =
            (0..readers).map(|reader| scope.spawn(move || ask(ledger, reader, args))).collect();
        let asked: Vec<Result<Vec<Duration>>> = asking
            .into_iter()
            .map(|thread| thread.join().ok().context("a reader panicked")?)
            .collect();
        is_over.store(true, Ordering::Relaxed);
        let writes = writing.join().ok().context("the writer panicked")??;
        let asked: Result<Vec<Vec<Duration>>> = asked.into_iter().collect();
        Ok((asked?.into_iter().flatten().collect(), writes))
    })?;
    let seconds = watch.elapsed().as_secs_f64();
    drop(keeper);
    Ok(Beside {
        readers,
        figures: figures(&walls),
        checkouts_per_s: crate::rounded(walls.count() as f64 / seconds, 1),
        writes_per_s: crate::rounded(writes as f64 / seconds, 1),
    })
}

fn ask(ledger: &Ledger, reader: usize, args: &CheckoutArgs) -> Result<Vec<Duration>> {
    let mut caller = Caller::user("default", "bench");
    caller.now = Some(Workload::end());
    let mut walls = Vec::with_capacity(args.runs);
    for query in queries::of(args.seed + reader as u64, args.runs) {
        let request = CheckoutRequest { observe: false, ..CheckoutRequest::new(&query.text) };
        let watch = Stopwatch::start();
        ledger.checkout(&caller, request)?;
        walls.push(watch.elapsed());
    }
    Ok(walls)
}

fn write(ledger: &Ledger, is_over: &AtomicBool) -> Result<u64> {
    let caller = Caller::user("default", "writer");
    let mut writes = 0;
    while !is_over.load(Ordering::Relaxed) {
        let text = format!("The measure number {writes} was taken beside readers.");
        let _ = ledger.remember(&caller, Remember { text, ..Remember::default() })?;
        writes += 1;
    }
    Ok(writes)
}
