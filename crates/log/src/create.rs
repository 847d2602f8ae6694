use std::sync::Arc;
use std::time::Duration;

use crate::env::{Env, LogOptions};
use crate::frame::encode_frame;
use crate::hash::{genesis_chain, link, payload_digest, record_hash};
use crate::header::{Flags, RecordHeader};
use crate::kind::LogEvent;
use crate::layout::len64;
use crate::lock::Locks;
use crate::log::Log;
use crate::mark::Mark;
use crate::mark_file::{MarkFile, MarkReading};
use crate::rng::random;
use crate::rotate::{capacity_for, put_segment};
use crate::segment_header::{FORMAT, SUITE, SegmentHeader};
use crate::space::{PREPARED_NAME, prepare_file};
use crate::storage::{Access, File, Medium, Process};
use crate::{Error, LedgerId, Payload, Seq};

/// How long one waits before the next look at the lock of who creates.
const PAUSE: Duration = Duration::from_millis(1);

impl Log {
    /// Creates a ledger in the folder of `env` and opens it.
    ///
    /// The folder may hold files of others. The ledger exists, with its genesis
    /// record durable, or not at all.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`]; [`Error::SegmentMissing`] where files of a ledger are left;
    /// [`Error::ForeignMedium`], [`Error::Io`].
    pub fn create(env: Env, options: LogOptions) -> Result<Log, Error> {
        let id = random(env.rng.as_ref()).map_err(Error::io("read", "randomness"))?;
        Log::create_copy(env, options, LedgerId(id))
    }

    /// Creates a ledger as [`Log::create`] does, with the id of another: what [`Writer::restore`]
    /// puts into it has that one's chain.
    ///
    /// # Errors
    /// Those of [`Log::create`].
    ///
    /// [`Writer::restore`]: crate::Writer::restore
    pub fn create_copy(env: Env, options: LogOptions, ledger: LedgerId) -> Result<Log, Error> {
        if options.read_only {
            return Err(Error::ReadOnly);
        }
        let medium = env.storage.medium().map_err(Error::io("read", "the folder"))?;
        if let Medium::Foreign(magic) = medium
            && !options.allow_network_fs
        {
            return Err(Error::ForeignMedium { folder: env.storage.describe(), magic });
        }
        let creating = Creating::begin(&env, &options)?;
        let mark = begin_ledger(&env, &options, ledger)?;
        drop(creating);
        put_mark(&env, &options, mark)?;
        let log = Log::open(env, options)?;
        log.keep_reserve();
        Ok(log)
    }
}

/// The right to create the ledger of a folder: the lock on the file that becomes its first
/// segment. `LOCK` itself exists only where a ledger does.
struct Creating(Arc<dyn File>);

impl Creating {
    fn begin(env: &Env, options: &LogOptions) -> Result<Creating, Error> {
        let storage = env.storage.as_ref();
        check_unused(env)?;
        let open = || storage.open(PREPARED_NAME, Access::Create);
        let file = open().map_err(Error::io("create", PREPARED_NAME))?;
        let clock = env.clock.as_ref();
        let deadline = clock.elapsed().saturating_add(options.lock_timeout);
        while !file.try_lock().map_err(Error::io("lock", PREPARED_NAME))? {
            if clock.elapsed() >= deadline {
                return Err(Error::LockTimeout { holder: Process::default() });
            }
            clock.pause(PAUSE);
        }
        let creating = Creating(file);
        // Who held it before may have given it the name of the first segment.
        check_unused(env)?;
        Ok(creating)
    }
}

impl Drop for Creating {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Writes the first mark, unless somebody has opened the ledger meanwhile and done so.
fn put_mark(env: &Env, options: &LogOptions, mark: Mark) -> Result<(), Error> {
    let locks = Arc::new(Locks::open(&env.storage)?);
    let clock = env.clock.as_ref();
    let _held = locks.acquire(clock, clock.elapsed().saturating_add(options.lock_timeout))?;
    let storage = env.storage.as_ref();
    if MarkReading::read(storage, mark.ledger)?.missing {
        MarkFile::default().write(storage, mark)?;
    }
    Ok(())
}

/// Refuses a folder that holds a ledger, or what is left of one.
fn check_unused(env: &Env) -> Result<(), Error> {
    if crate::survey::any_segment(env)? {
        return Err(Error::AlreadyExists { folder: env.storage.describe() });
    }
    let found = crate::survey::no_segment(env)?;
    if matches!(found, Error::NoLedger { .. }) { Ok(()) } else { Err(found) }
}

fn begin_ledger(env: &Env, options: &LogOptions, ledger: LedgerId) -> Result<Mark, Error> {
    let raw = env.clock.now();
    let body = LogEvent::Genesis.encode(raw);
    let header = RecordHeader {
        seq: Seq::GENESIS,
        recorded_at: raw,
        payload_len: u32::try_from(body.len()).unwrap_or(u32::MAX),
        kind: 0,
        kind_version: 0,
        codec: 0,
        flags: Flags::NONE,
        batch_pos: 0,
        batch_len: 1,
    };
    let blind = random(env.rng.as_ref()).map_err(Error::io("read", "randomness"))?;
    put_genesis(env, options, ledger, &header, &Payload::Present { blind, body })
}

/// Writes segment 0 with this genesis, durably, over one that may be there.
pub(crate) fn put_genesis(
    env: &Env,
    options: &LogOptions,
    ledger: LedgerId,
    genesis: &RecordHeader,
    payload: &Payload,
) -> Result<Mark, Error> {
    let storage = env.storage.as_ref();
    let (frames, header, mark) = {
        let salt = random(env.rng.as_ref()).map_err(Error::io("read", "randomness"))?;
        let salt = u32::from_le_bytes(salt);
        let prev_chain = genesis_chain(ledger, FORMAT, SUITE);
        let digest = match payload {
            Payload::Present { blind, body } => payload_digest(blind, body),
            Payload::Erased { payload_digest } => *payload_digest,
            Payload::Destroyed => crate::Digest::default(),
        };
        let chain = link(&prev_chain, &record_hash(&genesis.encode(), &digest));
        let mut frames = Vec::new();
        encode_frame(&mut frames, salt, 1, &chain, genesis, payload);
        let header = SegmentHeader {
            ledger,
            number: 0,
            base: Seq::GENESIS,
            capacity: capacity_for(&options.segment_lens, 0, len64(frames.len())),
            salt,
            prev_chain,
        };
        let boot_id = storage.boot_id();
        let mark = Mark { ledger, seq: Seq::GENESIS, epoch: 0, chain, boot_id, clean: true };
        (frames, header, mark)
    };
    let prepared = prepare_file(storage, header.capacity)?;
    let header = SegmentHeader { capacity: prepared.capacity(), ..header };
    put_segment(storage, &header, &frames, prepared.file())?;
    Ok(mark)
}
