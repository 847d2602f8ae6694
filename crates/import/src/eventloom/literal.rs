/// The code points that a string literal stands for, halves of surrogate pairs included.
///
/// The literal is valid and has its quotes.
pub(crate) fn decode(literal: &str) -> impl Iterator<Item = u32> + '_ {
    let content = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    let mut rest = content;
    std::iter::from_fn(move || {
        let (point, len) = next_point(rest)?;
        rest = rest.get(len..).unwrap_or_default();
        Some(point)
    })
}

/// The first code point of a literal's content, and how many bytes it takes there.
fn next_point(content: &str) -> Option<(u32, usize)> {
    let first = content.chars().next()?;
    if first != '\\' {
        return Some((u32::from(first), first.len_utf8()));
    }
    let escape = content.chars().nth(1)?;
    let point = match escape {
        'b' => 0x08,
        'f' => 0x0c,
        'n' => 0x0a,
        'r' => 0x0d,
        't' => 0x09,
        'u' => return unit(content).map(|high| joined(high, content)),
        other => u32::from(other),
    };
    Some((point, 1 + escape.len_utf8()))
}

/// The code point of a unit that may be the first half of a pair.
fn joined(high: u32, content: &str) -> (u32, usize) {
    let low = content.get(6..).and_then(unit);
    match (high, low) {
        (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) => {
            (0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12)
        }
        _ => (high, 6),
    }
}

fn unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}
