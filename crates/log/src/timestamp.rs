use std::fmt;
use std::str::FromStr;

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

/// An instant in microseconds since 1970-01-01T00:00:00Z, leap seconds ignored.
///
/// Negative before 1970. Text form: RFC 3339, always UTC with a trailing `Z`,
/// six fractional digits unless they are all zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Timestamp(pub i64);

/// The text is not an RFC 3339 instant, or lies outside the representable range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a time; write it as 2026-05-01T12:00:00Z")]
pub struct ParseTimestampError {
    /// The offending text, at most 64 characters of it.
    pub text: String,
}

impl Timestamp {
    /// Microseconds in a day.
    pub const DAY_US: i64 = 86_400_000_000;

    /// This instant moved by `delta_us` microseconds; saturates.
    #[must_use]
    pub fn plus_us(self, delta_us: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(delta_us))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(1_000_000);
        let micros = self.0.rem_euclid(1_000_000);
        let Ok(moment) = OffsetDateTime::from_unix_timestamp(seconds) else {
            // Outside the calendar's range: the raw number still says it exactly.
            return write!(f, "{}us", self.0);
        };
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            moment.year(),
            u8::from(moment.month()),
            moment.day(),
            moment.hour(),
            moment.minute(),
            moment.second()
        )?;
        if micros != 0 {
            write!(f, ".{micros:06}")?;
        }
        f.write_str("Z")
    }
}

impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    fn from_str(text: &str) -> Result<Timestamp, ParseTimestampError> {
        let refused = || ParseTimestampError { text: text.chars().take(64).collect() };
        // The `time` crate takes any character between date and time; RFC 3339, section 5.6,
        // has a `T` of either case, and allows a space.
        if !matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' ')) {
            return Err(refused());
        }
        let moment = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| refused())?;
        // An offset can move a moment out of the four-digit years that the text form has.
        let moment = moment.checked_to_offset(UtcOffset::UTC).ok_or_else(refused)?;
        if !(0..=9999).contains(&moment.year()) {
            return Err(refused());
        }
        let micros = moment.unix_timestamp_nanos().div_euclid(1_000);
        i64::try_from(micros).map(Timestamp).map_err(|_| refused())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in
            ["1970-01-01T00:00:00Z", "2026-05-01T12:00:04.120000Z", "1969-12-31T23:59:59.999999Z"]
        {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn date_and_time_are_separated_as_the_rfc_says() {
        // Found by fuzzing against a second parser.
        let moment = "2026-05-01T12:00:00Z".parse::<Timestamp>();
        assert_eq!("2026-05-01t12:00:00z".parse(), moment);
        assert_eq!("2026-05-01 12:00:00Z".parse(), moment);
        for text in ["2026-05-01\\12:00:00Z", "2026-05-01_12:00:00Z", "2026-05-01\n12:00:00Z"] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn offsets_become_utc_and_nonsense_is_refused() {
        let moment: Timestamp = "2026-05-01T14:00:00+02:00".parse().unwrap();
        assert_eq!(moment.to_string(), "2026-05-01T12:00:00Z");
        for text in ["0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
        assert!("yesterday".parse::<Timestamp>().is_err());
    }
}
