//! Session transcripts of Claude Code.
//!
//! What its maker calls internal is read leniently. A line belongs to the conversation of
//! its parent (`parentUuid`), so a side chain and a sub-agent each make a session of their own
//! that names the one it left. A prompt that takes an earlier one's place goes on with the session;
//! what the earlier one led to was taken back.

mod content;
mod tree;

use memlith_event::{Actor, Key, Origin, Rank, Said, SessionStarted};
use memlith_log::Timestamp;
use serde_json::{Value, json};

use crate::calls::{Call, Calls, Outcome, tool_ran};
use crate::claude_code::content::Typed;
use crate::claude_code::tree::{Parent, Tree};
use crate::cut::cut_json;
use crate::lenient::{instant, list, owned, read, text};
use crate::lines::{Content, Line};
use crate::reader::Transcript;
use crate::resume::{Context, Resume};
use crate::session::{Moment, Output, Sessions};
use crate::stretch::Stretches;
use crate::{Format, ImportError, Imported, Options, Place, SkipReason};

pub(crate) struct ClaudeCode {
    sessions: Sessions,
    calls: Calls,
    tree: Tree<Parsed>,
    stretches: Stretches,
    /// Where the input began, while no line of this format has come.
    unrecognised: Option<(Place, u32)>,
    recognised: bool,
    session: Option<String>,
    last: Option<Timestamp>,
    message: Message,
    /// Whether the person's last command touched a file that is not captured.
    ran_ignored: bool,
    resume: Option<Resume>,
}

/// A line as JSON.
struct Parsed {
    line: u64,
    /// Which object of the line it is, from 0.
    part: usize,
    place: Place,
    value: Value,
}

/// The assistant's message that the last lines were parts of.
#[derive(Default)]
struct Message {
    id: String,
    texts: Vec<Key>,
}

/// Number of lines read before an input without one line of this format is refused.
const FOREIGN_LINES_MAX: u32 = 8;

/// Maximum number of texts of one message that are compared.
const MESSAGE_TEXTS_MAX: usize = 64;

impl ClaudeCode {
    pub(crate) fn new(options: Options) -> ClaudeCode {
        let resume = options.from.clone();
        let tree = match resume.as_ref().map(Resume::context) {
            Some(Context::Chain { name, left }) => Tree::resumed(name.as_deref(), left.as_deref()),
            Some(Context::Session { .. }) | None => Tree::default(),
        };
        ClaudeCode {
            sessions: Sessions::new(Format::ClaudeCode, options),
            calls: Calls::default(),
            tree,
            stretches: Stretches::default(),
            unrecognised: None,
            recognised: resume.is_some(),
            resume,
            session: None,
            last: None,
            message: Message::default(),
            ran_ignored: false,
        }
    }

    /// Refuses an input whose first lines are all of another format.
    fn recognise(&mut self, place: Place, value: Option<&Value>) -> Result<(), ImportError> {
        let ours = |value: &Value| {
            let keys = ["sessionId", "uuid", "leafUuid", "messageId"];
            text(value, "type").is_some() && keys.iter().any(|key| value.get(key).is_some())
        };
        self.recognised |= value.is_some_and(ours);
        if self.recognised {
            return Ok(());
        }
        let (first, lines) = self.unrecognised.unwrap_or((place, 0));
        self.unrecognised = Some((first, lines + 1));
        if lines + 1 < FOREIGN_LINES_MAX { Ok(()) } else { Err(not_claude_code(first)) }
    }

    /// Takes a line whose parent was taken.
    fn take(&mut self, parsed: &Parsed, output: &mut Output) {
        let Parsed { line, value, .. } = parsed;
        let skip = |reason| Imported::Skipped { line: *line, reason };
        let kind = text(value, "type").unwrap_or("none");
        let is_prompt = is_prompt(value);
        let place = self.tree.place_of(value, is_prompt, &mut self.stretches);
        let (chain, stretch, left) = (&place.chain, place.stretch, place.left);
        self.sessions.set_folder(text(value, "cwd"));
        let is_whole = instant(value, "timestamp").is_some() && value.get("sessionId").is_some();
        if is_prompt && is_whole && self.calls.is_empty() && self.tree.is_settled() {
            let (name, left) = chain.names();
            self.resume = Some(Resume::new(parsed.place, Context::Chain { name, left }));
        }
        if let Some(session) = owned(value, "sessionId") {
            self.session = Some(session);
        }
        self.last = instant(value, "timestamp").or(self.last);
        if !matches!(kind, "user" | "assistant") {
            if let (Some(base), Some(at)) = (&self.session, instant(value, "timestamp")) {
                self.sessions.touch(&chain.session(base), at);
            }
            return output.push_back(skip(SkipReason::of_type(kind)));
        }
        let Some(base) = self.session.clone() else {
            return output.push_back(skip(SkipReason::NoSession));
        };
        let Some(at) = self.last else {
            return output.push_back(skip(SkipReason::NoTimestamp));
        };
        if self.sessions.is_elsewhere() {
            return output.push_back(skip(SkipReason::OtherProject));
        }
        let session = chain.session(&base);
        let own = owned(value, "uuid");
        let id = own.clone().unwrap_or_else(|| parsed.id());
        let line = own.map(|own| copied_name(&own, value));
        let moment = Moment { session: &session, id: &id, at, line: line.as_deref() };
        let started = || SessionStarted {
            tool: Format::ClaudeCode.name().into(),
            directory: owned(value, "cwd").map(Into::into),
            branch: owned(value, "gitBranch").map(Into::into),
            parent: chain.parent_session(&base).map(Into::into),
            title: None,
        };
        self.sessions.enter(&moment, started, output);
        if let Some(left) = left {
            self.sessions.took_back(&moment, self.stretches.leave(left), output);
        }
        let from = output.len();
        match kind {
            "user" => self.user(&moment, parsed, output),
            _ => self.assistant(&moment, parsed, output),
        }
        self.stretches.note(stretch, output, from);
    }

    /// A line of type `user`: what the person said, or what tools gave back.
    fn user(&mut self, moment: &Moment<'_>, parsed: &Parsed, output: &mut Output) {
        let message = parsed.value.get("message").unwrap_or(&Value::Null);
        let Typed { typed, attached } = Typed::of(message);
        let whole = content::text_of(message);
        let is_program = content::program_of(&parsed.value, &whole).is_some();
        // What a program attached to a prompt is a turn of its own.
        let said = if is_program || typed.is_empty() { whole } else { typed.clone() };
        if !is_program && !typed.is_empty() && !attached.is_empty() {
            self.attached(moment, parsed, attached, output);
        }
        let is_wrapped = is_program || (typed.is_empty() && !said.trim().is_empty());
        let program =
            is_wrapped.then(|| content::program_of(&parsed.value, &said).unwrap_or(Origin::Tool));
        let (actor, origin, context) = match program {
            // The assistant wrote it, as the task of the agent it started.
            None if content::is_side(&parsed.value) => {
                (Actor::new("assistant", Rank::Assistant), Origin::Assistant, false)
            }
            None => (Actor::new("user", Rank::User), Origin::User, false),
            Some(Origin::Assistant) => {
                (Actor::new("assistant", Rank::Assistant), Origin::Assistant, true)
            }
            Some(origin) => (Actor::new(Format::ClaudeCode.name(), Rank::Tool), origin, true),
        };
        let leaves = context && content::leaves(&said);
        let is_program = context && origin == Origin::Tool;
        match self.remains(said, is_program, &parsed.value) {
            Some(said) => {
                let said = Said { text: said.into(), caption: None, context };
                self.sessions.said(moment, actor, origin, said, output);
            }
            None => output.push_back(Imported::Skipped {
                line: parsed.line,
                reason: SkipReason::IgnoredFile,
            }),
        }
        if leaves {
            self.sessions.leave();
        }
        self.blocks(moment, parsed, message, output);
    }

    /// Yields a program's attachment to the person's words as a turn of a tool.
    fn attached(
        &mut self,
        moment: &Moment<'_>,
        parsed: &Parsed,
        said: String,
        output: &mut Output,
    ) {
        let Some(said) = self.remains(said, true, &parsed.value) else { return };
        let id = format!("{}/attached", moment.id);
        let moment = Moment { id: &id, ..*moment };
        let actor = Actor::new(Format::ClaudeCode.name(), Rank::Tool);
        let said = Said { text: said.into(), caption: None, context: true };
        self.sessions.said(&moment, actor, Origin::Tool, said, output);
    }

    /// The rest of what was said, once what it tells of ignored files is left out.
    fn remains(&mut self, said: String, is_program: bool, value: &Value) -> Option<String> {
        let Some(files) = self.sessions.ignored() else { return Some(said) };
        let directory = text(value, "cwd");
        // The person ran a command in the client: its output is a line of its own.
        if said.starts_with("<bash-input>") {
            self.ran_ignored = files.are_touched(directory, &Value::String(said.clone()));
            return (!self.ran_ignored).then_some(said);
        }
        let is_output = said.starts_with("<bash-stdout>") || said.starts_with("<bash-stderr>");
        if is_output && self.ran_ignored {
            return None;
        }
        files.remains(directory, said, is_program)
    }

    /// A line of type `assistant`: a message, or a part of one.
    fn assistant(&mut self, moment: &Moment<'_>, parsed: &Parsed, output: &mut Output) {
        let message = parsed.value.get("message").unwrap_or(&Value::Null);
        let said = content::text_of(message);
        let skip = |reason| Imported::Skipped { line: parsed.line, reason };
        if parsed.value.get("isApiErrorMessage") == Some(&Value::Bool(true)) {
            return output.push_back(skip(SkipReason::of_type("api-error")));
        }
        if self.message.repeats(message, &said) {
            output.push_back(skip(SkipReason::RepeatedText));
        } else {
            let actor = Actor::new("assistant", Rank::Assistant);
            let said = Said { text: said.into(), caption: None, context: false };
            self.sessions.said(moment, actor, Origin::Assistant, said, output);
        }
        self.blocks(moment, parsed, message, output);
    }

    /// The blocks of a message that are not text: calls, results, and what is left out.
    fn blocks(
        &mut self,
        moment: &Moment<'_>,
        parsed: &Parsed,
        message: &Value,
        output: &mut Output,
    ) {
        let skip = |kind: &str, output: &mut Output| {
            let reason = SkipReason::of_type(&format!("block-{kind}"));
            output.push_back(Imported::Skipped { line: parsed.line, reason });
        };
        for block in list(message, "content") {
            let kind = text(block, "type").unwrap_or("none");
            if kind == "text" {
                continue;
            }
            if let (true, Some(id)) = (kind.ends_with("tool_use"), owned(block, "id")) {
                let tool = owned(block, "name").unwrap_or_else(|| "unknown".to_owned());
                let input = block.get("input").cloned().unwrap_or(Value::Null);
                let directory = owned(&parsed.value, "cwd");
                let ignored = self.sessions.ignored();
                let is_ignored =
                    ignored.is_some_and(|files| files.are_touched(directory.as_deref(), &input));
                let (arguments, line) = (cut_json(input), parsed.line);
                let call = Call { id, tool, arguments, line, directory, is_ignored };
                self.calls.push(call, output);
            } else if let (true, Some(id)) =
                (kind.ends_with("tool_result"), text(block, "tool_use_id"))
            {
                let outcome = content::outcome(block, parsed.value.get("toolUseResult"));
                let outcome = Outcome { line: parsed.line, ..outcome };
                let moment = Moment { id, ..*moment };
                tool_ran(&mut self.sessions, &moment, self.calls.take(id), outcome, output);
                for part in list(block, "content").iter().filter_map(|part| text(part, "type")) {
                    if part != "text" {
                        skip(part, output);
                    }
                }
            } else {
                skip(kind, output);
            }
        }
    }
}

impl Transcript for ClaudeCode {
    fn line(&mut self, line: Line<'_>, output: &mut Output) -> Result<(), ImportError> {
        let number = line.place.line;
        let skip = |reason| Imported::Skipped { line: number, reason };
        let len = if let Content::Text(text) = line.content { text.len() } else { 0 };
        let (objects, torn) = read(&line.content);
        self.recognise(line.place, objects.first())?;
        output.extend(torn.map(skip));
        for (part, value) in objects.into_iter().enumerate() {
            let value = queued_prompt(value);
            let parent = Parent::of(&value);
            let parsed = Parsed { line: number, part, place: line.place, value };
            self.tree.push(parent, len, parsed);
            if self.tree.misses_its_beginning() {
                return Err(ImportError::BeforeResume { place: line.place });
            }
            while let Some(parsed) = self.tree.pop() {
                self.take(&parsed, output);
            }
        }
        Ok(())
    }

    fn end(&mut self, _: Place, output: &mut Output) -> Result<(), ImportError> {
        if let (false, Some((place, _))) = (self.recognised, self.unrecognised) {
            return Err(not_claude_code(place));
        }
        self.tree.release();
        while let Some(parsed) = self.tree.pop() {
            self.take(&parsed, output);
        }
        self.calls.end(output);
        self.sessions.end(output);
        Ok(())
    }

    fn resume(&self) -> Option<Resume> {
        self.resume.clone()
    }
}

impl Parsed {
    /// Its name, where it has none of its own.
    fn id(&self) -> String {
        match self.part {
            0 => format!("line {}", self.line),
            part => format!("line {}, object {}", self.line, part + 1),
        }
    }
}

impl Message {
    /// Whether the message of this id has given this text before.
    fn repeats(&mut self, message: &Value, said: &str) -> bool {
        let id = text(message, "id").unwrap_or_default();
        if id != self.id || id.is_empty() {
            *self = Message { id: id.to_owned(), texts: Vec::new() };
        }
        let key = Key::of("text", &[said.as_bytes()]);
        let known = !said.is_empty() && self.texts.contains(&key);
        if self.texts.len() < MESSAGE_TEXTS_MAX {
            self.texts.push(key);
        }
        known
    }
}

/// Name of a line in each session that has a copy of it: its own name, and what it says.
fn copied_name(own: &str, value: &Value) -> String {
    let message = value.get("message").unwrap_or(&Value::Null).to_string();
    let said = Key::of("message", &[message.as_bytes()]);
    let said: String = said.0.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{own} {said}")
}

/// Whether a line is a prompt that the person typed.
fn is_prompt(value: &Value) -> bool {
    let message = value.get("message").unwrap_or(&Value::Null);
    let said = content::text_of(message);
    text(value, "type") == Some("user")
        && !Typed::of(message).typed.is_empty()
        && content::program_of(value, &said).is_none()
        && !content::is_side(value)
}

/// A prompt that the person typed while the agent was at work, as the line of one that was not; any
/// other line as it is.
fn queued_prompt(mut line: Value) -> Value {
    let attachment = line.get("attachment").unwrap_or(&Value::Null);
    let is_queued = text(attachment, "type") == Some("queued_command")
        && text(attachment, "commandMode") == Some("prompt");
    if !is_queued {
        return line;
    }
    let message = json!({"role": "user", "content": attachment.get("prompt")});
    let origin = attachment.get("origin").cloned();
    if let Some(line) = line.as_object_mut() {
        line.insert("type".to_owned(), Value::from("user"));
        line.insert("message".to_owned(), message);
        line.extend(origin.map(|origin| ("origin".to_owned(), origin)));
    }
    line
}

fn not_claude_code(place: Place) -> ImportError {
    ImportError::NotThisFormat {
        place,
        format: Format::ClaudeCode,
        expected: "its lines are JSON objects with `type` and `sessionId` or `uuid`",
    }
}
