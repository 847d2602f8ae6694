//! Any text: a time that is accepted has a text form that is read back as the same time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_log::Timestamp;

/// The years 0000 to 9999 in UTC, in microseconds since 1970, the last excluded.
///
/// Outside of them RFC 3339 has no text form: an offset can lead there.
const CALENDAR_US: std::ops::Range<i64> = -62_167_219_200_000_000..253_402_300_800_000_000;

fuzz_target!(|text: &str| {
    if let Ok(moment) = text.parse::<Timestamp>()
        && CALENDAR_US.contains(&moment.0)
    {
        let canonical = moment.to_string();
        assert!(canonical.ends_with('Z'), "{canonical}");
        assert_eq!(canonical.parse(), Ok(moment), "{canonical}");
    }
});
