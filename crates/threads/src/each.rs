use std::sync::atomic::{AtomicUsize, Ordering};

/// The results of `each` for all of `items`, in their order, worked out by `threads` threads.
///
/// With one thread, one item or an explorer's build it is the caller's. Later items are
/// begun first: where they grow, the longest does not come last and alone.
///
/// # Panics
/// If `each` does; what the other threads are at is finished first.
pub fn in_order<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    each: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let threads = if cfg!(any(loom, shuttle)) { 1 } else { threads.min(items.len()) };
    if threads < 2 {
        return items.iter().map(each).collect();
    }
    let left = AtomicUsize::new(items.len());
    let work = || {
        let mut done = Vec::new();
        loop {
            // Not below zero: the count would begin again.
            let taken =
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
            let Some(at) = taken.ok().and_then(|n| n.checked_sub(1)) else { return done };
            done.extend(items.get(at).map(|item| (at, each(item))));
        }
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

/// So many threads can run at once on this machine; one where nobody knows.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items_whatever_the_number_of_threads() {
        for count in [0, 1, 2, 100] {
            let items: Vec<u64> = (0..count).collect();
            let expected: Vec<u64> = items.iter().map(|item| item * 3).collect();
            for threads in [0, 1, 2, 5, 200] {
                assert_eq!(in_order(threads, &items, |item| item * 3), expected, "{threads}");
            }
        }
        assert!(cores() > 0);
    }

    #[test]
    fn a_panic_of_any_thread_is_the_callers() {
        for threads in [1, 2, 5] {
            let ran = std::panic::catch_unwind(|| {
                in_order(threads, &[1, 2, 3, 4], |item| assert_ne!(*item, 3))
            });
            assert!(ran.is_err(), "{threads}");
        }
    }

    #[test]
    #[cfg(not(any(loom, shuttle)))]
    fn the_threads_run_at_once() {
        // Each of two items waits for the other one: one thread alone would wait for ever.
        let met = std::sync::Barrier::new(2);
        in_order(2, &[(), ()], |()| _ = met.wait());
    }
}
