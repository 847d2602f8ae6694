use memlith::{AsOf, Seq, Timestamp};

/// Reads an instant: RFC 3339, or a date for its first instant in UTC.
///
/// # Errors
/// It is none; the text says what one looks like.
pub(crate) fn parse(text: &str) -> Result<Timestamp, String> {
    let midnight = format!("{text}T00:00:00Z").parse::<Timestamp>();
    let parsed = text.parse::<Timestamp>();
    parsed.or_else(|error| midnight.map_err(|_| format!("{error}, or as 2026-05-01")))
}

/// An instant, or an age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    Instant(Timestamp),
    Days(u32),
}

impl Before {
    /// The instant that it is at `now`.
    pub(crate) fn at(self, now: Timestamp) -> Timestamp {
        const DAY_US: i64 = 86_400_000_000;
        match self {
            Before::Instant(at) => at,
            Before::Days(days) => Timestamp(now.0.saturating_sub(i64::from(days) * DAY_US)),
        }
    }
}

/// Reads an instant, or an age in days: `30d`.
///
/// # Errors
/// It is neither.
pub(crate) fn parse_before(text: &str) -> Result<Before, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse().ok());
    days.map_or_else(|| parse(text).map(Before::Instant), |days| Ok(Before::Days(days)))
}

/// Reads a past state: the number of a record, or an instant.
///
/// # Errors
/// It is neither.
pub(crate) fn parse_as_of(text: &str) -> Result<AsOf, String> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let seq = text.parse().map_err(|_| format!("`{text}` is no record's number"))?;
        return Ok(AsOf::Seq(Seq(seq)));
    }
    parse(text).map(AsOf::Time)
}

/// Takes an instant out of a request in JSON.
#[cfg(feature = "schema")]
pub(crate) fn given<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<Timestamp>, D::Error> {
    crate::given::by(from, parse)
}

/// Takes a past state out of a request in JSON.
#[cfg(feature = "schema")]
pub(crate) fn as_of_given<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<AsOf>, D::Error> {
    crate::given::by(from, parse_as_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_its_first_instant() {
        assert_eq!(parse("2026-05-01"), parse("2026-05-01T02:00:00+02:00"));
        assert!(parse("2026-13-01").is_err());
        assert!(parse("").is_err());
    }

    #[test]
    fn an_age_is_days_before_now() {
        let day = Timestamp(86_400_000_000);
        assert_eq!(parse_before("1d").map(|before| before.at(day)), Ok(Timestamp(0)));
        assert_eq!(parse_before("1970-01-02").map(|before| before.at(Timestamp(0))), Ok(day));
        for text in ["d", "-1d", "1.5d", "99999999999d", "day"] {
            assert!(parse_before(text).is_err(), "{text}");
        }
    }

    #[test]
    fn digits_are_a_record() {
        assert_eq!(parse_as_of("17"), Ok(AsOf::Seq(Seq(17))));
        assert_eq!(parse_as_of("1970-01-01"), Ok(AsOf::Time(Timestamp(0))));
        for text in ["", "-1", "99999999999999999999", "mem_17"] {
            assert!(parse_as_of(text).is_err(), "{text}");
        }
    }
}
