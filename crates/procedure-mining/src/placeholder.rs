//! Placeholders for things that differ from one time to the next.

use serde_json::Value;

/// The most bytes of a name that is kept.
const NAME_MAX: usize = 64;

/// The placeholder of a value of JSON.
pub(crate) fn of_value(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "<number>",
        Value::String(text) => of_text(text),
        Value::Array(_) => "<list>",
        Value::Object(_) => "<object>",
    }
}

/// The placeholder of a text.
pub(crate) fn of_text(text: &str) -> &'static str {
    let text = text.trim();
    let bytes = text.as_bytes();
    let all = |is: fn(u8) -> bool| bytes.iter().all(|byte| is(*byte));
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if text.is_empty() || text.contains(char::is_whitespace) {
        "<text>"
    } else if text.contains("://") {
        "<url>"
    } else if text.starts_with('$') {
        "<variable>"
    } else if digits > 0 && all(|byte| byte.is_ascii_digit() || b"+-.,_%".contains(&byte)) {
        if is_date(bytes) { "<time>" } else { "<number>" }
    } else if digits > 0 && all(|byte| byte.is_ascii_digit() || b"-:.+TZ".contains(&byte)) {
        "<time>"
    } else if is_uuid(text) {
        "<id>"
    } else if digits > 0 && bytes.len() >= 7 && all(|byte| byte.is_ascii_hexdigit()) {
        "<hash>"
    } else if is_path(text) {
        "<path>"
    } else if digits > 0 && letters > 0 && all(|byte| name_byte(byte) || b":#@".contains(&byte)) {
        "<id>"
    } else if letters > 0 && bytes.len() <= NAME_MAX && all(|byte| name_byte(byte) || byte == b':')
    {
        "<word>"
    } else {
        "<text>"
    }
}

/// The text where it is a name of letters, digits and `._:+-`; nothing otherwise.
pub(crate) fn word(text: &str) -> &str {
    let is_name = text.bytes().all(|byte| name_byte(byte) || b":+".contains(&byte));
    if is_name && text.len() <= NAME_MAX { text } else { "" }
}

fn name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-".contains(&byte)
}

/// Whether it is a year, a month and a day with `-` between.
fn is_date(bytes: &[u8]) -> bool {
    bytes.len() == 10 && bytes.get(4) == Some(&b'-') && bytes.get(7) == Some(&b'-')
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12])
        && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Whether it has a separator, begins as a path does, or ends as a file's name does.
fn is_path(text: &str) -> bool {
    let ending = text.rsplit_once('.').map(|(_, ending)| ending.as_bytes());
    let is_ending = ending.is_some_and(|ending| {
        (1..=5).contains(&ending.len())
            && ending.iter().all(u8::is_ascii_alphanumeric)
            && ending.iter().any(u8::is_ascii_alphabetic)
    });
    text.contains(['/', '\\']) || text.starts_with(['~', '.']) || is_ending
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_told_by_their_form() {
        let cases = [
            ("src/main.rs", "<path>"),
            ("main.rs", "<path>"),
            ("~/notes", "<path>"),
            (".", "<path>"),
            ("C:\\x", "<path>"),
            ("42", "<number>"),
            ("-1.5", "<number>"),
            ("10%", "<number>"),
            ("2026-05-01", "<time>"),
            ("2026-05-01T12:00:00.000Z", "<time>"),
            ("12:30", "<time>"),
            ("019c6e27-0000-73d1-87d8-4e01f1f75043", "<id>"),
            ("PR-1234", "<id>"),
            ("#17", "<text>"),
            ("v2", "<id>"),
            ("059a063", "<hash>"),
            ("0590063", "<number>"),
            ("9f8cda4", "<hash>"),
            ("https://example.org/x?y=1", "<url>"),
            ("$HOME/x", "<variable>"),
            ("main", "<word>"),
            ("checkout::retry", "<word>"),
            ("two words", "<text>"),
            ("", "<text>"),
            ("^fn .*$", "<text>"),
            ("\u{e9}t\u{e9}", "<text>"),
        ];
        for (text, expected) in cases {
            assert_eq!(of_text(text), expected, "{text:?}");
        }
    }
}
