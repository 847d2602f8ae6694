//! How numbers are written by serde: as floats, which nothing here reads.

use serde::ser::Error as _;
use serde::{Serialize, Serializer};

use crate::{Decimal, Multiplier};

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_string().parse().map_err(S::Error::custom)?)
    }
}

impl Serialize for Multiplier {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A fraction of 2^30, so that the quotient is exact.
        serializer.serialize_f64(f64::from(self.raw()) / f64::from(Multiplier::ONE.raw()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_as_it_is_shown() {
        for (decimal, json) in [
            (Decimal::ONE, "1.0"),
            (Decimal::of_millionths(10_500), "0.0105"),
            (Decimal::of_millionths(0), "0.0"),
        ] {
            assert_eq!(serde_json::to_string(&decimal).unwrap(), json, "{decimal}");
        }
        assert_eq!(serde_json::to_string(&Multiplier::ONE).unwrap(), "1.0");
    }
}
