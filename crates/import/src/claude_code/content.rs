use memlith_event::Origin;
use serde_json::Value;

use crate::calls::{Outcome, leading_exit_code};
use crate::lenient::{joined, list, text};

/// What a message says in words: its content, or the text blocks of it.
pub(crate) fn text_of(message: &Value) -> String {
    let content = message.get("content").unwrap_or(&Value::Null);
    if let Value::String(text) = content {
        return text.clone();
    }
    let blocks = list(message, "content").iter();
    let texts = blocks.filter(|block| text(block, "type") == Some("text"));
    let texts: Vec<&str> = texts.filter_map(|block| text(block, "text")).collect();
    let between = match memlith_log::planted!("decoder-import-claude-code-blocks") {
        false => "\n\n",
        true => "",
    };
    texts.join(between)
}

/// Whether a line belongs to a side chain or a sub-agent.
pub(crate) fn is_side(value: &Value) -> bool {
    value.get("isSidechain") == Some(&Value::Bool(true)) || value.get("agentId").is_some()
}

/// Whose words a `user` line really holds, where a program put them in the person's
/// mouth: a summary is the assistant's, an output a tool's.
pub(crate) fn program_of(value: &Value, said: &str) -> Option<Origin> {
    let flag = |key: &str| value.get(key) == Some(&Value::Bool(true));
    if flag("isCompactSummary") {
        return Some(Origin::Assistant);
    }
    let wrapped = [
        "<system-reminder>",
        "<command-name>",
        "<command-message>",
        "<local-command-",
        "<bash-stdout>",
        "<bash-stderr>",
        "<task-notification>",
        "Caveat: The messages below",
        "[Request interrupted",
    ];
    let said = said.trim_start();
    let wrapped = wrapped.iter().any(|start| said.starts_with(start));
    (wrapped || flag("isMeta")).then_some(Origin::Tool)
}

/// Whether a program's words are the command by which the person left it.
pub(crate) fn leaves(said: &str) -> bool {
    let commands = ["<command-name>/exit</command-name>", "<command-name>/quit</command-name>"];
    said.trim_start().starts_with("<command-")
        && commands.iter().any(|command| said.contains(command))
}

/// What a tool gave back.
///
/// The block's content is what the assistant saw; where it is empty, the record beside it
/// has the streams of a command.
pub(crate) fn outcome(block: &Value, result: Option<&Value>) -> Outcome {
    let mut output = joined(block.get("content").unwrap_or(&Value::Null));
    let result = result.unwrap_or(&Value::Null);
    if output.is_empty() {
        let streams = [text(result, "stdout"), text(result, "stderr")];
        let streams: Vec<&str> =
            streams.into_iter().flatten().filter(|stream| !stream.is_empty()).collect();
        output = streams.join("\n");
    }
    let exit_code = leading_exit_code(&output);
    let interrupted = result.get("interrupted") == Some(&Value::Bool(true));
    let failed = block.get("is_error").and_then(Value::as_bool);
    // The protocol's default: what is not marked as an error is none.
    let failed = failed.unwrap_or(exit_code.is_some_and(|code| code != 0)) || interrupted;
    Outcome { ok: Some(!failed), exit_code, output, line: 0 }
}
