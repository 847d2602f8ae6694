//! Any bytes as the body of any kind: what is accepted is written the same again.
//!
//! The first byte picks the kind.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_event::{Body, Kind};

fuzz_target!(|input: &[u8]| {
    let Some((pick, bytes)) = input.split_first() else { return };
    let kind = Kind::ALL[usize::from(*pick) % Kind::ALL.len()];
    if let Ok(body) = Body::decode(kind, bytes) {
        assert_eq!(body.event.kind(), kind);
        assert_eq!(body.encode(), bytes, "{body:?}");
    }
});
