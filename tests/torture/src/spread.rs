use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does `work` for every seed on some threads; the results are in the seeds' order.
///
/// After one that `is_last` no further seed is begun.
pub(crate) fn spread<T: Send>(
    seeds: Range<u64>,
    threads: usize,
    work: &(dyn Fn(u64) -> T + Sync),
    is_last: &(dyn Fn(&T) -> bool + Sync),
) -> Vec<T> {
    let next = AtomicU64::new(seeds.start);
    let (sender, receiver) = mpsc::channel();
    let mut results: Vec<(u64, T)> = thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (sender, next, end) = (sender.clone(), &next, seeds.end);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let result = work(seed);
                    if is_last(&result) {
                        next.store(end, Ordering::Relaxed);
                    }
                    if sender.send((seed, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        receiver.iter().collect()
    });
    results.sort_by_key(|(seed, _)| *seed);
    results.into_iter().map(|(_, result)| result).collect()
}
