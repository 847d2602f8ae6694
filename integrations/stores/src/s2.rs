use memlith::copy::{SharedError, SharedLog};
use memlith::{LedgerId, Seq};
use s2_sdk::error::{AppendConditionFailed, AppendError, ErrorCode, ReadError};
use s2_sdk::types::{
    AppendInput, AppendRecord, AppendRecordBatch, BasinConfig, BasinName, CommandRecord,
    EnsureBasinInput, ListStreamsInput, ReadFrom, ReadInput, ReadStart, RetentionPolicy, S2Config,
    S2Endpoints, StreamConfig, StreamName,
};
use s2_sdk::{S2, S2Basin, S2Stream};

use crate::calls::{Calls, READ_LEN};

/// A shared log on S2: one stream for each frame, of which the first record is the frame.
///
/// S2 gives a record the number that it was to have or refuses it, durably. A frame is at most 1 MiB,
/// so a batch is. What an erasure replaced is trimmed: S2 takes it away a while later.
pub struct S2Log {
    s2: S2,
    name: BasinName,
    basin: S2Basin,
    calls: Calls,
}

impl std::fmt::Debug for S2Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("S2Log")
    }
}

/// Frames of a ledger that is shared are this long, so that one batch more still fits.
const FRAME_LEN: usize = 256 << 10;

/// How often a frame is replaced again where other nodes replace it too.
const REPLACED_MAX: usize = 16;

impl S2Log {
    /// Opens the basin `name`, which `init` makes where there is none.
    ///
    /// # Errors
    /// It has no such name.
    pub fn open(config: S2Config, name: &str) -> Result<S2Log, SharedError> {
        let name: BasinName = name.parse().map_err(|error| unreached(&error))?;
        let calls = Calls::new()?;
        let s2 = {
            // The client starts a task of its own.
            let _entered = calls.0.enter();
            S2::new(config).map_err(|error| unreached(&error))?
        };
        let basin = s2.basin(name.clone());
        Ok(S2Log { s2, name, basin, calls })
    }

    /// Opens the basin at `s2://BASIN`, with `S2_ACCESS_TOKEN` and the endpoints of the environment.
    ///
    /// # Errors
    /// Those of [`S2Log::open`].
    pub fn at(address: &str) -> Result<S2Log, SharedError> {
        let name = address.strip_prefix("s2://").unwrap_or(address);
        let token = std::env::var("S2_ACCESS_TOKEN");
        let token = token.map_err(|_| unreached(&"S2_ACCESS_TOKEN is not set"))?;
        let mut config = S2Config::new(token);
        if std::env::var_os("S2_ACCOUNT_ENDPOINT").is_some() {
            config =
                config.with_endpoints(S2Endpoints::from_env().map_err(|error| unreached(&error))?);
        }
        S2Log::open(config, name)
    }

    fn named(&self, name: &str) -> Result<S2Stream, SharedError> {
        let name: StreamName = name.parse().map_err(|error| unreached(&error))?;
        Ok(self.basin.stream(name))
    }

    fn stream(&self, ledger: LedgerId, first: Seq) -> Result<S2Stream, SharedError> {
        self.named(&format!("{ledger}/{:020}", first.0))
    }

    fn put_first(&self, stream: &S2Stream, bytes: &[u8]) -> Result<bool, SharedError> {
        let input = AppendInput::new(batch_of(bytes)?).with_stream_config(for_ever());
        self.put_at(stream, 0, input)
    }

    /// Puts what is to have this number; whether it has it.
    fn put_at(&self, stream: &S2Stream, at: u64, input: AppendInput) -> Result<bool, SharedError> {
        match self.calls.wait(stream.append(input.with_match_seq_num(at)))? {
            Ok(_) => Ok(true),
            Err(AppendError::ConditionFailed(AppendConditionFailed::SeqNumMismatch(_))) => {
                Ok(false)
            }
            Err(error) => Err(unreached(&error)),
        }
    }
}

fn batch_of(bytes: &[u8]) -> Result<AppendRecordBatch, SharedError> {
    let record = AppendRecord::new(bytes.to_vec());
    let batch = record.and_then(|record| AppendRecordBatch::try_from_iter([record]));
    batch.map_err(|error| {
        SharedError::NotAllowed(format!("S2 takes no batch of {} bytes: {error}", bytes.len()))
    })
}

/// S2 takes records away after a week unless it is told otherwise.
fn for_ever() -> StreamConfig {
    StreamConfig::new().with_retention_policy(RetentionPolicy::Infinite)
}

fn is_absent(error: &ReadError) -> bool {
    let server = error.request_error().and_then(|error| error.server_error());
    server.is_some_and(|error| error.known_code() == Some(ErrorCode::StreamNotFound))
}

fn unreached(error: &impl std::fmt::Display) -> SharedError {
    SharedError::Unreached(error.to_string())
}

impl SharedLog for S2Log {
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError> {
        self.put_first(&self.stream(ledger, first)?, frame)
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        let stream = self.stream(ledger, first)?;
        let start = ReadStart::new().with_from(ReadFrom::SeqNum(0)).with_clamp_to_tail(true);
        let input = ReadInput::new().with_start(start).with_ignore_command_records(true);
        match self.calls.wait_for(READ_LEN, stream.read(input))? {
            // The last one stands for those before it.
            Ok(batch) => Ok(batch.records.last().map(|record| record.body.to_vec())),
            Err(ReadError::ReadUnwritten(_)) => Ok(None),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(unreached(&error)),
        }
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        let prefix = format!("{ledger}/");
        let after = from.previous().map_or_else(String::new, |seq| format!("{:020}", seq.0));
        let input = ListStreamsInput::new()
            .with_prefix(prefix.parse().map_err(|error| unreached(&error))?)
            .with_start_after(
                format!("{prefix}{after}").parse().map_err(|error| unreached(&error))?,
            )
            .with_limit(16);
        let page = self.calls.wait(self.basin.list_streams(input))?;
        let page = page.map_err(|error| unreached(&error))?;
        // What has another name is no frame.
        let first = |name: &StreamName| name.rsplit('/').next()?.parse().ok().map(Seq);
        Ok(page.values.iter().find_map(|stream| first(&stream.name)))
    }

    fn probe(&self) -> Result<(), SharedError> {
        let streams = BasinConfig::new()
            .with_default_stream_config(for_ever())
            .with_create_stream_on_append(true);
        let ensure = EnsureBasinInput::new(self.name.clone()).with_config(streams);
        self.calls.wait(self.s2.ensure_basin(ensure))?.map_err(|error| unreached(&error))?;
        let tried = self.named("tried")?;
        let put = || self.put_first(&tried, b"tried");
        let (_, second) = (put()?, put()?);
        match second {
            false => Ok(()),
            true => Err(SharedError::NotAllowed(
                "the basin gives one number to two records: it can't be shared".to_owned(),
            )),
        }
    }

    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError> {
        let stream = self.stream(ledger, first)?;
        for _ in 0..REPLACED_MAX {
            let tail = self.calls.wait(stream.check_tail())?.map_err(|error| unreached(&error))?;
            let record = AppendRecord::new(frame.to_vec()).map_err(|error| unreached(&error))?;
            // In one: a node that dies leaves the old words or takes them.
            let both = [record, CommandRecord::trim(tail.seq_num).into()];
            let both = AppendRecordBatch::try_from_iter(both).map_err(|error| unreached(&error))?;
            if self.put_at(&stream, tail.seq_num, AppendInput::new(both))? {
                return Ok(());
            }
        }
        Err(unreached(&"other nodes replaced the frame at the same time"))
    }

    fn frame_len(&self) -> usize {
        FRAME_LEN
    }
}
