use memlith_event::Origin;
use serde_json::Value;

use crate::calls::{Outcome, leading_exit_code};
use crate::lenient::{joined, list, text};

/// The words of a message: its content, or the text blocks of it.
pub(crate) fn text_of(message: &Value) -> String {
    let content = message.get("content").unwrap_or(&Value::Null);
    if let Value::String(text) = content {
        return text.clone();
    }
    let blocks = list(message, "content").iter();
    let texts = blocks.filter(|block| text(block, "type") == Some("text"));
    let texts: Vec<&str> = texts.filter_map(|block| text(block, "text")).collect();
    texts.join("\n\n")
}

/// The words of a message that its writer typed, and what a program attached to them: blocks
/// between tags of a name with a hyphen or an underscore, as `<ide_opened_file>`, before and
/// behind the typed ones.
pub(crate) struct Typed {
    pub(crate) typed: String,
    pub(crate) attached: String,
}

impl Typed {
    pub(crate) fn of(message: &Value) -> Typed {
        let content = message.get("content").unwrap_or(&Value::Null);
        let blocks: Vec<&str> = if let Value::String(text) = content {
            vec![text.as_str()]
        } else {
            let texts = list(message, "content").iter();
            let texts = texts.filter(|block| text(block, "type") == Some("text"));
            texts.filter_map(|block| text(block, "text")).collect()
        };
        let (mut typed, mut attached) = (Vec::new(), Vec::new());
        for block in blocks {
            let mut rest = block;
            while let Some((before, behind)) = first_attached(rest) {
                attached.push(before);
                rest = behind;
            }
            let mut behind = Vec::new();
            while let Some((before, last)) = last_attached(rest) {
                behind.push(last);
                rest = before;
            }
            attached.extend(behind.into_iter().rev());
            typed.extend((!rest.trim().is_empty()).then_some(rest));
        }
        Typed { typed: typed.join("\n\n"), attached: attached.join("\n\n") }
    }
}

/// The block that a program put before a text, and the text.
fn first_attached(text: &str) -> Option<(&str, &str)> {
    let begin = text.trim_start();
    let inside = begin.strip_prefix('<')?;
    let name = name_of(inside)?;
    let close = format!("</{name}>");
    let end = begin.find(&close).map_or(begin.len(), |at| at + close.len());
    begin.split_at_checked(end)
}

/// A text, and the block that a program put behind it.
fn last_attached(text: &str) -> Option<(&str, &str)> {
    let end = text.trim_end();
    let (_, close) = end.strip_suffix('>')?.rsplit_once("</")?;
    let name = name_of(close).filter(|name| *name == close)?;
    let at = end.rfind(&format!("<{name}"))?;
    end.split_at_checked(at)
}

/// The name of a tag that no person types: lower case, with a hyphen or an underscore. A
/// command that a person ran in the client is theirs.
fn name_of(inside: &str) -> Option<&str> {
    let is_inside = |letter: char| letter.is_ascii_lowercase() || matches!(letter, '-' | '_');
    let end = inside.find(|letter| !is_inside(letter)).unwrap_or(inside.len());
    let name = inside.get(..end)?;
    let is_ours = name.contains(['-', '_']) && !matches!(name, "bash-input" | "memlith-memory");
    is_ours.then_some(name)
}

/// Whether a line belongs to a side chain or a sub-agent.
pub(crate) fn is_side(value: &Value) -> bool {
    value.get("isSidechain") == Some(&Value::Bool(true)) || value.get("agentId").is_some()
}

/// The origin of the words that a `user` line really holds, where a program put them in the
/// person's mouth: a summary is the assistant's, an output a tool's.
pub(crate) fn program_of(value: &Value, said: &str) -> Option<Origin> {
    let flag = |key: &str| value.get(key) == Some(&Value::Bool(true));
    if flag("isCompactSummary") {
        return Some(Origin::Assistant);
    }
    // What another agent or a channel sent says so.
    let sender = value.get("origin").and_then(|origin| text(origin, "kind"));
    if sender.is_some_and(|sender| sender != "human") {
        return Some(Origin::Tool);
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

/// The output of a tool.
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
