//! The explorer's threads.

#[cfg(loom)]
use loom::thread;
#[cfg(shuttle)]
use shuttle::thread;

pub(crate) use thread::{JoinHandle, yield_now};

/// Stack size of a thread, in loom's unit of a word: loom's own limit is too little
/// for a hash of many records.
#[cfg(loom)]
const STACK_WORDS: usize = 0x10000;

/// Starts a thread that the explorer schedules.
pub(crate) fn spawn<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let builder = thread::Builder::new();
    #[cfg(loom)]
    let builder = builder.stack_size(STACK_WORDS);
    builder.spawn(run).expect("an explorer always has another thread")
}

/// Waits for every thread.
pub(crate) fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        thread.join().expect("a thread's own panic ends the exploration before");
    }
}
