//! The locks between threads, which an explorer of schedules can take the place of, and
//! work that is shared between the cores.
//!
//! The locks are those of `parking_lot`. Built with `--cfg loom` or `--cfg shuttle` the same
//! names stand for locks with the same methods, at each of which the explorer may go on
//! with another thread. A lock belongs here if what one thread has done to what it guards
//! decides what another one does; `cargo xtask schedules` builds and runs the explorers.

#[cfg(any(loom, shuttle))]
mod explored;
#[cfg(not(any(loom, shuttle)))]
mod native;
mod parallel;

#[cfg(any(loom, shuttle))]
pub use explored::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
#[cfg(not(any(loom, shuttle)))]
pub use native::Condvar;
pub use parallel::{ahead, cores, in_order};
#[cfg(not(any(loom, shuttle)))]
pub use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
