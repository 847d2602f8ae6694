use std::time::Duration;

use memlith::{
    Caller, CheckoutRequest, Error, Ledger, Options, Rank, Remember, Seq,
    log::{Event, Record, decode},
    prove::{Level, Replay, verify_in},
    storage::{Durability, Env},
    write::Rejection,
};
use memlith_event::{JobEvent, MemoryEvent, ReconcileEvent, TurnEvent};
use memlith_testkit::sim::{Chance, SimDisk};

use crate::engine_script::EngineScript;
use crate::failure::Failure;
use crate::known::{Batch, Found, FoundContent, Known, Telling};
use crate::log_workload::env;
use crate::story::Story;
use crate::workload::Workload;

/// The whole engine: commands, observed checkouts, checkpoints and their seals, erasure.
#[derive(Clone, Copy, Debug)]
pub struct EngineWorkload {
    /// One life in so many is verified to the last byte and audited at its end.
    pub verified: usize,
}

pub(crate) fn options(durability: Durability) -> Options {
    Options {
        durability,
        lock_timeout: Duration::from_millis(20),
        segment_lens: [8 << 10; 4],
        stride_records: 4,
        ..Options::default()
    }
}

pub(crate) fn ana() -> Caller {
    Caller::user("default", "ana")
}

pub(crate) fn owner() -> Caller {
    Caller::new("default", "olga", Rank::Owner)
}

/// Marker by which an observed checkout is found.
pub(crate) const SURFACED: &[u8] = b"surfaced";

/// Marker by which the tombstones of an erasure are found.
pub(crate) const BURIED: &[u8] = b"buried";

/// Marker by which the beginning and the end of a session are found.
pub(crate) const SESSION: &[u8] = b"session";

/// Returns the batch of a remembered text: a decision, which has no text then, and a row.
pub(crate) fn remembered(text: &str) -> Batch {
    [Vec::new(), text.as_bytes().to_vec()].into()
}

/// A text unlike any other that no rule takes for a secret.
pub(crate) fn text(chance: &mut Chance) -> String {
    const WORDS: [&str; 32] = [
        "harbour", "lantern", "meadow", "copper", "violin", "orchard", "granite", "saddle",
        "barley", "candle", "feather", "glacier", "hammock", "island", "juniper", "kettle",
        "ladder", "marble", "needle", "oyster", "pepper", "quarry", "ribbon", "sparrow", "timber",
        "umbrella", "velvet", "walnut", "yarrow", "zephyr", "anchor", "basket",
    ];
    let mut text = "note".to_owned();
    for _ in 0..5 + chance.below(3) {
        text.push(' ');
        text.push_str(WORDS.get(chance.below(WORDS.len())).copied().unwrap_or_default());
    }
    text
}

pub(crate) fn remember(ledger: &Ledger, text: &str) -> Result<Seq, Error> {
    let what = Remember { text: text.to_owned(), ..Remember::default() };
    Ok(ledger.remember(&ana(), what)?.id.seq)
}

impl Workload for EngineWorkload {
    fn label(&self) -> &'static str {
        "engine"
    }

    fn run(&self, disk: &SimDisk, story: &mut Story, seed: u64) {
        EngineScript::new(disk, story, seed).run();
    }

    fn live(
        &self,
        disk: &SimDisk,
        known: &Known,
        story: &mut Story,
        seed: u64,
    ) -> Result<(), Failure> {
        let mut chance = Chance::new(seed);
        let ledger = open(disk, known, &mut chance)?;
        let mut known = known.clone();
        // What showed erased items alone went with them, and is no item that could come back.
        for text in known.erased_bodies().filter(|body| *body != SURFACED) {
            stays_erased(&ledger, text)?;
        }
        let text = text(&mut chance);
        let batch = remembered(&text);
        let mut tell = |telling: Telling| {
            known.hear(&telling);
            story.tell(telling);
        };
        tell(Telling::Attempted(batch));
        remember(&ledger, &text).map_err(|error| Failure::refused("remember", error))?;
        let head = ledger.head();
        tell(Telling::Created);
        tell(Telling::Acknowledged(Seq(head.seq.0.saturating_sub(1)), true));
        tell(Telling::Pinned(head.seq, head.chain));
        let sealed = chance.once_in(2);
        if sealed {
            ledger.checkpoints().write().map_err(|error| Failure::refused("checkpoint", error))?;
        }
        let request = CheckoutRequest { observe: false, ..CheckoutRequest::new("note") };
        ledger.checkout(&ana(), &request).map_err(|error| Failure::refused("checkout", error))?;
        ledger.close().map_err(|error| Failure::refused("close", error))?;
        let is_verified = chance.once_in(self.verified);
        reopened(disk, &known, &mut chance, is_verified.then_some(sealed))
    }
}

/// Checks that the ledger refuses to remember a text that it reported as erased.
fn stays_erased(ledger: &Ledger, body: &[u8]) -> Result<(), Failure> {
    match remember(ledger, &String::from_utf8_lossy(body)) {
        Err(Error::Rejected(Rejection::Erased { .. })) => Ok(()),
        Err(error) => Err(Failure::refused("remember what was erased", error)),
        Ok(seq) => Err(Failure::wrong(format!("what was erased came back as record {seq}"))),
    }
}

fn open(disk: &SimDisk, known: &Known, chance: &mut Chance) -> Result<Ledger, Failure> {
    let mut next = || env(disk.process(), chance.bits());
    let options = options(Durability::Immediate);
    match Ledger::open_in(next(), options.clone()) {
        Err(Error::Log(memlith_log::Error::NoLedger { .. })) if !known.is_created() => {
            let created = Ledger::create_in(next(), options);
            created.map_err(|error| Failure::refused("create", error))
        }
        opened => opened.map_err(|error| Failure::refused("open", error)),
    }
}

/// Checks the records that another process finds, and that its state is the fold of them.
///
/// With `sealed` all is verified, the present checkpoint among it if it was sealed.
fn reopened(
    disk: &SimDisk,
    known: &Known,
    chance: &mut Chance,
    sealed: Option<bool>,
) -> Result<(), Failure> {
    let env = env(disk.process(), chance.bits());
    let options = Options { read_only: true, ..options(Durability::Immediate) };
    let refused = |what| move |error: Error| Failure::refused(what, error);
    let ledger = Ledger::open_in(env.clone(), options).map_err(refused("open again"))?;
    let mut found = Vec::new();
    for record in ledger.records(Seq(0), None).map_err(refused("read"))? {
        found.push(show(&record.map_err(refused("read"))?)?);
    }
    known.check(&found)?;
    let state = ledger.audit().digest().map_err(refused("digest"))?;
    let folded = ledger.audit().replay(&Replay::default()).map_err(refused("replay"))?;
    if state != folded {
        return Err(Failure::wrong("the state is not the fold of the log"));
    }
    sealed.map_or(Ok(()), |sealed| audited(&ledger, &env, sealed))
}

fn audited(ledger: &Ledger, env: &Env, sealed: bool) -> Result<(), Failure> {
    let refused = |what| move |error: Error| Failure::refused(what, error);
    for audit in ledger.audit().state().map_err(refused("audit"))? {
        // A file without its seal is not believed; one that is must be the fold.
        if let Err(reason) = audit.verdict
            && reason.starts_with("the log folds to")
        {
            return Err(Failure::wrong(format!("{}: {reason}", audit.file)));
        }
    }
    let report = verify_in(env, Level::Full).map_err(refused("verify"))?;
    // A file whose seal a crash prevented stays until the next checkpoint.
    let mut findings = report.findings.iter();
    match findings.find(|finding| sealed || !finding.what.ends_with("is not sealed in the log")) {
        Some(finding) => Err(Failure::wrong(finding.to_string())),
        None => Ok(()),
    }
}

fn show(record: &Record) -> Result<Found, Failure> {
    let own = record.kind < 64;
    let body = decode(record).map_err(|error| Failure::refused("decode", error))?;
    let content = match body {
        _ if own => FoundContent::Own,
        None => FoundContent::Erased,
        Some(body) => FoundContent::Body(marker(&body.event)),
    };
    Ok(Found { seq: record.seq, chain: record.chain, content })
}

/// Returns the bytes that tell an event from the others of a run.
fn marker(event: &Event<'_>) -> Vec<u8> {
    match event {
        Event::Memory(MemoryEvent::Remembered(remembered)) => remembered.text.as_bytes().to_vec(),
        Event::Memory(MemoryEvent::Invalidated(invalidated)) => {
            invalidated.reason.as_deref().unwrap_or_default().as_bytes().to_vec()
        }
        Event::Memory(MemoryEvent::Surfaced(_)) => SURFACED.to_vec(),
        Event::Tombstone(_) => BURIED.to_vec(),
        Event::Reconcile(ReconcileEvent::Decided(decided)) => decided.text.as_bytes().to_vec(),
        Event::Turn(TurnEvent::Said(said)) => said.text.as_bytes().to_vec(),
        Event::Job(JobEvent::Queued(_)) => b"queued".to_vec(),
        Event::Job(JobEvent::Attempted(_)) => b"attempted".to_vec(),
        Event::Job(JobEvent::Applied(_)) => b"applied".to_vec(),
        Event::Session(_) => SESSION.to_vec(),
        Event::Turn(_)
        | Event::Memory(_)
        | Event::Outcome(_)
        | Event::Review(_)
        | Event::Policy(_)
        | Event::Compaction(_)
        | Event::Procedure(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Foreign(_) => format!("{event:?}").into_bytes(),
    }
}
