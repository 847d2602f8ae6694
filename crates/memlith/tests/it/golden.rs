//! One fixed history whose every byte and digest is known, whatever machine runs it:
//! `cargo xtask miri` runs this on 32 bits and on big-endian ones.

use std::fmt::Write;
use std::sync::Arc;

use memlith::{
    Caller, Change, CheckoutRequest, Ledger, Options, Rank, RecordId, Remember, Slot, Timestamp,
    prove::Replay,
    storage::{Clock, Env, FixedClock, MemoryDisk, SeededRng},
};

/// Digests that every machine has to get.
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
    // The history states its slots; what a grammar reads in words is no part of the bytes.
    Options { segment_lens: [4 << 10; 4], grammar: false, ..Options::default() }
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
    let live = ledger.audit().digest().unwrap();
    let head = ledger.head();
    format!("state {}\nseq {}\nchain {}\n", live.digest, head.seq, head.chain)
}

/// The least that has frames, folds and a state: minutes in an interpreter.
#[test]
fn brief_digests_are_those_of_every_machine() {
    let machine = Machine::new();
    let ana = Caller::user("default", "ana");
    let ledger = Ledger::create_in(machine.env(7), options()).unwrap();
    say(&ledger, &ana, port("Staging listens on port 5432.", "5432"));
    let found = state_of(&ledger) + &machine.files();
    assert_eq!(found, GOLDEN_BRIEF, "\n{found}");
}

#[test]
fn digests_are_those_of_every_machine() {
    let machine = Machine::new();
    let ana = Caller::user("default", "ana");
    let ledger = Ledger::create_in(machine.env(7), options()).unwrap();
    let meeting = say(&ledger, &ana, note("The meeting is on Tuesday."));
    say(&ledger, &ana, port("Staging listens on port 5432.", "5432"));
    machine.pass_hours(30);
    say(&ledger, &ana, port("Staging listens on port 6432.", "6432"));
    let answer = ledger.checkout(&ana, CheckoutRequest::new("which port is staging on?")).unwrap();
    assert!(answer.observed.is_ok());
    let wrong = Change::Invalidate { weight: None, reason: Some("it moved".into()) };
    let _ = ledger.change(&ana, wrong, [meeting]).unwrap();
    ledger.checkpoints().write().unwrap();
    let mut found = state_of(&ledger);
    drop(ledger);
    found.push_str(&machine.files());

    // From the checkpoint, in another process.
    let ledger = Ledger::open_in(machine.env(8), options()).unwrap();
    let olga = Caller::new("default", "olga", Rank::Owner);
    ledger.erasure().erase(&olga, &[meeting]).unwrap();
    found.push_str(&state_of(&ledger));
    let live = ledger.audit().digest().unwrap();
    assert_eq!(ledger.audit().replay(&Replay::default()).unwrap(), live);
    ledger.close().unwrap();
    found.push_str(&machine.files());
    assert_eq!(found, GOLDEN, "\n{found}");
}

/// Words of every list that a fold knows, in sentences, cases and scripts: what a fold makes
/// of them changes with [`memlith::prove::FOLD_VERSION`] alone.
const SAID: [&str; 12] = [
    "I told me: my mine is myself. WE took Us to our ours; I'm, we've, us's.",
    "Two three FOUR five six seven eight nine ten, a dozen, a hundred; 42 of 1,000 and 3.5%?",
    "On 3 May 2023, May 3rd, in June, since 2021, by Sept 9, 2023-05-03 and 12/25.",
    "Last Friday, next Monday, this Tuesday; today, tonight, yesterday, tomorrow, last night.",
    "A day ago, two weeks ago, a couple months ago, few years ago, 11 days ago, last weekend.",
    "january february march april may june july august september october november december",
    "jan feb mar apr jun jul aug sept sep oct nov dec 1 2 3 4 5 6 7 8 9 10 11 12 31st",
    "the and of to in that it is was for on with as at by an be this from or not are but",
    "Don't can't won't o'clock; Ana's caf\u{e9}, na\u{ef}ve r\u{e9}sum\u{e9}, STRASSE stra\u{df}e, \u{130}stanbul.",
    "memlith_log::Log, a-b-c, v1.2.3, foo@example.org, /usr/lib/x.so, KIND_OF snake_case camelCase",
    "running runs ran runner's studies studied happily nationalisation generously skies dying",
    "\u{4f60}\u{597d} \u{4e16}\u{754c} \u{43f}\u{440}\u{438}\u{432}\u{435}\u{442} \u{645}\u{631}\u{62d}\u{628}\u{627} \u{1f98a} e\u{301} \u{fb01}n",
];

#[test]
fn a_fold_makes_the_same_of_words_as_long_as_its_version_stands() {
    // The third version differs from the second in other tables: it makes the same of words.
    // The fifth has lists of memories besides, the sixth says which items are memories,
    // the seventh has tombstones; its ledger's key is drawn first, so that ids differ. The eighth
    // keys what is said in the first person by its speaker; the ninth chooses how writes are
    // compared, and the tenth has jobs, in other tables; the eleventh lists memories among what
    // may be delivered; the thirteenth counts what jobs tell of; the
    // fourteenth knows tools' records, and no days or numbers of texts; the fifteenth writes sharp s
    // as two, and Korean words without their particles; the sixteenth has remarks on other
    // ledgers' items, in a table of their own, and the seventeenth says in it what was asked for.
    const DIGESTS: [(u32, &str); 16] = [
        (2, "c4406d30c57932fb46b5e7d00498fdf999d6e930ff3d1b0a7e72b6d9985147a5"),
        (3, "c4406d30c57932fb46b5e7d00498fdf999d6e930ff3d1b0a7e72b6d9985147a5"),
        (4, "c09fbeaf0e0604ff9b185acccb0ca6a1bf87bb27cbe8445c6ec1d30a338b5fe3"),
        (5, "913b747a1326e87d6a15d603e370b98185a173a00fed7db4218e415b6dda557e"),
        (6, "efcc7811a85281a6f037ce1b13220f1b351bc77ce04298d394911c047536a2f4"),
        (7, "dacd3d11c4037fe078bed068d6f5f34c286d688f3fbabf561c808ebf56558e8f"),
        (8, "ee617fe83b4918a55511a0331f9a74b321e15f0c7c8cfef431bfacad1353d11b"),
        (9, "ee617fe83b4918a55511a0331f9a74b321e15f0c7c8cfef431bfacad1353d11b"),
        (10, "ee617fe83b4918a55511a0331f9a74b321e15f0c7c8cfef431bfacad1353d11b"),
        (11, "273953a741d49a9e237aeed747bb467f6acf6bcaa86606f0a8d46d2da41e6766"),
        (12, "273953a741d49a9e237aeed747bb467f6acf6bcaa86606f0a8d46d2da41e6766"),
        (13, "273953a741d49a9e237aeed747bb467f6acf6bcaa86606f0a8d46d2da41e6766"),
        (14, "3c1a0bbe16229e79f897d4bf3426e9a1726377598b5545074752f7d15e9fc887"),
        (15, "808fe73c04b08f52d05afdfcf7b8a3116d2add2b2170a9a4edb9805618ac9be0"),
        (16, "808fe73c04b08f52d05afdfcf7b8a3116d2add2b2170a9a4edb9805618ac9be0"),
        (17, "808fe73c04b08f52d05afdfcf7b8a3116d2add2b2170a9a4edb9805618ac9be0"),
    ];
    let machine = Machine::new();
    let ana = Caller::user("default", "ana");
    let ledger = Ledger::create_in(machine.env(7), options()).unwrap();
    for text in SAID {
        say(&ledger, &ana, note(text));
        machine.pass_hours(5);
    }
    let found = ledger.audit().replay(&Replay::default()).unwrap().digest.to_string();
    assert_eq!(DIGESTS.last(), Some(&(memlith::prove::FOLD_VERSION, found.as_str())));
}
