//! Values beside a provider's name: `heroku api key: ...`.

use std::ops::Range;

use crate::part::{WINDOW, end_of};
use crate::providers::{Form, Provider};
use crate::shape::is_drawn;
use crate::word::{byte, is_word_byte, skip};

/// Words of a name of which a secret's has one.
const OF_SECRETS: &[&str] =
    &["key", "token", "secret", "auth", "pass", "pwd", "cred", "login", "licen", "__com"];

/// Words of a name that make its value another thing.
const OF_OTHERS: &[&str] = &[
    "sha",
    "md5",
    "hash",
    "digest",
    "checksum",
    "commit",
    "etag",
    "uuid",
    "fingerprint",
    "public",
    "path",
    "file",
    "name",
    "url",
];

/// How far behind its provider a value may stand, as gitleaks has it.
const GAP_MAX: usize = 24;

/// The secret of `provider`, whose keyword stands at `hit` inside `word`, and its form.
///
/// The name around the keyword has to speak of a secret, and the value to have the length
/// and the bytes of one: a digest beside a provider's name is none.
pub(crate) fn value(
    text: &str,
    word: &Range<usize>,
    hit: &Range<usize>,
    provider: &'static Provider,
) -> Option<(Range<usize>, &'static Form)> {
    let gap = text.as_bytes().get(hit.end..)?.iter().take(GAP_MAX);
    let gap = gap.take_while(|&&byte| is_word_byte(byte) || is_blank(byte)).count();
    let named = hit.end + gap;
    let start = value_start(text, named)?;
    let name = text.get(word.start.max(hit.start.saturating_sub(WINDOW))..named)?;
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if !has(OF_SECRETS) || has(OF_OTHERS) {
        return None;
    }
    let fits = |form: &&Form| {
        let end = end_of(form.parts, text, start);
        end.filter(|&end| ends(text, end) && is_drawn(text, start..end)).is_some()
    };
    let form = provider.forms.iter().find(fits)?;
    Some((start..end_of(form.parts, text, start)?, form))
}

/// Where the value starts of which a name ends at `at`: behind an operator, in quotes or not.
fn value_start(text: &str, at: usize) -> Option<usize> {
    let closed = skip(text, at, |byte| matches!(byte, b'"' | b'\'' | b']' | b'\\')).min(at + 3);
    let operator = skip(text, closed, is_blank).min(closed + 3);
    let end =
        skip(text, operator, |byte| matches!(byte, b'=' | b':' | b'>' | b'?')).min(operator + 3);
    let value = skip(text, end, |byte| is_blank(byte) || is_quote(byte)).min(end + 6);
    (end > operator).then_some(value)
}

/// Whether a value may end at `at`, as one that is written out does.
fn ends(text: &str, at: usize) -> bool {
    byte(text, at).is_none_or(|byte| {
        byte.is_ascii_whitespace()
            || is_quote(byte)
            || matches!(byte, b';' | b',' | b'&' | b'}' | b'.' | b')')
    })
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}
