use std::ops::Range;

use crate::name::is_secret;
use crate::word::{byte, is_word_byte, skip};

/// How sure the surroundings make it that a value is meant literally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// `NAME=value`, `NAME: value`, or a quoted name.
    Strong {
        /// The name is written as environments write it: the value may hold brackets.
        upper: bool,
    },
    /// `name: value` or `name = value`: prose and code look like this too.
    Weak,
}

/// Words that stand for a value and give nothing away.
const EMPTY: &[&str] = &[
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "empty",
    "unset",
    "default",
    "string",
    "str",
    "bytes",
    "int",
    "integer",
    "number",
    "bool",
    "boolean",
    "any",
    "object",
    "text",
    "required",
    "optional",
    "redacted",
    "hidden",
    "masked",
    "secret",
    "token",
    "password",
];

/// Whether a text stands in a secret's place: `$TOKEN`, `${TOKEN}`, `<token>`, `***`.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let mut bytes = text.bytes();
    match bytes.next() {
        None | Some(b'$' | b'<' | b'{' | b'*' | b'%') => true,
        Some(b'.') => text.starts_with("..."),
        Some(b'[') => text.get(..9).is_some_and(|text| text.eq_ignore_ascii_case("[redacted")),
        Some(first @ (b'x' | b'X')) => bytes.all(|byte| byte == first),
        Some(_) => text.starts_with('\u{2026}') || is_empty_word(text),
    }
}

/// How much of a value decides: many names can stand in one long value.
const WINDOW: usize = 256;

/// The span of an unquoted value that starts at `start` and is worth hiding.
pub(crate) fn unquoted(
    text: &str,
    name: &str,
    start: usize,
    context: Context,
) -> Option<Range<usize>> {
    let ends = |byte: &u8| ends_value(*byte, context);
    let window = text.as_bytes().get(start..)?.iter().take(WINDOW);
    let mut window_end = start + window.take_while(|byte| !ends(byte)).count();
    while !text.is_char_boundary(window_end) {
        window_end -= 1;
    }
    let value = text.get(start..window_end)?.trim_end_matches('.');
    let next = byte(text, window_end);
    let hides = !is_placeholder(value)
        && !names_field(value, name)
        && match context {
            Context::Strong { upper: true } => !is_code(value, next),
            Context::Strong { upper: false } => !is_code(value, next) && !is_reference(value, next),
            Context::Weak => is_random(value) && !is_code(value, next),
        };
    if !hides {
        return None;
    }
    let end = skip(text, window_end, |byte| !ends(&byte));
    Some(start..if end > window_end { end } else { start + value.len() })
}

/// Whether letters and digits are mixed as nobody writes words: six bytes or more with
/// a digit and a letter, or eight digits.
pub(crate) fn is_random(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    value.len() >= 6 && digits > 0 && (letters || digits >= 8)
}

fn is_empty_word(text: &str) -> bool {
    text.len() <= 10 && EMPTY.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn ends_value(byte: u8, context: Context) -> bool {
    match byte {
        b'"' | b'\'' | b'`' | b'\\' | b';' | b'&' | b'|' | b')' | b'>' => true,
        b'(' | b'[' | b']' | b'{' | b'}' | b'<' | b',' => {
            context != Context::Strong { upper: true }
        }
        byte => byte.is_ascii_whitespace(),
    }
}

/// Whether a value is an expression of a program: a call, a path, a reference, a type.
fn is_code(value: &str, next: Option<u8>) -> bool {
    let path_len = skip(value, 0, |byte| is_word_byte(byte) && byte != b'-');
    let called =
        path_len > 0 && matches!(byte(value, path_len).or(next), Some(b'(' | b'[' | b'{' | b'<'));
    let starts = value.starts_with(['&', '(', '[', '@', '|', '!', '-', '=']);
    let parts = value.split('.');
    let path =
        value.contains('.') && parts.clone().count() >= 2 && parts.clone().all(is_identifier);
    called || starts || path || value.contains("::")
}

/// Whether a value is a field like `self.db1_password`, or repeats the name.
fn names_field(value: &str, name: &str) -> bool {
    value == name || value.rsplit_once('.').is_some_and(|(_, last)| last == name || is_secret(last))
}

/// Whether a value is itself the name of a secret, or an argument, as in `login(token=tk)`.
fn is_reference(value: &str, next: Option<u8>) -> bool {
    let argument = matches!(next, Some(b',' | b')')) && is_identifier(value);
    argument || is_identifier(value) && is_secret(value)
}

/// Whether a text is an identifier without digits.
fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}
