use memlith_log::Timestamp;
use serde_json::Value;

use crate::SkipReason;
use crate::lines::Content;

/// A line as JSON: nested at most 128 deep, the last of repeated keys, half a surrogate
/// pair (a program cut a string in its middle) as U+FFFD.
pub(crate) fn parse(line: &str) -> Option<Value> {
    match serde_json::from_str(line) {
        Ok(value) => Some(value),
        Err(_) => serde_json::from_str(&without_lone_surrogates(line)?).ok(),
    }
}

/// The objects of a line, and whether something in it is none.
///
/// A program that was killed leaves the beginning of an object, and the next one begins on the same
/// line: what is whole of a line counts. Behind something torn only what has a time is a line.
fn objects(line: &str) -> (Vec<Value>, bool) {
    let line = line.trim_start_matches('\u{feff}');
    if let Some(value) = parse(line).filter(Value::is_object) {
        return (vec![value], false);
    }
    let (mut found, mut is_torn, mut at) = (Vec::new(), false, 0);
    for _ in 0..OBJECTS_MAX {
        let Some(begin) = line.get(at..).and_then(|rest| rest.find('{')).map(|to| at + to) else {
            return (found, is_torn);
        };
        let rest = line.get(begin..).unwrap_or_default();
        let mut objects = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match objects.next() {
            Some(Ok(value)) if !is_torn || value.get("timestamp").is_some() => {
                at = begin + objects.byte_offset();
                found.push(value);
            }
            Some(Ok(_)) | Some(Err(_)) | None => {
                is_torn = true;
                at = begin + 1;
            }
        }
    }
    (found, true)
}

/// The objects of what a line holds, and why something in it is left out.
pub(crate) fn read(content: &Content<'_>) -> (Vec<Value>, Option<SkipReason>) {
    match content {
        Content::Text(text) => {
            let (objects, is_torn) = objects(text);
            let is_left_out = is_torn || objects.is_empty();
            (objects, is_left_out.then_some(SkipReason::InvalidJson))
        }
        Content::NotUtf8 => (Vec::new(), Some(SkipReason::InvalidUtf8)),
        Content::TooLong => (Vec::new(), Some(SkipReason::LineTooLong)),
    }
}

/// Number of objects that are looked for in one line.
const OBJECTS_MAX: usize = 64;

/// The string under a key.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// The non-empty string under a key, owned.
pub(crate) fn owned(value: &Value, key: &str) -> Option<String> {
    text(value, key).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The list under a key; empty where there is none.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The instant under a key.
pub(crate) fn instant(value: &Value, key: &str) -> Option<Timestamp> {
    text(value, key)?.parse().ok()
}

/// The texts of a message's content: a string, or the `text` of its blocks.
pub(crate) fn joined(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| text(block, "text")).collect();
            texts.join("\n")
        }
        Value::Object(_) => text(content, "text").unwrap_or_default().to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// The line with every escaped half of a pair replaced, or `None` if there is no escape
/// of a surrogate at all.
fn without_lone_surrogates(line: &str) -> Option<String> {
    if !line.contains("\\ud") && !line.contains("\\uD") {
        return None;
    }
    let mut output = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        output.push_str(before);
        let unit = escaped_unit(from);
        let pair = unit.is_some_and(|unit| (0xd800..0xdc00).contains(&unit))
            && from
                .get(6..)
                .and_then(escaped_unit)
                .is_some_and(|unit| (0xdc00..0xe000).contains(&unit));
        let len = match unit {
            Some(0xd800..0xe000) if pair => 12,
            Some(_) => 6,
            // Any other escape is two bytes, so that an escaped backslash is stepped over.
            None => from.len().min(2),
        };
        let lone = !pair && unit.is_some_and(|unit| (0xd800..0xe000).contains(&unit));
        let len = if from.is_char_boundary(len) { len } else { 1 };
        let (escape, after) = from.split_at(len);
        output.push_str(if lone { "\\ufffd" } else { escape });
        rest = after;
    }
    output.push_str(rest);
    Some(output)
}

/// The code unit of the escape `\uXXXX` that a text starts with.
fn escaped_unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_objects_of_a_line_are_read_and_a_torn_one_is_told() {
        let found = |line: &str| {
            let (found, is_torn) = objects(line);
            (found.len(), is_torn)
        };
        for (line, expected) in [
            ("\u{feff}{\"a\":1}", (1, false)),
            (r#"{"a":1}{"b":2}"#, (2, false)),
            (r#"{"a":{"b":"c{"timestamp":"t","d":{}}"#, (1, true)),
            (r#"{"a":{"b":1},"c"#, (0, true)),
            ("[1]", (0, false)),
            ("none", (0, false)),
        ] {
            assert_eq!(found(line), expected, "{line}");
        }
        assert_eq!(found(&"{".repeat(100_000)), (0, true));
    }

    #[test]
    fn half_a_pair_is_replaced() {
        for (line, expected) in [
            (r#"["\ud83d"]"#, "\u{fffd}"),
            (r#"["a\udc00b"]"#, "a\u{fffd}b"),
            (r#"["\ud83d\ude00 \ud83d\u0041"]"#, "\u{1f600} \u{fffd}A"),
            (r#"["\\ud83d \ud83d"]"#, "\\ud83d \u{fffd}"),
        ] {
            assert_eq!(parse(line).unwrap(), serde_json::json!([expected]), "{line}");
        }
        for line in ["", "{", r#"["\ud83"]"#, r#"["\ud8é"]"#, "\\é\\ud", "{} {}"] {
            assert_eq!(parse(line), None, "{line}");
        }
        assert_eq!(parse(&"[".repeat(10_000)), None);
    }
}
