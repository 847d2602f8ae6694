use std::collections::BTreeMap;

use crate::{Condvar, Mutex};

/// Hands the results of `each` for 0, 1, ... up to `count` to `take`, in order and on the
/// caller's thread, while `threads` threads, the caller's among them, work out the next ones.
///
/// Each thread has something of its own, made by `begin`. At most two results a thread are
/// worked out and not taken yet. With one thread or an explorer's build everything is the
/// caller's.
///
/// # Errors
/// The first of `take`; what the other threads are at is finished first.
///
/// # Panics
/// If any of the functions does.
pub fn ahead<W, R: Send, E>(
    threads: usize,
    count: usize,
    begin: impl Fn() -> W + Sync,
    each: impl Fn(&mut W, usize) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = if cfg!(any(loom, shuttle)) { 1 } else { threads.min(count) };
    let mut own = begin();
    if threads < 2 {
        return (0..count).try_for_each(|at| take(each(&mut own, at)));
    }
    let shelf = Shelf {
        state: Mutex::new(State { next: 0, taken: 0, done: BTreeMap::new(), ended: false }),
        changed: Condvar::new(),
        count,
        ahead_max: threads * 2,
    };
    std::thread::scope(|scope| {
        let _ends = Ends { shelf: &shelf, always: true };
        for _ in 1..threads {
            let work = || {
                let _ends = Ends { shelf: &shelf, always: false };
                let mut own = begin();
                while let Some(at) = shelf.begin() {
                    shelf.put(at, each(&mut own, at));
                }
            };
            // Where no thread can be had, those that are there do its work.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        loop {
            match shelf.wanted() {
                Wanted::Done(result) => take(result)?,
                Wanted::Begun(at) => shelf.put(at, each(&mut own, at)),
                Wanted::Nothing => return Ok(()),
            }
        }
    })
}

/// What is worked out and not taken yet.
struct Shelf<R> {
    state: Mutex<State<R>>,
    changed: Condvar,
    count: usize,
    ahead_max: usize,
}

struct State<R> {
    /// The first that nobody has begun.
    next: usize,
    /// How many were taken.
    taken: usize,
    done: BTreeMap<usize, R>,
    /// Whether nobody takes any more, or nobody brings what is waited for.
    ended: bool,
}

/// What the thread that takes does next.
enum Wanted<R> {
    /// Takes this.
    Done(R),
    /// Works this out itself.
    Begun(usize),
    /// Nothing: all was taken, or another thread panicked.
    Nothing,
}

impl<R> Shelf<R> {
    /// The next to be worked out, once there is room for it.
    fn begin(&self) -> Option<usize> {
        let mut state = self.state.lock();
        while !state.ended && state.next < self.count && !self.has_room(&state) {
            state = self.changed.wait(state);
        }
        (!state.ended).then(|| self.take_next(&mut state)).flatten()
    }

    fn wanted(&self) -> Wanted<R> {
        let mut state = self.state.lock();
        loop {
            let taken = state.taken;
            if state.ended || taken == self.count {
                return Wanted::Nothing;
            }
            if let Some(result) = state.done.remove(&taken) {
                state.taken += 1;
                self.changed.notify_all();
                return Wanted::Done(result);
            }
            if self.has_room(&state)
                && let Some(at) = self.take_next(&mut state)
            {
                return Wanted::Begun(at);
            }
            state = self.changed.wait(state);
        }
    }

    fn put(&self, at: usize, result: R) {
        self.state.lock().done.insert(at, result);
        self.changed.notify_all();
    }

    fn has_room(&self, state: &State<R>) -> bool {
        state.next < state.taken + self.ahead_max
    }

    fn take_next(&self, state: &mut State<R>) -> Option<usize> {
        let at = state.next;
        (at < self.count).then(|| state.next = at + 1)?;
        Some(at)
    }
}

/// Sends everybody home when it is dropped: always, or by a panic alone.
struct Ends<'a, R> {
    shelf: &'a Shelf<R>,
    always: bool,
}

impl<R> Drop for Ends<'_, R> {
    fn drop(&mut self) {
        if self.always || std::thread::panicking() {
            self.shelf.state.lock().ended = true;
            self.shelf.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

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
    fn a_panic_of_any_thread_is_the_callers() {
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
