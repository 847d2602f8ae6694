//! Session rollouts of Codex.
//!
//! A turn is written twice: as the items of the conversation, and as messages for the
//! display. The items count; a message counts only where no item says the same.

mod content;

use std::collections::{BTreeSet, VecDeque};

use memlith_event::{Actor, Key, Origin, Rank, Said, SessionStarted};
use memlith_log::Timestamp;
use serde_json::Value;

use crate::calls::{Call, Calls, Outcome, tool_ran};
use crate::cut::cut_json;
use crate::lenient::{instant, joined, list, owned, read, text};
use crate::lines::Line;
use crate::reader::Transcript;
use crate::resume::{Context, Resume};
use crate::session::{Moment, Output, Sessions};
use crate::stretch::Stretches;
use crate::{Format, ImportError, Imported, Options, Place, SkipReason};

pub(crate) struct Codex {
    sessions: Sessions,
    calls: Calls,
    session: Option<Session>,
    /// Where the input began, while no session was named.
    unrecognised: Option<(Place, u32)>,
    last: Option<Timestamp>,
    /// Keys of the messages that items said lately.
    said: VecDeque<Key>,
    /// Messages that were displayed lately, and that no item has said.
    displayed: VecDeque<Displayed>,
    resume: Option<Resume>,
    /// Which object of its line is read, from 0.
    part: usize,
    /// When the beginning of another session was written into this one.
    copied: Option<Timestamp>,
    /// All that the person said, so that a compaction's history tells what is missing.
    prompts: BTreeSet<Key>,
    /// Whether what stands before the input was left out, and whether a line refers to it.
    is_resumed: bool,
    misses_its_beginning: bool,
    stretches: Stretches,
    /// The stretches of the person's turns, in order.
    turns: Vec<usize>,
}

/// The session that the first line tells of.
struct Session {
    id: String,
    started: SessionStarted<'static>,
}

/// A message for the display.
struct Displayed {
    key: Key,
    line: u64,
    at: Timestamp,
    role: Role,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    User,
    Assistant,
    /// Instructions that the program wrote.
    Developer,
}

/// Number of lines read before an input that names no session is refused.
const FOREIGN_LINES_MAX: u32 = 8;

/// Time from the beginning of another session within which what is written is a part of it, in
/// microseconds.
const COPIED_US: i64 = 1_000_000;

/// No more prompts of a session are known by their words.
const PROMPTS_MAX: usize = 1 << 16;

/// Number of messages that are compared; the two streams of a turn are closer.
const WINDOW: usize = 32;

impl Codex {
    pub(crate) fn new(options: Options) -> Codex {
        let resume = options.from.clone();
        let session = resume.as_ref().and_then(Session::resumed);
        Codex {
            is_resumed: resume.is_some(),
            sessions: Sessions::new(Format::Codex, options),
            calls: Calls::default(),
            session,
            resume,
            unrecognised: None,
            last: None,
            said: VecDeque::new(),
            displayed: VecDeque::new(),
            part: 0,
            copied: None,
            prompts: BTreeSet::new(),
            misses_its_beginning: false,
            stretches: Stretches::default(),
            turns: Vec::new(),
        }
    }

    /// Takes the line that names the session; refuses an input where none does.
    fn recognise(&mut self, place: Place, value: Option<&Value>) -> Result<(), ImportError> {
        if self.session.is_none() {
            self.session = value.and_then(Session::of);
        }
        if self.session.is_some() {
            return Ok(());
        }
        let (first, lines) = self.unrecognised.unwrap_or((place, 0));
        self.unrecognised = Some((first, lines + 1));
        if lines + 1 < FOREIGN_LINES_MAX { Ok(()) } else { Err(not_codex(first)) }
    }

    fn take(&mut self, line: u64, value: &Value, output: &mut Output) {
        self.last = instant(value, "timestamp").or(self.last);
        let kind = text(value, "type");
        let payload = value.get("payload").unwrap_or(&Value::Null);
        let skip = |name: &str| Imported::Skipped { line, reason: SkipReason::of_type(name) };
        let Some(at) = self.last else {
            let reason = SkipReason::NoTimestamp;
            return output.push_back(Imported::Skipped { line, reason });
        };
        if self.is_copied(at, value) {
            let reason = SkipReason::CopiedTurn;
            return output.push_back(Imported::Skipped { line, reason });
        }
        // The folder of the last turn is the folder until another one is named.
        let begins = self.directory().filter(|_| !self.sessions.has_folder());
        let folder = text(payload, "cwd").or(begins).map(str::to_owned);
        self.sessions.set_folder(folder.as_deref());
        if let Some(session) = &self.session {
            self.sessions.touch(&session.id, at);
        }
        match kind {
            Some("compacted") => self.compacted(line, at, payload, output),
            Some("response_item") => self.item(line, at, payload, output),
            Some("event_msg") => self.event(line, at, payload, output),
            Some("session_meta") => self.enter(line, at, output),
            // The older shape: the items themselves, after a first line without a type.
            None if value.get("id").is_some() => self.enter(line, at, output),
            Some(_) if value.get("payload").is_none() => self.item(line, at, value, output),
            Some(name) => output.push_back(skip(name)),
            None => output.push_back(skip("none")),
        }
    }

    /// Whether a line is of the beginning of another session, which a fork or a spawned session
    /// repeats: the line that names that session, and what was written with it.
    fn is_copied(&mut self, at: Timestamp, value: &Value) -> bool {
        let other = Session::of(value).filter(|_| text(value, "type") == Some("session_meta"));
        let own = self.session.as_ref().map(|session| session.id.as_str());
        if other.is_some_and(|other| Some(other.id.as_str()) != own) {
            self.copied = Some(at);
        }
        let is_within = |from: Timestamp| from <= at && at <= from.plus_us(COPIED_US);
        if !self.copied.is_some_and(is_within) {
            self.copied = None;
        }
        self.copied.is_some()
    }

    /// A compaction: what the person said and no line before it has.
    fn compacted(&mut self, line: u64, at: Timestamp, payload: &Value, output: &mut Output) {
        output.push_back(Imported::Skipped { line, reason: SkipReason::of_type("compacted") });
        for (number, item) in list(payload, "replacement_history").iter().enumerate() {
            let said = joined(item.get("content").unwrap_or(&Value::Null));
            let is_prompt = text(item, "role") == Some("user") && !content::is_wrapped(&said);
            if !is_prompt || said.contains(" tokens truncated") {
                continue;
            }
            self.misses_its_beginning |= self.is_resumed;
            if self.is_new_prompt(&said) {
                let id = format!("{}, item {}", self.id(line), number + 1);
                self.said_as(&id, line, at, Role::User, said, output);
            }
        }
    }

    /// Notes what the person said; whether they hadn't said it before.
    fn is_new_prompt(&mut self, said: &str) -> bool {
        self.prompts.len() < PROMPTS_MAX && self.prompts.insert(said_key(Role::User, said))
    }

    /// The person took back their last turns and all that followed.
    fn roll_back(&mut self, line: u64, at: Timestamp, turns: u64, output: &mut Output) {
        self.misses_its_beginning |= self.is_resumed && turns > self.turns.len() as u64;
        let kept = self.turns.len().saturating_sub(usize::try_from(turns).unwrap_or(usize::MAX));
        let left = self.turns.split_off(kept);
        let targets = left.into_iter().flat_map(|turn| self.stretches.leave(turn)).collect();
        let id = self.id(line);
        if let Some(session) = &self.session {
            let moment = Moment { session: &session.id, id: &id, at, line: None };
            self.sessions.took_back(&moment, targets, output);
        }
    }

    /// The name of the object that is read, which has none of its own.
    fn id(&self, line: u64) -> String {
        match self.part {
            0 => format!("line {line}"),
            part => format!("line {line}, object {}", part + 1),
        }
    }

    /// An item of the conversation.
    fn item(&mut self, line: u64, at: Timestamp, item: &Value, output: &mut Output) {
        let kind = text(item, "type").unwrap_or("none");
        match kind {
            "message" => {
                let said = joined(item.get("content").unwrap_or(&Value::Null));
                let role = match text(item, "role") {
                    Some("user") => Role::User,
                    Some("assistant") => Role::Assistant,
                    _ => Role::Developer,
                };
                self.remember_said(role, &said, output);
                self.said(line, at, role, said, output);
            }
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                self.enter(line, at, output);
                match content::call(item, line) {
                    Some(call) => {
                        let call = self.placed(call, &content::arguments(item));
                        self.calls.push(call, output);
                    }
                    None => output
                        .push_back(Imported::Skipped { line, reason: SkipReason::of_type(kind) }),
                }
            }
            "function_call_output" | "custom_tool_call_output" => {
                let id = owned(item, "call_id").unwrap_or_else(|| self.id(line));
                let outcome = content::outcome(item.get("output").unwrap_or(&Value::Null));
                let outcome = Outcome { line, ..outcome };
                let call = self.calls.take(&id);
                self.ran(line, &id, at, call, outcome, output);
            }
            "web_search_call" => {
                let id = owned(item, "id").unwrap_or_else(|| self.id(line));
                let action = item.get("action").cloned().unwrap_or(Value::Null);
                let ok = text(item, "status").map(|status| status == "completed");
                let call = Call {
                    id: id.clone(),
                    tool: "web_search".to_owned(),
                    arguments: cut_json(action),
                    line,
                    directory: None,
                    is_ignored: false,
                };
                let outcome = Outcome { ok, line, ..Outcome::default() };
                self.ran(line, &id, at, Some(call), outcome, output);
            }
            name => {
                output.push_back(Imported::Skipped { line, reason: SkipReason::of_type(name) });
            }
        }
    }

    /// A call with the folder that it was made in, and whether it touches an ignored file.
    fn placed(&self, call: Call, arguments: &Value) -> Call {
        let Some(files) = self.sessions.ignored() else { return call };
        let own = ["workdir", "working_directory"].into_iter();
        let own = own.filter_map(|name| owned(arguments, name)).next();
        let directory = match (own, self.directory()) {
            (Some(own), Some(session)) if !own.starts_with('/') => Some(format!("{session}/{own}")),
            (own, session) => own.or_else(|| session.map(str::to_owned)),
        };
        let is_ignored = files.are_touched(directory.as_deref(), arguments);
        Call { directory, is_ignored, ..call }
    }

    /// The folder of the session.
    fn directory(&self) -> Option<&str> {
        self.session.as_ref()?.started.directory.as_deref()
    }

    /// A message for the display.
    fn event(&mut self, line: u64, at: Timestamp, event: &Value, output: &mut Output) {
        let kind = text(event, "type").unwrap_or("none");
        let role = match kind {
            "user_message" => Role::User,
            "agent_message" => Role::Assistant,
            name => {
                if name == "shutdown_complete" {
                    self.sessions.leave();
                }
                if name == "thread_rolled_back" {
                    let turns = event.get("num_turns").and_then(Value::as_u64);
                    self.roll_back(line, at, turns.unwrap_or_default(), output);
                }
                let reason = SkipReason::of_type(&format!("event_msg-{name}"));
                return output.push_back(Imported::Skipped { line, reason });
            }
        };
        let said = owned(event, "message").unwrap_or_default();
        let key = said_key(role, &said);
        if let Some(index) = self.said.iter().position(|said| *said == key) {
            self.said.remove(index);
            let reason = SkipReason::RepeatedText;
            return output.push_back(Imported::Skipped { line, reason });
        }
        self.displayed.push_back(Displayed { key, line, at, role, text: said });
        if self.displayed.len() > WINDOW {
            self.display_oldest(output);
        }
    }

    /// Notes what an item said, and strikes it from what was displayed.
    fn remember_said(&mut self, role: Role, said: &str, output: &mut Output) {
        let key = said_key(role, said);
        let index = self.displayed.iter().position(|displayed| displayed.key == key);
        match index.and_then(|index| self.displayed.remove(index)) {
            None => self.said.push_back(key),
            Some(Displayed { line, .. }) => {
                output.push_back(Imported::Skipped { line, reason: SkipReason::RepeatedText });
            }
        }
        if self.said.len() > WINDOW {
            self.said.pop_front();
        }
    }

    /// Yields the oldest displayed message that no item has said.
    fn display_oldest(&mut self, output: &mut Output) {
        if let Some(Displayed { line, at, role, text, .. }) = self.displayed.pop_front() {
            self.said(line, at, role, text, output);
        }
    }

    fn said(&mut self, line: u64, at: Timestamp, role: Role, said: String, output: &mut Output) {
        if role == Role::User && !content::is_wrapped(&said) {
            self.is_new_prompt(&said);
            self.turns.push(self.stretches.begin(None));
        }
        let id = self.id(line);
        self.said_as(&id, line, at, role, said, output);
    }

    fn said_as(
        &mut self,
        id: &str,
        line: u64,
        at: Timestamp,
        role: Role,
        said: String,
        output: &mut Output,
    ) {
        self.enter(line, at, output);
        let context = role == Role::Developer || role == Role::User && content::is_wrapped(&said);
        let (actor, origin) = match role {
            Role::Assistant => (Actor::new("assistant", Rank::Assistant), Origin::Assistant),
            Role::User if !context => (Actor::new("user", Rank::User), Origin::User),
            Role::User | Role::Developer => {
                (Actor::new(Format::Codex.name(), Rank::Tool), Origin::File)
            }
        };
        let remains = match self.sessions.ignored() {
            Some(files) => files.remains(self.directory(), said, context),
            None => Some(said),
        };
        let Some(said) = remains else {
            let reason = SkipReason::IgnoredFile;
            return output.push_back(Imported::Skipped { line, reason });
        };
        let said = Said { text: said.into(), caption: None, context };
        if let Some(session) = self.session.as_ref().filter(|_| !self.sessions.is_elsewhere()) {
            let moment = Moment { session: &session.id, id, at, line: None };
            self.sessions.said(&moment, actor, origin, said, output);
        }
    }

    fn ran(
        &mut self,
        line: u64,
        id: &str,
        at: Timestamp,
        call: Option<Call>,
        outcome: Outcome,
        output: &mut Output,
    ) {
        self.enter(line, at, output);
        if let Some(session) = self.session.as_ref().filter(|_| !self.sessions.is_elsewhere()) {
            let moment = Moment { session: &session.id, id, at, line: None };
            tool_ran(&mut self.sessions, &moment, call, outcome, output);
        }
    }

    /// Begins the session, unless that was done.
    fn enter(&mut self, line: u64, at: Timestamp, output: &mut Output) {
        if let Some(session) = self.session.as_ref().filter(|_| !self.sessions.is_elsewhere()) {
            let id = self.id(line);
            let moment = Moment { session: &session.id, id: &id, at, line: None };
            self.sessions.enter(&moment, || session.started.clone(), output);
        }
    }
}

impl Transcript for Codex {
    fn line(&mut self, line: Line<'_>, output: &mut Output) -> Result<(), ImportError> {
        let number = line.place.line;
        let skip = |reason| Imported::Skipped { line: number, reason };
        let (objects, torn) = read(&line.content);
        self.recognise(line.place, objects.first())?;
        output.extend(torn.map(skip));
        for (part, value) in objects.into_iter().enumerate() {
            self.part = part;
            if self.session.is_none() {
                output.push_back(skip(SkipReason::NoSession));
                continue;
            }
            let from = output.len();
            self.take(number, &value, output);
            if let Some(turn) = self.turns.last() {
                self.stretches.note(*turn, output, from);
            }
            if self.misses_its_beginning {
                return Err(ImportError::BeforeResume { place: line.place });
            }
            let is_settled = self.calls.is_empty() && self.displayed.is_empty();
            if let Some(session) = self.session.as_ref().filter(|_| is_settled && part == 0)
                && content::is_prompt(&value)
            {
                self.resume = Some(session.resume(line.place));
            }
        }
        Ok(())
    }

    fn end(&mut self, _: Place, output: &mut Output) -> Result<(), ImportError> {
        if let (None, Some((place, _))) = (&self.session, self.unrecognised) {
            return Err(not_codex(place));
        }
        // In a file that grows the item of a message on display may be yet to come.
        while !self.displayed.is_empty() && !self.sessions.is_growing() {
            self.display_oldest(output);
        }
        self.calls.end(output);
        self.sessions.end(output);
        Ok(())
    }

    fn resume(&self) -> Option<Resume> {
        self.resume.clone()
    }
}

impl Session {
    /// The session that the lines before the input named.
    fn resumed(resume: &Resume) -> Option<Session> {
        let Context::Session { id, directory, branch, parent } = resume.context() else {
            return None;
        };
        let text = |field: &Option<String>| field.clone().map(Into::into);
        let started = SessionStarted {
            tool: Format::Codex.name().into(),
            directory: text(directory),
            branch: text(branch),
            parent: text(parent),
            title: None,
        };
        Some(Session { id: id.clone(), started })
    }

    /// Where the input can be read on from, and what has to be known of its session there.
    fn resume(&self, place: Place) -> Resume {
        let SessionStarted { directory, branch, parent, .. } = &self.started;
        let text = |field: &Option<memlith_event::Text<'_>>| field.as_deref().map(str::to_owned);
        let (directory, branch, parent) = (text(directory), text(branch), text(parent));
        Resume::new(place, Context::Session { id: self.id.clone(), directory, branch, parent })
    }

    /// The session that a line names, if it is one that does.
    fn of(value: &Value) -> Option<Session> {
        let meta = match text(value, "type") {
            Some("session_meta") => value.get("payload")?,
            None if value.get("timestamp").is_some() => value,
            Some(_) | None => return None,
        };
        let git = meta.get("git").unwrap_or(&Value::Null);
        let spawned = meta.pointer("/source/subagent/thread_spawn/parent_thread_id");
        let parent = owned(meta, "forked_from_id")
            .or_else(|| spawned.and_then(Value::as_str).map(str::to_owned));
        Some(Session {
            id: owned(meta, "id")?,
            started: SessionStarted {
                tool: Format::Codex.name().into(),
                directory: owned(meta, "cwd").map(Into::into),
                branch: owned(git, "branch").map(Into::into),
                parent: parent.map(Into::into),
                title: None,
            },
        })
    }
}

fn said_key(role: Role, said: &str) -> Key {
    let role: &[u8] = match role {
        Role::User => b"user",
        Role::Assistant => b"assistant",
        Role::Developer => b"developer",
    };
    Key::of("text", &[role, said.trim().as_bytes()])
}

fn not_codex(place: Place) -> ImportError {
    ImportError::NotThisFormat {
        place,
        format: Format::Codex,
        expected: "its first line is a `session_meta`, or an object with `id` and `timestamp`",
    }
}
