//! The explorers' locks with the methods of `parking_lot`'s.

#[cfg(loom)]
use loom::sync;
#[cfg(shuttle)]
use shuttle::sync;

use std::sync::{LockResult, PoisonError};
use std::time::Duration;

pub use sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

/// A mutual exclusion that the explorer schedules.
#[derive(Debug, Default)]
pub struct Mutex<T>(sync::Mutex<T>);

/// A lock for many readers or one writer that the explorer schedules.
#[derive(Debug, Default)]
pub struct RwLock<T>(sync::RwLock<T>);

/// Threads that wait, and that the explorer wakes.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl<T> Mutex<T> {
    /// A free lock around `value`.
    pub fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        whole(self.0.lock())
    }

    /// Takes the lock if it is free.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.0.try_lock().ok()
    }

    /// Takes the lock if it is free, and waits for it unless `timeout` is zero: an
    /// explorer has no clock, and no other wait ever ends without the lock.
    pub fn try_lock_for(&self, timeout: Duration) -> Option<MutexGuard<'_, T>> {
        if timeout.is_zero() { self.try_lock() } else { Some(self.lock()) }
    }

    /// Returns the guarded value, which nobody else has any more.
    pub fn into_inner(self) -> T {
        whole(self.0.into_inner())
    }
}

impl<T> RwLock<T> {
    /// A free lock around `value`.
    pub fn new(value: T) -> RwLock<T> {
        RwLock(sync::RwLock::new(value))
    }

    /// Waits for the right to read.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        whole(self.0.read())
    }

    /// Waits for the right to write.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        whole(self.0.write())
    }
}

impl Condvar {
    /// Nobody waits.
    pub fn new() -> Condvar {
        Condvar(sync::Condvar::new())
    }

    /// Gives the lock up, waits to be notified, and takes it again.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        whole(self.0.wait(guard))
    }

    /// Wakes all who wait.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// A panic ends the exploration, so that what a poisoned lock guards is not seen.
fn whole<T>(locked: LockResult<T>) -> T {
    locked.unwrap_or_else(PoisonError::into_inner)
}
