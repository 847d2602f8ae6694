//! Entries of files that hold passwords: netrc and pgpass.

use std::ops::Range;

use crate::Rule;
use crate::value::is_placeholder;
use crate::word::{byte, is_word_byte, skip};

/// The password of the netrc entry whose `machine` or `default` stands at `hit`.
///
/// An entry goes over blanks and line breaks, escaped ones too: `machine HOST login USER
/// password PASSWORD`. In prose it has to begin its line, or its host to look like one.
pub(crate) fn netrc(text: &str, hit: &Range<usize>) -> Option<Range<usize>> {
    let before = text.as_bytes().get(..hit.start)?;
    if before.last().is_some_and(|&byte| is_word_byte(byte) && !ends_escape(before)) {
        return None;
    }
    let named = text.get(hit.clone())?.starts_with(['m', 'M']);
    let mut words = Words { text, at: hit.start };
    words.next()?;
    let host = if named { text.get(words.next()?)? } else { "." };
    let begins = matches!(before.last(), None | Some(b'\n' | b'"' | b'\'' | b'`' | b'\\'));
    if !begins && !ends_escape(before) && !host.contains(['.', ':']) && host != "localhost" {
        return None;
    }
    let mut login = host.contains(['.', ':']);
    for _ in 0..PAIRS_MAX {
        let key = text.get(words.next()?)?;
        let value = words.next()?;
        match key {
            "login" | "account" | "port" => login = true,
            "password" if !login => return None,
            "password" => {
                let password = text.get(value.clone())?;
                let hides = !is_placeholder(password) && Rule::mark_len(password).is_none();
                return hides.then_some(value);
            }
            _ => return None,
        }
    }
    None
}

/// A user, an account, and the password.
const PAIRS_MAX: usize = 4;

/// Whether the text ends with an escaped line break.
fn ends_escape(before: &[u8]) -> bool {
    before.ends_with(b"\\n") || before.ends_with(b"\\t")
}

/// The words of an entry; a word is no longer than a password is.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

const WORD_MAX: usize = 256;

impl Words<'_> {
    fn next(&mut self) -> Option<Range<usize>> {
        let mut start = self.at;
        loop {
            let blank = skip(self.text, start, |byte| byte.is_ascii_whitespace());
            let escape = matches!(byte(self.text, blank), Some(b'\\'))
                && matches!(byte(self.text, blank + 1), Some(b'n' | b't' | b'r' | b'\n'));
            if !escape {
                start = blank;
                break;
            }
            start = blank + 2;
        }
        let rest = self.text.as_bytes().get(start..)?;
        let len = rest.iter().take(WORD_MAX).take_while(|byte| {
            !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\')
        });
        let mut end = start + len.count();
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.at = end;
        (end > start).then_some(start..end)
    }
}

/// The password of the pgpass entry `host:port:database:user:password` whose port stands at
/// `hit`, between its colons.
pub(crate) fn pgpass(text: &str, hit: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = bytes.get(..hit.start)?;
    let host = before.iter().rev().take(WORD_MAX).take_while(|&&byte| is_field(byte)).count();
    let host = text.get(hit.start - host..hit.start)?;
    if host.is_empty() {
        return None;
    }
    let field = |from: usize| {
        let field = bytes.get(from..)?.iter().take(WORD_MAX);
        let end = from + field.take_while(|&&byte| is_field(byte)).count();
        (end > from && byte(text, end) == Some(b':')).then_some(end + 1)
    };
    let start = field(field(hit.end)?)?;
    let password = bytes.get(start..)?.iter().take(WORD_MAX);
    let password = password.take_while(|&&byte| is_field(byte) || b":/@,;|()".contains(&byte));
    let end = start + password.count();
    let password = text.get(start..end)?;
    let hides = !is_placeholder(password) && Rule::mark_len(password).is_none();
    hides.then_some(start..end)
}

/// Whether a byte can stand in the host, the database or the user of an entry.
fn is_field(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b":\"'`\\/@,;|()[]{}<>=".contains(&byte)
}
