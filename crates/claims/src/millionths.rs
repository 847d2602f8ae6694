use std::fmt;

/// A share or a likeness in millionths; a cosine is in -1,000,000..=1,000,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Millionths(pub i32);

impl Millionths {
    /// The whole.
    pub const ONE: Millionths = Millionths(1_000_000);

    /// `part` of `whole`, rounded down; all of nothing is nothing.
    pub(crate) fn share(part: usize, whole: usize) -> Millionths {
        let share = (part.min(whole) as u128 * 1_000_000).checked_div(whole as u128).unwrap_or(0);
        Millionths(i32::try_from(share).unwrap_or(Millionths::ONE.0))
    }
}

impl fmt::Display for Millionths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        write!(f, "{sign}{}.{:06}", size / 1_000_000, size % 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_down_and_never_above_one() {
        for (part, whole, expected) in
            [(0, 0, 0), (1, 3, 333_333), (2, 3, 666_666), (3, 3, 1_000_000), (9, 3, 1_000_000)]
        {
            assert_eq!(Millionths::share(part, whole).0, expected);
        }
        assert_eq!(Millionths(-5).to_string(), "-0.000005");
        assert_eq!(Millionths(i32::MIN).to_string(), "-2147.483648");
    }
}
