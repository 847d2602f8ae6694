use std::sync::Arc;
use std::time::Duration;

use memlith::{
    Error, Ledger, Options, RecordId, Seq, Timestamp,
    storage::{Clock, Durability, Env, FixedClock, SeededRng},
    write::Reconciler,
};
use memlith_event::{Kind, LinkKind};
use memlith_log::FIRST_EVENT_KIND;
use memlith_testkit::sim::{Chance, Cut, FailedSync, Progress, SimDisk, SimStorage};

use super::boundary::{Seen, Sort};
use super::likening::{Told, reconciler};
use super::session::Session;
use super::step::Step;

/// The time at which every session begins.
const BEGIN: Timestamp = Timestamp(1_777_636_800_000_000);

/// The log's kind of an erasure.
const ERASURE: u16 = 1;

/// One disk, one clock, and up to three processes.
pub(super) struct World {
    pub(super) disk: SimDisk,
    pub(super) clock: Arc<FixedClock>,
    processes: [Option<Process>; 3],
    current: usize,
    durability: [u8; 3],
    segment_len: u64,
    seed: u64,
    /// Comparer of writes, in a session that compares them; others spare themselves the look.
    reconciler: Option<Arc<Reconciler>>,
    told: Arc<Told>,
    /// Whether a checkpoint that is due is written beside the steps, as a keeper would.
    pub(super) keeps: bool,
    /// The latest that the clock ever showed before a step.
    pub(super) latest: i64,
    /// How often a ledger was asked for.
    pub(super) asked: u64,
}

struct Process {
    storage: SimStorage,
    ledger: Ledger,
}

impl World {
    /// A machine with an empty ledger.
    pub(super) fn new(session: &Session) -> Result<World, Error> {
        let failing = if session.reverting { FailedSync::Revert } else { FailedSync::Keep };
        let (reconciler, told) = reconciler();
        let likens = |step: &Step| matches!(step, Step::Liken { .. });
        let mut world = World {
            disk: SimDisk::new().seeded(session.seed).failing(failing),
            clock: Arc::new(FixedClock::new(BEGIN)),
            processes: [None, None, None],
            current: 0,
            durability: session.durability,
            segment_len: u64::from(session.segment_kib.max(8)) << 10,
            seed: session.seed,
            reconciler: Some(reconciler).filter(|_| session.steps.iter().any(likens)),
            told,
            keeps: session.steps.contains(&Step::Due),
            latest: BEGIN.0,
            asked: 0,
        };
        let storage = world.disk.process();
        let ledger = Ledger::create_in(world.env(&storage), world.options(true))?;
        world.put(Process { storage, ledger });
        Ok(world)
    }

    fn put(&mut self, process: Process) {
        if let Some(place) = self.processes.get_mut(self.current) {
            *place = Some(process);
        }
    }

    fn env(&mut self, storage: &SimStorage) -> Env {
        self.seed = self.seed.wrapping_add(0x9e37_79b9);
        Env {
            storage: Arc::new(storage.clone()),
            clock: self.clock.clone(),
            rng: Arc::new(SeededRng::new(self.seed)),
        }
    }

    pub(super) fn options(&self, use_checkpoint: bool) -> Options {
        let durability = match self.durability.get(self.current) {
            Some(1) => Durability::Group,
            Some(2) => Durability::Buffered,
            _ => Durability::Immediate,
        };
        let segment_lens = [self.segment_len; 4];
        // Nobody else is at work: a lock that is not free stays so.
        let lock_timeout = Duration::from_millis(20);
        Options {
            durability,
            segment_lens,
            use_checkpoint,
            lock_timeout,
            stride_records: 4,
            checkpoint_events: 3,
            reconciler: self.reconciler.clone(),
            // The oracle reads no sentence.
            grammar: false,
            ..Options::default()
        }
    }

    /// Whether the current process's writes are synced when they return.
    pub(super) fn is_immediate(&self) -> bool {
        self.durability.get(self.current) != Some(&2)
    }

    /// The arbiter.
    pub(super) fn told(&self) -> Arc<Told> {
        self.told.clone()
    }

    /// Chooses the process that goes on.
    pub(super) fn switch(&mut self, process: usize) {
        self.current = process % self.processes.len();
    }

    /// The current process's ledger, opened if it isn't.
    pub(super) fn ledger(&mut self, use_checkpoint: bool) -> Result<&Ledger, Error> {
        self.asked += 1;
        if self.processes.get(self.current).is_none_or(Option::is_none) {
            let storage = self.disk.process();
            let options = self.options(use_checkpoint);
            let ledger = Ledger::open_in(self.env(&storage), options)?;
            self.put(Process { storage, ledger });
        }
        let open = self.processes.get(self.current).and_then(Option::as_ref);
        open.map(|process| &process.ledger).ok_or(Error::NoCheckpoint { seq: Seq::GENESIS })
    }

    /// The current process's ledger where it is open.
    pub(super) fn opened(&self) -> Option<&Ledger> {
        let process = self.processes.get(self.current).and_then(Option::as_ref);
        process.map(|process| &process.ledger)
    }

    /// The current process closes its ledger and ends.
    pub(super) fn close(&mut self) -> Result<(), Error> {
        match self.processes.get_mut(self.current).and_then(Option::take) {
            Some(process) => process.ledger.close(),
            None => Ok(()),
        }
    }

    /// The current process dies as it is.
    pub(super) fn abandon(&mut self) {
        if let Some(process) = self.processes.get_mut(self.current).and_then(Option::take) {
            self.disk.kill(&process.storage);
        }
    }

    /// Every process dies.
    pub(super) fn kill(&mut self) {
        let disk = self.disk.moment().killed(Progress::Before, &mut Chance::new(self.seed));
        self.restart(disk);
    }

    /// The power goes.
    pub(super) fn cut(&mut self, how: u8, seed: u16) {
        let ways = Cut::ALL.len();
        let how = Cut::ALL.get(usize::from(how) % ways).copied().unwrap_or(Cut::Nothing);
        let disk = self.disk.moment().cut(how, &mut Chance::of(&[self.seed, u64::from(seed)]));
        self.restart(disk);
    }

    fn restart(&mut self, disk: SimDisk) {
        // What the dead would still do is done to the disk that was.
        self.processes = [None, None, None];
        self.disk = disk.seeded(self.seed);
    }

    /// The records after `after` that the oracle takes notice of.
    pub(super) fn seen(&mut self, after: Seq) -> Result<Vec<Seen>, Error> {
        let mut seen = Vec::new();
        for record in self.ledger(true)?.records(after.next(), None)? {
            let record = record?;
            if record.kind >= FIRST_EVENT_KIND || record.kind == ERASURE {
                seen.push(Seen {
                    id: record.id(),
                    sort: sort_of(record.kind),
                    recorded_at: record.recorded_at.0,
                    summary: (record.kind == Kind::SUMMARISED.number).then(|| sources(&record)),
                });
            }
        }
        Ok(seen)
    }

    /// Returns the environment of a process that only reads.
    pub(super) fn reader(&mut self) -> Env {
        let storage = self.disk.process();
        self.env(&storage)
    }

    pub(super) fn time(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) fn pass(&self, us: i64) {
        self.clock.set(Timestamp((self.clock.now().0 + us).max(BEGIN.0)));
    }
}

fn sort_of(kind: u16) -> Sort {
    let sorts = [
        (Kind::REMEMBERED, Sort::Row),
        (Kind::PROCEDURE_MINED, Sort::Row),
        (Kind::TOOL_RAN, Sort::Run),
        (Kind::DECIDED, Sort::Decision),
        (Kind::TOMBSTONES_LAID, Sort::Tombstones),
    ];
    let found = sorts.into_iter().find(|(of_sort, _)| of_sort.number == kind);
    let other = if kind == ERASURE { Sort::Erasure } else { Sort::Other };
    found.map_or(other, |(_, sort)| sort)
}

/// Returns the records that a record rests on.
fn sources(record: &memlith::log::Record) -> Vec<RecordId> {
    let body = memlith::log::decode(record).ok().flatten();
    body.map_or_else(Vec::new, |body| body.envelope.linked(LinkKind::RestsOn).collect())
}
