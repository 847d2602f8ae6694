use std::sync::Arc;
use std::time::Duration;

use memlith_threads::{Mutex, MutexGuard, RwLock};

use crate::env::{Env, LogOptions, Position, Resume};
use crate::finding::Finding;
use crate::group::{Arrival, Group};
use crate::lock::{Locks, gate};
use crate::queue::Queue;
use crate::storage::{Medium, Process};
use crate::survey::{Depth, Known, survey};
use crate::tail::Tail;
use crate::view::{Head, Scan, View};
use crate::writer::{Appended, Durability, Gate, NewRecord, Writer};
use crate::{Error, LedgerId, Record, Seq};

/// An open ledger's log.
///
/// Any number of threads may read through one handle while one writes. Readers
/// take no lock and never see part of a batch. Any number of processes may have
/// the same ledger open; one of them writes at a time.
#[derive(Debug)]
pub struct Log {
    pub(crate) env: Env,
    pub(crate) options: LogOptions,
    pub(crate) ledger: LedgerId,
    pub(crate) process: Process,
    pub(crate) view: RwLock<View>,
    pub(crate) gate: Mutex<Gate>,
    pub(crate) group: Group,
    pub(crate) queue: Queue,
    /// None on a handle that only reads.
    pub(crate) locks: Option<Arc<Locks>>,
    findings: Mutex<Vec<Finding>>,
    pub(crate) cut_off: Mutex<Vec<Finding>>,
    /// The last record of a copy of a shared ledger up to which whole frames are here.
    pub(crate) agreed_to: Mutex<Option<Seq>>,
}

impl Log {
    /// Opens the ledger in the folder of `env`.
    ///
    /// Walks from `options.resume`, or from the start of the last segment, to
    /// the end. Sealed segments are checked by their headers and footers here,
    /// and record by record when they are read. No byte is changed: what a crash
    /// left is put right by the first [`Log::writer`].
    ///
    /// # Errors
    /// [`Error::NoLedger`] in a folder without any file of a ledger; an integrity error (see [`Error::is_integrity`]);
    /// unless read-only, [`Error::InUse`] and [`Error::ForeignMedium`].
    pub fn open(env: Env, options: LogOptions) -> Result<Log, Error> {
        Ok(Log::open_with_tail(env, options)?.0)
    }

    /// Opens the ledger, and gives what was walked for one who reads it next; see
    /// [`Log::scan_over`].
    ///
    /// # Errors
    /// Those of [`Log::open`].
    pub fn open_with_tail(env: Env, options: LogOptions) -> Result<(Log, Tail), Error> {
        Log::open_judged(env, options, true)
    }

    /// Opens whatever can be walked, for one who is about to accept what is lost.
    pub(crate) fn open_any(env: Env, options: LogOptions) -> Result<Log, Error> {
        Ok(Log::open_judged(env, options, false)?.0)
    }

    fn open_judged(env: Env, mut options: LogOptions, judge: bool) -> Result<(Log, Tail), Error> {
        let exists = crate::survey::any_segment(&env)?;
        if !exists {
            return Err(crate::survey::no_segment(&env)?);
        }
        let medium = env.storage.medium().map_err(Error::io("read", "the folder"))?;
        if let Medium::Foreign(magic) = medium {
            if !options.read_only && !options.allow_network_fs {
                return Err(Error::ForeignMedium { folder: env.storage.describe(), magic });
            }
            options.mmap = false;
        }
        let locks = match options.read_only {
            true => None,
            false => Some(Arc::new(Locks::open(&env.storage)?)),
        };
        let mut found = survey(&env, &options, None, Depth::Remainder)?;
        let mut view = found.view.clone();
        if judge {
            found.verdict(&options)?;
            view = crate::erase::hide_unfinished(view)?;
        }
        let tail = Tail::of(found.walked);
        let log = Log {
            ledger: view.active()?.header.ledger,
            process: env.storage.process(),
            view: RwLock::new(view),
            gate: Mutex::new(Gate::default()),
            group: Group::default(),
            queue: Queue::default(),
            locks,
            findings: Mutex::new(found.findings),
            cut_off: Mutex::default(),
            agreed_to: Mutex::default(),
            options,
            env,
        };
        Ok((log, tail))
    }

    /// The ledger's identity.
    #[must_use]
    pub fn ledger_id(&self) -> LedgerId {
        self.ledger
    }

    /// The last batch end known to this handle; [`Log::refresh`] looks for more.
    #[must_use]
    pub fn head(&self) -> Head {
        self.view.read().head()
    }

    /// The floor: the last record known to be synced, as far as this handle knows.
    #[must_use]
    pub fn synced(&self) -> Option<Seq> {
        self.view.read().floor.checked_sub(1).map(Seq)
    }

    /// Returns the findings of the opening that did not stop it.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.findings.lock().clone()
    }

    /// Returns what writers of this handle cut off behind the end: nobody was promised it, and a
    /// copy is kept.
    #[must_use]
    pub fn cut_off(&self) -> Vec<Finding> {
        self.cut_off.lock().clone()
    }

    /// The options the log was opened with.
    #[must_use]
    pub fn options(&self) -> &LogOptions {
        &self.options
    }

    /// Returns the storage, clock and randomness of the log.
    #[must_use]
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// Takes in what other processes have appended; takes no lock.
    ///
    /// Only whole batches are taken in. Costs a few reads when there is nothing.
    ///
    /// # Errors
    /// An integrity error if what was acknowledged is not there any more.
    pub fn refresh(&self) -> Result<Head, Error> {
        let before = self.view.read().clone();
        let known = Known { view: &before, settled_epoch: None };
        let mut found = survey(&self.env, &self.options, Some(known), Depth::Frames)?;
        found.verdict(&self.options)?;
        let mut view = found.view;
        if found.erasure_seen {
            view = self.reopened(view)?;
        }
        if view.end != before.end {
            // The walk does not go through a segment that was sealed meanwhile.
            view = crate::erase::hide_unfinished(view)?;
        }
        let mut current = self.view.write();
        // A writer of this handle may have gone further meanwhile.
        if view.end.expect.next >= current.end.expect.next {
            view.floor = view.floor.max(current.floor);
            *current = view;
        }
        Ok(current.head())
    }

    /// Opens every file of the view again, as after an erasure elsewhere.
    pub(crate) fn reopened(&self, view: View) -> Result<View, Error> {
        crate::survey::reopen(&self.env, &self.options, &view)
    }

    /// Reads one record and verifies its checksums, payload, hash and link.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] behind the head; [`Error::Corrupt`] or
    /// [`Error::ChainBreak`] if it is not as it was written.
    pub fn read(&self, seq: Seq) -> Result<Record, Error> {
        let view = self.view.read().clone();
        let frame = view.frame(seq)?;
        Ok(view.show(frame.into_record()))
    }

    /// Says that these records are read soon, so that a disk brings them at once.
    ///
    /// A hint: it reads nothing itself, and what it can't find it passes over.
    pub fn will_need(&self, seqs: impl IntoIterator<Item = Seq>) {
        let view = self.view.read().clone();
        for seq in seqs {
            if let Ok((segment, limit)) = view.segment_of(seq) {
                segment.will_need(seq, limit);
            }
        }
    }

    /// Reads the records from `from` through `to_inclusive`, or to the head if that is earlier.
    #[must_use]
    pub fn scan(&self, from: Seq, to_inclusive: Seq) -> Scan {
        Scan::new(self.view.read().clone(), self.options.clone(), from, to_inclusive)
    }

    /// Reads these records without reading and verifying again those that `tail` holds.
    #[must_use]
    pub fn scan_over(&self, tail: &Tail, from: Seq, to_inclusive: Seq) -> Scan {
        self.scan(from, to_inclusive).over(tail)
    }

    /// Returns the segment and offset of a record.
    ///
    /// # Errors
    /// Those of [`Log::read`].
    pub fn position(&self, seq: Seq) -> Result<Position, Error> {
        self.view.read().clone().position(seq)
    }

    /// Where a record lies, and some of those before it, to begin a later walk there; see
    /// [`LogOptions::resume`].
    ///
    /// # Errors
    /// Those of [`Log::read`].
    pub fn resume(&self, seq: Seq) -> Result<Resume, Error> {
        self.view.read().clone().resume(seq)
    }

    /// Takes the lock, catches up with other processes and puts right what a crash left.
    ///
    /// Waits at most [`LogOptions::lock_timeout`]. The lock is held while the
    /// writer lives; reading through this handle goes on.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Forked`], [`Error::Poisoned`],
    /// [`Error::LockTimeout`] with the holder, an integrity error, or [`Error::Io`].
    pub fn writer(&self) -> Result<Writer<'_>, Error> {
        self.writer_within(self.options.lock_timeout)
    }

    /// [`Log::writer`] that waits at most `timeout`.
    ///
    /// # Errors
    /// Those of [`Log::writer`].
    pub fn writer_within(&self, timeout: Duration) -> Result<Writer<'_>, Error> {
        let mut writer = self.lock(timeout)?;
        writer.take_up()?;
        Ok(writer)
    }

    /// A writer that shares its sync with other threads of this handle.
    ///
    /// What it appends, [`Durability::Immediate`](crate::Durability::Immediate) or
    /// [`Durability::Group`](crate::Durability::Group), is written at once, and synced when
    /// [`Writer::finish`] has returned; nothing of it is to be acknowledged before. While it
    /// waits there, others write, and one sync is for all of them. One that is alone is
    /// synced at once.
    ///
    /// # Errors
    /// Those of [`Log::writer`].
    pub fn sharing_writer_within(&self, timeout: Duration) -> Result<Writer<'_>, Error> {
        let mut writer = self.writer_within(timeout)?;
        writer.shares = true;
        Ok(writer)
    }

    /// Appends one batch; where other threads append at the same time, one write and one sync
    /// are for all of them.
    ///
    /// # Errors
    /// Those of [`Log::writer`] and [`Writer::append`]; [`Error::SharedSync`].
    pub fn append(
        &self,
        records: &[NewRecord<'_>],
        durability: Durability,
    ) -> Result<Vec<Appended>, Error> {
        let mut writer = match self.sharing_writer_within(Duration::ZERO) {
            Err(Error::LockTimeout { .. }) => return self.append_in_company(records, durability),
            writer => writer?,
        };
        let appended = writer.append(records, durability)?;
        writer.finish()?;
        Ok(appended)
    }

    /// Takes the lock and does nothing else.
    pub(crate) fn lock(&self, timeout: Duration) -> Result<Writer<'_>, Error> {
        let locks = self.locks.as_ref().ok_or(Error::ReadOnly)?;
        self.check_process()?;
        // One deadline for both: what the gate took is not waited again for the file.
        let clock = self.env.clock.as_ref();
        let deadline = clock.elapsed().saturating_add(timeout);
        let (arrival, mut gate) = self.turn(timeout)?;
        if gate.is_poisoned() {
            return Err(Error::Poisoned);
        }
        if let Some(kept) = gate.kept.take() {
            self.group.took();
            return Ok(Writer::of_kept(self, gate, kept, Some(arrival)));
        }
        let held = locks.acquire(clock, deadline)?;
        Ok(Writer::new(self, gate, held, arrival))
    }

    /// Waits for this thread's turn among those of the handle.
    fn turn(&self, timeout: Duration) -> Result<(Arrival<'_>, MutexGuard<'_, Gate>), Error> {
        if let Some(gate) = self.gate.try_lock() {
            return Ok((Arrival::at(self), gate));
        }
        if timeout.is_zero() {
            // Who does not wait is not counted on.
            return Err(Error::LockTimeout { holder: self.process });
        }
        let arrival = Arrival::at(self);
        let gate = gate(&self.gate, timeout, self.process)?;
        Ok((arrival, gate))
    }

    /// A child that inherited this handle by a fork, with or without the lock, is refused.
    pub(crate) fn check_process(&self) -> Result<(), Error> {
        let same = self.env.storage.process().id == self.process.id;
        if same { Ok(()) } else { Err(Error::Forked) }
    }

    /// Syncs what buffered appends left unsynced, if it is due and the lock is free.
    ///
    /// Never waits for a writer, of this process or another; costs nothing where
    /// nothing is due.
    ///
    /// # Errors
    /// Those of the sync.
    pub fn sync_if_due(&self) -> Result<(), Error> {
        // A writer at work sees to it itself.
        let clock = self.env.clock.as_ref();
        let due = self.gate.try_lock().is_some_and(|gate| gate.sync_is_due(clock));
        if !due {
            return Ok(());
        }
        match self.writer_within(Duration::ZERO) {
            Err(Error::LockTimeout { .. }) => Ok(()),
            writer => writer?.sync(),
        }
    }

    /// Syncs and marks what this handle wrote, and lets the ledger go.
    ///
    /// # Errors
    /// Those of the sync; the handle is gone all the same.
    pub fn close(self) -> Result<(), Error> {
        self.settle()
    }

    /// Syncs and marks what this handle wrote, for one that is not closed.
    ///
    /// # Errors
    /// Those of the sync.
    pub fn settle(&self) -> Result<(), Error> {
        let (wrote, poisoned) = {
            let gate = self.gate.lock();
            (gate.wrote(), gate.is_poisoned())
        };
        if self.check_process().is_err() || poisoned || !wrote {
            return Ok(());
        }
        let mut writer = self.writer()?;
        writer.sync()?;
        writer.leave_mark_slot()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Err(error) = self.settle() {
            tracing::warn!(%error, "the log could not be synced on close");
        }
    }
}
