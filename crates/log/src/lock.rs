//! Lock of the writers: `flock` on `LOCK`, with `LOCK.next` as a turnstile before it.
//!
//! Invariants: 1. whoever writes holds `LOCK`; 2. whoever waits for `LOCK` holds
//! `LOCK.next`, so that a process which has just let go queues behind it;
//! 3. only the process that took a lock gives it back.

use std::sync::Arc;
use std::time::Duration;

use memlith_threads::{Mutex, MutexGuard};

use crate::Error;
use crate::clock::Clock;
use crate::registered::Registered;
use crate::storage::{Access, File, Process, Storage};

pub(crate) const LOCK_NAME: &str = "LOCK";
pub(crate) const NEXT_NAME: &str = "LOCK.next";

/// The holder's name is padded to this, so that a shorter one covers a longer.
const HOLDER_LEN: usize = 40;
const PAUSE_MIN: Duration = Duration::from_micros(50);
const PAUSE_MAX: Duration = Duration::from_millis(2);

/// The two lock files of a ledger, open.
#[derive(Debug)]
pub(crate) struct Locks {
    storage: Arc<dyn Storage>,
    lock: Arc<dyn File>,
    next: Arc<dyn File>,
    pub(crate) process: Process,
    /// Given up with the locks, so that this process may open the ledger again.
    _registered: Registered,
}

/// The lock, held.
#[derive(Debug)]
pub(crate) struct Held {
    locks: Arc<Locks>,
}

impl Locks {
    pub(crate) fn open(storage: &Arc<dyn Storage>) -> Result<Locks, Error> {
        let process = storage.process();
        let registered = Registered::new(storage.as_ref(), process)?;
        // Who made the ledger may have been stopped before the name of its first segment was
        // durable. A lock that outlives that name would tell of a ledger whose segment is gone.
        if storage.file_identity(NEXT_NAME).is_err() {
            storage.sync_folder("").map_err(Error::io("sync", "the folder"))?;
        }
        let open = |name: &str| storage.open(name, Access::Create).map_err(Error::io("open", name));
        Ok(Locks {
            storage: storage.clone(),
            lock: open(LOCK_NAME)?,
            next: open(NEXT_NAME)?,
            process,
            _registered: registered,
        })
    }

    /// Waits for the lock until the clock's elapsed time is `deadline`.
    pub(crate) fn acquire(
        self: &Arc<Locks>,
        clock: &dyn Clock,
        deadline: Duration,
    ) -> Result<Held, Error> {
        if self.storage.process().id != self.process.id {
            return Err(Error::Forked);
        }
        self.wait_for(&self.next, NEXT_NAME, clock, deadline)?;
        let taken = self.wait_for(&self.lock, LOCK_NAME, clock, deadline);
        self.next.unlock().map_err(Error::io("unlock", NEXT_NAME))?;
        taken?;
        let held = Held { locks: self.clone() };
        let here = self.lock.identity().map_err(Error::io("read", LOCK_NAME))?;
        let named = self.storage.file_identity(LOCK_NAME).map_err(|_| Error::LockReplaced)?;
        if here != named {
            return Err(Error::LockReplaced);
        }
        let holder = format!("{} {}\n", self.process.id, self.process.started);
        let holder = format!("{holder:<HOLDER_LEN$}");
        // Only a courtesy to whoever waits: a full disk must not keep a writer out.
        let _ = self.lock.write_at(holder.as_bytes(), 0);
        Ok(held)
    }

    fn wait_for(
        &self,
        file: &Arc<dyn File>,
        name: &'static str,
        clock: &dyn Clock,
        deadline: Duration,
    ) -> Result<(), Error> {
        let mut pause = PAUSE_MIN;
        while !file.try_lock().map_err(Error::io("lock", name))? {
            if clock.elapsed() >= deadline {
                return Err(Error::LockTimeout { holder: self.holder() });
            }
            clock.pause(pause);
            pause = pause.saturating_mul(2).min(PAUSE_MAX);
        }
        Ok(())
    }

    /// The process that last took the lock, as it wrote itself down.
    pub(crate) fn holder(&self) -> Process {
        let mut text = [0; HOLDER_LEN];
        let read = self.lock.read_at(&mut text, 0).unwrap_or(0);
        let text = text.get(..read).and_then(|text| std::str::from_utf8(text).ok());
        let mut words = text.unwrap_or_default().split_ascii_whitespace();
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        let id = u32::try_from(number()).unwrap_or(0);
        Process { id, started: number() }
    }
}

impl Drop for Held {
    /// Gives the lock back.
    fn drop(&mut self) {
        // A forked child must not unlock its parent: the lock is one for both.
        if self.locks.storage.process().id == self.locks.process.id {
            let _ = self.locks.lock.unlock();
        }
    }
}

/// Waits for a lock within this process, at most `timeout`.
pub(crate) fn gate<'a, T>(
    mutex: &'a Mutex<T>,
    timeout: Duration,
    process: Process,
) -> Result<MutexGuard<'a, T>, Error> {
    mutex.try_lock_for(timeout).ok_or(Error::LockTimeout { holder: process })
}

const _: () = assert!(HOLDER_LEN >= 32);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;
    use crate::clock::FixedClock;
    use crate::storage::MemoryDisk;

    #[test]
    fn a_waiter_is_told_the_holder_and_gets_the_lock_when_it_is_free() {
        let disk = MemoryDisk::new();
        let locks = |disk: &MemoryDisk| {
            let storage: Arc<dyn Storage> = Arc::new(disk.process());
            Arc::new(Locks::open(&storage).unwrap())
        };
        let (a, b) = (locks(&disk), locks(&disk));
        let clock = FixedClock::new(Timestamp(0));
        let held = a.acquire(&clock, Duration::ZERO).unwrap();
        let refused = b.acquire(&clock, Duration::from_secs(10)).unwrap_err();
        assert!(matches!(refused, Error::LockTimeout { holder } if holder == a.process));
        assert!(clock.elapsed() >= Duration::from_secs(10));
        drop(held);
        assert!(b.acquire(&clock, Duration::ZERO).is_ok());
    }

    #[test]
    fn a_replaced_lock_file_is_noticed() {
        let disk = MemoryDisk::new();
        let storage: Arc<dyn Storage> = Arc::new(disk.process());
        let locks = Arc::new(Locks::open(&storage).unwrap());
        storage.remove(LOCK_NAME).unwrap();
        storage.open(LOCK_NAME, Access::Create).unwrap();
        let clock = FixedClock::new(Timestamp(0));
        assert!(matches!(locks.acquire(&clock, Duration::ZERO), Err(Error::LockReplaced)));
    }
}
