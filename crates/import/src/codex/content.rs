use serde_json::Value;

use crate::calls::{Call, Outcome, leading_exit_code};
use crate::cut::{TEXT_MAX, cut, cut_json};
use crate::lenient::{joined, owned, parse, text};

/// The call of a tool in an item.
pub(crate) fn call(item: &Value, line: u64) -> Option<Call> {
    let id = owned(item, "call_id").or_else(|| owned(item, "id"))?;
    // A shell call has an action, a function JSON in a string, a custom tool plain text.
    let (tool, arguments) = match item.get("action") {
        Some(action) => ("local_shell".to_owned(), cut_json(action.clone())),
        None => {
            let tool = owned(item, "name").unwrap_or_else(|| "unknown".to_owned());
            let arguments = item.get("arguments").or_else(|| item.get("input"));
            (tool, arguments.map(argument_text).unwrap_or_default())
        }
    };
    Some(Call { id, tool, arguments, line, directory: None, is_ignored: false })
}

/// The arguments of a tool call, whole.
pub(crate) fn arguments(item: &Value) -> Value {
    let named = ["action", "arguments", "input"].into_iter().find_map(|name| item.get(name));
    match named {
        Some(Value::String(json)) => parse(json).unwrap_or_else(|| Value::String(json.clone())),
        Some(other) => other.clone(),
        None => Value::Null,
    }
}

/// Arguments as JSON where they are JSON, else as the text they are.
fn argument_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) if text.len() <= TEXT_MAX => text.clone(),
        Value::String(text) => match parse(text) {
            Some(value) => cut_json(value),
            None => cut(text.clone(), TEXT_MAX),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            cut_json(arguments.clone())
        }
    }
}

/// The output of a tool: a text, a JSON text with metadata, an object, or blocks.
pub(crate) fn outcome(output: &Value) -> Outcome {
    let nested = output.as_str().filter(|text| text.starts_with('{')).and_then(parse);
    let record = nested.as_ref().unwrap_or(output);
    let exit_code = record.pointer("/metadata/exit_code").and_then(Value::as_i64);
    let inner = record.get("output").or_else(|| record.get("content"));
    let text = match inner {
        Some(inner) if nested.is_none() || exit_code.is_some() || inner.is_string() => {
            joined(inner)
        }
        Some(_) | None => joined(output),
    };
    let exit_code = exit_code
        .and_then(|code| i32::try_from(code).ok())
        .or_else(|| text.lines().take(6).find_map(leading_exit_code));
    let success = record.get("success").and_then(Value::as_bool);
    let ok = exit_code.map(|code| code == 0).or(success);
    Outcome { ok, exit_code, output: text, line: 0 }
}

/// Whether a line is a prompt that the person typed.
pub(crate) fn is_prompt(value: &Value) -> bool {
    let item = value.get("payload").unwrap_or(&Value::Null);
    text(value, "type") == Some("response_item")
        && text(value, "timestamp").is_some()
        && text(item, "type") == Some("message")
        && text(item, "role") == Some("user")
        && !is_wrapped(&joined(item.get("content").unwrap_or(&Value::Null)))
}

/// Whether a message of the role `user` is what a program wrote: instructions, skills,
/// the environment.
pub(crate) fn is_wrapped(said: &str) -> bool {
    let said = said.trim_start();
    let starts = [
        "<environment_context>",
        "<user_instructions>",
        "<permissions instructions>",
        "<turn_aborted>",
        "<user_action>",
        "<user_shell_command>",
        "<skill>",
        "<subagent_notification>",
        "# AGENTS.md instructions",
        "<INSTRUCTIONS>",
    ];
    starts.iter().any(|start| said.starts_with(start))
}
