//! Histories of a whole engine on a disk in memory, for the laws that speak of files.

use std::sync::Arc;

use memlith::{
    Caller, Change, CheckoutRequest, Error, Ledger, Options, Rank, RecordId, Remember, Timestamp,
    copy::{Format, ImportOptions},
    storage::{Clock, Durability, Env, FixedClock, MemoryDisk, SeededRng},
    write::{SaliencePolicy, TrustPolicy},
};
use memlith_testkit::sim::Chance;

use super::judge::Judge;
use super::law::Law;
use super::spelled::spelled;
use super::{digests, erasures, keys, looks};

/// The laws that are checked here.
const LAWS: [Law; 4] = [Law::P7, Law::P10, Law::P12, Law::P13];

/// Plays the history of a seed and checks the laws on what it left.
pub(super) fn check(seed: u64, judge: &mut Judge) {
    let mut machine = Machine::new(seed);
    if let Err(error) = machine.run(judge) {
        let asked = LAWS.into_iter().find(|law| judge.asks(*law));
        judge.fail(asked.unwrap_or(Law::P7), format!("an error: {error}"));
    }
}

/// A ledger, and what a history left in it.
pub(super) struct Machine {
    pub(super) disk: MemoryDisk,
    clock: Arc<FixedClock>,
    pub(super) chance: Chance,
    seed: u64,
    pub(super) items: Vec<Written>,
}

/// An item, and a word that stands in it alone.
pub(super) struct Written {
    pub(super) id: RecordId,
    pub(super) word: String,
    text: String,
    pub(super) subject: Option<&'static str>,
    /// The item that it rests on.
    pub(super) on: Option<usize>,
    pub(super) erased: bool,
}

/// Two subjects; what has none is everybody's.
pub(super) const SUBJECTS: [Option<&str>; 3] = [Some("ana"), Some("ben"), None];

/// Topics that all texts and questions are about.
const TOPICS: [&str; 4] = ["the green kettle", "tea in the office", "a long corridor", "Monday"];

impl Machine {
    fn new(seed: u64) -> Machine {
        let clock = Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000)));
        let chance = Chance::of(&[seed, 0xe0]);
        Machine { disk: MemoryDisk::new(), clock, chance, seed, items: Vec::new() }
    }

    fn run(&mut self, judge: &mut Judge) -> Result<(), Error> {
        let mut ledger = Ledger::create_in(self.env(), options(true))?;
        for _ in 0..6 + self.chance.below(14) {
            self.pass();
            ledger = self.step(ledger)?;
        }
        keys::check(self, &ledger, judge)?;
        digests::check(self, &ledger, judge)?;
        ledger.close()?;
        looks::check(self, judge)?;
        if judge.asks_any(&[Law::P7, Law::P12]) {
            let ledger = self.open(true)?;
            erasures::check(self, &ledger, judge)?;
            digests::check(self, &ledger, judge)?;
            ledger.close()?;
        }
        Ok(())
    }

    /// A process of its own on the disk.
    pub(super) fn env(&mut self) -> Env {
        self.env_on(&self.disk.clone())
    }

    pub(super) fn env_on(&mut self, disk: &MemoryDisk) -> Env {
        self.seed = self.seed.wrapping_add(0x9e37_79b9);
        Env {
            storage: Arc::new(disk.process()),
            clock: self.clock.clone(),
            rng: Arc::new(SeededRng::new(self.seed)),
        }
    }

    pub(super) fn open(&mut self, use_checkpoint: bool) -> Result<Ledger, Error> {
        Ledger::open_in(self.env(), options(use_checkpoint))
    }

    /// Some time passes.
    pub(super) fn pass(&mut self) {
        let hours = i64::try_from(self.chance.below(72)).unwrap_or(0);
        let us = 1_000_000 + hours * Timestamp::DAY_US / 24;
        self.clock.set(self.clock.now().plus_us(us));
    }

    fn step(&mut self, ledger: Ledger) -> Result<Ledger, Error> {
        match self.chance.below(12) {
            0..=3 => drop(self.write(&ledger)?),
            4 => self.say_again(&ledger)?,
            5 => self.change(&ledger, Change::Confirm { weight: None, verified: false })?,
            6 => self.change(&ledger, Change::Invalidate { weight: None, reason: None })?,
            7 | 8 => {
                let caller = self.somebody();
                let vector = spelled("zq").filter(|_| self.items.len().is_multiple_of(2));
                let request = CheckoutRequest { vector, ..CheckoutRequest::new(self.topic()) };
                drop(ledger.checkout(&caller, &request)?);
            }
            9 => drop(ledger.checkpoints().write()?),
            10 => {
                ledger.close()?;
                let use_checkpoint = !self.chance.once_in(3);
                return self.open(use_checkpoint);
            }
            _ => {
                let all = SaliencePolicy::ALL;
                let policy = all.get(self.chance.below(all.len())).copied().unwrap_or_default();
                refused(ledger.policy().choose_salience(&owner(), policy))?;
                let all = TrustPolicy::ALL;
                let trust = all.get(self.chance.below(all.len())).copied().unwrap_or_default();
                refused(ledger.policy().choose_trust(&owner(), trust))?;
            }
        }
        Ok(ledger)
    }

    /// An item with a word of its own; at times it rests on an earlier one.
    pub(super) fn write(&mut self, ledger: &Ledger) -> Result<RecordId, Error> {
        let caller = self.somebody();
        let subject = SUBJECTS.into_iter().find(|name| *name == caller.scope.subject.as_deref());
        let subject = subject.flatten();
        let word = format!("zq{}x", self.items.len());
        let mine = |item: &Written| item.subject == subject && !item.erased;
        let mine: Vec<usize> =
            (0..).zip(&self.items).filter(|(_, item)| mine(item)).map(|(at, _)| at).collect();
        let on =
            mine.get(self.chance.below(mine.len())).copied().filter(|_| self.chance.once_in(3));
        let rests_on = on.and_then(|at| self.items.get(at)).map(|item| item.id);
        let text = format!("{} and {} with {word}", self.topic(), self.topic());
        let remember = Remember {
            text: text.clone(),
            rests_on: rests_on.into_iter().collect(),
            ..Remember::default()
        };
        let id = ledger.remember(&caller, remember)?.id;
        // Some have a vector, by their place alone: the history's chances stay as they are.
        if let Some(vector) = spelled(&word).filter(|_| self.items.len().is_multiple_of(3)) {
            ledger.vectors().embed(&caller, &[(id, vector)])?;
        }
        self.items.push(Written { id, word, text, subject, on, erased: false });
        Ok(id)
    }

    /// Says the text of an item once more.
    fn say_again(&mut self, ledger: &Ledger) -> Result<(), Error> {
        let at = self.chance.below(self.items.len());
        let Some(item) = self.items.get(at) else { return Ok(()) };
        let remember = Remember { text: item.text.clone(), ..Remember::default() };
        refused(ledger.remember(&caller(item.subject), remember))
    }

    fn change(&mut self, ledger: &Ledger, change: Change) -> Result<(), Error> {
        let at = self.chance.below(self.items.len());
        let Some(item) = self.items.get(at).filter(|item| !item.erased) else { return Ok(()) };
        refused(ledger.change(&caller(item.subject), change, [item.id]))
    }

    /// A dialogue, always the same.
    pub(super) fn import(ledger: &Ledger) -> Result<(), Error> {
        let turns: Vec<_> = (0..3)
            .map(|at| {
                let text = format!("the kettle of turn {at}");
                serde_json::json!({"speaker": "Ana", "dia_id": format!("D1:{at}"), "text": text})
            })
            .collect();
        let document = serde_json::json!([{"sample_id": "trip", "conversation": {
            "speaker_a": "Ana", "speaker_b": "Ben", "session_1": turns,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
        }}]);
        ledger.import(Format::Locomo, document.to_string().as_bytes(), ImportOptions::default())?;
        Ok(())
    }

    fn somebody(&mut self) -> Caller {
        let subject = SUBJECTS.get(self.chance.below(SUBJECTS.len())).copied().flatten();
        caller(subject)
    }

    pub(super) fn topic(&mut self) -> &'static str {
        TOPICS.get(self.chance.below(TOPICS.len())).copied().unwrap_or("tea")
    }
}

/// A person who speaks of a subject.
pub(super) fn caller(subject: Option<&'static str>) -> Caller {
    let mut caller = Caller::user("default", "ana");
    caller.scope.subject = subject.map(Into::into);
    caller
}

pub(super) fn owner() -> Caller {
    Caller::new("default", "olga", Rank::Owner)
}

pub(super) fn options(use_checkpoint: bool) -> Options {
    Options {
        use_checkpoint,
        durability: Durability::Immediate,
        segment_lens: [16 << 10; 4],
        stride_records: 4,
        ..Options::default()
    }
}

/// A command that the state may refuse.
fn refused<T>(outcome: Result<T, Error>) -> Result<(), Error> {
    match outcome {
        Ok(_) | Err(Error::Rejected(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
