use std::fmt;

use serde::{Deserialize, Serialize};

/// How near two texts are by an embedding model, in ten millionths: -10,000,000 to 10,000,000.
///
/// An integer, so that what is compared with a threshold is what the log keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Cosine(pub i32);

impl Cosine {
    /// The cosine of what points the same way.
    pub const ONE: i32 = 10_000_000;
}

impl fmt::Display for Cosine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, size) = (Cosine::ONE.unsigned_abs(), self.0.unsigned_abs());
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:07}", size / one, size % one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cosine_is_shown_with_all_its_digits() {
        let shown = [9_500_000, -1, 10_000_000, 0].map(|cosine| Cosine(cosine).to_string());
        assert_eq!(shown, ["0.9500000", "-0.0000001", "1.0000000", "0.0000000"]);
    }
}
