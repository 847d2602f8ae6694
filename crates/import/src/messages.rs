//! Messages of conversations, one JSON object a line: what a converter of another program's export
//! writes.
//!
//! `{"session": "trip", "id": "m1", "role": "user", "at": "2026-05-01T12:00:00Z", "text": "hi"}`.
//! `role` is `user`, `assistant`, `system` or `tool`. `id` names the message within its session;
//! a message without one goes by its time, role and words. `title` and `source`, of the first message
//! of a session, name the conversation and the program that held it. Other keys say nothing.

use memlith_event::{Actor, Key, Origin, Rank, Said, SessionStarted};
use serde_json::Value;

use crate::lenient::{instant, owned, read, text};
use crate::lines::Line;
use crate::reader::Transcript;
use crate::session::{Moment, Output, Sessions};
use crate::{Format, ImportError, Imported, Options, Place, SkipReason};

pub(crate) struct Messages {
    sessions: Sessions,
    /// Where the input began, while no message has come.
    unrecognised: Option<(Place, u32)>,
    recognised: bool,
}

/// Number of lines read before an input without one message is refused.
const FOREIGN_LINES_MAX: u32 = 8;

impl Messages {
    pub(crate) fn new(options: Options) -> Messages {
        Messages {
            sessions: Sessions::new(Format::Messages, options),
            unrecognised: None,
            recognised: false,
        }
    }

    /// Refuses an input whose first lines are all of another format.
    fn recognise(&mut self, place: Place, value: Option<&Value>) -> Result<(), ImportError> {
        self.recognised |= value.is_some_and(is_message);
        if self.recognised {
            return Ok(());
        }
        let (first, lines) = self.unrecognised.unwrap_or((place, 0));
        self.unrecognised = Some((first, lines + 1));
        if lines + 1 < FOREIGN_LINES_MAX { Ok(()) } else { Err(no_messages(first)) }
    }

    /// Yields a message, or says why it is left out.
    fn take(&mut self, value: &Value, output: &mut Output) -> Option<SkipReason> {
        let (actor, origin, context) = match text(value, "role") {
            Some("user") => (Actor::new("user", Rank::User), Origin::User, false),
            Some("assistant") => {
                (Actor::new("assistant", Rank::Assistant), Origin::Assistant, false)
            }
            Some("system" | "tool") => {
                (Actor::new(Format::Messages.name(), Rank::Tool), Origin::Tool, true)
            }
            other => return Some(SkipReason::of_type(other.unwrap_or("none"))),
        };
        let Some(session) = owned(value, "session") else { return Some(SkipReason::NoSession) };
        let Some(at) = instant(value, "at") else { return Some(SkipReason::NoTimestamp) };
        let id = owned(value, "id").unwrap_or_else(|| own_name(value));
        let moment = Moment { session: &session, id: &id, at, line: None };
        let started = || SessionStarted {
            tool: owned(value, "source").unwrap_or_else(|| Format::Messages.name().into()).into(),
            directory: None,
            branch: None,
            parent: None,
            title: owned(value, "title").map(Into::into),
        };
        self.sessions.enter(&moment, started, output);
        let words = text(value, "text").unwrap_or_default().to_owned();
        let said = Said { text: words.into(), caption: None, context };
        self.sessions.said(&moment, actor, origin, said, output);
        None
    }
}

impl Transcript for Messages {
    fn line(&mut self, line: Line<'_>, output: &mut Output) -> Result<(), ImportError> {
        let number = line.place.line;
        let (objects, torn) = read(&line.content);
        self.recognise(line.place, objects.first())?;
        let mut skipped: Vec<SkipReason> = torn.into_iter().collect();
        for value in &objects {
            skipped.extend(self.take(value, output));
        }
        output.extend(skipped.into_iter().map(|reason| Imported::Skipped { line: number, reason }));
        Ok(())
    }

    fn end(&mut self, _: Place, output: &mut Output) -> Result<(), ImportError> {
        if let (false, Some((place, _))) = (self.recognised, self.unrecognised) {
            return Err(no_messages(place));
        }
        self.sessions.end(output);
        Ok(())
    }
}

/// The name of a message without one: the same wherever it stands.
fn own_name(value: &Value) -> String {
    let parts = ["at", "role", "text"].map(|key| text(value, key).unwrap_or_default().as_bytes());
    Key::of("message", &parts).0.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_message(value: &Value) -> bool {
    ["session", "role", "at", "text"].iter().all(|key| text(value, key).is_some())
}

fn no_messages(place: Place) -> ImportError {
    ImportError::NotThisFormat {
        place,
        format: Format::Messages,
        expected: "its lines are JSON objects with `session`, `role`, `at` and `text`",
    }
}
