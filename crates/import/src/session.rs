use std::collections::{BTreeMap, VecDeque};

use memlith_event::{
    Actor, Body, Envelope, Event, IdempotencyKey, Key, Origin, Rank, Said, Scope, SessionEvent,
    SessionStarted, Text, TurnEvent, Via,
};
use memlith_log::Timestamp;

use crate::cut::{TEXT_MAX, cut};
use crate::{Format, Imported, Options};

/// What a source yields until the caller asks for it.
pub(crate) type Output = VecDeque<Imported>;

/// The sessions of an input: begun with their first line, ended with its end.
pub(crate) struct Sessions {
    format: Format,
    options: Options,
    seen: BTreeMap<Key, Session>,
}

/// A session that was begun.
struct Session {
    name: String,
    last: Timestamp,
    last_line: String,
}

/// Where and when something happened.
pub(crate) struct Moment<'a> {
    pub(crate) session: &'a str,
    /// The source's own name for the line, or for the part of it.
    pub(crate) id: &'a str,
    pub(crate) at: Timestamp,
}

/// How many sessions one input can hold; what comes later gets no start and end.
const SESSIONS_MAX: usize = 4096;

impl Sessions {
    pub(crate) fn new(format: Format, options: Options) -> Sessions {
        Sessions { format, options, seen: BTreeMap::new() }
    }

    /// Begins the session of a line unless that was done, and notes the line as its last.
    pub(crate) fn enter(
        &mut self,
        moment: &Moment<'_>,
        started: impl FnOnce() -> SessionStarted<'static>,
        output: &mut Output,
    ) {
        let key = Key::of("session", &[moment.session.as_bytes()]);
        if let Some(session) = self.seen.get_mut(&key) {
            session.last = session.last.max(moment.at);
            moment.id.clone_into(&mut session.last_line);
            return;
        }
        if self.seen.len() >= SESSIONS_MAX {
            return;
        }
        let (name, last_line) = (moment.session.to_owned(), moment.id.to_owned());
        self.seen.insert(key, Session { name, last: moment.at, last_line });
        let event = Event::Session(SessionEvent::Started(started()));
        let moment = Moment { id: "started", ..*moment };
        self.yield_event(&moment, self.program(), Origin::Tool, event, output);
    }

    /// Yields what somebody said; empty text is nothing said.
    pub(crate) fn said(
        &self,
        moment: &Moment<'_>,
        actor: Actor<'static>,
        origin: Origin,
        said: Said<'static>,
        output: &mut Output,
    ) {
        if said.text.trim().is_empty() && said.caption.is_none() {
            return;
        }
        let text: Text<'static> = cut(said.text.as_str().to_owned(), TEXT_MAX).into();
        let event = Event::Turn(TurnEvent::Said(Said { text, ..said }));
        self.yield_event(moment, actor, origin, event, output);
    }

    /// Yields an event.
    pub(crate) fn yield_event(
        &self,
        moment: &Moment<'_>,
        actor: Actor<'static>,
        origin: Origin,
        event: Event<'static>,
        output: &mut Output,
    ) {
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
        output.push_back(Imported::Event(Box::new(Body { envelope, event })));
    }

    /// The key of a moment: the same whenever and from wherever the line is read.
    pub(crate) fn key(&self, moment: &Moment<'_>) -> IdempotencyKey {
        IdempotencyKey::of(&[self.format.name(), moment.session, moment.id])
    }

    /// The scope of a session.
    pub(crate) fn scope(&self, session: &str) -> Scope<'static> {
        Scope { session: Some(session.to_owned().into()), ..self.options.scope.clone() }
    }

    /// Ends every session. The key names the last line: a file that has grown since ends
    /// anew, the same file does not.
    pub(crate) fn end(&mut self, output: &mut Output) {
        for session in std::mem::take(&mut self.seen).into_values() {
            let id = format!("ended after {}", session.last_line);
            let moment = Moment { session: &session.name, id: &id, at: session.last };
            let event = Event::Session(SessionEvent::Ended);
            self.yield_event(&moment, self.program(), Origin::Tool, event, output);
        }
    }

    /// The program that held the sessions, as an actor.
    fn program(&self) -> Actor<'static> {
        Actor::new(self.format.name(), Rank::Tool)
    }
}
