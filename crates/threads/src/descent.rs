use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Mutex, aside};

/// Results that a thread of its own works out from the last one on, while the caller goes
/// through them from the first on.
///
/// Nobody waits for it: what it doesn't have when it is asked for, the caller works out itself.
/// So nothing that comes of it may depend on who did. It ends with what it is at when it meets
/// the caller, or when this is dropped. In an explorer's build and in Miri it has nothing.
#[derive(Debug)]
pub struct Descent<R>(Arc<Shared<R>>);

#[derive(Debug)]
struct Shared<R> {
    count: usize,
    /// How many the caller has begun or passed over.
    begun: AtomicUsize,
    /// What the thread has, the last one first; `None` once it is taken.
    done: Mutex<Vec<Option<R>>>,
}

impl<R: Send + 'static> Descent<R> {
    /// Begins the thread, for the results of `each` for 0, 1, ... up to `count`.
    pub fn begin(count: usize, each: impl FnMut(usize) -> R + Send + 'static) -> Descent<R> {
        let descent = Descent::of(count);
        let shared = descent.0.clone();
        aside(move || shared.descend(each));
        descent
    }

    fn of(count: usize) -> Descent<R> {
        Descent(Arc::new(Shared { count, begun: AtomicUsize::new(0), done: Mutex::default() }))
    }
}

impl<R> Descent<R> {
    /// The result for `at`, once, if the thread has it.
    ///
    /// The caller goes up: it is not asked for less again, and the thread begins nothing up to
    /// here any more.
    #[must_use]
    pub fn take(&self, at: usize) -> Option<R> {
        self.0.begun.store(at.saturating_add(1), Ordering::Relaxed);
        let from_last = self.0.count.checked_sub(at)?.checked_sub(1)?;
        self.0.done.lock().get_mut(from_last)?.take()
    }
}

impl<R> Shared<R> {
    fn descend(&self, mut each: impl FnMut(usize) -> R) {
        for at in (0..self.count).rev() {
            if at < self.begun.load(Ordering::Relaxed) {
                return;
            }
            let result = each(at);
            self.done.lock().push(Some(result));
        }
    }
}

impl<R> Drop for Descent<R> {
    fn drop(&mut self) {
        self.0.begun.store(self.0.count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_result_is_given_for_its_place_and_once() {
        let descent = Descent::of(5);
        descent.0.descend(|at| at * 3);
        assert_eq!([0, 1, 4].map(|at| descent.take(at)), [Some(0), Some(3), Some(12)]);
        assert_eq!([4, 5, usize::MAX].map(|at| descent.take(at)), [None; 3]);
    }

    #[test]
    fn what_it_does_not_have_is_not_waited_for() {
        let descent = Descent::<usize>::of(3);
        assert_eq!([0, 1, 2].map(|at| descent.take(at)), [None; 3]);
    }

    #[test]
    fn the_thread_begins_nothing_that_the_caller_has_begun() {
        let descent = Descent::of(9);
        assert_eq!(descent.take(3), None);
        let mut begun = Vec::new();
        descent.0.descend(|at| begun.push(at));
        assert_eq!(begun, [8, 7, 6, 5, 4]);
    }

    #[test]
    fn it_ends_when_it_is_dropped() {
        let descent = Descent::of(9);
        let shared = descent.0.clone();
        drop(descent);
        shared.descend(|at| assert_eq!(at, 9, "nothing is begun"));
        assert!(shared.done.lock().is_empty());
    }

    #[test]
    #[cfg(not(any(loom, shuttle, miri)))]
    fn a_thread_works_beside_the_caller() {
        let (tell, told) = std::sync::mpsc::channel();
        let descent = Descent::begin(2, move |at| tell.send(at).map(|()| at).ok());
        assert_eq!([told.recv().unwrap(), told.recv().unwrap()], [1, 0]);
        drop(descent);
    }
}
