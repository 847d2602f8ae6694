//! Values as literals of Cypher.

use serde_json::Value;

/// The prefix of a query that gives these parameters their values.
pub(crate) fn parameters(values: &[(&str, Value)]) -> String {
    let mut text = "CYPHER".to_owned();
    for (name, value) in values {
        text.push(' ');
        text.push_str(name);
        text.push('=');
        literal(value, &mut text);
    }
    text.push(' ');
    text
}

/// Writes a value so that nothing in it is read as Cypher. Of objects their JSON is told, as a
/// property of a graph can't be one.
fn literal(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(is) => out.push_str(if *is { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => quoted(text, out),
        Value::Array(values) => {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                literal(value, out);
            }
            out.push(']');
        }
        Value::Object(_) => quoted(&value.to_string(), out),
    }
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // A query ends at NUL; other controls have no place in a property.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_ends_a_literal_from_inside() {
        let hostile = "\"}) DETACH DELETE n // \\\" \u{0} \n";
        let text = parameters(&[("a", json!(hostile)), ("b", json!([1, null, true, {"x": "\""}]))]);
        assert_eq!(
            text,
            "CYPHER a=\"\\\"}) DETACH DELETE n // \\\\\\\"   \\n\" b=[1, null, true, \
             \"{\\\"x\\\":\\\"\\\\\\\"\\\"}\"] "
        );
    }
}
