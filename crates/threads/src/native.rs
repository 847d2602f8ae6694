use crate::MutexGuard;

/// Threads that wait until what a mutual exclusion guards has changed.
#[derive(Debug, Default)]
pub struct Condvar(parking_lot::Condvar);

impl Condvar {
    /// Nobody waits.
    #[must_use]
    pub fn new() -> Condvar {
        Condvar::default()
    }

    /// Gives the lock up, waits to be notified, and takes it again; may also wake unasked.
    pub fn wait<'a, T>(&self, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(&mut guard);
        guard
    }

    /// Wakes all who wait.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}
