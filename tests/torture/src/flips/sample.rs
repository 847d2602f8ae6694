use std::sync::Arc;

use anyhow::{Context, ensure};
use memlith::{
    Caller, Change, CheckoutRequest, Ledger, Options, Rank, RecordId, Remember, Seq, Slot,
    Timestamp, WriteOutcome,
    copy::{Format, ImportOptions},
    log::decode,
    prove::Checkpointed,
    storage::{Env, FixedClock, MemoryDisk, SeededRng},
    write::Outcome,
};

/// When the first record is written.
const START: Timestamp = Timestamp(1_777_636_800_000_000);

/// How much the ledger holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// One of everything.
    Small,
    /// An imported session and more of everything.
    Full,
}

impl Size {
    /// Events that the ledger has at least, the erased not counted.
    fn events_min(self) -> usize {
        match self {
            Size::Small => 16,
            Size::Full => 40,
        }
    }
}

/// Between two commands.
const HOUR_MICROS: i64 = 3_600_000_000;

/// A session that is imported: eight records of what was said and done.
const SESSION: &str = r#"
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-04-30T12:00:00Z","message":{"role":"user","content":"the checkout test is flaky, find out why"}}
{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s1","timestamp":"2026-04-30T12:00:05Z","message":{"role":"assistant","id":"m1","content":[{"type":"text","text":"I will run it."}]}}
{"type":"assistant","uuid":"u3","parentUuid":"u2","sessionId":"s1","timestamp":"2026-04-30T12:00:07Z","message":{"role":"assistant","id":"m2","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cargo test checkout"}}]}}
{"type":"user","uuid":"u4","parentUuid":"u3","sessionId":"s1","timestamp":"2026-04-30T12:00:31Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"test checkout::retry ... FAILED","is_error":true}]}}
{"type":"assistant","uuid":"u5","parentUuid":"u4","sessionId":"s1","timestamp":"2026-04-30T12:00:40Z","message":{"role":"assistant","id":"m3","content":[{"type":"text","text":"The retry clock is shared between threads."}]}}
{"type":"user","uuid":"u6","parentUuid":"u5","sessionId":"s1","timestamp":"2026-04-30T12:01:00Z","message":{"role":"user","content":"give every test a clock of its own, then"}}
"#;

/// A ledger in memory that is being written.
struct Script {
    ledger: Ledger,
    clock: Arc<FixedClock>,
    ana: Caller,
}

/// The world of a process that opens the ledger on `disk` a month later.
pub(crate) fn later(disk: &MemoryDisk) -> Env {
    let clock = Arc::new(FixedClock::new(Timestamp(START.0 + 720 * HOUR_MICROS)));
    Env { storage: Arc::new(disk.process()), clock, rng: Arc::new(SeededRng::new(2)) }
}

/// The options under which every process here opens the ledger.
pub(crate) fn options(segment_len: u64) -> Options {
    Options { segment_lens: [segment_len; 4], ..Options::default() }
}

/// Returns the caller that reads and writes.
pub(crate) fn ana() -> Caller {
    Caller::new("default", "ana", Rank::Owner)
}

/// A ledger with at least one of everything that lies in a ledger's folder.
///
/// Memories, a restatement, a supersession, confirmations, an invalidation, checkouts with
/// receipts, an erasure, and in full an imported session; a sealed segment and one in use; a
/// checkpoint that the log seals, and events after it.
pub(crate) fn sample(segment_len: u64, size: Size) -> anyhow::Result<MemoryDisk> {
    let disk = MemoryDisk::new();
    let clock = Arc::new(FixedClock::new(START));
    let env = Env {
        storage: Arc::new(disk.process()),
        clock: clock.clone(),
        rng: Arc::new(SeededRng::new(1)),
    };
    let ledger = Ledger::create_in(env, options(segment_len))?;
    let mut script = Script { ledger, clock, ana: ana() };
    if size == Size::Full {
        script.imports()?;
    }
    script.before_the_checkpoint()?;
    let sealed = script.ledger.checkpoints().write()?;
    ensure!(matches!(sealed, Checkpointed::Sealed { .. }), "no checkpoint: {sealed:?}");
    script.after_the_checkpoint()?;
    if size == Size::Full {
        script.goes_on()?;
    }
    let records = script.ledger.records(Seq::GENESIS, None)?.collect::<Result<Vec<_>, _>>()?;
    let events = records.iter().filter_map(|record| decode(record).ok().flatten()).count();
    ensure!(events >= size.events_min(), "only {events} events");
    script.ledger.close()?;
    let named = |start: &str| disk.names().iter().filter(|name| name.starts_with(start)).count();
    ensure!(named("seg-") >= 2, "one segment of {segment_len} bytes holds everything: give less");
    ensure!(named("ckpt-") == 1 && named("run-") == 1, "the checkpoint is not kept");
    Ok(disk)
}

impl Script {
    fn imports(&mut self) -> anyhow::Result<()> {
        self.ledger.import(
            Format::ClaudeCode,
            SESSION.trim_start().as_bytes(),
            ImportOptions::default(),
        )?;
        self.remember("Deploys to staging happen on Tuesdays, after the stand-up.")?;
        Ok(())
    }

    fn before_the_checkpoint(&mut self) -> anyhow::Result<()> {
        let upgrade = self.remember("Staging runs Postgres 15 since the upgrade in May.")?;
        self.remember("Staging runs Postgres 15 since the upgrade in May.")?;
        let secret = self.remember("The alarm of the old office was switched off with 4711.")?;
        let _ = self.lives_in("Pune")?;
        let moved = self.lives_in("Bangalore")?;
        ensure!(
            matches!(moved, WriteOutcome::Decided { outcome: Outcome::Superseded(_), .. }),
            "nothing was superseded: {moved:?}"
        );
        let wrong = self.remember("The build cache is shared by all branches.")?;
        self.change(Change::Confirm { weight: None, verified: true }, upgrade)?;
        self.change(Change::Pin, upgrade)?;
        let reason = Some("each branch has its own since the spring".to_owned());
        self.change(Change::Invalidate { weight: None, reason }, wrong)?;
        self.ask("where does Ana live?")?;
        self.hour();
        self.ledger.erasure().erase(&self.ana, &[secret])?;
        self.remember("The retry clock is per test now.")?;
        Ok(())
    }

    fn after_the_checkpoint(&mut self) -> anyhow::Result<()> {
        let late = self.remember("Caf\u{e9} orders go out before ten.")?;
        self.change(Change::Promote { weight: None }, late)?;
        self.ask("when do orders go out?")?;
        Ok(())
    }

    fn goes_on(&mut self) -> anyhow::Result<()> {
        self.ask("which database is staging on?")?;
        self.remember("Invoices are sent by the first of the month.")?;
        self.remember("The office moved to the third floor.")?;
        self.remember("The spare key hangs behind the door of the kitchen.")?;
        self.remember("Ana answers faster by mail than by telephone.")?;
        self.remember("Support answers within two working days.")?;
        Ok(())
    }

    fn hour(&self) {
        let now = self.ledger.now();
        self.clock.set(Timestamp(now.0 + HOUR_MICROS));
    }

    fn remember(&self, text: &str) -> anyhow::Result<RecordId> {
        self.hour();
        let remember = Remember { text: text.to_owned(), ..Remember::default() };
        Ok(self.ledger.remember(&self.ana, remember)?.id)
    }

    fn lives_in(&self, city: &'static str) -> anyhow::Result<WriteOutcome> {
        self.hour();
        let slot = Slot {
            entity: "Ana".into(),
            predicate: "lives in".into(),
            value: city.into(),
            single: true,
        };
        let text = format!("Ana lives in {city}.");
        let remember = Remember { text, slot: Some(slot), ..Remember::default() };
        Ok(self.ledger.remember(&self.ana, remember)?.outcome)
    }

    fn change(&self, change: Change, target: RecordId) -> anyhow::Result<()> {
        self.hour();
        let _ = self.ledger.change(&self.ana, change, [target])?;
        Ok(())
    }

    fn ask(&self, query: &str) -> anyhow::Result<()> {
        self.hour();
        let checkout = self.ledger.checkout(&self.ana, CheckoutRequest::new(query))?;
        ensure!(!checkout.pack.items.is_empty(), "nothing answers: {query}");
        checkout.observed.map_err(anyhow::Error::msg).context("not observed")?;
        Ok(())
    }
}
