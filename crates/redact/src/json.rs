//! One pass over a JSON document, which stays one.
//!
//! The document is first checked by `serde_json`, its limit on depth in force, and then
//! walked as bytes, so that numbers, order, blanks and repeated keys stay as they are.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use crate::Rule;
use crate::edit::Edits;
use crate::name::is_secret;
use crate::redacted::pass as pass_text;
use crate::rule::MARK_START;
use crate::tally::{Origin, Tally};

/// How deep strings that hold documents are followed; deeper ones are plain text.
const DEPTH_MAX: usize = 8;

/// Whether a text is a JSON object, array or string: of the others nothing is taken out.
pub(crate) fn is_document(text: &str, depth: usize) -> bool {
    let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
    let delimited = trimmed.starts_with('{') && trimmed.ends_with('}')
        || trimmed.starts_with('[') && trimmed.ends_with(']')
        || trimmed.starts_with('"') && trimmed.ends_with('"');
    depth < DEPTH_MAX && delimited && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// One pass over a document that [`is_document`] accepted.
pub(crate) fn pass(text: &str, depth: usize, origin: Origin, tally: &mut Tally) -> Edits {
    let mut walk = Walk { text, depth, origin, tally, edits: Edits::default() };
    walk.run();
    walk.edits
}

struct Walk<'a, 'b> {
    text: &'a str,
    depth: usize,
    origin: Origin,
    tally: &'b mut Tally,
    edits: Edits,
}

impl Walk<'_, '_> {
    fn run(&mut self) {
        let mut objects: Vec<bool> = Vec::new();
        let mut key_next = false;
        let mut at = 0;
        while let Some(&byte) = self.text.as_bytes().get(at) {
            at += 1;
            match byte {
                b'{' | b'[' => {
                    objects.push(byte == b'{');
                    key_next = byte == b'{';
                }
                b'}' | b']' => {
                    objects.pop();
                    key_next = false;
                }
                b',' => key_next = objects.last() == Some(&true),
                b'"' => {
                    let start = at - 1;
                    at = string_end(self.text, start);
                    let secret = self.string(start, at, key_next);
                    if secret && key_next {
                        at = self.value(at);
                    }
                    key_next = false;
                }
                _ => {}
            }
        }
    }

    /// Redacts the string from `start` to `end`; as a key, says whether it names a secret.
    fn string(&mut self, start: usize, end: usize, key: bool) -> bool {
        let literal = self.text.get(start..end).unwrap_or_default();
        let content = decode(literal);
        let origin = Origin::String(self.origin.of(start));
        let edits = pass_text(&content, self.depth + 1, origin, self.tally);
        if edits.is_empty() {
            return key && (names_secret(&content) || content == "auth" && self.is_login(end));
        }
        let redacted = edits.apply(&content);
        let literal = serde_json::to_string(&redacted).unwrap_or_default();
        self.edits.push(start, end, literal);
        key && names_secret(&redacted)
    }

    /// Whether the string behind the key that ends at `at` is a name and a password in base64, as a
    /// registry's `auth` is.
    fn is_login(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or_default().trim_start();
        let rest = rest.strip_prefix(':').unwrap_or_default().trim_start();
        let value = rest.strip_prefix('"').and_then(|rest| rest.split('"').next());
        value.and_then(decoded).is_some_and(|bytes| {
            bytes.contains(&b':') && bytes.iter().all(|byte| byte.is_ascii_graphic())
        })
    }

    /// Replaces the value after the key that ends at `at`; returns where to go on.
    fn value(&mut self, at: usize) -> usize {
        let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b':';
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let start = at + rest.iter().take_while(|byte| blank(byte)).count();
        let end = value_end(self.text, start);
        let value = self.text.get(start..end).unwrap_or_default();
        let marked = value.get(1..).is_some_and(|content| content.starts_with(MARK_START));
        if marked || matches!(value, "null" | "true" | "false" | "\"\"" | "{}" | "[]") {
            // A mark can stand before more of the string: the walk looks at it as text.
            return start;
        }
        let (rule, secret) = (Rule::JsonKey, value.trim_matches('"'));
        self.tally.add(self.origin.of(start), rule, rule.name(), secret);
        self.edits.push(start, end, format!("\"{}\"", rule.mark()));
        end
    }
}

/// The bytes that a short text in base64 stands for.
fn decoded(text: &str) -> Option<Vec<u8>> {
    const LEN_MAX: usize = 4096;
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = text.trim_end_matches('=');
    if !(8..LEN_MAX).contains(&text.len()) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.bytes() {
        let value = LETTERS.iter().position(|letter| *letter == byte)?;
        bits = bits << 6 | u32::try_from(value).ok()?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// Whether a redacted key names a secret; the marks in it don't speak.
fn names_secret(key: &str) -> bool {
    if !key.contains(MARK_START) {
        return is_secret(key);
    }
    let mut name = String::with_capacity(key.len());
    let mut rest = key;
    while let Some(at) = rest.find(MARK_START) {
        let (before, from) = rest.split_at(at);
        let len = Rule::mark_len(from).unwrap_or(MARK_START.len());
        name.push_str(before);
        rest = from.get(len..).unwrap_or_default();
    }
    name.push_str(rest);
    is_secret(&name)
}

/// The text that a string literal stands for; half of a surrogate pair becomes U+FFFD.
fn decode(literal: &str) -> Cow<'_, str> {
    let content = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    if !content.contains('\\') {
        return Cow::Borrowed(content);
    }
    match serde_json::from_str::<String>(literal) {
        Ok(content) => Cow::Owned(content),
        // Only a lone surrogate passes the check of the document and fails here. The
        // escapes stay in the text, and one more level of them when it is written.
        Err(_) => Cow::Borrowed(content),
    }
}

/// The end of the string literal that starts at `start`.
fn string_end(text: &str, start: usize) -> usize {
    let mut escaped = false;
    let bytes = text.as_bytes().get(start + 1..).unwrap_or_default();
    let len = bytes.iter().position(|&byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    len.map_or(text.len(), |len| start + 1 + len + 1)
}

/// The end of the value that starts at `start`.
fn value_end(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => at = string_end(text, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                if depth == 0 {
                    return at;
                }
                depth -= 1;
                at += 1;
            }
            b',' if depth == 0 => return at,
            byte if depth == 0 && byte.is_ascii_whitespace() => return at,
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
