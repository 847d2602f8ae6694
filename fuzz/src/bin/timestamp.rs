//! Any text: a time that is accepted is what a second implementation reads digit by digit,
//! and has a text form that is read back as the same time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_fuzz::instant;
use memlith_log::Timestamp;

fuzz_target!(|text: &str| {
    let moment = text.parse::<Timestamp>().ok();
    assert_eq!(moment.map(|moment| moment.0), instant(text), "{text}");
    if let Some(moment) = moment {
        let canonical = moment.to_string();
        assert!(canonical.ends_with('Z'), "{canonical}");
        assert_eq!(canonical.parse(), Ok(moment), "{canonical}");
    }
});
