//! One fixed history whose every byte and digest is known, whatever machine runs it:
//! `cargo xtask miri` runs this on 32 bits and on big-endian ones.

use std::fmt::Write;
use std::sync::Arc;

use memlith::{
    Caller, Change, CheckoutRequest, Clock, Env, FixedClock, Ledger, MemoryDisk, Options, Rank,
    RecordId, Remember, Replay, SeededRng, Slot, Timestamp,
};

/// What every machine has to get.
const GOLDEN: &str = include_str!("../golden/digests");
const GOLDEN_BRIEF: &str = include_str!("../golden/digests-brief");

/// One disk, and a clock that is moved by hand.
struct Machine {
    disk: MemoryDisk,
    clock: Arc<FixedClock>,
}

impl Machine {
    fn new() -> Machine {
        let clock = FixedClock::new(Timestamp(1_777_636_800_000_000));
        Machine { disk: MemoryDisk::new(), clock: Arc::new(clock) }
    }

    /// A further process; its seed is its own.
    fn env(&self, seed: u64) -> Env {
        Env {
            storage: Arc::new(self.disk.process()),
            clock: self.clock.clone(),
            rng: Arc::new(SeededRng::new(seed)),
        }
    }

    fn pass_hours(&self, hours: i64) {
        self.clock.set(self.clock.now().plus_us(hours * 3_600_000_000));
    }

    /// The name and the length of every file, and the hash of its bytes without the zeros
    /// at its end: an interpreter hashes slowly.
    fn files(&self) -> String {
        let mut lines = String::new();
        for name in self.disk.names() {
            let bytes = self.disk.bytes(&name).unwrap();
            let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            writeln!(lines, "{name} {} {}", bytes.len(), blake3::hash(&bytes[..used])).unwrap();
        }
        lines
    }
}

/// Segments that a few events fill.
fn options() -> Options {
    Options { segment_lens: [4 << 10; 4], ..Options::default() }
}

fn note(text: &str) -> Remember {
    Remember { text: text.to_owned(), ..Remember::default() }
}

fn port(text: &str, value: &str) -> Remember {
    let owned = |text: &str| text.to_owned().into();
    let slot = Slot {
        entity: owned("staging"),
        predicate: owned("port"),
        value: owned(value),
        single: true,
    };
    Remember { slot: Some(slot), ..note(text) }
}

fn say(ledger: &Ledger, ana: &Caller, remember: Remember) -> RecordId {
    ledger.remember(ana, remember).unwrap().id
}

/// The digest of the state, and the head.
fn state_of(ledger: &Ledger) -> String {
    let live = ledger.state_digest().unwrap();
    let head = ledger.head();
    format!("state {}\nseq {}\nchain {}\n", live.digest, head.seq, head.chain)
}

/// The least that has frames, folds and a state: minutes in an interpreter.
#[test]
fn brief_digests_are_those_of_every_machine() {
    let machine = Machine::new();
    let ana = Caller::user("default", "ana");
    let ledger = Ledger::init_in(machine.env(7), options()).unwrap();
    say(&ledger, &ana, port("Staging listens on port 5432.", "5432"));
    let found = state_of(&ledger) + &machine.files();
    assert_eq!(found, GOLDEN_BRIEF, "\n{found}");
}

#[test]
fn digests_are_those_of_every_machine() {
    let machine = Machine::new();
    let ana = Caller::user("default", "ana");
    let ledger = Ledger::init_in(machine.env(7), options()).unwrap();
    let meeting = say(&ledger, &ana, note("The meeting is on Tuesday."));
    say(&ledger, &ana, port("Staging listens on port 5432.", "5432"));
    machine.pass_hours(30);
    say(&ledger, &ana, port("Staging listens on port 6432.", "6432"));
    let answer = ledger.checkout(&ana, &CheckoutRequest::new("which port is staging on?")).unwrap();
    assert!(answer.observed.is_ok());
    let wrong = Change::Invalidate { weight: None, reason: Some("it moved".into()) };
    ledger.change(&ana, wrong, &[meeting]).unwrap();
    ledger.checkpoint().unwrap();
    let mut found = state_of(&ledger);
    drop(ledger);
    found.push_str(&machine.files());

    // From the checkpoint, in another process.
    let ledger = Ledger::open_in(machine.env(8), options()).unwrap();
    let olga = Caller::new("default", "olga", Rank::Owner);
    ledger.erase(&olga, &[meeting]).unwrap();
    found.push_str(&state_of(&ledger));
    let live = ledger.state_digest().unwrap();
    assert_eq!(ledger.replay(&Replay::default()).unwrap(), live);
    ledger.close().unwrap();
    found.push_str(&machine.files());
    assert_eq!(found, GOLDEN, "\n{found}");
}
