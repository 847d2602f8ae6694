//! How long to wait, as `--lock-timeout` takes it.

use std::str::FromStr;
use std::time::Duration;

/// A time to wait, as `10`, `0.5s` or `200ms`; seconds where no unit is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Wait(pub Duration);

impl FromStr for Wait {
    type Err = String;

    fn from_str(text: &str) -> Result<Wait, String> {
        let (number, places) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
            (Some(number), _) => (number, 3),
            (None, Some(number)) => (number, 6),
            (None, None) => (text, 6),
        };
        crate::decimal::scaled(number, places)
            .map(|micros| Wait(Duration::from_micros(micros)))
            .ok_or_else(|| "a time to wait looks like 10, 0.5s or 200ms".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_seconds_unless_said() {
        for (text, millis) in [("10", 10_000), ("0.5s", 500), ("200ms", 200), ("0", 0)] {
            assert_eq!(text.parse(), Ok(Wait(Duration::from_millis(millis))), "{text}");
        }
        for text in ["", "s", "-1", "1e3", "NaN", "1m", "99999999999999999999"] {
            assert!(text.parse::<Wait>().is_err(), "{text}");
        }
    }
}
