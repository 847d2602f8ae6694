use rmcp::model::JsonObject;
use serde_json::{Number, Value};

use crate::host::Refused;

/// The arguments that a tool takes, by its schema.
#[derive(Debug)]
pub(crate) struct Arguments {
    schema: JsonObject,
}

impl Arguments {
    pub(crate) fn of(schema: JsonObject) -> Arguments {
        Arguments { schema }
    }

    /// The arguments of a call as the verb reads them: null is absent, and 5.0 is 5.
    ///
    /// # Errors
    /// One is missing, unknown or of another type; the error names it.
    pub(crate) fn read(&self, given: JsonObject) -> Result<JsonObject, Refused> {
        let Some(properties) = self.schema.get("properties").and_then(Value::as_object) else {
            return Ok(given);
        };
        let mut read = JsonObject::new();
        for (name, value) in given {
            if value.is_null() {
                continue;
            }
            let Some(property) = properties.get(&name) else {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                let name = cut(name);
                let what = format!("there is no argument `{name}`: it takes {}", known.join(", "));
                return Err(Refused { what });
            };
            read.insert(name.clone(), typed(&name, value, property)?);
        }
        let required = self.schema.get("required").and_then(Value::as_array).into_iter().flatten();
        match required.filter_map(Value::as_str).find(|name| !read.contains_key(*name)) {
            Some(name) => Err(Refused { what: format!("`{name}` is missing") }),
            None => Ok(read),
        }
    }
}

/// `value` as its property's type, where that is one.
fn typed(name: &str, value: Value, property: &Value) -> Result<Value, Refused> {
    let Some(kind) = property.get("type").and_then(Value::as_str) else { return Ok(value) };
    let value = match value.as_f64() {
        Some(number) if kind == "integer" && value.is_f64() && number.fract() == 0.0 => {
            whole(number).unwrap_or(value)
        }
        _ => value,
    };
    let fits = match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    if fits {
        return Ok(value);
    }
    let given = cut(value.to_string());
    Err(Refused { what: format!("`{name}` takes the type {kind}, not {given}") })
}

/// The beginning of what a client sent, as an error repeats it.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(60));
    text
}

/// A number without a fraction, where it is an integer of 64 bits.
fn whole(number: f64) -> Option<Value> {
    format!("{number:.0}").parse::<i64>().ok().map(|number| Value::Number(Number::from(number)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(given: Value) -> Result<Value, String> {
        let schema = json!({
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer"},
                "deep": {"type": "boolean"},
                "ids": {"type": "array"},
                "any": {"anyOf": []},
            },
            "required": ["query"],
        });
        let object = |value: Value| value.as_object().cloned().unwrap_or_default();
        let read = Arguments::of(object(schema)).read(object(given));
        read.map(Value::Object).map_err(|refused| refused.what)
    }

    #[test]
    fn null_is_absent_and_a_whole_float_an_integer() {
        let given = json!({"query": "q", "limit": 5.0, "deep": null, "ids": null, "any": 1.5});
        assert_eq!(read(given), Ok(json!({"query": "q", "limit": 5, "any": 1.5})));
    }

    #[test]
    fn an_error_names_the_argument() {
        for (given, expected) in [
            (json!({}), "`query` is missing"),
            (json!({"query": null}), "`query` is missing"),
            (json!({"query": 5}), "`query` takes the type string, not 5"),
            (json!({"query": "q", "limit": 5.5}), "`limit` takes the type integer, not 5.5"),
            (json!({"query": "q", "limit": 1e300}), "`limit` takes the type integer, not 1e+300"),
            (json!({"query": "q", "ids": "mem_1"}), "`ids` takes the type array, not \"mem_1\""),
            (
                json!({"query": "q", "size": 1}),
                "there is no argument `size`: it takes any, deep, ids, limit, query",
            ),
        ] {
            assert_eq!(read(given.clone()), Err(expected.to_owned()), "{given}");
        }
    }
}
