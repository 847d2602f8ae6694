use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// How long a log is, in Eventloom's lines: `10MB`, `115MB`, `1.15GB`.
///
/// Shape: an event for each 1,036 bytes, to the nearest hundred, and no fewer than that.
/// Source: the log of the published Zaxy measurements, 115 MB in 111,000 events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub(crate) struct Size {
    pub(crate) bytes: u64,
}

const EVENT_BYTES: u64 = 1_036;

/// Longer logs than this are no test of one folder any more.
const BYTES_MAX: u64 = 1_000_000_000_000;

impl Size {
    /// The log of the goals, 115 MB.
    pub(crate) const DEFAULT: &'static str = "115MB";

    pub(crate) fn events(self) -> u64 {
        (self.bytes + EVENT_BYTES * 50) / (EVENT_BYTES * 100) * 100
    }

    /// The length of a log of so many events, as far as it is known without writing it.
    pub(crate) fn of(events: u64) -> Size {
        Size { bytes: events.saturating_mul(EVENT_BYTES) }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let units = [("GB", 9), ("MB", 6), ("kB", 3)];
        let parsed = units.into_iter().find_map(|(unit, places)| {
            let number = text.strip_suffix(unit)?;
            memlith_verbs::decimal::scaled(number, places)
        });
        let size = parsed.map(|bytes| Size { bytes });
        let fits = |size: &Size| size.events() > 0 && size.bytes <= BYTES_MAX;
        size.filter(fits)
            .ok_or_else(|| "a size looks like 10MB, 115MB or 1.15GB, from 100kB on".to_owned())
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, places) = match self.bytes {
            0..1_000_000 => ("kB", 1e3),
            1_000_000..1_000_000_000 => ("MB", 1e6),
            _ => ("GB", 1e9),
        };
        let number = self.bytes as f64 / places;
        if number >= 10.0 {
            return write!(f, "{number:.0} {unit}");
        }
        let shown = format!("{number:.2}");
        write!(f, "{} {unit}", shown.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_of_events() {
        let cases = [("10MB", 9_700, "10 MB"), ("115MB", 111_000, "115 MB")];
        let more = [("1.15GB", 1_110_000, "1.15 GB"), ("104kB", 100, "104 kB")];
        for (text, events, shown) in cases.into_iter().chain(more) {
            let size: Size = text.parse().unwrap();
            assert_eq!((size.events(), size.to_string().as_str()), (events, shown), "{text}");
        }
        for text in ["", "MB", "0MB", "10", "10mb", "-1MB", "1e3MB", "9999999GB"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
