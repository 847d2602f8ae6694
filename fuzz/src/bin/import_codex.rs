//! Any bytes as a rollout of Codex: what `memlith_fuzz::read` checks of every format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_import::Format;

fuzz_target!(|input: &[u8]| {
    memlith_fuzz::read(Format::Codex, input);
});
