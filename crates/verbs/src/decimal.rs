//! Decimals as people write them.

/// The decimal number `text` times 10^`places`, exactly; `None` where it is no such
/// number, has more places, or is too large.
pub fn scaled(text: &str, places: usize) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || (whole.is_empty() && part.is_empty()) {
        return None;
    }
    if part.len() > places {
        return None;
    }
    format!("{whole}{part:0<places$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimals_are_numbers() {
        for (text, millionths) in [
            ("1.05", 1_050_000),
            ("0.000001", 1),
            (".5", 500_000),
            ("10", 10_000_000),
            ("2.", 2_000_000),
        ] {
            assert_eq!(scaled(text, 6), Some(millionths), "{text}");
        }
        for text in ["", ".", "NaN", "inf", "-1", "+1", "1e3", "0x1", "1.0000001", " 1", "1,5"] {
            assert_eq!(scaled(text, 6), None, "{text}");
        }
    }
}
