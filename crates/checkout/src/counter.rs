/// Counts the tokens of a text.
///
/// A receipt names its counter, so a name is for ever: another way of counting is
/// another name. A longer text never has fewer tokens.
pub trait TokenCounter {
    /// The name that receipts state.
    fn name(&self) -> &str;

    /// The number of tokens of `text`.
    fn count(&self, text: &str) -> u32;
}

/// A quarter of the bytes, rounded up: near enough to any model's own count for a
/// budget, and the same everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuarterBytes;

impl TokenCounter for QuarterBytes {
    fn name(&self) -> &str {
        "bytes/4"
    }

    fn count(&self, text: &str) -> u32 {
        u32::try_from(text.len().div_ceil(4)).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_started_token_counts() {
        for (text, tokens) in [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("\u{20ac}", 1)] {
            assert_eq!(QuarterBytes.count(text), tokens, "{text}");
        }
    }
}
