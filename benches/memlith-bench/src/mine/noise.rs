use std::str::FromStr;

/// A share in thousandths, given as `0.2`, `20` or `20%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noise(pub(crate) u64);

impl FromStr for Noise {
    type Err = String;

    /// Up to 1 it is a share, above and with `%` it is percent.
    fn from_str(text: &str) -> Result<Noise, String> {
        let (number, is_percent) =
            text.strip_suffix('%').map_or((text, false), |number| (number, true));
        let number: f64 = number.trim().parse().map_err(|_| format!("`{text}` is no share"))?;
        let share = if is_percent || number > 1.0 { number / 100.0 } else { number };
        if !(0.0..=1.0).contains(&share) {
            return Err(format!("`{text}` is not between 0 and 100 %"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is between 0 and 1000")]
        let thousandths = (share * 1000.0).round() as i64;
        Ok(Noise(thousandths.unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_given_in_three_ways() {
        for (text, expected) in [
            ("0", 0),
            ("0.2", 200),
            ("20", 200),
            ("20%", 200),
            ("1%", 10),
            ("0.5", 500),
            ("1", 1000),
            ("100", 1000),
            ("12.5%", 125),
        ] {
            assert_eq!(text.parse(), Ok(Noise(expected)), "{text}");
        }
        for text in ["", "%", "-1", "101", "NaN", "x", "inf"] {
            assert!(text.parse::<Noise>().is_err(), "{text}");
        }
    }
}
