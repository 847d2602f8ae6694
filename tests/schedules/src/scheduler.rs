use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use shuttle::current::TaskId;
use shuttle::scheduler::{Schedule, Scheduler, Task};

/// Counts the different schedules that another scheduler chooses.
pub(crate) struct Counted<S> {
    inner: S,
    current: DefaultHasher,
    seen: Arc<Mutex<BTreeSet<u64>>>,
}

impl<S> Counted<S> {
    pub(crate) fn new(inner: S, seen: &Arc<Mutex<BTreeSet<u64>>>) -> Counted<S> {
        Counted { inner, current: DefaultHasher::new(), seen: seen.clone() }
    }
}

impl<S: Scheduler> Scheduler for Counted<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        let choices = std::mem::take(&mut self.current).finish();
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(choices);
        self.inner.new_execution()
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let next = self.inner.next_task(runnable, current, is_yielding);
        next.map(usize::from).hash(&mut self.current);
        next
    }

    fn next_u64(&mut self) -> u64 {
        self.inner.next_u64()
    }
}
