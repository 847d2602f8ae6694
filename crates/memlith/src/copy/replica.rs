//! A copy of another machine's ledger, which grows by what that machine hands over.
//!
//! Invariants: 1. it holds the same records and the same chain as the ledger that it copies, as
//! far as it goes; 2. nothing is put into it before its chain was compared; 3. what was erased
//! there is gone from its files when the erasure is in it.

use std::path::Path;

use memlith_event::Body;
use memlith_log::{
    Access, Digest, Env, FORMAT, Head, LedgerId, LocalStorage, Log, LogOptions, SUITE, Seq,
    genesis_chain,
};

use super::stretch::{Arrived, Stretch};
use crate::caller::Caller;
use crate::error::Error;
use crate::fold::checkpoint::{is_of_checkpoint, put_whole};
use crate::ledger::Ledger;
use crate::options::Options;
use crate::write::append::Urgency;
use crate::write::elsewhere::Requested;

/// A copy of another machine's ledger in a folder of this one's: [`Ledger::open`] reads it, and
/// nobody writes to it but who brings it what that machine handed over.
#[derive(Debug)]
pub struct Replica {
    log: Log,
}

/// Erasures and requests that came with a stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenIn {
    /// Number of records of the copy whose words were taken out.
    pub erased: u64,
    /// Requests of one's own ledger that the other machine declined.
    pub declined: Vec<Requested>,
}

impl Replica {
    /// Opens the copy of `ledger` in the folder `dir`, or makes one that holds nothing yet.
    ///
    /// # Errors
    /// [`Error::Diverged`] where the folder holds another ledger, and the log's.
    pub fn open_or_create(dir: &Path, ledger: LedgerId) -> Result<Replica, Error> {
        let env = || -> Result<Env, Error> {
            let made = LocalStorage::create_as(dir, Options::default().sharing);
            let what = || format!("make the folder {}", dir.display());
            Ok(Env::system(made.map_err(|source| Error::Io { what: what(), source })?))
        };
        let options = LogOptions { is_copy: true, ..Options::default().for_log() };
        let log = match Log::create_copy(env()?, options.clone(), ledger) {
            Err(memlith_log::Error::AlreadyExists { .. }) => Log::open(env()?, options)?,
            created => created?,
        };
        if log.ledger_id() != ledger {
            return Err(Error::Diverged { ledger, seq: Seq::GENESIS });
        }
        Ok(Replica { log })
    }

    /// The last record that it holds; none where it holds nothing yet.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        // The first record is the copy's own until another takes its place.
        Some(self.log.head()).filter(|head| head.seq > Seq::GENESIS)
    }

    /// The chain at the record `seq`, where it holds it.
    ///
    /// # Errors
    /// The log's.
    pub fn chain_at(&self, seq: Seq) -> Result<Option<Digest>, Error> {
        let held = self.head().filter(|head| seq <= head.seq);
        held.map(|_| Ok(self.log.read(seq)?.chain)).transpose()
    }

    /// Takes in what of `stretch` it doesn't hold yet, and takes out the words that erasures in it
    /// name. Before that, `owner` lays tombstones over these words in its own ledger, so that no
    /// transcript brings them back here.
    ///
    /// Nothing is taken in unless the whole stretch leads to the chain that it states. Durable when
    /// it returns.
    ///
    /// # Errors
    /// [`Error::Diverged`] where another record stands where one of it belongs,
    /// [`Error::BadStretch`] where its bytes are not what it states, and the log's.
    pub fn append(
        &self,
        stretch: &Stretch,
        (owner, caller): (&Ledger, &Caller),
    ) -> Result<TakenIn, Error> {
        let (ledger, Stretch { first, last, chain, bytes, .. }) = (self.log.ledger_id(), stretch);
        let head = self.head();
        if let Some(held) = self.chain_at(*last)? {
            let diverged = Error::Diverged { ledger, seq: *last };
            return if held == *chain { Ok(TakenIn::default()) } else { Err(diverged) };
        }
        let bad = |what| Error::BadStretch { ledger, first: *first, what };
        let before = match first.previous() {
            None => genesis_chain(ledger, FORMAT, SUITE),
            Some(before) => self.chain_at(before)?.ok_or_else(|| bad("records before it miss"))?,
        };
        let mut arrived = Arrived::read(bytes, *first, before)
            .ok_or_else(|| bad("its bytes are not records one behind the other"))?;
        let end = arrived.records.last().map(|record| record.header.seq);
        if (end, arrived.chains.last()) != (Some(*last), Some(chain)) {
            return Err(bad("its records lead to another chain than it states"));
        }
        if let Some(head) = head.filter(|head| head.seq >= *first) {
            let held = usize::try_from(head.seq.0 - first.0).unwrap_or(usize::MAX);
            if arrived.chains.get(held) != Some(&head.chain) {
                return Err(Error::Diverged { ledger, seq: head.seq });
            }
            arrived.records.drain(..=held);
        }
        // First: a run that is cut short does it again.
        let erased = self.bar(&arrived.erased(), (owner, caller))?;
        let mut writer = self.log.writer()?;
        if head.is_some() {
            writer.resume_restore();
        }
        writer.restore(&arrived.records)?;
        writer.sync()?;
        Ok(TakenIn { erased, declined: arrived.declined_of(owner.id()) })
    }

    /// Lays tombstones of `owner` over the words of the records `erased` that are still here, and
    /// erases what was asked there of them alone; gives their number.
    fn bar(&self, erased: &[Seq], (owner, caller): (&Ledger, &Caller)) -> Result<u64, Error> {
        let head = self.head().map_or(Seq::GENESIS, |head| head.seq);
        let held: Vec<Seq> = erased.iter().copied().filter(|seq| *seq <= head).collect();
        if held.is_empty() {
            return Ok(0);
        }
        owner.locked(|writer, state, moment| {
            let stones: Vec<Body<'_>> =
                owner.tombstones_of(state, (&self.log, &held), (caller, moment))?;
            if !stones.is_empty() {
                owner.append(writer, state, moment.tick, &stones, Urgency::Urgent)?;
                writer.sync()?;
            }
            Ok(())
        })?;
        owner.erasure().erase_questions(caller, (&self.log, &held))?;
        Ok(held.len() as u64)
    }

    /// Keeps a file of a checkpoint of the copied ledger; whoever opens the copy admits it only if
    /// the log holds its seal.
    ///
    /// # Errors
    /// [`Error::BadStretch`] where `name` is of no file of a checkpoint, and those of the disk.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        if !is_of_checkpoint(name) {
            let (ledger, first) = (self.log.ledger_id(), Seq::GENESIS);
            return Err(Error::BadStretch { ledger, first, what: "a file of no checkpoint" });
        }
        put_whole(self.log.env().storage.as_ref(), name, bytes)
    }

    /// Names the files of checkpoints that it holds.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn kept(&self) -> Result<Vec<String>, Error> {
        let storage = self.log.env().storage.as_ref();
        let names = storage
            .list("")
            .map_err(|source| Error::Io { what: format!("list {}", storage.describe()), source })?;
        Ok(names.into_iter().filter(|name| is_of_checkpoint(name)).collect())
    }

    /// Removes a file of a checkpoint.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn drop_kept(&self, name: &str) -> Result<(), Error> {
        if !is_of_checkpoint(name) {
            return Ok(());
        }
        let storage = self.log.env().storage.as_ref();
        let what = || format!("remove {name} in {}", storage.describe());
        storage.remove(name).map_err(|source| Error::Io { what: what(), source })
    }
}

impl Ledger {
    /// Names the files of the newest checkpoint, which another machine's copy starts fast with.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn checkpoint_files(&self) -> Result<Vec<String>, Error> {
        let storage = self.log.env().storage.as_ref();
        crate::fold::checkpoint::files_of_newest(storage, self.refresh()?.seq, 1)
    }

    /// Reads a file that [`Ledger::checkpoint_files`] names.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn checkpoint_file(&self, name: &str) -> Result<Vec<u8>, Error> {
        let storage = self.log.env().storage.as_ref();
        let read = || -> std::io::Result<Vec<u8>> {
            let file = storage.open(name, Access::Read)?;
            let len = usize::try_from(file.len()?).map_err(std::io::Error::other)?;
            let mut bytes = vec![0; len];
            let read = file.read_at(&mut bytes, 0)?;
            bytes.truncate(read);
            Ok(bytes)
        };
        let what = || format!("read {name} in {}", storage.describe());
        match is_of_checkpoint(name) {
            true => read().map_err(|source| Error::Io { what: what(), source }),
            false => Ok(Vec::new()),
        }
    }
}
