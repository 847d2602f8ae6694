//! A ledger that several nodes write: one shared log decides the order, and each node keeps a
//! verified copy, which it answers from.
//!
//! Invariants: 1. nothing is written to a copy that the shared log doesn't hold; 2. a batch that
//! somebody else's place was taken by is decided again on the state that it then meets; 3. an unknown
//! outcome is looked up before anything else is put there.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use memlith_log::{
    Commit, Digest, Env, FORMAT, Head, LedgerId, LocalStorage, Log, LogOptions, NotCommitted,
    Payload, RestoredRecord, SUITE, Seq, Tail, genesis_chain,
};

use super::frame::SharedFrame;
use super::stretch::Arrived;
use crate::error::Error;
use crate::forget::tombstones::TombstoneKey;
use crate::ledger::Ledger;
use crate::options::Options;

/// Frames of ledgers in one order, which several nodes append to. A frame is named by its first
/// record; it is put once, and only an erasure replaces it.
pub trait SharedLog: Debug + Send + Sync {
    /// Puts a frame where none stands yet; whether it was put. Durable when it returns.
    ///
    /// # Errors
    /// The log can't be reached, or it isn't known whether the frame was put; or this node may not.
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError>;

    /// Reads a frame; `None` where none stands.
    ///
    /// # Errors
    /// The log can't be reached.
    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError>;

    /// Reads a frame again that was taken in; `None` where none stands that could be.
    ///
    /// # Errors
    /// The log can't be reached.
    fn reread(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        self.read(ledger, first)
    }

    /// The first record of the first frame that begins with `from` or a later one; `None` where none
    /// does. A log that has lost a frame is told by it from one that ends there.
    ///
    /// # Errors
    /// The log can't be reached.
    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError>;

    /// Tries, where the log can't be relied on for it, whether a name is given once.
    ///
    /// # Errors
    /// It isn't, or the log can't be reached.
    fn probe(&self) -> Result<(), SharedError> {
        Ok(())
    }

    /// Puts a frame in the place of one whose words were erased.
    ///
    /// # Errors
    /// The log can't be reached, or can't replace.
    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError>;

    /// Passes over the frame that begins with the record `first`, here and on every other node: it
    /// continues another chain. Whether it does; a log without roles passes over nothing.
    ///
    /// # Errors
    /// The log can't be reached.
    fn pass_over(&self, _: LedgerId, _: Seq) -> Result<bool, SharedError> {
        Ok(false)
    }

    /// The length in bytes from which a ledger that is shared begins another frame; 4 MiB where the
    /// log has no limit of its own.
    fn frame_len(&self) -> usize {
        4 << 20
    }
}

/// Why a shared log did not what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SharedError {
    /// It couldn't be reached, or didn't answer.
    #[error("the shared log can't be reached: {0}")]
    Unreached(String),
    /// The role of this node doesn't allow it.
    #[error("{0}")]
    NotAllowed(String),
    /// It holds what this version can't judge.
    #[error("{0}")]
    Unreadable(String),
}

/// The files, in a ledger's folder, of which each says that it is shared: where, and the node's key.
const SHARED: [&str; 2] = ["sync/shared.json", "sync/node.json"];

/// Opens the shared log of the copy in a folder, by what `sync/shared.json` there says.
pub type OpenShared = fn(&Path) -> Arc<dyn SharedLog>;

static OPEN_SHARED: OnceLock<OpenShared> = OnceLock::new();

/// Has every handle of this process that is opened on the copy of a shared ledger, and names no
/// shared log, take the one that `open` gives. The first call holds.
///
/// A shared log that can't be reached is one of which each call says so.
pub fn open_shared_with(open: OpenShared) {
    let _ = OPEN_SHARED.set(open);
}

/// The shared log of the copy in the folder `dir`, where it is one and this process opens them.
pub(crate) fn shared_of(dir: &Path) -> Option<Arc<dyn SharedLog>> {
    let open = OPEN_SHARED.get()?;
    is_shared(dir).then(|| open(dir))
}

/// Whether several nodes write the ledger in the folder `dir`.
pub(crate) fn is_shared(dir: &Path) -> bool {
    // One that can't be seen isn't known to be absent.
    let is_there = |path: std::path::PathBuf| path.try_exists().unwrap_or(true);
    SHARED.iter().any(|name| is_there(dir.join(name)))
}

/// How often a batch is put again where the answer was lost.
const ATTEMPTS: usize = 3;

/// The age in microseconds at which a copy is compared again before anything is decided on it.
const HEARD_AGE_US: i64 = 1_000_000;

/// How long one who can do without waits for the lock.
const FRESHEN_WAIT: Duration = Duration::from_millis(50);

/// How long in microseconds a shared log that wasn't reached is let alone by who can do without.
const MISSED_AGE_US: i64 = 60_000_000;

/// How often a write is decided again where others came first.
pub(crate) const CONFLICTS_MAX: usize = 64;

/// The shared log as the log of a copy asks it.
#[derive(Debug)]
pub(crate) struct Agreement(pub(crate) Arc<dyn SharedLog>);

impl Commit for Agreement {
    fn commit(
        &self,
        ledger: LedgerId,
        first: Seq,
        before: Digest,
        records: &[u8],
    ) -> Result<(), NotCommitted> {
        let frame = frame_of(before, records);
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let put = self.0.append_if(ledger, first, &frame);
            match put {
                Ok(true) => return Ok(()),
                Err(SharedError::NotAllowed(what)) => return Err(NotCommitted::Refused(what)),
                Ok(false) | Err(_) => {}
            }
            // A frame that is there already may be this one, of an answer that was lost.
            match self.0.read(ledger, first) {
                Ok(Some(there)) if is_same(&there, &frame) => return Ok(()),
                Ok(Some(_)) => return Err(NotCommitted::Taken),
                Ok(None) => last = put.err().map_or_else(String::new, |error| error.to_string()),
                Err(error) => return Err(NotCommitted::Unknown(error.to_string())),
            }
        }
        Err(NotCommitted::Unknown(last))
    }
}

/// The error of a shared log that has lost what this copy has.
fn lost(seq: Seq) -> Error {
    Error::Shared(SharedError::Unreadable(format!(
        "the shared log has lost record {seq}, which is here: `memlith init --shared PLACE` puts it \
         back, before anybody else writes"
    )))
}

/// The error of a place where nothing of the ledger is.
fn nothing_there() -> Error {
    Error::Shared(SharedError::Unreached(
        "the place holds nothing of this ledger: mount it, or bring it back. Only where it is gone for \
         good, remove `sync/shared.json` in the ledger's folder, and fill it anew with \
         `memlith init --shared PLACE`"
            .to_owned(),
    ))
}

/// The error of a shared log that has lost the words of a record.
fn without_words(seq: Seq) -> Error {
    Error::Shared(SharedError::Unreadable(format!(
        "the shared log holds record {seq} without its words, and nobody who may has erased it: a node \
         that has them puts them back with `memlith init --shared PLACE`"
    )))
}

/// The chain that the records of a frame lead to at `head`, or at their end before it.
fn chain_of(arrived: &Arrived, head: Seq) -> Option<&Digest> {
    let is_here = |record: &&RestoredRecord| record.header.seq <= head;
    let count = arrived.records.iter().filter(is_here).count();
    arrived.chains.get(count.checked_sub(1)?)
}

/// Whether two frames hold the same records, of which some may have been erased since.
fn is_same(there: &[u8], frame: &[u8]) -> bool {
    let chain = |frame| SharedFrame::read(frame).map(|read| (read.first, read.chain));
    there == frame || chain(there).is_some_and(|there| Some(there) == chain(frame))
}

fn frame_of(before: Digest, records: &[u8]) -> Vec<u8> {
    [MAGIC, &before.0, records].concat()
}

/// The chain before a frame, and its records.
pub(super) fn parts_of(frame: &[u8]) -> Option<(Digest, &[u8])> {
    let (before, records) = frame.strip_prefix(MAGIC)?.split_first_chunk()?;
    Some((Digest(*before), records))
}

const MAGIC: &[u8] = b"MLS1";

impl Ledger {
    /// Puts all of this ledger on a shared log, so that others join it. Frames that stand there
    /// already are compared and passed over: what the log has lost is put there again.
    ///
    /// Nobody else may write until every handle is opened with the shared log: a record that one
    /// without it appends meanwhile may be missing there.
    ///
    /// # Errors
    /// [`Error::Parted`] where something else stands there; the shared log's, and the log's.
    pub fn share(&self, shared: &dyn SharedLog) -> Result<(), Error> {
        let (mut next, mut before) = (Seq::GENESIS, genesis_chain(self.id(), FORMAT, SUITE));
        let mut other_words = Vec::new();
        while next <= self.refresh()?.seq {
            let diverged = Error::Parted { ledger: self.id(), seq: next };
            if let Some(frame) = shared.read(self.id(), next)? {
                let (there, arrived) = self.arrived(&frame, next)?;
                let last = Seq(next.0 + arrived.records.len() as u64 - 1);
                let chain = arrived.chains.last().copied();
                if there != before || self.chain_at(last)? != chain {
                    return Err(diverged);
                }
                let own = self.stretch(next, Some(last), usize::MAX)?;
                if own.is_some_and(|own| frame_of(before, &own.bytes) != frame) {
                    other_words.push((next, last, before));
                }
                (next, before) = (last.next(), chain.unwrap_or(before));
                continue;
            }
            let end = shared.next(self.id(), next)?.and_then(Seq::previous);
            let Some(stretch) = self.stretch(next, end, shared.frame_len())? else {
                return Err(diverged);
            };
            // Where somebody came first, it is compared next.
            if shared.append_if(self.id(), next, &frame_of(before, &stretch.bytes))? {
                (next, before) = (stretch.last.next(), stretch.chain);
            }
        }
        if self.frame_at(shared, next)?.is_none() {
            // All is here, erasures too: somebody took words out of these that nobody erased, or a place
            // that was set back brought some again.
            for (first, last, before) in other_words {
                self.replace_frame(shared, first, last, before)?;
            }
        }
        Ok(())
    }

    /// Compares what the shared log holds with this copy; gives what is lost or differs there, of what is
    /// here.
    ///
    /// Cost: all that the shared log holds, read once.
    ///
    /// # Errors
    /// [`Error::NotShared`], the shared log's, and the log's.
    pub fn verify_shared(&self) -> Result<Vec<String>, Error> {
        let shared = self.options.shared.as_ref().ok_or(Error::NotShared)?;
        let (mut next, mut findings) = (Seq::GENESIS, Vec::new());
        while next <= self.head().seq {
            let frame = shared.reread(self.id(), next)?;
            let read = frame.and_then(|frame| self.arrived(&frame, next).ok());
            let Some((_, arrived)) = read else {
                let end = shared.next(self.id(), next.next())?.unwrap_or(Seq::MAX);
                let last = end.previous().unwrap_or(end).min(self.head().seq);
                findings.push(format!("records {next} to {last} are lost or damaged there"));
                next = last.next();
                continue;
            };
            let last = Seq(next.0 + arrived.records.len() as u64 - 1);
            if self.chain_at(last.min(self.head().seq))?.as_ref()
                != chain_of(&arrived, self.head().seq)
            {
                findings.push(format!("records {next} to {last} are others than here"));
            }
            for seq in arrived.bare().into_iter().filter(|seq| *seq <= self.head().seq) {
                if matches!(self.log.read(seq)?.payload, Payload::Present { .. }) {
                    findings.push(format!("record {seq} has lost its words there"));
                }
            }
            let own = self.stretch(next, Some(last.min(self.head().seq)), usize::MAX)?;
            for seq in own.map(|own| own.bare()).unwrap_or_default() {
                if arrived.has_words(seq) {
                    findings.push(format!("record {seq} was erased, and has its words there"));
                }
            }
            next = last.next();
        }
        Ok(findings)
    }

    /// Whether the handle was opened with the shared log of a ledger that several nodes write.
    #[must_use]
    pub fn has_shared_log(&self) -> bool {
        self.options.shared.is_some()
    }

    /// Returns the words by which another node joins: the ledger's id, and the key of its
    /// tombstones, with which every node bars what any erased. They are a secret.
    ///
    /// # Errors
    /// The key can't be read.
    pub fn invitation(&self) -> Result<String, Error> {
        let secret = TombstoneKey::secret_of(self.log.env(), self.id())?.unwrap_or_default();
        Ok(format!("{}-{}", self.id(), Digest(secret)))
    }

    /// Makes a copy of a shared ledger in the folder `dir`, which may hold a part of one, by the
    /// words that [`Ledger::invitation`] gave on another node.
    ///
    /// Cost: all that the shared log holds, read once, and twice where words were erased; each record is
    /// verified and folded. A long one gets a checkpoint.
    ///
    /// # Errors
    /// `options` name no shared log, nothing of the ledger stands there, the folder holds another
    /// ledger, and those of
    /// [`Ledger::pull`].
    pub fn join(
        dir: impl AsRef<Path>,
        options: Options,
        invitation: &str,
    ) -> Result<Ledger, Error> {
        let parts = invitation.trim().split_once('-');
        let parts = parts.and_then(|(ledger, secret)| {
            Some((LedgerId::from_hex(ledger).ok()?, Digest::from_hex(secret).ok()?.0))
        });
        let (ledger, secret) = parts.ok_or(Error::NoInvitation)?;
        let shared = options.shared.as_ref().ok_or(Error::NotShared)?;
        let io = |source| Error::Io {
            what: format!("make the folder {}", dir.as_ref().display()),
            source,
        };
        let storage = LocalStorage::create_as(dir.as_ref(), options.sharing).map_err(io)?;
        if memlith_log::holds_ledger(&storage)? {
            // Of another ledger nothing may be taken for this one's.
            let read = LogOptions { read_only: true, ..LogOptions::default() };
            let there = LocalStorage::open(dir.as_ref()).map_err(io)?;
            let there = Log::open(Env::system(there), read)?.ledger_id();
            if there != ledger {
                return Err(Error::OtherShared { there, ledger });
            }
        }
        if shared.read(ledger, Seq::GENESIS)?.is_none() {
            return Err(Error::NothingShared { ledger });
        }
        let checkpoint_events = options.checkpoint_events;
        let joined = match Log::create_copy(Env::system(storage), options.for_log(), ledger) {
            Err(memlith_log::Error::AlreadyExists { .. }) => Ledger::open(dir, options)?,
            log => Ledger::with(log?, &Tail::default(), options)?,
        };
        if TombstoneKey::secret_of(joined.log.env(), ledger)?.is_none() {
            TombstoneKey::keep(joined.log.env(), ledger, secret)?;
        }
        let pulled = joined.pull()?;
        // What is barred is known by the key of the invitation.
        joined.erasure().tombstones().map_err(|_| Error::NoInvitation)?;
        if pulled >= checkpoint_events
            && let Err(error) = joined.checkpoints().write()
        {
            // Whoever opens it folds it again: a checkpoint is derived state.
            tracing::warn!(%error, "no checkpoint of the joined ledger was written");
        }
        Ok(joined)
    }

    /// Takes in what other nodes have put on the shared log; gives the number of records, none on a
    /// handle for reading only. Answers are from the copy alone: they are as new as the last write
    /// or pull.
    ///
    /// Durable when it returns. Nothing is taken in unless it continues the chain that is here.
    ///
    /// # Errors
    /// [`Error::Parted`] and [`Error::BadStretch`] where the shared log was changed,
    /// [`Error::Shared`], and the log's.
    pub fn pull(&self) -> Result<u64, Error> {
        self.pull_within(self.options.lock_timeout)
    }

    /// [`Ledger::pull`], which waits for the lock at most `timeout`.
    fn pull_within(&self, timeout: Duration) -> Result<u64, Error> {
        let pulled = self.pull_all(timeout);
        *self.missed.lock() = match &pulled {
            Err(Error::Shared(SharedError::Unreached(what))) => Some((self.now(), what.clone())),
            Err(error @ Error::Log(memlith_log::Error::LockTimeout { .. })) => {
                Some((self.now(), error.to_string()))
            }
            _ => None,
        };
        pulled
    }

    fn pull_all(&self, timeout: Duration) -> Result<u64, Error> {
        let Some(shared) = self.options.shared.as_ref().filter(|_| !self.options.read_only) else {
            return Ok(0);
        };
        let (mut added, is_new) = (0, self.log.head().seq == Seq::GENESIS);
        let mut erased = Vec::new();
        {
            let mut writer = self.log.writer_within(timeout)?;
            let is_new = is_new && writer.head().seq == Seq::GENESIS;
            let (mut next, mut chain) = match is_new {
                true => (Seq::GENESIS, genesis_chain(self.id(), FORMAT, SUITE)),
                false => (writer.head().seq.next(), writer.head().chain),
            };
            if !is_new {
                writer.resume_restore();
            }
            if !is_new && (writer.agreed_to() != Some(writer.head().seq) || self.is_old()) {
                // A process that died may have written a part of a frame; and what lay there may be
                // there no more.
                let rest = self.rest_of_frame(shared.as_ref(), writer.head())?;
                let rest = Arrived { records: rest, chains: Vec::new() };
                erased.extend(rest.erased());
                added += writer.restore(&rest.records)?;
                (next, chain) = (writer.head().seq.next(), writer.head().chain);
            }
            // What erasures behind what was read take, once a frame has none of its words.
            let mut ahead: BTreeSet<Seq> = BTreeSet::new();
            while let Some(arrived) = self.follows(shared.as_ref(), (next, chain))? {
                let bare = arrived.bare();
                if bare.iter().any(|seq| !ahead.contains(seq)) {
                    ahead = self.erased_from(shared.as_ref(), (next, chain))?;
                }
                if let Some(seq) = bare.iter().find(|seq| !ahead.contains(seq)) {
                    return Err(without_words(*seq));
                }
                erased.extend(arrived.erased());
                added += writer.restore(&arrived.records)?;
                chain = arrived.chains.last().copied().unwrap_or(chain);
                next = Seq(next.0 + arrived.records.len() as u64);
            }
            writer.note_agreed();
            self.heard.store(self.now().0, Ordering::Relaxed);
            if added > 0 {
                writer.sync()?;
            }
        }
        if added > 0 {
            if is_new {
                // The first record may have been replaced, which no fold would notice.
                self.forget();
            }
            self.refresh()?;
        }
        if !is_new {
            // The node that erased may have died before it took the words out of the frames.
            erased.sort_unstable();
            self.replace_shared(&erased)?;
        }
        Ok(added)
    }

    /// Takes in what other nodes have put on the shared log, unless that was done within a second.
    /// A decision on an older state would meet theirs; and a batch would take the place of a frame
    /// that the log has lost.
    pub(crate) fn pull_if_old(&self, timeout: Duration) -> Result<(), Error> {
        self.pull_unless((HEARD_AGE_US, HEARD_AGE_US), timeout)
    }

    /// Takes in what other nodes have put on the shared log, for one who asks and can go on without: not
    /// where that failed within a minute.
    ///
    /// # Errors
    /// Those of [`Ledger::pull`].
    pub fn freshen(&self) -> Result<(), Error> {
        self.pull_unless((0, MISSED_AGE_US), FRESHEN_WAIT)
    }

    /// Whether the copy was not compared within a second.
    fn is_old(&self) -> bool {
        !self.is_new(self.heard.load(Ordering::Relaxed), HEARD_AGE_US)
    }

    fn is_new(&self, at_us: i64, age_us: i64) -> bool {
        (0..age_us).contains(&self.now().0.saturating_sub(at_us))
    }

    /// Pulls, unless that was done or failed so many microseconds ago.
    fn pull_unless(
        &self,
        (done_us, failed_us): (i64, i64),
        timeout: Duration,
    ) -> Result<(), Error> {
        let done = self.heard.load(Ordering::Relaxed);
        if self.options.shared.is_none() || self.is_new(done, done_us) {
            return Ok(());
        }
        let missed = self.missed.lock().clone();
        if let Some((_, what)) = missed.filter(|(at, _)| self.is_new(at.0, failed_us)) {
            // Who has just waited for it doesn't wait again.
            return Err(Error::Shared(SharedError::Unreached(what)));
        }
        self.pull_within(timeout).map(drop)
    }

    /// Reads what follows the record before `next`, at which the chain is `chain`, and passes over what
    /// continues another one; `None` where the shared log ends.
    fn follows(
        &self,
        shared: &dyn SharedLog,
        (next, chain): (Seq, Digest),
    ) -> Result<Option<Arrived>, Error> {
        while let Some(frame) = self.frame_at(shared, next)? {
            let (before, arrived) = self.arrived(&frame, next)?;
            if before == chain {
                return Ok(Some(arrived));
            }
            // What is here was compared with the log: it is the frame that is of no use.
            if !shared.pass_over(self.id(), next)? {
                return Err(Error::Parted { ledger: self.id(), seq: next });
            }
        }
        Ok(None)
    }

    /// The records that erasures from `next` on take.
    fn erased_from(
        &self,
        shared: &dyn SharedLog,
        (mut next, mut chain): (Seq, Digest),
    ) -> Result<BTreeSet<Seq>, Error> {
        let mut erased = BTreeSet::new();
        while let Some(arrived) = self.follows(shared, (next, chain))? {
            erased.extend(arrived.erased());
            chain = arrived.chains.last().copied().unwrap_or(chain);
            next = Seq(next.0 + arrived.records.len() as u64);
        }
        Ok(erased)
    }

    /// Reads the frame that begins with the record `first`; `None` where the shared log ends.
    fn frame_at(&self, shared: &dyn SharedLog, first: Seq) -> Result<Option<Vec<u8>>, Error> {
        if let Some(frame) = shared.read(self.id(), first)? {
            return Ok(Some(frame));
        }
        let Some(next) = shared.next(self.id(), first)? else { return Ok(None) };
        // What comes after was put there since, or this frame was lost.
        match shared.read(self.id(), first)? {
            Some(frame) => Ok(Some(frame)),
            // Somebody is putting it there.
            None if next == first => Ok(None),
            None => Err(Error::Shared(SharedError::Unreadable(format!(
                "the shared log holds record {next}, and has lost what begins with record {first}: a \
                 node that has it puts it back with `memlith init --shared PLACE`; where no node has, \
                 take what lies there under {next} away"
            )))),
        }
    }

    /// Reads a frame: the chain before it, and its records, at least one.
    fn arrived(&self, frame: &[u8], first: Seq) -> Result<(Digest, Arrived), Error> {
        let bad = |what| Error::BadStretch { ledger: self.id(), first, what };
        let (before, records) = parts_of(frame).ok_or_else(|| bad("it is no frame"))?;
        let arrived = Arrived::read(records, first, before);
        let arrived = arrived.filter(|arrived| !arrived.records.is_empty());
        Ok((before, arrived.ok_or_else(|| bad("its bytes are no records"))?))
    }

    /// The frame that holds the record `seq` as it stands here, by its first record; `None` where
    /// there is none.
    fn frame_with(
        &self,
        shared: &dyn SharedLog,
        seq: Seq,
    ) -> Result<Option<(Seq, Digest, Arrived)>, Error> {
        let record = self.log.read(seq)?;
        let batch = Seq(seq.0.saturating_sub(u64::from(record.batch_pos)));
        if let Some(found) = self.holding(shared, batch, (seq, record.chain))? {
            return Ok(Some(found));
        }
        // A frame that was shared holds many batches: it is sought further and further back.
        let (mut end, mut span) = (seq.next(), 4_u64);
        while end > Seq::GENESIS {
            let from = Seq(end.0.saturating_sub(span));
            let mut at = from;
            while let Some(first) = shared.next(self.id(), at)?.filter(|first| *first < end) {
                if let Some(found) = self.holding(shared, first, (seq, record.chain))? {
                    return Ok(Some(found));
                }
                at = first.next();
            }
            (end, span) = (from, span.saturating_mul(4));
        }
        Ok(None)
    }

    /// The frame that begins with the record `first`, if it holds the record `seq` of this chain.
    fn holding(
        &self,
        shared: &dyn SharedLog,
        first: Seq,
        (seq, chain): (Seq, Digest),
    ) -> Result<Option<(Seq, Digest, Arrived)>, Error> {
        let Some(frame) = shared.reread(self.id(), first)? else { return Ok(None) };
        // What else lies there is none: nobody took it in.
        let Ok((before, arrived)) = self.arrived(&frame, first) else { return Ok(None) };
        let at = usize::try_from(seq.0 - first.0).unwrap_or(usize::MAX);
        Ok((arrived.chains.get(at) == Some(&chain)).then_some((first, before, arrived)))
    }

    /// The records behind `head` of the frame that holds it.
    fn rest_of_frame(
        &self,
        shared: &dyn SharedLog,
        head: Head,
    ) -> Result<Vec<RestoredRecord>, Error> {
        let found = self.frame_with(shared, head.seq)?;
        let Some((first, _, mut arrived)) = found else {
            // Where something else stands in its place, another node wrote there.
            let batch = self.log.read(head.seq)?.batch_pos;
            let first = Seq(head.seq.0.saturating_sub(u64::from(batch)));
            return Err(match shared.reread(self.id(), first)? {
                Some(_) => Error::Parted { ledger: self.id(), seq: first },
                None if shared.reread(self.id(), Seq::GENESIS)?.is_none() => nothing_there(),
                None => lost(first),
            });
        };
        let held = usize::try_from(head.seq.0 - first.0).unwrap_or(usize::MAX);
        Ok(arrived.records.split_off(held + 1))
    }

    /// Takes the words of erased records out of the frames of the shared log, where one still has
    /// them; `seqs` ascend.
    pub(crate) fn replace_shared(&self, seqs: &[Seq]) -> Result<(), Error> {
        let Some(shared) = &self.options.shared else { return Ok(()) };
        let mut replaced = Seq::GENESIS;
        for seq in seqs.iter().filter(|seq| **seq != Seq::GENESIS) {
            if *seq < replaced {
                continue;
            }
            let Some((first, before, arrived)) = self.frame_with(shared.as_ref(), *seq)? else {
                continue;
            };
            let last = Seq(first.0 + arrived.records.len() as u64 - 1);
            if !arrived.has_words(*seq) {
                continue;
            }
            self.replace_frame(shared.as_ref(), first, last, before)?;
            replaced = last.next();
        }
        Ok(())
    }

    /// Puts the records from `first` to `last` as they are here in the place of a frame.
    fn replace_frame(
        &self,
        shared: &dyn SharedLog,
        first: Seq,
        last: Seq,
        before: Digest,
    ) -> Result<(), Error> {
        if let Some(stretch) = self.stretch(first, Some(last), usize::MAX)? {
            shared.replace(self.id(), first, &frame_of(before, &stretch.bytes))?;
        }
        Ok(())
    }
}
