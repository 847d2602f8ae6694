use std::error::Error as _;
use std::io;

use memlith::{Change, CheckoutRequest, Error, Ledger, RecordId, Seq, storage::Durability};
use memlith_testkit::sim::{At, Chance, Fault, FaultKind, OperationKind, SimDisk};

use crate::engine_workload::{BURIED, SURFACED, ana, options, owner, remember, remembered, text};
use crate::known::Telling;
use crate::lesson::{learn, said, session, taught};
use crate::log_workload::env;
use crate::story::Story;

/// One run over an engine, with processes that die and syncs that fail on the way.
pub(crate) struct EngineScript<'a> {
    disk: &'a SimDisk,
    story: &'a mut Story,
    chance: Chance,
    at_work: Option<(Ledger, Durability)>,
    /// Items that are neither erased nor invalidated.
    items: Vec<RecordId>,
    /// A fault of the script's own, whose error is asked for.
    expected: bool,
}

/// The parts of a run; a seed gives their order.
const PARTS: [fn(&mut EngineScript<'_>); 9] = [
    |script| script.remembers(Durability::Immediate),
    |script| script.remembers(Durability::Buffered),
    |script| script.remembers(Durability::Group),
    |script| script.checkpoints(),
    |script| script.surfaces_and_invalidates(),
    |script| script.erases(),
    |script| script.learns(),
    |script| script.dies(),
    |script| script.fails_to_sync(),
];

const TRIES: usize = 3;

impl<'a> EngineScript<'a> {
    pub(crate) fn new(disk: &'a SimDisk, story: &'a mut Story, seed: u64) -> EngineScript<'a> {
        let chance = Chance::of(&[seed, 2]);
        EngineScript { disk, story, chance, at_work: None, items: Vec::new(), expected: false }
    }

    pub(crate) fn run(&mut self) {
        if !self.open(Durability::Immediate) {
            return;
        }
        self.remember();
        let mut parts = PARTS.to_vec();
        while !parts.is_empty() {
            let part = parts.swap_remove(self.chance.below(parts.len()));
            part(self);
            self.disk.mend_next();
            self.expected = false;
        }
        self.checkpoint();
        self.close();
    }

    /// Makes another process the one at work.
    fn open(&mut self, durability: Durability) -> bool {
        // One that is only dropped could not tell that its last sync failed.
        self.close();
        for _ in 0..TRIES {
            let next = |chance: &mut Chance| env(self.disk.process(), chance.bits());
            let opened = Ledger::open_in(next(&mut self.chance), options(durability));
            let opened = match opened {
                Err(Error::Log(memlith_log::Error::NoLedger { .. })) => {
                    Ledger::create_in(next(&mut self.chance), options(durability))
                }
                opened => opened,
            };
            match opened {
                Ok(ledger) => {
                    self.story.tell(Telling::Created);
                    self.at_work = Some((ledger, durability));
                    return true;
                }
                Err(error) => self.refuse("open", &error),
            }
        }
        false
    }

    fn refuse(&mut self, what: &str, error: &Error) {
        if !std::mem::take(&mut self.expected) {
            let source = error.source().map_or_else(String::new, |source| format!(": {source}"));
            self.story.refuse(format!("{what}: {error}{source}"));
        }
    }

    fn failed(&mut self, what: &str, error: &Error) {
        self.story.tell(Telling::Failed);
        self.refuse(what, error);
        self.at_work = None;
    }

    fn remember(&mut self) {
        let text = text(&mut self.chance);
        if self.at_work.is_none() && !self.open(Durability::Immediate) {
            return;
        }
        let Some((ledger, durability)) = &self.at_work else { return };
        self.story.tell(Telling::Attempted(remembered(&text)));
        match remember(ledger, &text) {
            Ok(_) => {
                let last = ledger.head().seq;
                let synced = *durability != Durability::Buffered;
                let first = Seq(last.0.saturating_sub(1));
                self.story.tell(Telling::Acknowledged(first, synced));
                let id = ledger.records(last, Some(1)).ok().and_then(|mut records| records.next());
                if let Some(Ok(record)) = id {
                    self.items.push(record.id());
                }
            }
            Err(error) => self.failed("remember", &error),
        }
    }

    fn remembers(&mut self, durability: Durability) {
        if self.open(durability) {
            for _ in 0..2 + self.chance.below(3) {
                self.remember();
            }
        }
    }

    fn checkpoint(&mut self) {
        let Some((ledger, _)) = &self.at_work else { return };
        match ledger.checkpoints().write() {
            Ok(_) => self.story.tell(Telling::Synced),
            Err(error) => self.failed("checkpoint", &error),
        }
    }

    fn checkpoints(&mut self) {
        self.remember();
        self.checkpoint();
        self.remember();
        self.checkpoint();
    }

    fn surfaces_and_invalidates(&mut self) {
        self.remember();
        let Some((ledger, _)) = &self.at_work else { return };
        self.story.tell(Telling::Attempted([SURFACED.to_vec()].into()));
        let request = CheckoutRequest { durable: true, ..CheckoutRequest::new("note") };
        match ledger.checkout(&ana(), &request) {
            Ok(checkout) => match checkout.observed {
                Ok(id) => self.story.tell(Telling::Acknowledged(id.seq, true)),
                Err(reason) => {
                    self.story.tell(Telling::Failed);
                    self.story.refuse(format!("not observed: {reason}"));
                    self.at_work = None;
                }
            },
            Err(error) => self.failed("checkout", &error),
        }
        self.invalidate();
    }

    fn invalidate(&mut self) {
        let Some((ledger, durability)) = &self.at_work else { return };
        let Some(item) = self.items.pop() else { return };
        let reason = text(&mut self.chance);
        self.story.tell(Telling::Attempted([reason.as_bytes().to_vec()].into()));
        let change = Change::Invalidate { weight: None, reason: Some(reason) };
        match ledger.change(&ana(), change, [item]) {
            Ok(_) => {
                let synced = *durability != Durability::Buffered;
                self.story.tell(Telling::Acknowledged(ledger.head().seq, synced));
            }
            Err(error) => self.failed("invalidate", &error),
        }
    }

    /// A session says something, and is learned from: a chain of appends in one call.
    fn learns(&mut self) {
        self.remember();
        let Some((ledger, durability)) = &self.at_work else { return };
        let (text, synced) = (text(&mut self.chance), *durability != Durability::Buffered);
        let session = session(&text);
        let behind_first = session.len() as u64 - 1;
        self.story.tell(Telling::Attempted(session));
        if let Err(error) = said(ledger, &text) {
            return self.failed("import", &error);
        }
        let first = Seq(ledger.head().seq.0.saturating_sub(behind_first));
        self.story.tell(Telling::Acknowledged(first, synced));
        for batch in taught(&text) {
            self.story.tell(Telling::Attempted(batch));
        }
        match learn(ledger, &text) {
            Ok(true) => self.story.tell(Telling::Acknowledged(ledger.head().seq, false)),
            Ok(false) => self.story.refuse("a job that nothing disturbed failed".to_owned()),
            Err(error) => self.failed("learn", &error),
        }
    }

    fn erases(&mut self) {
        self.remember();
        self.remember();
        self.checkpoint();
        self.erase();
        self.remember();
    }

    fn erase(&mut self) {
        let Some((ledger, _)) = &self.at_work else { return };
        if self.items.is_empty() {
            return;
        }
        let item = self.items.swap_remove(self.chance.below(self.items.len()));
        // What rests on it goes too; only the answer says what that was.
        let all = (0..=ledger.head().seq.0).map(Seq).collect();
        self.story.tell(Telling::Attempted([BURIED.to_vec()].into()));
        self.story.tell(Telling::Erasing(all));
        match ledger.erasure().erase(&owner(), &[item]) {
            Ok(erased) => {
                // Its tombstones lie before it.
                let laid = Seq(erased.erasure.seq.0.saturating_sub(1));
                self.story.tell(Telling::Acknowledged(laid, true));
                let records: Vec<_> = erased.records.iter().map(|id| id.seq).collect();
                self.items.retain(|item| !records.contains(&item.seq));
                self.story.tell(Telling::Erased(records));
            }
            Err(error) => self.failed("erase", &error),
        }
    }

    fn dies(&mut self) {
        self.remember();
        let kinds = OperationKind::ALL;
        let kind = kinds.get(self.chance.below(kinds.len())).copied();
        let others = u64::try_from(self.chance.below(5)).unwrap_or(0);
        let at = At::Next(kind.unwrap_or(OperationKind::Write), others);
        self.fault(at, FaultKind::Die);
        match self.chance.below(3) {
            0 => self.checkpoint(),
            1 => self.erase(),
            _ => self.remember(),
        }
        self.disk.mend_next();
        self.remember();
    }

    fn fails_to_sync(&mut self) {
        let at = At::Next(OperationKind::Sync, 0);
        self.fault(at, FaultKind::Fail(io::ErrorKind::Other));
        self.remember();
        self.disk.mend_next();
        self.remember();
    }

    fn close(&mut self) {
        if let Some((ledger, _)) = self.at_work.take() {
            match ledger.close() {
                Ok(()) => self.story.tell(Telling::Synced),
                Err(error) => self.failed("close", &error),
            }
        }
    }

    fn fault(&mut self, at: At, kind: FaultKind) {
        self.expected = true;
        self.disk.plan(Fault { at, kind });
    }
}
