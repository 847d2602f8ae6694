use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::mpsc::{SendError, Sender, channel};

/// Lets another thread do `work`, for which nobody waits; nobody does it where no thread can be
/// had, and in an explorer's build.
///
/// For work that only saves others some of theirs. It outlives the caller unless the process
/// ends before, so that it owns all it looks at. It gets a thread of its own; what is handed
/// over while a [`Helped`] lives, one after another, shares one.
pub fn aside(work: impl FnOnce() + Send + 'static) {
    // Miri takes a thread that outlives the others for a leak.
    if cfg!(any(loom, shuttle, miri)) {
        return;
    }
    // A thread that is about to end has nobody to help it any more.
    let _ = HELPER.try_with(|helper| helper.borrow_mut().take(Box::new(work)));
}

/// While it lives, what its thread hands over by [`aside`] is done by one helper, in the order
/// in which it came: starting a thread for each costs as much as much of the work.
///
/// The helper starts with the first work, and ends with the last one that it was handed.
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
        let outermost = HELPER.with_borrow_mut(|helper| match helper {
            Helper::Unwanted => {
                *helper = Helper::Wanted;
                true
            }
            Helper::Wanted | Helper::Started(_) => false,
        });
        Helped { outermost, not_send: PhantomData }
    }
}

impl Drop for Helped {
    fn drop(&mut self) {
        if self.outermost {
            let _ = HELPER.try_with(|helper| helper.replace(Helper::Unwanted));
        }
    }
}

/// Whether what this thread hands over next needs no thread to be started.
#[must_use]
pub fn is_helped() -> bool {
    HELPER.try_with(|helper| matches!(*helper.borrow(), Helper::Started(_))).unwrap_or_default()
}

type Work = Box<dyn FnOnce() + Send>;

/// Who does a thread's work aside.
enum Helper {
    /// A thread of its own each.
    Unwanted,
    /// One thread, which the first work starts.
    Wanted,
    /// This one; it ends when nobody can hand it anything any more.
    Started(Sender<Work>),
}

thread_local! {
    static HELPER: RefCell<Helper> = const { RefCell::new(Helper::Unwanted) };
}

impl Helper {
    fn take(&mut self, work: Work) {
        let work = match self {
            Helper::Unwanted => return start(work),
            Helper::Wanted => work,
            Helper::Started(sender) => match sender.send(work) {
                Ok(()) => return,
                // Some work has panicked, and the thread with it.
                Err(SendError(work)) => work,
            },
        };
        let (sender, receiver) = channel::<Work>();
        *self = Helper::Started(sender);
        start(move || {
            work();
            receiver.into_iter().for_each(|work| work());
        });
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
    fn one_helper_does_it_all_in_order_until_the_outermost_ends() {
        let outer = Helped::begin();
        assert!(!is_helped(), "nothing is started for nothing");
        let first: Vec<_> = told_by(20).into_iter().collect();
        drop(Helped::begin());
        assert!(is_helped(), "what ends within changes nothing");
        let then: Vec<_> = told_by(1).into_iter().collect();
        assert!(first.iter().map(|(work, _)| *work).eq(0..20));
        let helper = then[0].1;
        assert!(first.iter().all(|(_, thread)| *thread == helper) && helper != current().id());
        let last = told_by(9);
        drop(outer);
        assert!(!is_helped());
        assert_eq!(last.into_iter().count(), 9, "what was handed over is done all the same");
        let (alone, _) = told_by(1).recv().unwrap();
        assert_eq!(alone, 0);
    }

    #[test]
    fn a_helper_that_panicked_is_replaced() {
        let _helped = Helped::begin();
        let (hold, held) = channel::<()>();
        // It unwinds with the end of its channel, and that is after its thread has let go.
        aside(move || {
            let _hold = hold;
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(held.recv().is_err());
        let done = || told_by(1).recv().is_ok();
        assert!((0..1_000).any(|_| done()));
    }
}
