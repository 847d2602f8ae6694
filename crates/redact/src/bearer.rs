use std::ops::Range;

use crate::word::skip;

/// The credential that follows the word `Bearer` or `Basic` ending at `after`.
///
/// "bearer authentication" is prose: a credential has a digit and at least twelve
/// bytes, or both cases and at least twenty-four.
pub(crate) fn credential(text: &str, after: usize) -> Option<Range<usize>> {
    let mut start = skip(text, after, |byte| matches!(byte, b' ' | b'\t'));
    if let Some(encoded) = text.get(after..).filter(|rest| rest.starts_with("%20")) {
        start = text.len() - encoded.len() + 3;
    }
    let end = skip(text, start, |byte| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte));
    let credential = text.get(start..end)?.trim_end_matches('.');
    let any = |test: fn(&u8) -> bool| credential.as_bytes().iter().any(test);
    let random = match credential.len() {
        0..12 => false,
        12..24 => any(u8::is_ascii_digit),
        24.. => {
            any(u8::is_ascii_digit) || any(u8::is_ascii_lowercase) && any(u8::is_ascii_uppercase)
        }
    };
    (start > after && random).then(|| start..start + credential.len())
}
