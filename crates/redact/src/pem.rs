use std::ops::Range;

use crate::word::skip;

/// How far the end of a block is looked for: an RSA key of 16,384 bits has 13 KB.
const BLOCK_MAX: usize = 20 << 10;

/// The PEM block whose `-----BEGIN` starts at `hit`, if it holds a private key.
///
/// A block whose end is missing goes as far as lines of base64 follow its header. Line
/// breaks may be escaped, once or more, as they are in JSON.
pub(crate) fn block(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    let label_end = skip(text, hit.end, |byte| byte.is_ascii_uppercase() || byte == b' ');
    let label = text.get(hit.end..label_end)?;
    let header_end = label_end + 5;
    if !label.contains("PRIVATE KEY") || text.get(label_end..header_end) != Some("-----") {
        return None;
    }
    let end = closing(text, header_end).unwrap_or_else(|| unclosed(text, header_end));
    Some(hit.start..end)
}

/// The end of the block's `-----END ...-----`, if it comes soon and before another block.
fn closing(text: &str, from: usize) -> Option<usize> {
    let mut window_end = text.len().min(from + BLOCK_MAX);
    while !text.is_char_boundary(window_end) {
        window_end -= 1;
    }
    let window = text.get(from..window_end)?;
    let end = window.find("-----END ")?;
    if window.get(..end)?.contains("-----BEGIN") {
        return None;
    }
    let label_end = skip(text, from + end + 9, |byte| byte.is_ascii_uppercase() || byte == b' ');
    (text.get(label_end..label_end + 5) == Some("-----")).then_some(label_end + 5)
}

/// The end of the lines of base64 that follow.
fn unclosed(text: &str, from: usize) -> usize {
    let mut end = from;
    loop {
        let gap = skip(text, end, |byte| byte.is_ascii_whitespace() || b"\\\"',+".contains(&byte));
        // The `n` of an escaped line break is a letter of the line that follows.
        let line = skip(text, gap, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
        });
        if line - gap < 24 {
            return end;
        }
        end = line;
    }
}
