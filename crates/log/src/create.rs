use crate::env::{Env, LogOptions};
use crate::frame::encode_frame;
use crate::hash::{genesis_chain, link, payload_digest, record_hash};
use crate::header::{Flags, RecordHeader};
use crate::kind::LogEvent;
use crate::layout::len64;
use crate::lock::Locks;
use crate::log::Log;
use crate::mark::Mark;
use crate::mark_file::{MARK_NAME, MarkFile};
use crate::rng::random;
use crate::rotate::{capacity_for, prepare_file, put_segment, reserve};
use crate::segment_header::{FORMAT, SUITE, SegmentHeader};
use crate::storage::Medium;
use crate::{Error, LedgerId, Payload, Seq};

impl Log {
    /// Creates a ledger in the folder of `env` and opens it.
    ///
    /// The folder may hold other files. The ledger exists, with its genesis
    /// record durable, or not at all.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], [`Error::ForeignMedium`], [`Error::Io`].
    pub fn create(env: Env, options: LogOptions) -> Result<Log, Error> {
        if options.read_only {
            return Err(Error::ReadOnly);
        }
        let folder = env.storage.describe();
        let medium = env.storage.medium().map_err(Error::io("read", "the folder"))?;
        if let Medium::Foreign(magic) = medium
            && !options.allow_network_fs
        {
            return Err(Error::ForeignMedium { folder, magic });
        }
        {
            let locks = std::sync::Arc::new(Locks::open(&env.storage)?);
            let _held = locks.acquire(env.clock.as_ref(), options.lock_timeout)?;
            if crate::survey::any_segment(&env)? {
                return Err(Error::AlreadyExists { folder });
            }
            begin_ledger(&env, &options)?;
        }
        Log::open(env, options)
    }
}

fn begin_ledger(env: &Env, options: &LogOptions) -> Result<(), Error> {
    let storage = env.storage.as_ref();
    // A mark without segments is what an earlier ledger left.
    storage.remove(MARK_NAME).map_err(Error::io("remove", MARK_NAME))?;
    let ledger = LedgerId(random(env.rng.as_ref()).map_err(Error::io("read", "randomness"))?);
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
    let mark = put_genesis(env, options, ledger, &header, &Payload::Present { blind, body })?;
    let mut file = MarkFile::default();
    file.write(storage, mark)?;
    if let Err(error) = reserve(storage, options.reserve_len) {
        tracing::warn!(%error, "no space could be set aside");
    }
    Ok(())
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
    let header = SegmentHeader { capacity: prepared.len(), ..header };
    put_segment(storage, &header, &frames, prepared.file())?;
    Ok(mark)
}
