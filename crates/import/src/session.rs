use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use memlith_claims::is_not_to_be_kept;
use memlith_event::{
    Actor, Body, Envelope, Event, IdempotencyKey, Key, Origin, Rank, Said, Scope, SessionEvent,
    SessionStarted, Text, TurnEvent, Via,
};
use memlith_log::Timestamp;

use crate::cut::{TEXT_MAX, cut};
use crate::withheld::without_withheld;
use crate::{
    Format, IgnoredFiles, Imported, InputEnd, Options, Reinforced, ReinforcementKind, Target,
};

/// Events that a source yields until the caller asks for them.
pub(crate) type Output = VecDeque<Imported>;

/// The sessions of an input, each begun with its first line.
///
/// A session ends where the input says that it is over, and at the end of the input if its
/// last line is [`QUIET_US`] old or older. The key of an end names the last line before it:
/// an input that is read again, or that grew by nothing to be remembered, names the same
/// end. A turn behind an end resumes the session, which later ends anew.
pub(crate) struct Sessions {
    format: Format,
    options: Options,
    seen: BTreeMap<Key, Session>,
    /// The session of the line that is being read.
    current: Option<Key>,
    /// The folder of the line that is being read.
    folder: Folder,
}

/// The folder of a line, and the owner of what happened in it.
#[derive(Default)]
struct Folder {
    name: Option<String>,
    /// Its subject where that is not the scope's; none where it is another ledger's.
    subject: Option<Option<String>>,
    is_elsewhere: bool,
}

/// A session that was begun.
#[derive(Clone)]
struct Session {
    name: String,
    scope: Scope<'static>,
    /// The time of its newest line.
    last: Timestamp,
    /// The line that is being read, or was read last.
    line: String,
    /// The last line that became an event.
    last_line: String,
    /// Whether the input said that it is over, and no turn came since.
    over: bool,
    /// Whether its person asked that what they said last is not kept: what answers it isn't either.
    is_kept_away: bool,
}

/// Where and when something happened.
pub(crate) struct Moment<'a> {
    pub(crate) session: &'a str,
    /// The source's own name for the line, or for the part of it.
    pub(crate) id: &'a str,
    pub(crate) at: Timestamp,
    /// The name of the line, where the source gave one that it keeps in copies of the line.
    pub(crate) line: Option<&'a str>,
}

/// The folder of clients that memlith asks about evidence: nobody speaks there.
const DESK: &str = "memlith-asked";

/// How many sessions one input can hold; what comes later gets no start and end.
const SESSIONS_MAX: usize = 4096;

/// A session is over once its last line is 30 minutes old.
const QUIET_US: i64 = 30 * 60 * 1_000_000;

impl Sessions {
    pub(crate) fn new(format: Format, options: Options) -> Sessions {
        Sessions {
            format,
            options,
            seen: BTreeMap::new(),
            current: None,
            folder: Folder::default(),
        }
    }

    /// Notes the folder of the lines to come.
    pub(crate) fn set_folder(&mut self, folder: Option<&str>) {
        let Some(folder) = folder.filter(|folder| self.folder.name.as_deref() != Some(*folder))
        else {
            return;
        };
        if Path::new(folder).ends_with(DESK) {
            self.folder = Folder { name: None, is_elsewhere: true, subject: None };
            return;
        }
        let Some(whose) = self.options.whose.as_ref() else {
            self.folder = Folder::default();
            return;
        };
        let found = Some(whose.subject_of(folder));
        self.folder = Folder {
            name: Some(folder.to_owned()),
            is_elsewhere: found == Some(None),
            subject: found.flatten(),
        };
    }

    /// Whether a line has named its folder.
    pub(crate) fn has_folder(&self) -> bool {
        self.folder.name.is_some()
    }

    /// Whether what happens in the folder is another ledger's.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.folder.is_elsewhere
    }

    /// Begins the session of a line unless that was done, and makes it the current one.
    pub(crate) fn enter(
        &mut self,
        moment: &Moment<'_>,
        started: impl FnOnce() -> SessionStarted<'static>,
        output: &mut Output,
    ) {
        let key = self.session_key(moment.session);
        // Neither that it began nor that it ended is known of what was withheld.
        if self.is_withheld(moment) {
            self.current = None;
            return;
        }
        self.current = Some(key);
        if let Some(session) = self.seen.get_mut(&key) {
            session.last = session.last.max(moment.at);
            moment.id.clone_into(&mut session.line);
            return;
        }
        if self.seen.len() >= SESSIONS_MAX {
            self.current = None;
            return;
        }
        let (name, line) = (moment.session.to_owned(), moment.id.to_owned());
        let last_line = line.clone();
        let scope = self.scope(moment.session);
        let session = Session {
            name,
            scope,
            last: moment.at,
            line,
            last_line,
            over: false,
            is_kept_away: false,
        };
        self.seen.insert(key, session);
        let event = Event::Session(SessionEvent::Started(started()));
        let moment = Moment { id: "started", line: None, ..*moment };
        let body = self.body(&moment, self.program(), Origin::Tool, event);
        output.push_back(Imported::Event(body));
    }

    /// Notes a line that becomes nothing: its session is as young as that.
    pub(crate) fn touch(&mut self, session: &str, at: Timestamp) {
        let key = self.session_key(session);
        if let Some(session) = self.seen.get_mut(&key) {
            session.last = session.last.max(at);
        }
    }

    /// Notes that the line that was entered becomes something other than an event.
    pub(crate) fn keep(&mut self) {
        if let Some(session) = self.current.and_then(|key| self.seen.get_mut(&key)) {
            session.line.clone_into(&mut session.last_line);
        }
    }

    /// Takes a line for the end of all sessions so far: the program that held them was left.
    pub(crate) fn leave(&mut self) {
        self.seen.values_mut().for_each(|session| session.over = true);
    }

    /// Yields what somebody said; empty text is nothing said.
    pub(crate) fn said(
        &mut self,
        moment: &Moment<'_>,
        actor: Actor<'static>,
        origin: Origin,
        said: Said<'static>,
        output: &mut Output,
    ) {
        let text = without_withheld(said.text.as_str().to_owned());
        if text.trim().is_empty() && said.caption.is_none() {
            return;
        }
        let session = self.current.and_then(|key| self.seen.get_mut(&key));
        if let Some(session) = session.filter(|_| origin == Origin::User && !said.context) {
            session.is_kept_away = is_not_to_be_kept(&text);
        }
        let text: Text<'static> = cut(text, TEXT_MAX).into();
        let event = Event::Turn(TurnEvent::Said(Said { text, ..said }));
        self.yield_event(moment, actor, origin, event, output);
    }

    /// Yields an event of the session that was entered; the session's end before it, if
    /// that was said and this resumes it.
    pub(crate) fn yield_event(
        &mut self,
        moment: &Moment<'_>,
        actor: Actor<'static>,
        origin: Origin,
        event: Event<'static>,
        output: &mut Output,
    ) {
        if self.is_withheld(moment) {
            return;
        }
        let session = self.current.and_then(|key| self.seen.get_mut(&key));
        let mut end = None;
        let is_turn = matches!(event, Event::Turn(_));
        if is_turn && session.as_ref().is_some_and(|session| session.is_kept_away) {
            return;
        }
        if let Some(session) = session.filter(|session| !session.over || resumes(&event)) {
            end = std::mem::take(&mut session.over).then(|| session.clone());
            session.line.clone_into(&mut session.last_line);
        }
        output.extend(end.map(|session| self.ended(&session)));
        output.push_back(Imported::Event(self.body(moment, actor, origin, event)));
    }

    /// An event with its envelope.
    fn body(
        &self,
        moment: &Moment<'_>,
        actor: Actor<'static>,
        origin: Origin,
        event: Event<'static>,
    ) -> Box<Body<'static>> {
        let envelope = Envelope {
            scope: self.scope(moment.session),
            actor,
            origin,
            via: Via::Import,
            tier_cap: self.options.tier_cap,
            occurred_at: moment.at,
            links: Vec::new(),
            key: Some(self.key(moment)),
            copied_from: None,
        };
        Box::new(Body { envelope, event })
    }

    /// The key of a moment: the same whenever and from wherever the line is read. What the source
    /// itself names keeps its key in a session that repeats it.
    pub(crate) fn key(&self, moment: &Moment<'_>) -> IdempotencyKey {
        let format = self.format.name();
        match moment.line {
            Some(line) => {
                let at = moment.at.0.to_string();
                IdempotencyKey::of(&[format, "line", line, moment.id, &at])
            }
            None => IdempotencyKey::of(&[format, moment.session, moment.id]),
        }
    }

    /// The scope of a session.
    pub(crate) fn scope(&self, session: &str) -> Scope<'static> {
        let subject = match &self.folder.subject {
            Some(subject) => subject.clone().map(Into::into),
            None => self.options.scope.subject.clone(),
        };
        Scope { session: Some(session.to_owned().into()), subject, ..self.options.scope.clone() }
    }

    /// The key by which the session of the lines of one folder is told from others.
    fn session_key(&self, session: &str) -> Key {
        let scope = self.scope(session);
        scope.session_key().unwrap_or_default()
    }

    /// Yields that the person took back what they had said and what followed.
    pub(crate) fn took_back(&self, moment: &Moment<'_>, targets: Vec<Target>, output: &mut Output) {
        if targets.is_empty() {
            return;
        }
        let id = format!("{}/took back", moment.id);
        let moment = Moment { id: &id, ..*moment };
        output.push_back(Imported::Reinforced(Box::new(Reinforced {
            kind: ReinforcementKind::Invalidated,
            targets,
            weight: None,
            occurred_at: moment.at,
            actor: Actor::new("user", Rank::User),
            scope: self.scope(moment.session),
            key: self.key(&moment),
        })));
    }

    fn is_withheld(&self, moment: &Moment<'_>) -> bool {
        self.options.withheld.iter().any(|time| time.has(moment.session, moment.at))
    }

    /// The files that are not captured.
    pub(crate) fn ignored(&self) -> Option<&IgnoredFiles> {
        self.options.ignored.as_ref()
    }

    /// Whether more of the input will come.
    pub(crate) fn is_growing(&self) -> bool {
        self.options.end == InputEnd::Growing
    }

    /// Takes the end of the input: yields the end of every session that is over.
    pub(crate) fn end(&mut self, output: &mut Output) {
        let now = self.options.now;
        let is_old =
            |session: &Session| now.is_some_and(|now| session.last.plus_us(QUIET_US) <= now);
        let seen = std::mem::take(&mut self.seen);
        let (is_over, is_growing) = (self.options.end == InputEnd::Over, self.is_growing());
        let over = seen
            .into_values()
            .filter(|session| is_over || session.over || !is_growing && is_old(session));
        output.extend(over.map(|session| self.ended(&session)));
    }

    /// The end of a session.
    fn ended(&self, session: &Session) -> Imported {
        let id = format!("ended after {}", session.last_line);
        let moment = Moment { session: &session.name, id: &id, at: session.last, line: None };
        let event = Event::Session(SessionEvent::Ended);
        let mut body = self.body(&moment, self.program(), Origin::Tool, event);
        body.envelope.scope = session.scope.clone();
        Imported::Event(body)
    }

    /// The program that held the sessions, as an actor.
    fn program(&self) -> Actor<'static> {
        Actor::new(self.format.name(), Rank::Tool)
    }
}

/// Whether an event behind a session's end resumes it; what its program still adds doesn't.
fn resumes(event: &Event<'_>) -> bool {
    !matches!(event, Event::Turn(TurnEvent::Said(Said { context: true, .. })))
}
