use anyhow::{Result, ensure};
use memlith::storage::Durability;
use serde_json::{Value, json};

use crate::append::AppendArgs;
use crate::append::subject::{Subject, body};
use crate::report::{cpu_time, median, ratio};
use crate::words::Random;
use memlith_verbs::wall::{Stopwatch, micros, rounded};

/// Work that a number of threads did in all rounds.
#[derive(Default)]
struct Done {
    events_per_s: Vec<f64>,
    events: u64,
    syncs: u64,
    cpu_us: f64,
}

/// Appends on each number of threads, round after round: every event is on the disk when
/// its append returns, and threads that wait share a sync.
pub(crate) fn group(subject: &Subject, args: &AppendArgs) -> Result<Vec<Value>> {
    let mut done: Vec<Done> = args.threads.iter().map(|_| Done::default()).collect();
    for _ in 0..args.rounds {
        for (threads, done) in args.threads.iter().zip(&mut done) {
            let (before, appended) = (subject.counts(), subject.events());
            let busy = cpu_time();
            let seconds = on_threads(subject, *threads, args)?;
            done.cpu_us += micros(cpu_time() - busy);
            let events = (threads * args.per_thread) as u64;
            ensure!(subject.events() == appended + events, "events are missing");
            done.events_per_s.push(events as f64 / seconds);
            done.events += events;
            done.syncs += subject.counts().since(before).file_syncs;
        }
    }
    let first = done.first().map_or(0.0, |done| median(done.events_per_s.clone()));
    let figures = args.threads.iter().zip(done).map(|(threads, done)| {
        let events_per_s = median(done.events_per_s);
        json!({
            "threads": threads,
            "events": done.events,
            "events_per_s": rounded(events_per_s, 1),
            "events_per_sync": ratio(done.events as f64, done.syncs as f64),
            "over_first": ratio(events_per_s, first),
            "cpu_us_per_event": ratio(done.cpu_us, done.events as f64),
        })
    });
    Ok(figures.collect())
}

/// The seconds that it took until the last thread was done.
fn on_threads(subject: &Subject, threads: usize, args: &AppendArgs) -> Result<f64> {
    let all: Vec<Vec<Vec<u8>>> = (0..threads)
        .map(|thread| {
            let mut random = Random::new(args.seed + thread as u64);
            (0..args.per_thread).map(|_| body(&mut random, args.payload)).collect()
        })
        .collect();
    let append = |bodies: &Vec<Vec<u8>>| -> Result<()> {
        bodies.chunks(1).try_for_each(|one| subject.append(one, Durability::Group))
    };
    let watch = Stopwatch::start();
    let outcomes: Vec<Result<()>> = std::thread::scope(|scope| {
        let running: Vec<_> = all.iter().map(|bodies| scope.spawn(|| append(bodies))).collect();
        let joined = running.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a thread panicked")))
        });
        joined.collect()
    });
    let seconds = watch.elapsed().as_secs_f64();
    outcomes.into_iter().collect::<Result<()>>()?;
    Ok(seconds)
}
