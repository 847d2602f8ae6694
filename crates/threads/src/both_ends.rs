use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Mutex, aside};

/// The results of `each` for 0, 1, ... up to `count`, in order.
///
/// The caller works them out from the first on, and a thread of its own from the last on,
/// until they meet. Nobody waits for it: what it is at then is worked out twice, so that
/// `each` has to give the same both times. Few results, and all in an explorer's build, are the
/// caller's alone.
pub fn from_both_ends<R: Send + 'static>(
    count: usize,
    each: impl Fn(usize) -> R + Send + Sync + 'static,
) -> Vec<R> {
    if count < PAYS || cfg!(any(loom, shuttle)) {
        return (0..count).map(each).collect();
    }
    let begun = AtomicUsize::new(0);
    let work = Arc::new(Work { each, begun, last: Mutex::new(Vec::new()) });
    let other = work.clone();
    aside(move || other.descend(count));
    work.ascend(count)
}

/// Starting a thread takes as long as a result or two.
const PAYS: usize = 4;

struct Work<F, R> {
    each: F,
    /// How many the caller has begun.
    begun: AtomicUsize,
    /// What the other thread has, the last one first.
    last: Mutex<Vec<R>>,
}

impl<R, F: Fn(usize) -> R> Work<F, R> {
    fn ascend(&self, count: usize) -> Vec<R> {
        let mut results = Vec::with_capacity(count);
        loop {
            let left = count - results.len();
            {
                let mut last = self.last.lock();
                if last.len() >= left {
                    last.truncate(left);
                    results.extend(last.drain(..).rev());
                    return results;
                }
            }
            let at = results.len();
            self.begun.store(at + 1, Ordering::Relaxed);
            results.push((self.each)(at));
        }
    }

    fn descend(&self, count: usize) {
        for at in (0..count).rev() {
            if at < self.begun.load(Ordering::Relaxed) {
                return;
            }
            let result = (self.each)(at);
            self.last.lock().push(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;

    #[test]
    fn results_stand_in_order_wherever_the_two_meet() {
        for count in [0, 1, 3, 4, 5, 300] {
            let expected: Vec<usize> = (0..count).map(|at| at * 3).collect();
            for _ in 0..20 {
                assert_eq!(from_both_ends(count, |at| at * 3), expected);
            }
        }
    }

    #[test]
    fn what_the_other_thread_has_is_taken_and_no_more_of_it() {
        for done in 0..=7 {
            let begun = AtomicUsize::new(0);
            let last = (0..7).rev().take(done).map(|at| at * 3).collect();
            let work = Work { each: |at| at * 3, begun, last: Mutex::new(last) };
            assert_eq!(work.ascend(7), [0, 3, 6, 9, 12, 15, 18], "{done}");
            assert_eq!(work.begun.into_inner(), 7 - done);
        }
    }

    #[test]
    fn what_both_have_worked_out_stands_once() {
        type Each = fn(usize) -> usize;
        static WORK: OnceLock<Work<Each, usize>> = OnceLock::new();
        // Where the caller works out the third, the other thread comes to have it as well.
        let each = |at| {
            if at == 2 {
                WORK.get().unwrap().last.lock().extend([18, 15, 12, 9, 6]);
            }
            at * 3
        };
        let (begun, last) = (AtomicUsize::new(0), Mutex::default());
        let work = WORK.get_or_init(|| Work { each, begun, last });
        assert_eq!(work.ascend(7), [0, 3, 6, 9, 12, 15, 18]);
    }
}
