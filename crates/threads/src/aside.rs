use std::cell::RefCell;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::Mutex;

/// Lets another thread do `work`, for which nobody waits; nobody does it where no thread can be
/// had, and in an explorer's build.
///
/// For work that only saves others some of theirs. It outlives the caller unless the process
/// ends before, so that it owns all it looks at. It gets a thread of its own; what is handed
/// over while a [`Helped`] lives shares one, as long as that has something to do.
pub fn aside(work: impl FnOnce() + Send + 'static) {
    // Miri takes a thread that outlives the others for a leak.
    if cfg!(any(loom, shuttle, miri)) {
        return;
    }
    // A thread that is about to end has nobody to help it any more.
    let helper = HELPER.try_with(|helper| helper.borrow().clone());
    match helper.ok().flatten() {
        Some(helper) => helper.take(Box::new(work)),
        None => start(work),
    }
}

/// While it lives, what its thread hands over by [`aside`] is done by one helper at a time, in
/// the order in which it came: starting a thread costs as much as much of the work.
///
/// A helper that has nothing left ends, and the next work starts another. It doesn't wait to be
/// woken: a thread that is woken may find itself on its waker's processor, where it takes what
/// it was to save, while a new one is put on one that is idle (ADR 0027).
#[derive(Debug)]
pub struct Helped {
    /// Within another one it changes nothing.
    outermost: bool,
    /// The helper is its thread's.
    not_send: PhantomData<*const ()>,
}

impl Helped {
    /// Lets this thread have one helper until it is dropped.
    #[must_use]
    pub fn begin() -> Helped {
        let outermost = HELPER.with_borrow_mut(|helper| {
            let outermost = helper.is_none();
            helper.get_or_insert_default();
            outermost
        });
        Helped { outermost, not_send: PhantomData }
    }
}

impl Drop for Helped {
    fn drop(&mut self) {
        if self.outermost {
            let _ = HELPER.try_with(|helper| helper.take());
        }
    }
}

/// Whether what this thread hands over next needs no thread to be started.
#[must_use]
pub fn is_helped() -> bool {
    let at_work = |helper: &Helper| helper.0.lock().at_work;
    HELPER.try_with(|helper| helper.borrow().as_ref().is_some_and(at_work)).unwrap_or_default()
}

type Work = Box<dyn FnOnce() + Send>;

/// Who does a thread's work aside.
#[derive(Clone, Default)]
struct Helper(Arc<Mutex<Queue>>);

/// What waits for a helper.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    /// Whether there is a thread that will look here again.
    at_work: bool,
}

thread_local! {
    static HELPER: RefCell<Option<Helper>> = const { RefCell::new(None) };
}

impl Helper {
    fn take(&self, work: Work) {
        let mut queue = self.0.lock();
        queue.waiting.push_back(work);
        if !queue.at_work {
            queue.at_work = true;
            drop(queue);
            let at_work = AtWork { helper: self.clone(), has_done_all: false };
            start(move || at_work.do_all());
        }
    }
}

/// What a helper's thread owns. Where it goes without having done all, because there is no
/// thread or some work panicked, the next work starts another.
struct AtWork {
    helper: Helper,
    has_done_all: bool,
}

impl AtWork {
    fn do_all(mut self) {
        while let Some(work) = self.next() {
            work();
        }
    }

    /// The next work, or none, and then nobody is at work any more.
    fn next(&mut self) -> Option<Work> {
        let mut queue = self.helper.0.lock();
        let work = queue.waiting.pop_front();
        queue.at_work = work.is_some();
        self.has_done_all = work.is_none();
        work
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        if !self.has_done_all {
            self.helper.0.lock().at_work = false;
        }
    }
}

fn start(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().name("memlith aside".to_owned());
    if let Err(error) = thread.spawn(work) {
        drop(error);
    }
}

#[cfg(all(test, not(any(loom, shuttle, miri))))]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::thread::{ThreadId, current};

    use super::*;

    #[test]
    fn work_is_done_beside_the_caller() {
        let (ask, asked) = channel::<u32>();
        let (tell, told) = channel();
        aside(move || tell.send(asked.recv().unwrap() + 1).unwrap());
        ask.send(7).unwrap();
        assert_eq!(told.recv().unwrap(), 8);
    }

    /// The threads that some works are done by, in their order.
    fn told_by(works: usize) -> Receiver<(usize, ThreadId)> {
        let (tell, told) = channel();
        for work in 0..works {
            let tell = tell.clone();
            aside(move || {
                let _ = tell.send((work, current().id()));
            });
        }
        told
    }

    #[test]
    fn one_helper_does_it_all_in_order_until_it_has_nothing_left() {
        let outer = Helped::begin();
        assert!(!is_helped(), "nothing is started for nothing");
        let (go, gone) = channel::<()>();
        aside(move || gone.recv().unwrap());
        let first = told_by(20);
        drop(Helped::begin());
        assert!(is_helped(), "what ends within changes nothing");
        go.send(()).unwrap();
        let first: Vec<_> = first.into_iter().collect();
        assert!(first.iter().map(|(work, _)| *work).eq(0..20));
        let helper = first[0].1;
        assert!(first.iter().all(|(_, thread)| *thread == helper) && helper != current().id());
        while is_helped() {
            std::thread::yield_now();
        }
        let then = told_by(9);
        drop(outer);
        assert!(!is_helped());
        let then: Vec<_> = then.into_iter().collect();
        assert_eq!(then.len(), 9, "what was handed over is done all the same");
        assert!(then.iter().all(|(_, thread)| *thread != helper), "who has nothing left ends");
    }

    #[test]
    fn a_helper_that_panicked_is_replaced() {
        let _helped = Helped::begin();
        let (hold, held) = channel::<()>();
        aside(move || {
            let _hold = hold;
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(held.recv().is_err());
        while is_helped() {
            std::thread::yield_now();
        }
        assert!(told_by(1).recv().is_ok());
    }
}
