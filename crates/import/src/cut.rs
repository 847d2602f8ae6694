use memlith_event::Text;
use memlith_redact::redact;
use serde_json::Value;

/// The longest output of a tool that is kept, in bytes.
pub(crate) const OUTPUT_MAX: usize = 64 << 10;

/// The longest text of a turn, and the longest JSON, that is kept, in bytes: half of what
/// a record holds by default.
pub(crate) const TEXT_MAX: usize = 512 << 10;

/// The longest string inside JSON that is too long as a whole.
const STRING_MAX: usize = 32 << 10;

/// A text of at most `max` bytes: whole, or its head and tail around a line that says
/// how much is missing.
///
/// Secrets go before the cut: half a token or half a key is no longer known for one.
pub(crate) fn cut(text: String, max: usize) -> String {
    if text.len() <= max {
        return text;
    }
    let text = redact(&text).text;
    if text.len() <= max {
        return text.into_owned();
    }
    // Room for the line in between, whose number has at most twenty digits.
    let half = max.saturating_sub(64) / 2;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len() - half);
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    let missing = text.len() - head.len() - tail.len();
    format!("{head}\n[... {missing} bytes left out ...]\n{tail}")
}

/// An output of at most 64 KiB, and the length of the whole where it is cut.
pub(crate) fn cut_output(output: String) -> (Text<'static>, Option<u64>) {
    let len = output.len();
    let cut = cut(output, OUTPUT_MAX);
    let whole = (cut.len() != len || len > OUTPUT_MAX).then_some(len as u64);
    (cut.into(), whole)
}

/// JSON as text of at most [`TEXT_MAX`] bytes: long strings are cut, and what is still
/// too long is replaced by its length.
pub(crate) fn cut_json(mut value: Value) -> String {
    let whole = value.to_string();
    if whole.len() <= TEXT_MAX {
        return whole;
    }
    cut_strings(&mut value);
    let cut = value.to_string();
    if cut.len() <= TEXT_MAX {
        return cut;
    }
    serde_json::json!({ "bytes_left_out": whole.len() }).to_string()
}

/// Cuts every long string; the depth is bounded by the parser's.
fn cut_strings(value: &mut Value) {
    match value {
        Value::String(text) => *text = cut(std::mem::take(text), STRING_MAX),
        Value::Array(items) => items.iter_mut().for_each(cut_strings),
        Value::Object(fields) => fields.values_mut().for_each(cut_strings),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_are_kept() {
        let (short, len) = cut_output("é".repeat(OUTPUT_MAX / 2));
        assert_eq!((short.len(), len), (OUTPUT_MAX, None));

        let long = format!("head{}tail", "é".repeat(OUTPUT_MAX));
        let (output, len) = cut_output(long.clone());
        assert!(output.len() <= OUTPUT_MAX && output.len() > OUTPUT_MAX - 128);
        assert!(output.starts_with("head") && output.ends_with("tail"));
        assert_eq!(len, Some(long.len() as u64));
    }

    #[test]
    fn no_secret_is_cut_in_two() {
        let filler = "word ".repeat(OUTPUT_MAX);
        let key = format!(
            "-----BEGIN {} KEY-----\n{}",
            "PRIVATE",
            "MIIEvQIBADANBgkqAbCdEfGh\n".repeat(50)
        );
        for around in 0..200 {
            let head = filler.get(..OUTPUT_MAX / 2 - 40 - around * 8).unwrap();
            let tail = filler.get(..OUTPUT_MAX / 2 - 40 - around * 8).unwrap();
            let (output, len) = cut_output(format!("{head}{key}{filler}{key}{tail}"));
            assert!(!output.contains("MIIEvQ"), "{around}");
            assert!(len.is_some());
        }
    }

    #[test]
    fn long_json_stays_json() {
        for value in [
            serde_json::json!({ "path": "a.rs", "content": "x".repeat(TEXT_MAX) }),
            Value::from(vec![1; TEXT_MAX]),
        ] {
            let cut = cut_json(value);
            assert!(cut.len() <= TEXT_MAX);
            assert!(serde_json::from_str::<Value>(&cut).is_ok());
        }
    }
}
