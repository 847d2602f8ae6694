//! Visibility of the characters of a text.

/// Whether a reader can't see `c`, or it changes how what stands around it is seen:
/// control, bidirectional, tag and other characters that take no ink.
///
/// Source: Unicode 16.0, the categories Cc, Cf, Zl and Zp, the property
/// `Default_Ignorable_Code_Point`, and the noncharacters.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    c.is_control()
        || code & 0xfffe == 0xfffe
        || matches!(code,
            0xad | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2
            | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
            | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfdd0..=0xfdef | 0xfe00..=0xfe0f
            | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x110bd | 0x110cd | 0x13430..=0x1343f
            | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

/// Whether nothing of `text` can be seen: it is empty, however long.
#[must_use]
pub fn is_unseen(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_hidden(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_seen_by_one_character() {
        // A zero-width space and joiner, a soft hyphen, a Hangul filler, a variation selector,
        // a tag, a control character and a noncharacter.
        let hidden = "\u{200b}\u{200d}\u{ad}\u{3164}\u{fe0f}\u{e0041}\u{7}\u{fffe}";
        for text in ["", " \n\t\u{3000}", hidden, &format!(" {hidden}\u{2028}")] {
            assert!(is_unseen(text), "{text:?}");
        }
        for seen in ["a", ".", "\u{301}", "\u{1f600}", "\u{fffd}", "\u{645}"] {
            assert!(!is_unseen(&format!("{hidden}{seen}{hidden}")), "{seen:?}");
        }
    }
}
