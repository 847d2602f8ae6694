//! Any text: an id that is accepted is the only text of its record.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_log::RecordId;

fuzz_target!(|text: &str| {
    if let Ok(id) = text.parse::<RecordId>() {
        assert_eq!(id.to_string(), text);
    }
});
