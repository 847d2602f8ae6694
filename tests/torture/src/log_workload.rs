use std::sync::Arc;
use std::time::Duration;

use memlith_log::{
    Durability, Env, Error, FixedClock, Flags, Level, Log, LogOptions, NewRecord, Payload, Record,
    SeededRng, Seq, Storage, Timestamp, verify,
};
use memlith_testkit::sim::{Chance, SimDisk};

use crate::failure::Failure;
use crate::known::{Batch, Found, FoundContent, Known, Telling};
use crate::log_script::Script;
use crate::story::Story;
use crate::tails::Tails;
use crate::workload::Workload;

/// The log alone: all durabilities, rotation, marks, quarantine, takeovers, erasure.
#[derive(Clone, Copy, Debug)]
pub struct LogWorkload {
    /// One life in so many is verified to the last byte at its end.
    pub verified: usize,
}

/// The time that every run begins at.
pub(crate) const NOW: Timestamp = Timestamp(1_777_636_800_000_000);

pub(crate) fn env(storage: impl Storage + 'static, seed: u64) -> Env {
    Env {
        storage: Arc::new(storage),
        clock: Arc::new(FixedClock::new(NOW)),
        rng: Arc::new(SeededRng::new(seed)),
    }
}

/// How long segments are but for those of runs with long tails.
const SEGMENT_LEN: usize = 4 << 10;

/// Segments so small that a dozen records fill one.
pub(crate) fn options() -> LogOptions {
    LogOptions {
        segment_lens: [4 << 10; 4],
        reserve_len: 4 << 10,
        lock_timeout: Duration::from_millis(20),
        ..LogOptions::default()
    }
}

pub(crate) fn append(
    log: &Log,
    batch: &Batch,
    durability: Durability,
) -> Result<Option<Seq>, Error> {
    let record =
        |body| NewRecord { kind: 100, kind_version: 1, codec: 1, flags: Flags::NONE, body };
    let records: Vec<_> = batch.iter().map(|body| record(body.as_slice())).collect();
    let appended = log.writer()?.append(&records, durability)?;
    Ok(appended.first().map(|first| first.seq))
}

impl Workload for LogWorkload {
    fn label(&self) -> &'static str {
        "log"
    }

    fn run(&self, disk: &SimDisk, story: &mut Story, seed: u64) {
        Script::new(disk, story, seed).run();
    }

    fn live(
        &self,
        disk: &SimDisk,
        known: &Known,
        story: &mut Story,
        seed: u64,
    ) -> Result<(), Failure> {
        let mut chance = Chance::new(seed);
        // An erasure that is finished now takes the copies away.
        let is_erasing = known.erasing_bodies().next().is_some();
        let tails = Arc::new(Tails::of(disk));
        // What is left of a tail of several blocks is met by a verification alone.
        let verified = if tails.are_longer_than(SEGMENT_LEN) { 1 } else { self.verified };
        let tails = (!is_erasing).then_some(tails);
        if let Some(tails) = &tails {
            story.tell(Telling::Recovering(tails.clone()));
        }
        let (log, existed) = open(disk, known, &mut chance)?;
        known.check_floor(log.synced())?;
        if let Some(synced) = log.synced() {
            story.tell(Telling::Promised(synced));
        }
        let shown = log.head();
        let writer = log.writer().map_err(|error| Failure::refused("take the lock", error))?;
        let head = writer.head();
        drop(writer);
        known.check_promised(head.seq)?;
        if let Some(tails) = tails {
            tails.are_kept(disk)?;
            known.check_tails(disk)?;
        }
        if existed {
            story.tell(Telling::Created);
            story.tell(Telling::Pinned(head.seq, head.chain));
        }
        let mut known = known.clone();
        known.hear(&Telling::Pinned(shown.seq, shown.chain));
        known.hear(&Telling::Pinned(head.seq, head.chain));
        for (size, durability) in
            [(2, Durability::Immediate), (1, Durability::Buffered), (1, Durability::Group)]
        {
            let batch: Batch = (0..size).map(|_| body(&mut chance, 40)).collect();
            let mut tell = |telling: Telling| {
                known.hear(&telling);
                story.tell(telling);
            };
            tell(Telling::Attempted(batch.clone()));
            let first = append(&log, &batch, durability)
                .map_err(|error| Failure::refused("append", error))?
                .ok_or_else(|| Failure::wrong("nothing was appended"))?;
            tell(Telling::Acknowledged(first, durability != Durability::Buffered));
        }
        let last = log.head().seq;
        log.close().map_err(|error| Failure::refused("close", error))?;
        story.tell(Telling::Marked(last));
        reopened(disk, &known, &mut chance, verified)
    }
}

/// Opens what is there, or begins anew if nothing was promised.
fn open(disk: &SimDisk, known: &Known, chance: &mut Chance) -> Result<(Log, bool), Failure> {
    let mut next = || env(disk.process(), chance.bits());
    match Log::open(next(), options()) {
        Ok(log) => Ok((log, true)),
        Err(Error::NoLedger { .. }) if !known.is_created() => {
            let created = Log::create(next(), options());
            Ok((created.map_err(|error| Failure::refused("create", error))?, false))
        }
        Err(error) => Err(Failure::refused("open", error)),
    }
}

/// Checks the records that another process finds.
fn reopened(
    disk: &SimDisk,
    known: &Known,
    chance: &mut Chance,
    verified: usize,
) -> Result<(), Failure> {
    let env = env(disk.process(), chance.bits());
    let read_only = LogOptions { read_only: true, ..options() };
    let log =
        Log::open(env.clone(), read_only).map_err(|error| Failure::refused("open again", error))?;
    let mut found = Vec::new();
    for record in log.scan(Seq(0), Seq::MAX) {
        found.push(show(record.map_err(|error| Failure::refused("read", error))?));
    }
    known.check(&found)?;
    if chance.once_in(verified) {
        let report =
            verify(&env, Level::Full).map_err(|error| Failure::refused("verify", error))?;
        if let Some(finding) = report.findings.first() {
            return Err(Failure::wrong(finding.to_string()));
        }
        nothing_erased_is_left(disk, known, &found)?;
    }
    Ok(())
}

fn nothing_erased_is_left(disk: &SimDisk, known: &Known, found: &[Found]) -> Result<(), Failure> {
    for (seq, body) in known.erasing_bodies() {
        let at = usize::try_from(seq.0).unwrap_or(usize::MAX);
        let erased = found.get(at).is_some_and(|record| record.content == FoundContent::Erased);
        // The same body may have been written twice.
        let stays = |record: &Found| matches!(&record.content, FoundContent::Body(b) if b == body);
        if erased
            && !found.iter().any(stays)
            && let Some(name) = holder(disk, body)
        {
            return Err(Failure::wrong(format!("{name} holds the erased body of {seq}")));
        }
    }
    Ok(())
}

fn show(record: Record) -> Found {
    let (seq, chain) = (record.seq, record.chain);
    let own = record.kind < 64;
    let content = match record.payload {
        _ if own => FoundContent::Own,
        Payload::Present { body, .. } => FoundContent::Body(body),
        Payload::Erased { .. } | Payload::Destroyed => FoundContent::Erased,
    };
    Found { seq, chain, content }
}

/// The file that holds `body`, which is long enough to be the only one of its kind.
fn holder(disk: &SimDisk, body: &[u8]) -> Option<String> {
    let needle = body.get(..16)?;
    disk.names().into_iter().find(|name| {
        let bytes = disk.bytes(name).unwrap_or_default();
        let mut windows = bytes.windows(needle.len());
        // Comparing one byte first is many times faster.
        windows.any(|window| window.first() == needle.first() && window == needle)
    })
}

/// A body unlike any other, of 16 bytes and up to `more`; now and then a long one.
pub(crate) fn body(chance: &mut Chance, more: usize) -> Vec<u8> {
    let len = if chance.once_in(12) { more * 5 } else { more };
    let mut body = vec![0; 16 + chance.below(len + 1)];
    chance.fill(&mut body);
    body
}
