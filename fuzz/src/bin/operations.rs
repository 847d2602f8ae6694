//! Any bytes as a session of a ledger on a failing disk: the engine does what the naive
//! oracle of `memlith_torture::random` foretells, step by step.
//!
//! Four bytes say how the ledger is opened; three bytes are a step.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_torture::random::{Session, Step, play};

/// Longer sessions find what two short ones find, in more than twice the time.
const STEPS_MAX: usize = 16;

fuzz_target!(|input: &[u8]| {
    let Some((&[seed, durability, length, mode], steps)) = input.split_first_chunk() else {
        return;
    };
    let session = Session {
        seed: u64::from(seed),
        durability: [durability, durability >> 2, durability >> 4].map(|bits| bits % 3),
        // Every opening reads all of a segment, so that long ones are slow.
        segment_kib: 8 << (length % 2),
        reverting: mode & 1 != 0,
        steps: steps.chunks_exact(3).take(STEPS_MAX).map(step).collect(),
    };
    if let Err(what) = play(&session) {
        panic!("{what}\n{session:?}");
    }
});

fn step(bytes: &[u8]) -> Step {
    let [kind, a, b] = *bytes else { return Step::Verify };
    let yes = b & 1 != 0;
    match kind % 19 {
        0 => Step::Remember { text: a, assistant: yes },
        1 => Step::Conclude { item: a },
        2 => Step::Confirm { item: a, assistant: yes },
        3 => Step::Promote { item: a },
        4 => Step::Invalidate { item: a, assistant: yes },
        5 => Step::Reconfirm { item: a },
        6 => Step::Erase { item: a },
        7 => Step::Checkout { item: a, observe: yes },
        8 => Step::AsOf { back: b % 16, item: a },
        9 => Step::Explain { item: a },
        10 => Step::Checkpoint,
        11 => Step::Reopen { from_checkpoint: yes },
        12 => Step::Switch { process: a },
        13 => Step::Clock { hours: i16::from_le_bytes([a, b]) % 1_440 },
        14 => Step::Kill,
        15 => Step::Cut { how: a, seed: u16::from(b) },
        16 => Step::Fault { kind: a, after: b % 24 },
        17 => Step::Verify,
        _ => Step::Keyed { key: a, assistant: yes },
    }
}
