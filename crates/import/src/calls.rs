use std::collections::VecDeque;

use memlith_event::{Actor, Event, Origin, Rank, ToolRan, TurnEvent};

use crate::cut::cut_output;
use crate::session::{Moment, Output, Sessions};
use crate::withheld::without_withheld;
use crate::{Imported, SkipReason};

/// The calls of tools whose results have not come yet.
///
/// At most 256 calls and 8 MiB of arguments are held; the oldest go first, and are
/// counted as unanswered.
#[derive(Default)]
pub(crate) struct Calls {
    pending: VecDeque<Call>,
    bytes: usize,
}

/// A call of a tool.
pub(crate) struct Call {
    /// The source's name for it.
    pub(crate) id: String,
    pub(crate) tool: String,
    /// JSON, or plain text.
    pub(crate) arguments: String,
    /// The line it stands in.
    pub(crate) line: u64,
    /// The folder that it was called in, where the source names it.
    pub(crate) directory: Option<String>,
    /// Whether it touches a file that is not captured.
    pub(crate) is_ignored: bool,
}

/// The result of a tool call.
#[derive(Default)]
pub(crate) struct Outcome {
    /// The line it stands in.
    pub(crate) line: u64,
    pub(crate) ok: Option<bool>,
    pub(crate) exit_code: Option<i32>,
    pub(crate) output: String,
}

const CALLS_MAX: usize = 256;
const BYTES_MAX: usize = 8 << 20;

impl Calls {
    pub(crate) fn push(&mut self, call: Call, output: &mut Output) {
        self.bytes += call.arguments.len();
        self.pending.push_back(call);
        while self.pending.len() > CALLS_MAX || self.bytes > BYTES_MAX {
            self.drop_oldest(output);
        }
    }

    /// Whether every call has its result.
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// The call of the given name, if it is still held.
    pub(crate) fn take(&mut self, id: &str) -> Option<Call> {
        let index = self.pending.iter().position(|call| call.id == id)?;
        let call = self.pending.remove(index)?;
        self.bytes -= call.arguments.len();
        Some(call)
    }

    /// Counts what is still unanswered. It is not yielded: read again when the result is
    /// there, the call would be taken for known.
    pub(crate) fn end(&mut self, output: &mut Output) {
        while !self.pending.is_empty() {
            self.drop_oldest(output);
        }
    }

    fn drop_oldest(&mut self, output: &mut Output) {
        if let Some(call) = self.pending.pop_front() {
            self.bytes -= call.arguments.len();
            output.push_back(Imported::Skipped {
                line: call.line,
                reason: SkipReason::UnansweredCall,
            });
        }
    }
}

/// Yields a call and its outcome as one event, at the time of the outcome; nothing where it
/// touched a file that is not captured.
pub(crate) fn tool_ran(
    sessions: &mut Sessions,
    moment: &Moment<'_>,
    call: Option<Call>,
    mut outcome: Outcome,
    output: &mut Output,
) {
    let skip = |reason| Imported::Skipped { line: outcome.line, reason };
    if call.as_ref().is_some_and(|call| call.is_ignored) {
        return output.push_back(skip(SkipReason::IgnoredFile));
    }
    let (tool, arguments, directory) = match call {
        Some(call) => (call.tool, call.arguments, call.directory),
        // Its call was too long ago, or is in another file.
        None => ("unknown".to_owned(), String::new(), None),
    };
    let ignored = sessions.ignored();
    if ignored.is_some_and(|files| files.are_named(directory.as_deref(), &outcome.output)) {
        output.push_back(skip(SkipReason::IgnoredOutput));
        outcome.output.clear();
    }
    if is_ours(&arguments) || cites_memory(&outcome.output) {
        output.push_back(skip(SkipReason::EchoedOutput));
        outcome.output.clear();
    }
    let origin = origin_of(&tool);
    let rank = if origin == Origin::Web { Rank::Web } else { Rank::Tool };
    let actor = Actor::new(tool.clone(), rank);
    let (text, output_len) = cut_output(without_withheld(outcome.output));
    let ran = ToolRan {
        tool: tool.into(),
        arguments: without_withheld(arguments).into(),
        ok: outcome.ok,
        exit_code: outcome.exit_code,
        output: text,
        output_len,
    };
    sessions.yield_event(moment, actor, origin, Event::Turn(TurnEvent::ToolRan(ran)), output);
}

/// Whether a command that is called runs this program: its name stands where a command begins.
fn is_ours(arguments: &str) -> bool {
    const RUNNERS: [&str; 5] = ["npx", "uvx", "sudo", "exec", "time"];
    arguments.match_indices("memlith").any(|(at, name)| {
        let (before, rest) = arguments.split_at_checked(at).unwrap_or_default();
        let is_whole = rest.strip_prefix(name).is_some_and(|rest| {
            !rest.starts_with(|next: char| next.is_alphanumeric() || "-_./".contains(next))
        });
        // "./target/release/memlith" is called by its path.
        let before = before.trim_end_matches(|letter: char| {
            !letter.is_whitespace() && !";|&()\"'`".contains(letter)
        });
        let before = before.trim_end_matches([' ', '\t']);
        let begins = before.is_empty() || before.ends_with([';', '|', '&', '(', '"', '\'', '`']);
        let last = before.rsplit([' ', '"', '\'']).next().unwrap_or_default();
        is_whole && (begins || before.ends_with("\\n") || RUNNERS.contains(&last))
    })
}

/// Whether an output has a citation in it, as every answer of this program has.
fn cites_memory(output: &str) -> bool {
    let is_long = |text: &str| text.bytes().take_while(u8::is_ascii_hexdigit).count() >= 12;
    let cites = |text: &str| {
        let hash = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        hash.len() < text.len() && hash.strip_prefix('_').is_some_and(is_long)
    };
    let behind = |mark: &'static str| {
        output.match_indices(mark).filter_map(move |(at, _)| output.get(at + mark.len()..))
    };
    behind("memlith://").any(is_long) || behind("mem_").any(cites)
}

/// Where a tool's output comes from, as far as its name tells.
fn origin_of(tool: &str) -> Origin {
    let name = tool.to_ascii_lowercase();
    if ["web", "fetch", "browse", "http", "crawl"].iter().any(|word| name.contains(word)) {
        return Origin::Web;
    }
    match name.as_str() {
        "read" | "notebookread" | "read_file" | "view_image" => Origin::File,
        _ => Origin::Tool,
    }
}

/// The exit code that a text starts with, as in `Exit code 1` or `Exit code: 1`.
pub(crate) fn leading_exit_code(output: &str) -> Option<i32> {
    let rest = output.strip_prefix("Error: ").unwrap_or(output);
    let rest =
        rest.strip_prefix("Exit code").or_else(|| rest.strip_prefix("Process exited with code"))?;
    let rest = rest.trim_start_matches([':', ' ']);
    let end = rest.find(|byte: char| !byte.is_ascii_digit() && byte != '-').unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_program_printed_is_told() {
        for (arguments, expected) in [
            (r#"{"command":"memlith checkout 'where?'"}"#, true),
            (r#"{"command":"cd /tmp && ./bin/memlith agent brief | head"}"#, true),
            (r#"{"command":"npx memlith list"}"#, true),
            (r#"{"command":"cd /src/memlith; ls"}"#, false),
            (r#"{"command":"cargo test -p memlith-log"}"#, false),
            (r#"{"file_path":"/src/memlith/README.md"}"#, false),
            ("", false),
        ] {
            assert_eq!(is_ours(arguments), expected, "{arguments}");
        }
        for (output, expected) in [
            ("memlith://4bbe1f6d3ce4187f98fd92ff85ea6134/6#1f100a393c8b  user", true),
            ("    until 2026: Lou.  mem_8_f99f82654e66", true),
            ("mem_8 mem_x member mem_12_beef", false),
        ] {
            assert_eq!(cites_memory(output), expected, "{output}");
        }
    }
}
