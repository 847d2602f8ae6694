//! Any text: a time that is accepted has a text form that is read back as the same time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_log::Timestamp;

fuzz_target!(|text: &str| {
    if let Ok(moment) = text.parse::<Timestamp>() {
        let canonical = moment.to_string();
        assert!(canonical.ends_with('Z'), "{canonical}");
        assert_eq!(canonical.parse(), Ok(moment), "{canonical}");
    }
});
