/// `text` on one line, at most `chars` characters of it, so that a terminal shows it and
/// obeys none of it: what is invisible is written by its number.
pub(crate) fn plain(text: &str, chars: usize) -> String {
    let mut out = String::new();
    let mut left = text.chars();
    for c in left.by_ref().take(chars) {
        match c {
            '\n' | '\t' | '\r' => out.push(' '),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    if left.next().is_some() {
        out.push_str("...");
    }
    out
}

/// Control, zero-width, bidirectional and tag characters, and line separators.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_as_a_command() {
        assert_eq!(plain("a\nb\u{1b}[31mc\u{202e}", 99), "a b\\u{1b}[31mc\\u{202e}");
        assert_eq!(plain("abcd", 4), "abcd");
        assert_eq!(plain("abcde", 4), "abcd...");
    }
}
