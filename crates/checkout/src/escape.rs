//! How stored text is written so that nothing in it acts: no control character reaches
//! a terminal, no invisible one a model, no markup a renderer.

use std::fmt::Write;

use memlith_event::is_hidden;

/// `text` as a JSON string on one line, quotation marks included.
///
/// Any JSON reader gives back exactly `text`. Written as escapes are, beyond what JSON
/// demands: hidden characters; `<`, `>`, so that no tag or block can be opened or
/// closed; backticks beside each other, so that no fence can; `]` where a link or a picture would go
/// on.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut rest = text.chars();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        let next = rest.as_str().chars().next();
        // One alone marks a word; it is several that make a fence.
        let is_fence = c == '`' && (before == '`' || next == Some('`'));
        before = c;
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '<' | '>' => push_units(&mut out, c),
            _ if is_fence => push_units(&mut out, c),
            ']' if matches!(next, Some('(' | '[' | ':')) => push_units(&mut out, c),
            c if is_hidden(c) => push_units(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// `text` for a terminal: hidden characters by their numbers, lines told apart. Tabs stay: what a
/// memory tool shows has to be found again.
pub(crate) fn visible_lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split('\n').map(|line| shown(line.strip_suffix('\r').unwrap_or(line), '\t'))
}

/// `text` for a terminal, on one line.
pub(crate) fn visible(text: &str) -> String {
    shown(text, ' ')
}

fn shown(text: &str, tab: char) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push(tab),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// `c` as JSON escapes: one, or a surrogate pair.
fn push_units(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string can't fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_acts_is_written_out() {
        for (text, expected) in [
            ("plain \u{e9} \u{4e2d}", "\"plain \u{e9} \u{4e2d}\"".to_owned()),
            ("a\nb\t\"\\", r#""a\nb\t\"\\""#.to_owned()),
            ("\u{1b}[2J\r", r#""\u001b[2J\u000d""#.to_owned()),
            ("\u{202e}x\u{2066}", r#""\u202ex\u2066""#.to_owned()),
            ("\u{e0041}", r#""\udb40\udc41""#.to_owned()),
            ("<b>", r#""\u003cb\u003e""#.to_owned()),
            ("```", r#""\u0060\u0060\u0060""#.to_owned()),
            ("run `make` or ``x``", r#""run `make` or \u0060\u0060x\u0060\u0060""#.to_owned()),
            ("![a](b) [c] [d][e]", r#""![a\u005d(b) [c] [d\u005d[e]""#.to_owned()),
        ] {
            assert_eq!(quoted(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_terminal_gets_nothing_that_acts() {
        assert_eq!(visible("a\u{1b}[31m\u{202e}\tb"), "a\\u{1b}[31m\\u{202e} b");
        let lines: Vec<String> = visible_lines("a\r\nb\rc").collect();
        assert_eq!(lines, ["a", "b\\u{d}c"]);
    }

    proptest! {
        #[test]
        fn quoting_is_read_back_exactly(text in any::<String>(), wild in wild()) {
            for text in [text, wild] {
                let quoted = quoted(&text);
                let read: String = serde_json::from_str(&quoted).unwrap();
                prop_assert_eq!(&read, &text);
                prop_assert!(!quoted.contains(['<', '>']) && !quoted.contains("``"));
                prop_assert!(!quoted.chars().any(is_hidden));
                prop_assert!(!visible(&text).chars().any(is_hidden));
            }
        }
    }

    /// Text of characters that act.
    fn wild() -> impl Strategy<Value = String> {
        let c = prop_oneof![
            prop::sample::select(vec![
                '\n',
                '\r',
                '\u{0}',
                '\u{1b}',
                '<',
                '>',
                '`',
                ']',
                '(',
                '[',
                ':',
                '"',
                '\\',
                '!',
                '\u{202e}',
                '\u{2028}',
                '\u{e0041}',
                '\u{feff}',
                '\u{fffe}',
                'a',
                '\u{7f}',
            ]),
            any::<char>(),
        ];
        prop::collection::vec(c, 0..40).prop_map(String::from_iter)
    }
}
