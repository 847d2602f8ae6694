//! Checkpoint files: written, sealed in the log, admitted, pruned.
//!
//! Invariants
//! 1. A checkpoint is believed only if the verified log holds its seal, with exactly its
//!    ledger, sequence, chain, fold version, configuration, erasure epoch and root, and
//!    no later erasure.
//! 2. Every reason for refusing one is logged, and the next older one or a full replay
//!    answers instead; only a checkpoint that is ahead of the log is an error, since
//!    then acknowledged records are gone.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use memlith_log::{
    Access, CheckpointSeal, Digest, DropDerived, FIRST_EVENT_KIND, Log, LogEvent, Position, Record,
    Resume, Seq, Storage, Writer,
};
use memlith_state::{Checkpoint, CheckpointError, CheckpointName, Run, RunName};

use crate::error::Error;
use crate::fold::span::{self, RunFile, bytes_of, is_run};
use crate::fold::state::{FOLD_VERSION, State};
use crate::fold::stride::Stride;
use crate::ledger::Ledger;
use crate::read::answer::damaged_file;

/// Records after the last checkpoint from which another one pays.
///
/// Source: ADR 0047: each event of the tail costs a cold process some 4 us.
pub const CHECKPOINT_EVENTS: u64 = 256;

/// Bytes of bodies after it, for the same reason.
const CHECKPOINT_LEN: u64 = 256 << 10;

/// Number of the newest checkpoints that are kept, whatever their distance.
const KEPT_MIN: usize = 3;

const LOCK: &str = "ckpt.lock";
const TEMPORARY: &str = "ckpt.tmp";

/// Result of asking for a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpointed {
    /// It was written and sealed.
    Sealed {
        /// The last record it covers.
        seq: Seq,
        /// Its root.
        root: Digest,
        /// The length of its file in bytes.
        len: u64,
    },
    /// Nothing has happened since the last one.
    Unchanged {
        /// The last record that one covers.
        seq: Seq,
    },
    /// Another process is writing one, or erased meanwhile what this one rested on.
    Busy,
}

/// A checkpoint file in the ledger's folder, by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kept {
    pub(crate) seq: Seq,
    pub(crate) epoch: Seq,
    pub(crate) name: String,
}

impl Ledger {
    /// Decides whether enough came after the last checkpoint for another one to pay.
    fn tail_is_long(&self) -> bool {
        let state = self.state.lock();
        let tail = state.last_event.0.saturating_sub(state.covered.0);
        tail >= self.options.checkpoint_events || state.uncovered_len >= CHECKPOINT_LEN && tail > 0
    }

    fn checkpoint_locked(&self, storage: &dyn Storage) -> Result<Checkpointed, Error> {
        self.look(&mut self.state.lock())?;
        let mut state = None;
        self.locked(|writer, snapshot, _| {
            writer.sync()?;
            state = Some(snapshot.clone());
            Ok(())
        })?;
        let mut state = state.unwrap_or_default();
        let mut files = kept(&self.log)?;
        // What is refused is of no use any more; cuts may have left several unsealed.
        while let Some(file) = files.last() {
            match self.admit(file, None, Look::AtTheTail) {
                Ok(_) => break,
                Err(CheckpointError::Unreadable) => check_gone(storage, file)?,
                Err(_) => remove(storage, &file.name)?,
            }
            files.pop();
        }
        // A seal alone is not enough: its file may have been deleted since.
        let covers = |file: &&Kept| file.epoch == state.epoch && file.seq >= state.last_event;
        let mut standing = files.iter().rev().filter(covers);
        if let Some(file) = standing.find(|file| self.admit(file, None, Look::AtTheTail).is_ok()) {
            self.state.lock().cover(file.seq);
            return Ok(Checkpointed::Unchanged { seq: file.seq });
        }
        let written = self.write_files(storage, &mut state);
        if written.is_err() {
            // On a full disk what was begun takes the room that everything else needs. That
            // it can't be removed either says nothing that the first error doesn't.
            let _ = storage.remove(TEMPORARY);
        }
        let (name, len) = match written {
            // An erasure takes away what is being written.
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(Checkpointed::Busy);
            }
            Err(error) => {
                if let Some(file) = damaged_file(&error) {
                    self.distrust(file)?;
                }
                return Err(error);
            }
            Ok(written) => written,
        };
        let (seq, root) = (name.n, name.root);
        let sealed = self.locked(|writer, current, _| {
            let stands = current.epoch == state.epoch;
            if stands {
                seal(&self.log, writer, &seal_of(&name))?;
            }
            self.prune(storage, current.epoch)?;
            Ok(stands)
        });
        let sealed = match sealed {
            Err(error @ Error::Log(memlith_log::Error::NotAllowed { .. })) => {
                // Nobody ever believes it.
                let _ = storage.remove(&file_name(&name));
                return Err(error);
            }
            sealed => sealed?,
        };
        if !sealed {
            return Ok(Checkpointed::Busy);
        }
        self.adopt(&state);
        Ok(Checkpointed::Sealed { seq, root, len })
    }

    /// Writes the runs of `state` that are in no file, merged as is due, and the checkpoint
    /// that names all of them: its name, and the bytes that were written.
    fn write_files(
        &self,
        storage: &dyn Storage,
        state: &mut State,
    ) -> Result<(CheckpointName, u64), Error> {
        state.freeze();
        let mut len = 0;
        for group in state.groups().into_iter().rev() {
            let span = state.spans.get(group.start).filter(|_| group.len() == 1);
            let held = span.and_then(|span| span.file.as_ref());
            if held.is_none_or(|held| !is_there(storage, &held.file)) {
                len += self.write_run(storage, state, group)?;
            }
        }
        let (fold_version, configuration) = (FOLD_VERSION, configuration(state.stride));
        let files = state.spans.iter().filter_map(|span| span.file.as_ref());
        let runs: Vec<RunName> = files.map(|file| file.run.name).collect();
        let n = state.next.previous().unwrap_or_default();
        let Resume { position: place, before: frames } = self.log.resume(n)?;
        let name = CheckpointName {
            ledger: self.id(),
            n,
            chain: state.chain,
            fold_version,
            configuration,
            epoch: state.epoch,
            root: Checkpoint::root_of(fold_version, &configuration, &runs),
        };
        let place = (place.segment, place.offset);
        let checkpoint = Checkpoint { name, place, stride: state.stride.0, runs, frames };
        let bytes = checkpoint.encode();
        put(storage, &bytes)?;
        let io = io_while("read again what was written of a checkpoint", storage);
        let again = bytes_of(storage, TEMPORARY, false).map_err(io)?;
        Checkpoint::decode(again.unchecked())
            .map_err(|source| Error::Checkpoint { seq: n, source })?;
        name_it(storage, &file_name(&name))?;
        let io = io_while("sync the folder of a checkpoint", storage);
        storage.sync_folder("").map_err(io)?;
        Ok((name, len + bytes.len() as u64))
    }

    /// Writes some runs as one, and puts it in their place: the length of its file.
    fn write_run(
        &self,
        storage: &dyn Storage,
        state: &mut State,
        group: Range<usize>,
    ) -> Result<u64, Error> {
        let n = state.next.previous().unwrap_or_default();
        let sections = state.sections(group.clone());
        let ends = state
            .spans
            .get(group.clone())
            .and_then(|spans| Some((spans.first()?.from, spans.last()?.to)));
        let (from, to) = ends.unwrap_or_default();
        let (name, bytes) = Run::encode(FOLD_VERSION, from, to, &sections);
        // What was damaged was left out.
        state.check()?;
        let wrong = |source| Error::Checkpoint { seq: n, source };
        put(storage, &bytes)?;
        let len = bytes.len() as u64;
        drop((bytes, sections));
        let io = io_while("read again what was written of a checkpoint", storage);
        let again = bytes_of(storage, TEMPORARY, self.log.options().mmap).map_err(io)?;
        let run = Run::open(again).map_err(wrong)?;
        run.check().map_err(wrong)?;
        if run.name != name {
            return Err(wrong(CheckpointError::RunMissing { from, to }));
        }
        let file = span::file_name(&name, state.epoch);
        name_it(storage, &file)?;
        self.distrusted.lock().remove(&file);
        let mut sections = run.sections.clone();
        let file = Arc::new(RunFile { file, run });
        state.replace(group, Some(file), &mut sections).map_err(wrong)?;
        Ok(len)
    }

    /// Lets the live state read from the files that a checkpoint wrote, as far as its runs
    /// are those of the checkpoint.
    fn adopt(&self, written: &State) {
        let mut live = self.state.lock();
        let policies = (live.salience.policy(), written.salience.policy());
        if live.epoch != written.epoch || policies.0 != policies.1 {
            return;
        }
        if let Some(covered) = written.next.previous() {
            live.cover(covered);
        }
        for span in written.spans.iter().rev() {
            let first = live.spans.iter().position(|own| own.from == span.from);
            let last = live.spans.iter().position(|own| own.to == span.to);
            let (Some(first), Some(last), Some(file)) = (first, last, &span.file) else { continue };
            let mut sections = file.run.sections.clone();
            let adopted = live.replace(first..last + 1, Some(file.clone()), &mut sections);
            debug_assert!(adopted.is_ok(), "what was just written can be loaded");
        }
    }

    /// Removes the files of runs that no kept checkpoint names.
    fn prune_runs(&self, storage: &dyn Storage) -> Result<(), Error> {
        let mut needed = BTreeSet::new();
        for file in kept(&self.log)? {
            // What can't be read this time may be whole: nothing goes that it may name.
            let Ok(checkpoint) = read_checkpoint(&self.log, &file) else { return Ok(()) };
            let runs = checkpoint.runs.iter();
            needed.extend(runs.map(|run| span::file_name(run, file.epoch)));
        }
        let names = storage.list("").map_err(io_while("list the files of checkpoints", storage))?;
        for name in names.iter().filter(|name| is_run(name) && !needed.contains(*name)) {
            remove(storage, name)?;
        }
        Ok(())
    }

    /// Removes what an erasure after `epoch` retired, and thins out what is old.
    fn prune(&self, storage: &dyn Storage, epoch: Seq) -> Result<(), Error> {
        let (standing, retired): (Vec<Kept>, Vec<Kept>) =
            kept(&self.log)?.into_iter().partition(|file| file.epoch == epoch);
        let too_many = thinned_out(&standing);
        for file in retired.iter().chain(too_many) {
            remove(storage, &file.name)?;
        }
        self.prune_runs(storage)?;
        let what = format!("remove checkpoints in {}", storage.describe());
        storage.sync_folder("").map_err(|source| Error::Io { what, source })
    }
}

fn is_there(storage: &dyn Storage, name: &str) -> bool {
    storage.file_identity(name).is_ok()
}

/// Writes a file under the temporary name, and syncs it.
fn put(storage: &dyn Storage, bytes: &[u8]) -> Result<(), Error> {
    let io = || io_while("write a checkpoint", storage);
    let file = storage.open(TEMPORARY, Access::Fresh).map_err(io())?;
    file.write_at(bytes, 0).map_err(io())?;
    file.sync_data().map_err(io())
}

/// Gives the temporary file its name: a file under its final name is whole.
fn name_it(storage: &dyn Storage, name: &str) -> Result<(), Error> {
    storage.rename(TEMPORARY, name).map_err(io_while("name a file of a checkpoint", storage))
}

/// Puts a file of a checkpoint under its name, whole and synced.
pub(crate) fn put_whole(storage: &dyn Storage, name: &str, bytes: &[u8]) -> Result<(), Error> {
    put(storage, bytes)?;
    name_it(storage, name)?;
    storage.sync_folder("").map_err(io_while("sync the folder of a checkpoint", storage))
}

/// Whether a file of this name is of a checkpoint, of whatever fold version.
pub(crate) fn is_of_checkpoint(name: &str) -> bool {
    let rest = name.strip_prefix("ckpt-").or_else(|| name.strip_prefix("run-"));
    rest.is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|b| b == b'-' || b.is_ascii_alphanumeric())
    })
}

fn io_while(what: &str, storage: &dyn Storage) -> impl FnOnce(io::Error) -> Error + use<> {
    let what = format!("{what} in {}", storage.describe());
    move |source| Error::Io { what, source }
}

/// Confirms that a file which couldn't be read is gone: an erasure took it.
///
/// # Errors
/// It is there: it may be good, and nothing is put in front of it.
fn check_gone(storage: &dyn Storage, file: &Kept) -> Result<(), Error> {
    let what = format!("read {} in {}", file.name, storage.describe());
    match storage.file_identity(&file.name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(Error::Io { what, source }),
        Ok(_) => Err(Error::Io { what, source: io::Error::other("it could not be read") }),
    }
}

fn remove(storage: &dyn Storage, name: &str) -> Result<(), Error> {
    let what = format!("remove {name} in {}", storage.describe());
    storage.remove(name).map_err(|source| Error::Io { what, source })
}

/// Chooses the files that can go: without one of them, the gap between its neighbours is still
/// no longer than the way from there to the newest. What is left grows with the
/// logarithm of the log, and always holds the newest and the oldest.
fn thinned_out(files: &[Kept]) -> Vec<&Kept> {
    let newest = files.last().map_or(0, |file| file.seq.0);
    let (mut gone, mut last_kept) = (Vec::new(), newest);
    let older = files.iter().rev().skip(1).map(Some).chain([None]);
    for (position, (file, older)) in files.iter().rev().zip(older).enumerate() {
        let gap = older.map(|older| last_kept.saturating_sub(older.seq.0));
        if position >= KEPT_MIN && gap.is_some_and(|gap| gap <= newest - last_kept) {
            gone.push(file);
        } else {
            last_kept = file.seq.0;
        }
    }
    gone
}

/// Seals a checkpoint, unless an equal seal stands in the log already.
fn seal(log: &Log, writer: &mut Writer<'_>, wanted: &CheckpointSeal) -> Result<(), Error> {
    for record in log.scan(wanted.seq.next(), writer.head().seq) {
        let Some(found) = seal_in(&record?) else { continue };
        if found == *wanted {
            return Ok(());
        }
        if same_fold(&found, wanted) {
            let (found, sealed) = (wanted.root, found.root);
            return Err(Error::NonDeterministicFold { seq: wanted.seq, found, sealed });
        }
    }
    writer.note(&LogEvent::CheckpointSealed(*wanted))?;
    Ok(())
}

fn seal_in(record: &Record) -> Option<CheckpointSeal> {
    let event = record.body().filter(|_| record.kind < FIRST_EVENT_KIND)?;
    match LogEvent::decode(record.kind, event) {
        Some((LogEvent::CheckpointSealed(seal), _)) => Some(seal),
        Some(_) | None => None,
    }
}

/// Digest of everything but code that the folds run under.
///
/// No choice of a trust policy moves a fold, so the words stay what they were at first.
fn configuration(stride: Stride) -> Digest {
    Digest(
        *blake3::Hasher::new_derive_key("memlith v1 configuration")
            .update(b"policy balanced; salience as the log chooses; stride ")
            .update(&stride.0.to_le_bytes())
            .finalize()
            .as_bytes(),
    )
}

/// How far a checkpoint's tail is looked at before it is admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Up to the seal: whoever asks folds in the whole tail next, erasures included.
    ForTheSeal,
    /// To the head of the log.
    AtTheTail,
}

impl Ledger {
    /// The state of the newest admitted checkpoint, or the empty one.
    ///
    /// # Errors
    /// [`Error::TailLost`] for a whole checkpoint of this ledger that is ahead of the log,
    /// unless the options say to read on.
    pub(crate) fn newest_state(&self) -> Result<State, Error> {
        let files = kept(&self.log)?;
        let mut head = self.log.head().seq;
        if files.last().is_some_and(|file| file.seq > head) {
            // Another process may have gone on since the log was opened.
            head = self.log.refresh()?.seq;
        }
        for file in files.into_iter().filter(|file| file.seq > head) {
            // Whoever wrote it had synced the log up to there.
            if !self.options.read_past_loss && is_ours(&self.log, &file) {
                return Err(Error::TailLost { file: file.name, seq: file.seq, head });
            }
            tracing::warn!(file = file.name, %head, "checkpoint ahead of the log passed over");
        }
        self.state_before(head, None)
    }

    /// The state of the newest admitted checkpoint at or before `seq`; with an erasure
    /// epoch, only of one that honours exactly that.
    pub(crate) fn state_before(&self, seq: Seq, epoch: Option<Seq>) -> Result<State, Error> {
        for file in kept(&self.log)?.into_iter().rev().filter(|file| file.seq <= seq) {
            // An erasure in the tail is met when the tail is folded in.
            match self.admit(&file, epoch, Look::ForTheSeal) {
                Ok(state) => return Ok(state),
                Err(reason) => tracing::warn!(file = file.name, %reason, "checkpoint refused"),
            }
        }
        Ok(self.nothing())
    }

    /// The state of the checkpoint that covers exactly `seq`.
    pub(crate) fn state_exactly(&self, seq: Seq) -> Result<State, Error> {
        let files = kept(&self.log)?;
        let file =
            files.iter().rev().find(|file| file.seq == seq).ok_or(Error::NoCheckpoint { seq })?;
        self.admit(file, None, Look::AtTheTail).map_err(|source| Error::Checkpoint { seq, source })
    }

    /// The state in a file that is admitted; what its runs hold is checked when it is read.
    pub(crate) fn admit(
        &self,
        file: &Kept,
        epoch: Option<Seq>,
        look: Look,
    ) -> Result<State, CheckpointError> {
        let (n, erasure) = (file.seq, epoch.unwrap_or(file.epoch));
        if erasure != file.epoch {
            return Err(CheckpointError::Retired { n, erasure });
        }
        let checkpoint = admitted(&self.log, file, look)?;
        if checkpoint.stride != self.options.stride_records {
            return Err(CheckpointError::Configuration);
        }
        let state = loaded(&self.log, &checkpoint)?;
        let distrusted = self.distrusted.lock();
        let files = state.spans.iter().filter_map(|span| span.file.as_deref());
        for held in files {
            if distrusted.contains(&held.file) {
                return Err(CheckpointError::Damaged { file: held.file.clone() });
            }
        }
        Ok(state)
    }
}

/// Whether the file is whole and says that it is of this ledger and this sequence.
fn is_ours(log: &Log, file: &Kept) -> bool {
    let name = read_checkpoint(log, file).map(|checkpoint| checkpoint.name);
    name.is_ok_and(|name| name.ledger == log.ledger_id() && name.n == file.seq)
}

fn read_checkpoint(log: &Log, file: &Kept) -> Result<Checkpoint, CheckpointError> {
    let bytes = bytes_of(log.env().storage.as_ref(), &file.name, false)
        .map_err(|_| CheckpointError::Unreadable)?;
    Checkpoint::decode(bytes.unchecked())
}

/// The state that a checkpoint's runs hold.
pub(crate) fn loaded(log: &Log, checkpoint: &Checkpoint) -> Result<State, CheckpointError> {
    let mut state = State::empty(Stride(checkpoint.stride));
    let name = checkpoint.name;
    for run in &checkpoint.runs {
        state.push(Arc::new(RunFile::open(log, run, name.epoch)?))?;
    }
    // A checkpoint is of a settled state: what was folded is under the policy in force.
    state.salience.set_policy(state.memory.salience_policy().0);
    state.next = name.n.next();
    state.chain = name.chain;
    state.epoch = name.epoch;
    state.last_event = name.n;
    state.covered = name.n;
    Ok(state)
}

/// Checks a file against itself and against the log: the checkpoint, or why not.
pub(crate) fn admitted(log: &Log, file: &Kept, look: Look) -> Result<Checkpoint, CheckpointError> {
    let n = file.seq;
    let unreadable = || CheckpointError::Unsealed { n };
    let checkpoint = read_checkpoint(log, file)?;
    let name = checkpoint.name;
    if name.ledger != log.ledger_id() {
        return Err(CheckpointError::Ledger { expected: log.ledger_id(), found: name.ledger });
    }
    if name.fold_version != FOLD_VERSION {
        return Err(CheckpointError::FoldVersion {
            expected: FOLD_VERSION,
            found: name.fold_version,
        });
    }
    if name.configuration != configuration(Stride(checkpoint.stride)) {
        return Err(CheckpointError::Configuration);
    }
    // The record itself may be far from any that was looked at; what it chains to is in the
    // seal as well, which the walk of the tail has checked.
    let at_n = log.position(name.n).map_err(|_| unreadable())?;
    if (name.n, name.epoch) != (n, file.epoch)
        || at_n.chain != name.chain
        || !is_sealed(log, &name, look)?
    {
        return Err(unreadable());
    }
    Ok(checkpoint)
}

/// Whether the log holds this checkpoint's seal after it, and nothing that took bodies away.
///
/// That is found only by a look at the whole tail.
fn is_sealed(log: &Log, name: &CheckpointName, look: Look) -> Result<bool, CheckpointError> {
    let wanted = seal_of(name);
    let glance = look == Look::ForTheSeal;
    let mut sealed = false;
    for record in log.scan(name.n.next(), log.head().seq) {
        let record = record.map_err(|_| CheckpointError::Unsealed { n: name.n })?;
        if record.kind >= FIRST_EVENT_KIND {
            continue;
        }
        match record.body().and_then(|body| LogEvent::decode(record.kind, body)) {
            Some((LogEvent::CheckpointSealed(seal), _)) => sealed |= seal == wanted,
            Some((event, _)) if event.takes_bodies() => {
                return Err(CheckpointError::Retired { n: name.n, erasure: record.seq });
            }
            _ => {}
        }
        if sealed && glance {
            break;
        }
    }
    Ok(sealed)
}

fn seal_of(name: &CheckpointName) -> CheckpointSeal {
    CheckpointSeal {
        seq: name.n,
        chain: name.chain,
        fold_version: name.fold_version,
        configuration: name.configuration,
        erasure_epoch: name.epoch,
        root: name.root,
    }
}

/// Whether both are of the same fold of the same chain: then the roots have to be equal.
fn same_fold(a: &CheckpointSeal, b: &CheckpointSeal) -> bool {
    (a.seq, a.chain, a.fold_version, a.configuration, a.erasure_epoch)
        == (b.seq, b.chain, b.fold_version, b.configuration, b.erasure_epoch)
}

fn file_name(name: &CheckpointName) -> String {
    let root = name.root.to_string();
    let root = root.get(..12).unwrap_or_default();
    format!("ckpt-{}-{}-{}-{root}", name.fold_version, name.n, name.epoch)
}

/// The checkpoint files of this fold version, oldest first.
pub(crate) fn kept(log: &Log) -> Result<Vec<Kept>, Error> {
    kept_in(log.env().storage.as_ref())
}

/// Where a walk of the log in `storage` may begin: at the last record that the newest
/// checkpoint covers. Believed only as far as that record bears it out.
pub(crate) fn resume(storage: &dyn Storage) -> Option<Resume> {
    let newest = kept_in(storage).ok()?.pop()?;
    let bytes = bytes_of(storage, &newest.name, false).ok()?;
    let Checkpoint { name, place: (segment, offset), frames, .. } =
        Checkpoint::decode(bytes.unchecked()).ok()?;
    let position = Position { seq: name.n, chain: name.chain, segment, offset };
    Some(Resume { position, before: frames })
}

/// Number of records that are replayed while somebody waits.
const REPLAYED_AT_ONCE: u64 = 4_096;

/// Whether the ledger in `storage` has checkpoints of many records, all of them of other folds than
/// this program's: whoever opens it replays its whole log.
pub(crate) fn is_of_other_folds(storage: &dyn Storage) -> bool {
    let names = storage.list("").unwrap_or_default();
    let covers = |name: &String| -> Option<u64> {
        name.strip_prefix("ckpt-")?.split('-').nth(1)?.parse().ok()
    };
    names.iter().filter_map(covers).any(|records| records > REPLAYED_AT_ONCE)
        && !names.into_iter().any(|name| parse_name(name).is_some())
}

/// The names of the files of the newest `count` checkpoints that cover nothing behind `head`,
/// their runs first.
pub(crate) fn files_of_newest(
    storage: &dyn Storage,
    head: Seq,
    count: usize,
) -> Result<Vec<String>, Error> {
    let mut names = BTreeSet::new();
    let files = kept_in(storage)?.into_iter().rev().filter(|file| file.seq <= head).take(count);
    for file in files {
        // What can't be read, or is gone since, helps nobody.
        let Ok(bytes) = bytes_of(storage, &file.name, false) else { continue };
        let Ok(checkpoint) = Checkpoint::decode(bytes.unchecked()) else { continue };
        names.extend(checkpoint.runs.iter().map(|run| span::file_name(run, file.epoch)));
        names.insert(file.name);
    }
    Ok(names.into_iter().rev().collect())
}

fn kept_in(storage: &dyn Storage) -> Result<Vec<Kept>, Error> {
    let names = storage
        .list("")
        .map_err(|source| Error::Io { what: format!("list {}", storage.describe()), source })?;
    let mut files: Vec<Kept> = names.into_iter().filter_map(parse_name).collect();
    files.sort_unstable();
    Ok(files)
}

fn parse_name(name: String) -> Option<Kept> {
    let mut parts = name.strip_prefix("ckpt-")?.split('-');
    let version: u32 = parts.next()?.parse().ok()?;
    let seq = Seq(parts.next()?.parse().ok()?);
    let epoch = Seq(parts.next()?.parse().ok()?);
    (version == FOLD_VERSION).then_some(Kept { seq, epoch, name })
}

/// Removes the checkpoints that an accepted loss leaves behind: those ahead of the log, which are
/// no sign of a loss any more, and, where bodies were destroyed, all.
pub(crate) fn drop_lost(log: &Log) -> Result<(), Error> {
    let (storage, head) = (log.env().storage.as_ref(), log.head().seq);
    let is_retired = log.accepted_loss().is_some_and(|loss| !loss.destroyed.is_empty());
    for file in kept(log)?.iter().filter(|file| is_retired || file.seq > head) {
        remove(storage, &file.name)?;
    }
    Ok(())
}

/// Removes every file that may hold what an erasure took: all of them are derived.
pub(crate) fn drop_derived() -> DropDerived {
    DropDerived(Arc::new(|storage: &dyn Storage| {
        let names = storage.list("")?;
        for name in names.iter().filter(|name| is_derived(name)) {
            storage.remove(name)?;
        }
        storage.sync_folder("")
    }))
}

/// Whether a file of this name is of a checkpoint, of whatever version.
fn is_derived(name: &str) -> bool {
    name.starts_with("ckpt-") || name.starts_with("run-") || name == TEMPORARY
}

/// Checkpoints of the folded state.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoints<'a> {
    pub(crate) ledger: &'a Ledger,
}

impl Ledger {
    /// Checkpoints of the folded state.
    #[must_use]
    pub fn checkpoints(&self) -> Checkpoints<'_> {
        Checkpoints { ledger: self }
    }
}

impl Checkpoints<'_> {
    /// Writes a checkpoint of the whole state and seals it in the log.
    ///
    /// # Errors
    /// The log's, those of the disk, and [`Error::NonDeterministicFold`].
    pub fn write(&self) -> Result<Checkpointed, Error> {
        if self.ledger.options.read_only {
            return Err(memlith_log::Error::ReadOnly.into());
        }
        let storage = self.ledger.log.env().storage.clone();
        let io = |what: &str| {
            let what = format!("{what} a checkpoint in {}", storage.describe());
            move |source| Error::Io { what, source }
        };
        let lock = storage.open(LOCK, Access::Create).map_err(io("lock"))?;
        if !lock.try_lock().map_err(io("lock"))? {
            return Ok(Checkpointed::Busy);
        }
        let outcome = self.ledger.checkpoint_locked(storage.as_ref());
        lock.unlock().map_err(io("unlock"))?;
        outcome
    }

    /// Whether the tail, as this handle knows it, has grown enough for a checkpoint to pay.
    #[must_use]
    pub fn is_due(&self) -> bool {
        !self.ledger.options.read_only && self.ledger.tail_is_long()
    }

    /// Writes a checkpoint if the tail has grown enough for one to pay.
    ///
    /// # Errors
    /// Those of [`Checkpoints::write`].
    pub fn write_if_due(&self) -> Result<Option<Checkpointed>, Error> {
        if self.ledger.options.read_only {
            return Ok(None);
        }
        self.ledger.refresh()?;
        if !self.ledger.tail_is_long() {
            return Ok(None);
        }
        // Another process may have written one.
        let (next, epoch) = {
            let state = self.ledger.state.lock();
            (state.next, state.epoch)
        };
        let mut files = kept(&self.ledger.log)?;
        files.retain(|file| file.epoch == epoch && file.seq < next);
        if let Some(newest) = files.last() {
            self.ledger.state.lock().cover(newest.seq);
        }
        if self.ledger.tail_is_long() { self.write().map(Some) } else { Ok(None) }
    }

    /// The sequences of the kept checkpoints, ascending.
    ///
    /// # Errors
    /// The folder can't be read.
    pub fn list(&self) -> Result<Vec<Seq>, Error> {
        Ok(kept(&self.ledger.log)?.into_iter().map(|kept| kept.seq).collect())
    }
}

#[cfg(test)]
mod tests {
    use memlith_log::LocalStorage;

    use super::*;

    #[test]
    fn a_long_ledger_of_another_version_is_told_by_its_names() {
        let own = format!("ckpt-{FOLD_VERSION}-9000-0-00");
        let other = format!("ckpt-{}-9000-0-00", FOLD_VERSION + 1);
        let short = format!("ckpt-{}-90-0-00", FOLD_VERSION + 1);
        for (names, expected) in [
            (&[&other][..], true),
            (&[&other, &short], true),
            (&[&other, &own], false),
            (&[&short], false),
            (&[], false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for name in names {
                std::fs::write(folder.path().join(name), "").unwrap();
            }
            let storage = LocalStorage::open(folder.path()).unwrap();
            assert_eq!(is_of_other_folds(&storage), expected, "{names:?}");
        }
    }
}
