use memlith::{
    Change, CheckoutRequest, Ledger, Options, Question, RecordId, Seq,
    log::Record,
    prove::{Level, Replay, Replayed, verify_in},
    storage::Durability,
};
use memlith_log::{Log, LogEvent, LogOptions, verify};
use memlith_testkit::sim::{Chance, SimDisk};

use crate::engine_workload::{self, ana, owner, remember};
use crate::known::Batch;
use crate::log_workload::{self, append, body, env};

/// Layer that a ledger is made and judged through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    Log,
    Engine,
}

/// An open ledger.
pub(super) enum Hand {
    Log(Box<Log>),
    Engine(Box<Ledger>),
}

/// Records and answers that a process got from a ledger.
#[derive(Debug, Default)]
pub(super) struct Got {
    pub(super) records: Vec<Record>,
    /// The error that ended it.
    pub(super) error: Option<String>,
    /// Answer to a question, and the digest of the state.
    pub(super) answers: Option<(String, Replayed)>,
    /// Whether the state is the fold of the log.
    pub(super) folds: bool,
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Subject {
    pub(super) fn open(self, disk: &SimDisk, seed: u64, new: bool) -> Result<Hand, String> {
        self.open_as(disk, seed, new, Durability::Immediate)
    }

    pub(super) fn open_as(
        self,
        disk: &SimDisk,
        seed: u64,
        new: bool,
        durability: Durability,
    ) -> Result<Hand, String> {
        let env = env(disk.process(), seed);
        Ok(match self {
            Subject::Log => {
                let options = log_workload::options();
                let log = if new { Log::create(env, options) } else { Log::open(env, options) };
                Hand::Log(Box::new(log.map_err(told)?))
            }
            Subject::Engine => {
                let options = engine_workload::options(durability);
                let ledger = match new {
                    true => Ledger::create_in(env, options),
                    false => Ledger::open_in(env, options),
                };
                Hand::Engine(Box::new(ledger.map_err(told)?))
            }
        })
    }

    /// A reader that changes nothing reads everything.
    pub(super) fn read(self, disk: &SimDisk) -> Got {
        let mut got = Got { folds: true, ..Got::default() };
        if let Err(error) = self.read_into(disk, &mut got) {
            got.error = Some(error);
        }
        got
    }

    fn read_into(self, disk: &SimDisk, got: &mut Got) -> Result<(), String> {
        let env = env(disk.process(), 1);
        match self {
            Subject::Log => {
                let options = LogOptions { read_only: true, ..log_workload::options() };
                let log = Log::open(env, options).map_err(told)?;
                for record in log.scan(Seq(0), Seq::MAX) {
                    got.records.push(record.map_err(told)?);
                }
            }
            Subject::Engine => {
                let options = engine_workload::options(Durability::Immediate);
                let options = Options { read_only: true, ..options };
                let ledger = Ledger::open_in(env, options).map_err(told)?;
                for record in ledger.records(Seq(0), None).map_err(told)? {
                    got.records.push(record.map_err(told)?);
                }
                let state = ledger.audit().digest().map_err(told)?;
                got.folds = state == ledger.audit().replay(&Replay::default()).map_err(told)?;
                let question = Question { query: "note harbour".to_owned(), as_of: None };
                let items = ledger.recall(&ana(), &question, 20).map_err(told)?;
                let request = CheckoutRequest { observe: false, ..CheckoutRequest::new("note") };
                let pack = ledger.checkout(&ana(), &request).map_err(told)?.pack;
                got.answers = Some((format!("{items:?} {:?}", pack.items), state));
            }
        }
        Ok(())
    }

    /// Returns the findings of a full verification, in words.
    pub(super) fn verify(self, disk: &SimDisk) -> Vec<String> {
        let env = env(disk.process(), 1);
        let report = match self {
            Subject::Log => verify(&env, Level::Full).map_err(told),
            Subject::Engine => verify_in(&env, Level::Full).map_err(told),
        };
        match report {
            Ok(report) => report.findings.iter().map(ToString::to_string).collect(),
            Err(error) => vec![error],
        }
    }
}

impl Hand {
    /// The records that are there.
    pub(super) fn count(&self) -> u64 {
        let head = match self {
            Hand::Log(log) => log.head(),
            Hand::Engine(ledger) => ledger.head(),
        };
        head.seq.0 + 1
    }

    /// Appends a batch; a long one fills most of a segment.
    pub(super) fn write(&self, chance: &mut Chance, long: bool) -> Result<Seq, String> {
        self.write_as(chance, long, Durability::Immediate)
    }

    pub(super) fn write_as(
        &self,
        chance: &mut Chance,
        long: bool,
        durability: Durability,
    ) -> Result<Seq, String> {
        match self {
            Hand::Log(log) => {
                let mut batch: Vec<Vec<u8>> =
                    (0..1 + chance.below(3)).map(|_| body(chance, 120)).collect();
                if long {
                    batch.push(vec![7; 2_400]);
                }
                let batch: Batch = batch.into();
                let first = append(log, &batch, durability).map_err(told)?;
                first.ok_or_else(|| "nothing was appended".to_owned())
            }
            Hand::Engine(ledger) => {
                let mut text = engine_workload::text(chance);
                if long {
                    text.push_str(&" lantern".repeat(300));
                }
                remember(ledger, &text).map_err(told)
            }
        }
    }

    /// Leaves a checkpoint, or the log's own record in the place of one.
    pub(super) fn checkpoint(&self) -> Result<(), String> {
        match self {
            Hand::Log(log) => {
                let mut writer = log.writer().map_err(told)?;
                let head = writer.head();
                let (seq, chain, receipt) = (head.seq, head.chain, head.chain);
                writer.note(&LogEvent::HeadAnchored { seq, chain, receipt }).map_err(told)?;
            }
            Hand::Engine(ledger) => {
                ledger.checkpoints().write().map_err(told)?;
            }
        }
        Ok(())
    }

    pub(super) fn erase(&self, seq: Seq) -> Result<(), String> {
        match self {
            Hand::Log(log) => {
                log.writer().map_err(told)?.erase(1, &[seq]).map_err(told)?;
            }
            Hand::Engine(ledger) => {
                let id = id(ledger, seq)?;
                ledger.erasure().erase(&owner(), &[id]).map_err(told)?;
            }
        }
        Ok(())
    }

    /// Shows everything and takes `seq` back; the log alone knows neither.
    pub(super) fn use_and_invalidate(&self, seq: Seq) -> Result<(), String> {
        let Hand::Engine(ledger) = self else { return Ok(()) };
        ledger.checkout(&ana(), CheckoutRequest::new("note")).map_err(told)?;
        let change = Change::Invalidate { weight: None, reason: Some("it was wrong".into()) };
        let _ = ledger.change(&ana(), change, [id(ledger, seq)?]).map_err(told)?;
        Ok(())
    }

    pub(super) fn close(self) -> Result<(), String> {
        match self {
            Hand::Log(log) => log.close().map_err(told),
            Hand::Engine(ledger) => ledger.close().map_err(told),
        }
    }
}

fn id(ledger: &Ledger, seq: Seq) -> Result<RecordId, String> {
    let record = ledger.records(seq, Some(1)).map_err(told)?.next();
    Ok(record.ok_or("no record")?.map_err(told)?.id())
}
