use memlith::write::Weight;

/// Reads a strength: a decimal number above 0 and at most 10, six places at most.
///
/// # Errors
/// It is none; the text says what one looks like.
pub(crate) fn parse(text: &str) -> Result<Weight, String> {
    let millionths = crate::decimal::scaled(text, 6).and_then(|scaled| u32::try_from(scaled).ok());
    millionths.and_then(Weight::new).ok_or_else(|| {
        "a weight is a decimal number above 0 and at most 10, such as 1.05, \
         with six places at most"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_positive_and_at_most_ten() {
        assert_eq!(parse("0.000001"), Ok(Weight(1)));
        assert_eq!(parse("10"), Ok(Weight(10_000_000)));
        for text in ["0", "0.0", "10.000001", "NaN", "-1", "5000", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
