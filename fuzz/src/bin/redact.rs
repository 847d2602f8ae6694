//! Any text: redaction comes to rest, says what it did, and keeps JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_redact::redact;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let once = redact(text);
    assert_eq!(once.counts.is_empty(), once.text == text, "{once:?}");
    let again = redact(&once.text);
    assert!(again.counts.is_empty() && again.text == once.text, "{once:?} became {again:?}");
    if serde_json::from_str::<Value>(text).is_ok() {
        assert!(serde_json::from_str::<Value>(&once.text).is_ok(), "no JSON any more: {once:?}");
    }
});
