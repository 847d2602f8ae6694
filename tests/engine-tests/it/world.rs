use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memlith::{
    AsOf, Caller, Change, Checkout, CheckoutRequest, Error, Ledger, Options, Question, Rank,
    RecordId, Remember, Seq, Slot, Timestamp,
    copy::{Format, ImportOptions, ImportReport},
    prove::{Finding, Level, Replay},
    read::Explained,
    storage::{Env, FixedClock, MemoryDisk, SeededRng},
};

/// The time that every world begins at.
pub(crate) const NOW: Timestamp = Timestamp(1_777_636_800_000_000);

/// One disk, one clock that stands still, and any number of processes.
pub(crate) struct World {
    pub(crate) disk: MemoryDisk,
    pub(crate) clock: Arc<FixedClock>,
    seeds: AtomicU64,
}

impl World {
    pub(crate) fn new() -> World {
        World::on(MemoryDisk::new(), 0)
    }

    /// The world of another disk, at the same time.
    pub(crate) fn on(disk: MemoryDisk, seed: u64) -> World {
        let clock = Arc::new(FixedClock::new(NOW));
        World { disk, clock, seeds: AtomicU64::new(seed) }
    }

    /// A copy of the disk as it is, all that was written included, and the same time.
    pub(crate) fn copied(&self, seed: u64) -> World {
        use memlith::storage::Clock;
        let copy = World::on(self.disk.after_kill(), seed);
        copy.clock.set(self.clock.now());
        copy
    }

    /// A further process.
    pub(crate) fn env(&self) -> Env {
        let seed = self.seeds.fetch_add(1, Ordering::Relaxed);
        Env {
            storage: Arc::new(self.disk.process()),
            clock: self.clock.clone(),
            rng: Arc::new(SeededRng::new(seed)),
        }
    }

    pub(crate) fn init(&self) -> Ledger {
        Ledger::create_in(self.env(), Options::default()).unwrap()
    }

    pub(crate) fn open(&self) -> Ledger {
        self.open_with(Options::default()).unwrap()
    }

    pub(crate) fn open_with(&self, options: Options) -> Result<Ledger, Error> {
        Ledger::open_in(self.env(), options)
    }

    pub(crate) fn pass_days(&self, days: i64) {
        use memlith::storage::Clock;
        self.clock.set(self.clock.now().plus_us(days * Timestamp::DAY_US));
    }

    /// Lets a second pass, so that what follows happened later.
    pub(crate) fn tick(&self) {
        use memlith::storage::Clock;
        self.clock.set(self.clock.now().plus_us(1_000_000));
    }

    /// The files whose bytes hold `needle`.
    pub(crate) fn files_with(&self, needle: &str) -> Vec<String> {
        let holds = |name: &String| {
            let bytes = self.disk.bytes(name).unwrap();
            bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
        };
        self.disk.names().into_iter().filter(holds).collect()
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        memlith::prove::verify_in(&self.env(), Level::Full).unwrap().findings
    }

    pub(crate) fn checkpoint_files(&self) -> Vec<String> {
        self.disk.names().into_iter().filter(|name| name.starts_with("ckpt-")).collect()
    }

    /// The files of the runs that checkpoints name.
    pub(crate) fn run_files(&self) -> Vec<String> {
        self.disk.names().into_iter().filter(|name| name.starts_with("run-")).collect()
    }

    /// Puts files of checkpoints and their runs beside those that are here.
    pub(crate) fn put_checkpoints_of(&self, other: &World) {
        for name in other.checkpoint_files().into_iter().chain(other.run_files()) {
            self.disk.set_bytes(&name, other.disk.bytes(&name).unwrap());
        }
    }
}

pub(crate) fn ana() -> Caller {
    Caller::user("default", "ana")
}

pub(crate) fn owner() -> Caller {
    Caller::new("default", "olga", Rank::Owner)
}

pub(crate) fn words(text: &str) -> Remember {
    Remember { text: text.to_owned(), ..Remember::default() }
}

pub(crate) fn fact(text: &str, entity: &str, predicate: &str, value: &str) -> Remember {
    let owned = |text: &str| text.to_owned().into();
    let slot = Slot {
        entity: owned(entity),
        predicate: owned(predicate),
        value: owned(value),
        single: true,
    };
    Remember { slot: Some(slot), ..words(text) }
}

pub(crate) fn say(ledger: &Ledger, text: &str) -> RecordId {
    ledger.remember(&ana(), words(text)).unwrap().id
}

pub(crate) fn invalidate(ledger: &Ledger, id: RecordId) {
    let _ = ledger.change(&ana(), Change::Invalidate { weight: None, reason: None }, [id]).unwrap();
}

pub(crate) fn reconfirm(ledger: &Ledger, id: RecordId) {
    let _ = ledger.change(&ana(), Change::Reconfirm { reason: None }, [id]).unwrap();
}

/// An observed checkout.
pub(crate) fn ask(ledger: &Ledger, query: &str) -> Checkout {
    let checkout = ledger.checkout(&ana(), CheckoutRequest::new(query)).unwrap();
    assert!(checkout.observed.is_ok(), "{:?}", checkout.observed);
    checkout
}

/// A checkout that is not observed.
pub(crate) fn look(ledger: &Ledger, query: &str, as_of: Option<AsOf>) -> Checkout {
    let question = Question { query: query.to_owned(), as_of };
    let request = CheckoutRequest { question, observe: false, ..CheckoutRequest::new("") };
    ledger.checkout(&ana(), &request).unwrap()
}

pub(crate) fn ids(checkout: &Checkout) -> Vec<RecordId> {
    checkout.pack.items.iter().map(|item| item.id).collect()
}

pub(crate) fn explain(ledger: &Ledger, id: RecordId) -> Explained {
    ledger.explain(&ana(), id).unwrap()
}

pub(crate) fn factor(ledger: &Ledger, id: RecordId) -> String {
    explain(ledger, id).explanation.factor.to_string()
}

pub(crate) fn salience(ledger: &Ledger, id: RecordId) -> f64 {
    explain(ledger, id).explanation.salience.to_string().parse().unwrap()
}

pub(crate) fn digest(ledger: &Ledger) -> memlith::Digest {
    ledger.audit().replay(&Replay::default()).unwrap().digest
}

pub(crate) fn head(ledger: &Ledger) -> Seq {
    ledger.refresh().unwrap().seq
}

/// A dialogue of `turns` turns in the layout of LoCoMo, about the subject `name`.
pub(crate) fn dialogue(name: &str, turns: &[&str]) -> String {
    let turns: Vec<_> = turns
        .iter()
        .enumerate()
        .map(|(at, text)| {
            serde_json::json!({ "speaker": "Ana", "dia_id": format!("D1:{at}"), "text": text })
        })
        .collect();
    let conversation = serde_json::json!({
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1": turns,
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    });
    serde_json::json!([{ "sample_id": name, "conversation": conversation }]).to_string()
}

pub(crate) fn import(ledger: &Ledger, document: &str) -> Result<ImportReport, Error> {
    ledger.import(Format::Locomo, document.as_bytes(), ImportOptions::default())
}

pub(crate) fn export(ledger: &Ledger) -> String {
    let mut out = Vec::new();
    ledger.export_jsonl(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The lines of an export that are records: the first and the last one say how many there are.
pub(crate) fn exported_records(ledger: &Ledger) -> Vec<String> {
    let export = export(ledger);
    let lines: Vec<&str> = export.lines().collect();
    lines[1..lines.len() - 1].iter().map(|line| (*line).to_owned()).collect()
}

/// A ledger with a little of everything: restatements, a correction, a supersession, a
/// memory that rests on another, pins, reinforcements, an invalidation taken back, an
/// import and observed checkouts.
pub(crate) fn little_of_everything(world: &World, ledger: &Ledger) {
    let tea = say(ledger, "Ana drinks green tea in the morning.");
    let _ = ledger.remember(&ana(), words("ana drinks GREEN tea in the morning")).unwrap();
    let pune = fact("Ana lives in Pune.", "ana", "lives_in", "Pune");
    let pune = ledger.remember(&ana(), pune).unwrap().id;
    world.tick();
    let moved = fact("Ana lives in Bangalore.", "ana", "lives_in", "Bangalore");
    let _ = ledger.remember(&ana(), moved).unwrap();
    let mut summary = words("Ana moved south and kept her habits.");
    summary.rests_on = vec![tea, pune];
    let summary = ledger.remember(&ana(), summary).unwrap().id;
    let change = |change, id| ledger.change(&ana(), change, [id]).unwrap();
    let _ = change(Change::Confirm { weight: None, verified: false }, tea);
    let _ = change(Change::Promote { weight: None }, tea);
    let _ = change(Change::Pin, tea);
    let _ = change(Change::Unpin, tea);
    let _ = change(Change::Invalidate { weight: None, reason: Some("a mistake".into()) }, tea);
    world.tick();
    let _ = change(Change::Reconfirm { reason: None }, tea);
    let cat = say(ledger, "The cat is called Momo.");
    world.tick();
    let _ = ledger.correct(&ana(), cat, words("The cat is called Mimi.")).unwrap();
    let dog = say(ledger, "The dog is called Rex.");
    invalidate(ledger, dog);
    let tool = Caller::new("default", "shell", Rank::Tool);
    let _ = ledger.remember(&tool, words("The build takes nine minutes.")).unwrap();
    let disputing = Change::Invalidate { weight: None, reason: Some("so it says".into()) };
    let _ = ledger.change(&tool, disputing, [summary]).unwrap();
    import(ledger, &dialogue("trip", &["We went to Goa.", "The sea was warm."])).unwrap();
    for query in ["tea in the morning", "where does Ana live", "cat", "nothing like this"] {
        ask(ledger, query);
    }
}
