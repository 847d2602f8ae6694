//! Any bytes in any format: every event that is read has a body that is read back.
//!
//! The first byte picks the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_event::Body;
use memlith_import::{Format, Imported, Options, Reader};

fuzz_target!(|input: &[u8]| {
    let Some((pick, bytes)) = input.split_first() else { return };
    let format = Format::ALL[usize::from(*pick) % Format::ALL.len()];
    let mut reader = Reader::new(format, bytes, Options::default());
    for imported in reader.by_ref() {
        let Ok(Imported::Event(body)) = imported else { continue };
        let encoded = body.encode();
        let decoded = Body::decode(body.event.kind(), &encoded);
        assert_eq!(decoded.as_ref(), Ok(body.as_ref()));
        assert!(body.envelope.key.is_some(), "it would be imported again: {body:?}");
    }
    assert!(reader.next().is_none(), "a reader that ended goes on");
});
