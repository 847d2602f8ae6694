use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use memlith_event::Citation;
use memlith_log::{
    Access, Env, Finding, Flags, Head, LedgerId, LocalStorage, Log, Loss, Record, RecordId, Seq,
    Tail, Timestamp, Writer,
};
use memlith_recall::Reading;
use memlith_threads::Mutex;

use crate::caller::Moment;
use crate::copy::shared::{CONFLICTS_MAX, SharedError, is_shared, shared_of};
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::fold::stride::Stride;
use crate::forget::tombstones::TombstoneKey;
use crate::keeper::Bell;
use crate::options::Options;
use crate::read::answer::damaged_file;
use crate::read::beside::{Beside, is_copy};

/// An open ledger: one folder, one chain, one unit of order and of trust.
///
/// Any number of threads may share it, and any number of processes may have the same
/// ledger open. A reader works on a snapshot at the end of a batch. It never waits for a
/// writer's lock or sync, only until what is already written is folded in.
///
/// A clone is the same handle: it costs a counter, and may go to another thread. One process
/// opens a ledger for writing once and clones; a second open is refused. Calls block; an async
/// caller makes them in `spawn_blocking`.
#[derive(Clone, Debug)]
pub struct Ledger {
    shared: Arc<Shared>,
}

/// The part of a handle that all its clones share.
#[derive(Debug)]
#[doc(hidden)]
pub struct Shared {
    pub(crate) log: Log,
    pub(crate) state: Mutex<State>,
    /// Files of checkpoints of which something read was damaged.
    pub(crate) distrusted: Mutex<BTreeSet<String>>,
    /// Rung after each write, for a [`crate::Keeper`].
    pub(crate) bell: Bell,
    /// The key of the tombstones that stand, once it was needed.
    pub(crate) tombstone_key: Mutex<Option<TombstoneKey>>,
    /// Copies of other machines' ledgers that questions read too.
    pub(crate) beside: Beside,
    /// Whether anything was asked of this handle, or compared with what is there.
    asked: AtomicBool,
    /// When a copy was last compared with its shared log, in microseconds.
    pub(crate) heard: AtomicI64,
    /// When the shared log was last sought and not reached, and why.
    pub(crate) missed: Mutex<Option<(Timestamp, String)>>,
    pub(crate) options: Options,
}

#[doc(hidden)]
impl Deref for Ledger {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Ledger {
    /// Creates a ledger in the folder `dir`, which is created if it isn't there.
    ///
    /// Its files are readable by its owner alone, unless [`Options::sharing`] says otherwise.
    ///
    /// # Errors
    /// The folder holds a ledger already, or what is left of one, or can't be written.
    pub fn create(dir: impl AsRef<Path>, options: Options) -> Result<Ledger, Error> {
        let made = LocalStorage::create_as(dir.as_ref(), options.sharing);
        let storage = made.map_err(|source| Error::Io {
            what: format!("create the folder {}", dir.as_ref().display()),
            source,
        })?;
        Ok(Ledger::create_in(Env::system(storage), options)?.in_folder(dir.as_ref()))
    }

    /// Whether the ledger in the folder `dir` has checkpoints of other versions of this program
    /// alone, so that opening it replays its whole log; one who writes then leaves a new one.
    ///
    /// Cost: one listing of the folder.
    #[must_use]
    pub fn is_of_other_folds(dir: impl AsRef<Path>) -> bool {
        let storage = LocalStorage::open(dir.as_ref());
        storage.is_ok_and(|storage| crate::fold::checkpoint::is_of_other_folds(&storage))
    }

    /// Opens the ledger in the folder `dir`.
    ///
    /// Starts from the newest checkpoint that the log admits and folds the records
    /// after it; without one, folds the whole log. Either way every byte that the state
    /// rests on has been verified.
    ///
    /// # Errors
    /// There is no ledger, it can't be read, or its bytes are wrong;
    /// [`LogError::InUse`](crate::log::LogError::InUse) where this process has it open for
    /// writing already: clone that handle.
    pub fn open(dir: impl AsRef<Path>, options: Options) -> Result<Ledger, Error> {
        let storage = LocalStorage::open(dir.as_ref()).map_err(|source| Error::Io {
            what: format!(
                "open the folder {}: create a ledger there first",
                dir.as_ref().display()
            ),
            source,
        })?;
        let mut options = options;
        if options.shared.is_none() {
            options.shared = shared_of(dir.as_ref());
        }
        // Without its shared log nothing may be written to a copy that several nodes share.
        options.read_only |= options.shared.is_none() && is_shared(dir.as_ref());
        // Another machine's ledger is written there alone.
        options.read_only |= is_copy(dir.as_ref());
        let ledger = Ledger::open_in(Env::system(storage), options)?.in_folder(dir.as_ref());
        match ledger.pull() {
            // What is here answers; a write says that it isn't agreed on.
            Err(Error::Shared(SharedError::Unreached(error))) => {
                tracing::warn!(%error, "the copy of a shared ledger answers as it is");
            }
            pulled => drop(pulled?),
        }
        Ok(ledger)
    }

    /// The ledger, which lies in the folder `dir`, with the copies beside it.
    fn in_folder(mut self, dir: &Path) -> Ledger {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.beside = Beside::of(dir);
        }
        self
    }

    /// Opens the ledger in the folder `dir`, or creates one where there is none.
    ///
    /// Of several processes that do so at once, one creates it and the others open it. A folder
    /// that holds what is left of a ledger is refused: it is never taken for an empty one.
    ///
    /// # Errors
    /// Those of [`Ledger::open`] and [`Ledger::create`].
    pub fn open_or_create(dir: impl AsRef<Path>, options: Options) -> Result<Ledger, Error> {
        match Ledger::create(dir.as_ref(), options.clone()) {
            Err(Error::Log(memlith_log::Error::AlreadyExists { .. })) => Ledger::open(dir, options),
            created => created,
        }
    }

    /// Opens a ledger whose acknowledged end or content is gone, and accepts the loss.
    ///
    /// What is damaged goes to the quarantine, and a record of the log says what was lost.
    /// Checkpoints of what is gone are removed.
    /// Nothing is done to a ledger that lost nothing.
    ///
    /// # Errors
    /// The damage is of a kind that can't be passed; and those of [`Ledger::open`].
    pub fn accept_loss(dir: impl AsRef<Path>, options: Options) -> Result<Ledger, Error> {
        let storage = LocalStorage::open(dir.as_ref()).map_err(|source| Error::Io {
            what: format!("open the folder {}", dir.as_ref().display()),
            source,
        })?;
        let log = Log::accept_loss(Env::system(storage), options.for_log())?;
        crate::fold::checkpoint::drop_lost(&log)?;
        Ledger::with(log, &Tail::default(), options)
    }

    /// The loss that [`Ledger::accept_loss`] wrote down, if there was one.
    #[must_use]
    pub fn accepted_loss(&self) -> Option<Loss> {
        self.log.accepted_loss()
    }

    /// Creates a ledger in any storage, with any clock and randomness.
    ///
    /// # Errors
    /// Those of [`Ledger::create`].
    pub fn create_in(env: Env, options: Options) -> Result<Ledger, Error> {
        let log = Log::create(env, options.for_log())?;
        // Made ahead: an erasure must be possible on a full disk.
        TombstoneKey::create(log.env(), log.ledger_id())?;
        Ledger::with(log, &Tail::default(), options)
    }

    /// Opens a ledger in any storage, with any clock and randomness.
    ///
    /// # Errors
    /// Those of [`Ledger::open`].
    pub fn open_in(env: Env, options: Options) -> Result<Ledger, Error> {
        let mut for_log = options.for_log();
        if options.use_checkpoint {
            for_log.resume = crate::fold::checkpoint::resume(env.storage.as_ref());
        }
        let (log, tail) = Log::open_with_tail(env, for_log)?;
        Ledger::with(log, &tail, options)
    }

    pub(crate) fn with(log: Log, tail: &Tail, options: Options) -> Result<Ledger, Error> {
        let (state, distrusted) = (Mutex::default(), Mutex::default());
        let (bell, asked) = (Bell::default(), AtomicBool::new(false));
        let (tombstone_key, beside) = (Mutex::default(), Beside::default());
        let shared = Shared {
            log,
            state,
            distrusted,
            bell,
            tombstone_key,
            beside,
            asked,
            heard: AtomicI64::new(i64::MIN),
            missed: Mutex::default(),
            options,
        };
        let ledger = Ledger { shared: Arc::new(shared) };
        let head = ledger.log.head().seq;
        *ledger.state.lock() = ledger.nothing();
        if ledger.options.use_checkpoint {
            let mut state = ledger.newest_state()?;
            let tail = head.next().0.saturating_sub(state.next.0);
            if !state.spans.is_empty() && tail <= GLANCE_MAX {
                state.glance();
            }
            *ledger.state.lock() = state;
        }
        catch_up_over(&ledger.log, tail, &mut ledger.state.lock(), head)?;
        Ok(ledger)
    }

    #[doc(hidden)]
    pub fn init_in(env: Env, options: Options) -> Result<Ledger, Error> {
        Ledger::create_in(env, options)
    }

    /// The ledger's identity.
    #[must_use]
    pub fn id(&self) -> LedgerId {
        self.log.ledger_id()
    }

    /// The state of nothing, as this handle folds.
    pub(crate) fn nothing(&self) -> State {
        State::empty(Stride(self.options.stride_records))
    }

    /// The last batch end known to this handle.
    #[must_use]
    pub fn head(&self) -> Head {
        self.log.head()
    }

    /// Returns the findings that stopped nothing: when the ledger was opened, and what
    /// writers of this handle cut off behind the end, of which a copy is kept.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = self.log.findings();
        findings.extend(self.log.cut_off());
        findings
    }

    /// Reads the clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.log.env().clock.now()
    }

    /// The reference under which a record of this ledger is cited.
    #[must_use]
    pub fn cite(&self, id: RecordId) -> Citation {
        Citation { ledger: self.id(), id }
    }

    /// Forgets the folded state, so that the next read folds the log from its start.
    pub(crate) fn forget(&self) {
        *self.state.lock() = self.nothing();
    }

    /// Takes in what other processes have appended; every question does so first.
    ///
    /// Also makes durable what this handle wrote more than a second ago without waiting
    /// for it to be, unless a writer is at work. No timer does: see
    /// [`Durability::Buffered`](crate::storage::Durability::Buffered).
    ///
    /// # Errors
    /// What was acknowledged isn't there any more, or can't be read.
    pub fn refresh(&self) -> Result<Head, Error> {
        // Who asks is answered all the same; the next write says that the sync failed.
        if let Err(error) = self.log.sync_if_due() {
            tracing::warn!(%error, "buffered writes could not be synced");
        }
        let head = self.log.refresh()?;
        catch_up(&self.log, &mut self.state.lock(), head.seq)?;
        Ok(head)
    }

    /// The state at the end of the last batch, other processes' included.
    pub(crate) fn snapshot(&self) -> Result<State, Error> {
        self.refresh()?;
        let mut state = self.state.lock();
        self.settle_if_asked(&mut state)?;
        Ok(state.clone())
    }

    /// Takes apart what came after the checkpoint, for a question or a write that is compared:
    /// the first one is often the only one, and goes without.
    fn settle_if_asked(&self, state: &mut State) -> Result<(), Error> {
        if self.asked.swap(true, Ordering::Relaxed) {
            self.look(state)?;
            state.settle();
        }
        Ok(())
    }

    /// Makes ready for a write that is compared with what is there.
    pub(crate) fn expect_comparison(&self) -> Result<(), Error> {
        let settled = self.settle_if_asked(&mut self.state.lock());
        match settled {
            Err(error) if damaged_file(&error).is_some() => {
                self.distrust(damaged_file(&error).unwrap_or_default())
            }
            settled => settled,
        }
    }

    /// Ends a glance, so that the runs of the state are those of whole strides.
    pub(crate) fn look(&self, state: &mut State) -> Result<(), Error> {
        if state.base.is_some() {
            let last = state.next.previous().unwrap_or_default();
            state.look();
            catch_up(&self.log, state, last)?;
        }
        Ok(())
    }

    /// The state as it was when the log ended with the record `seq`.
    pub(crate) fn state_at(&self, seq: Seq) -> Result<State, Error> {
        let head = self.refresh()?;
        if seq > head.seq {
            return Err(Error::AfterHead { asked: seq, head: head.seq });
        }
        let current = self.state.lock().clone();
        if current.next == seq.next() {
            return Ok(current);
        }
        let mut state = self.state_before(seq, Some(current.epoch))?;
        catch_up(&self.log, &mut state, seq)?;
        Ok(state)
    }

    /// Takes the lock, catches up, hands a snapshot to `write`, and folds what it wrote.
    ///
    /// Readers of this handle go on meanwhile, and writers once `write` has returned: a sync
    /// that is due then is shared with them. What is folded is read back from the log, so
    /// that the live state can't differ from a replay. `write` is asked again where it found
    /// the state damaged: before it appended anything.
    pub(crate) fn locked<T>(
        &self,
        write: impl FnMut(&mut Writer<'_>, &State, Moment) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.locked_within(self.options.lock_timeout, write)
    }

    /// [`Ledger::locked`], which waits for the lock at most `timeout`.
    pub(crate) fn locked_within<T>(
        &self,
        timeout: Duration,
        mut write: impl FnMut(&mut Writer<'_>, &State, Moment) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut conflicts = 0;
        self.pull_if_old(timeout)?;
        loop {
            match self.locked_once(timeout, &mut write) {
                Err(error) if damaged_file(&error).is_some() => {
                    self.distrust(damaged_file(&error).unwrap_or_default())?;
                }
                // Another node of a shared ledger came first: what is written is decided again.
                Err(Error::Log(memlith_log::Error::Conflict { .. }))
                    if conflicts < CONFLICTS_MAX =>
                {
                    conflicts += 1;
                    self.pull()?;
                }
                written => return written,
            }
        }
    }

    fn locked_once<T>(
        &self,
        timeout: Duration,
        write: &mut impl FnMut(&mut Writer<'_>, &State, Moment) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut writer = self.log.sharing_writer_within(timeout)?;
        let head = writer.head().seq;
        let before = {
            let mut state = self.state.lock();
            catch_up(&self.log, &mut state, head)?;
            state.clone()
        };
        if let Some(seq) = before.newer {
            let record = self.log.read(seq)?;
            body_of(&record).map_err(|source| Error::Decode { seq, source })?;
        }
        let moment = Moment { tick: writer.tick()?, next: head.next() };
        let written = write(&mut writer, &before, moment);
        if writer.head().seq == head {
            // What appended nothing may have been misled; what appended was checked before.
            before.check()?;
        }
        let written = written?;
        let head = writer.head().seq;
        // Who writes next folds this in, and would copy what a snapshot shares.
        drop(before);
        writer.finish()?;
        catch_up(&self.log, &mut self.state.lock(), head)?;
        self.bell.ring();
        Ok(written)
    }

    /// Takes the lock, makes a file and removes it, and lets the lock go.
    ///
    /// # Errors
    /// Those that a write meets before it has anything to write.
    pub fn check_writable(&self) -> Result<(), Error> {
        const TRIED: &str = "writable.tmp";
        let storage = self.log.env().storage.as_ref();
        self.locked(|_, _, _| {
            let made = storage.open(TRIED, Access::Fresh).map(drop);
            made.and_then(|()| storage.remove(TRIED)).map_err(|source| Error::Io {
                what: format!("make a file in {}", storage.describe()),
                source,
            })
        })
    }

    /// Makes everything durable, as [`Ledger::close`] does, and keeps the ledger.
    ///
    /// For a process that is about to end: it may leave what the handle holds to the system,
    /// since to drop it does nothing else that outlives the process.
    ///
    /// # Errors
    /// Those of the sync.
    pub fn settle(&self) -> Result<(), Error> {
        Ok(self.log.settle()?)
    }

    /// Makes everything durable and lets the handle go; its clones go on.
    ///
    /// A handle that is only dropped tries the same, and has nobody to tell if it fails: what
    /// was acknowledged as buffered may then be gone.
    ///
    /// # Errors
    /// Those of the sync; the handle is gone all the same.
    pub fn close(self) -> Result<(), Error> {
        self.settle()
    }
}

/// A tail of so many records is folded for one question, and folded again for what follows
/// it; a longer one is folded once.
const GLANCE_MAX: u64 = 4_096;

/// A state with more runs is merged, whatever waits: each costs every read a little. Many at a
/// time, since each entry is then merged once and not once for every size of a run.
const SPANS_MAX: usize = 64;

/// Folds the records up to and with `to`.
///
/// An erasure changes what the fold of every record before it is, and so does the choice of
/// another policy of salience: then the whole log is folded again.
pub(crate) fn catch_up(log: &Log, state: &mut State, to: Seq) -> Result<(), Error> {
    catch_up_over(log, &Tail::default(), state, to)
}

/// Folds the log up to `to` without reading and verifying again what `tail` holds.
fn catch_up_over(log: &Log, tail: &Tail, state: &mut State, to: Seq) -> Result<(), Error> {
    if state.next > to {
        return Ok(());
    }
    let (fresh, epoch) = (state.next == Seq::GENESIS, state.epoch);
    let folded = fold_range(log, tail, state, to);
    // Also where the range ended early: a state that holds both is neither.
    if let Some(afresh) = state.retired(epoch, fresh) {
        let (erasure, policy) = (state.epoch, afresh.salience.policy().name());
        tracing::info!(%erasure, policy, "what was folded is retired: folding again");
        *state = afresh;
        return fold_range(log, tail, state, to);
    }
    folded
}

fn fold_range(log: &Log, tail: &Tail, state: &mut State, to: Seq) -> Result<(), Error> {
    // Who reads much merges what it read; who reads what was just written leaves that to the
    // next checkpoint, so that no append waits for it.
    let merges = to.0.saturating_sub(state.next.0) > state.stride.0;
    let runs = state.spans.len();
    for record in log.scan_over(tail, state.next, to) {
        fold_record(state, &record?, None)?;
    }
    if merges && state.spans.len() > runs {
        state.merge();
    }
    Ok(())
}

/// Folds in one record, unless its flags say that this software doesn't know enough to.
///
/// `reading` is the record's text taken apart, where that was done already.
pub(crate) fn fold_record(
    state: &mut State,
    record: &Record,
    reading: Option<Reading>,
) -> Result<(), Error> {
    let guarded = |flag| record.flags.contains(flag);
    if (guarded(Flags::INCOMPAT) || guarded(Flags::RO_COMPAT))
        && let Err(source) = body_of(record)
    {
        if guarded(Flags::INCOMPAT) {
            return Err(Error::Decode { seq: record.seq, source });
        }
        state.newer.get_or_insert(record.seq);
    }
    let runs = state.spans.len();
    state.fold(record, reading);
    if state.spans.len() > runs && runs >= SPANS_MAX {
        state.merge();
    }
    Ok(())
}
