use std::ops::Range;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Mutex;

/// The results of `each` for all of `items`, in their order, worked out by `threads` threads.
///
/// With one thread, one item or an explorer's build it is the caller's.
///
/// # Panics
/// If `each` does; what the other threads are at is finished first.
pub fn in_order<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    each: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    // One item at a time: they may be large, and of different sizes.
    let on_all = || items.par_iter().with_max_len(1).map(&each).collect();
    let done = with_pool(threads.min(items.len()), |pool| pool.install(on_all));
    done.unwrap_or_else(|| items.iter().map(&each).collect())
}

/// Hands the results of `each` for 0, 1, ... up to `count` to `take`, in order and on the
/// caller's thread, while `threads` others work out the next ones.
///
/// Whoever works has something of its own, made by `begin`. At most two results a thread are
/// worked out and not taken yet. With one thread or an explorer's build everything is the
/// caller's.
///
/// # Errors
/// The first of `take`; what the other threads are at is finished first.
///
/// # Panics
/// If any of the functions does.
pub fn ahead<W: Send, R: Send, E>(
    threads: usize,
    count: usize,
    begin: impl Fn() -> W + Sync,
    each: impl Fn(&mut W, usize) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let stock = Mutex::new(Vec::new());
    let each = |at: usize| {
        let taken = stock.lock().pop();
        let mut own = taken.unwrap_or_else(&begin);
        let result = each(&mut own, at);
        stock.lock().push(own);
        result
    };
    let each_of = |places: Range<usize>| places.into_par_iter().with_max_len(1).map(each).collect();
    let pooled = with_pool(threads.min(count), |pool| {
        let mut done: Vec<R> = Vec::new();
        for first in (0..count).step_by(threads) {
            let mut next = Vec::new();
            pool.in_place_scope(|scope| {
                let (next, end) = (&mut next, count.min(first.saturating_add(threads)));
                scope.spawn(move |_| *next = each_of(first..end));
                done.drain(..).try_for_each(&mut take)
            })?;
            done = next;
        }
        done.into_iter().try_for_each(&mut take)
    });
    pooled.unwrap_or_else(|| (0..count).try_for_each(|at| take(each(at))))
}

/// Runs `work` on a pool of `threads` threads, which have ended then; `None` where one
/// alone would work, in an explorer's build, or where no threads can be had.
fn with_pool<T>(threads: usize, work: impl FnOnce(&ThreadPool) -> T) -> Option<T> {
    if threads < 2 || cfg!(any(loom, shuttle)) {
        return None;
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    pool.build_scoped(rayon::ThreadBuilder::run, work).ok()
}

/// Returns the number of threads that can run at once on this machine; one where nobody knows.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

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

    #[test]
    fn results_are_taken_in_order_whatever_the_number_of_threads() {
        for count in [0, 1, 2, 7, 300] {
            for threads in [0, 1, 2, 5] {
                let mut taken = Vec::new();
                let each = |calls: &mut usize, at: usize| {
                    *calls += 1;
                    at * 3
                };
                let take = |result| {
                    taken.push(result);
                    Ok::<(), ()>(())
                };
                ahead(threads, count, || 0, each, take).unwrap();
                let expected: Vec<usize> = (0..count).map(|at| at * 3).collect();
                assert_eq!(taken, expected, "{threads}");
            }
        }
    }

    #[test]
    fn no_more_than_two_a_thread_wait_to_be_taken() {
        let (begun, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let each = |(): &mut (), _| {
            let begun = begun.fetch_add(1, Ordering::SeqCst) + 1;
            assert!(begun <= taken.load(Ordering::SeqCst) + 1 + 3 * 2);
        };
        let take = |()| {
            taken.fetch_add(1, Ordering::SeqCst);
            Ok::<(), ()>(())
        };
        ahead(3, 500, || (), each, take).unwrap();
        assert_eq!(taken.into_inner(), 500);
    }

    #[test]
    fn an_error_ends_it() {
        for threads in [1, 2, 5] {
            let take = |at| if at == 20 { Err(at) } else { Ok(()) };
            assert_eq!(ahead(threads, 1_000_000, || (), |(), at| at, take), Err(20), "{threads}");
        }
    }

    #[test]
    fn a_panic_ahead_is_the_callers() {
        for threads in [1, 2, 5] {
            let ran = std::panic::catch_unwind(|| {
                ahead(threads, 100, || (), |(), at| assert_ne!(at, 31), |()| Ok::<(), ()>(()))
            });
            assert!(ran.is_err(), "{threads}");
            let ran = std::panic::catch_unwind(|| {
                let take = |at| {
                    assert_ne!(at, 31);
                    Ok::<(), ()>(())
                };
                ahead(threads, 100, || (), |(), at| at, take)
            });
            assert!(ran.is_err(), "{threads}");
        }
    }
}
