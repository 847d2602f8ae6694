use std::collections::BTreeMap;

use memlith_event::{
    Body, Content, Event, Key, OutcomeEvent, Rank, Reported, Scope, SessionEvent, Stored,
    TaskResult, ToolRan, TurnEvent,
};
use memlith_log::Seq;

use crate::sessions::{Word, Words, cut};
use crate::{Call, Ending, Error, Sessions, Step};

/// Takes the sessions out of the events of a ledger.
///
/// Events of other cells than the scope sees are left out: nothing is learnt across a wall.
/// So are tool calls outside of any session, erased records and all other events. A session
/// ended as the last outcome says that a person reported in it, or that was verified; of one
/// without, [`Extractor::end`] takes it from whoever knows.
#[derive(Clone, Debug)]
pub struct Extractor {
    visible: Vec<Key>,
    /// By session key, in the order of keys; steps are kept as calls until the end.
    sessions: BTreeMap<Key, Taken>,
    steps: usize,
    /// Calls say the same again and again: each text is kept once.
    words: Words,
}

/// A session while it is taken.
#[derive(Clone, Debug)]
struct Taken {
    name: String,
    /// Where it was met first: the order of sessions.
    first: Seq,
    ending: Ending,
    calls: Vec<Taking>,
}

/// A step while it is taken.
#[derive(Clone, Copy, Debug)]
struct Taking {
    seq: Seq,
    verb: Word,
    parameters: Word,
    ok: Option<bool>,
}

impl Extractor {
    /// Takes what a query of this scope sees.
    #[must_use]
    pub fn new(scope: &Scope<'_>) -> Extractor {
        Extractor {
            visible: scope.visible_cells(),
            sessions: BTreeMap::new(),
            steps: 0,
            words: Words::default(),
        }
    }

    /// Takes an event; most say nothing of a session's steps.
    ///
    /// # Errors
    /// There are as many sessions or steps as [`Sessions`] hold.
    pub fn push(&mut self, stored: &Stored<'_>) -> Result<(), Error> {
        let Content::Event(body) = &stored.content else { return Ok(()) };
        let scope = &body.envelope.scope;
        match &body.event {
            Event::Session(SessionEvent::Started(_) | SessionEvent::Ended) => {
                self.session(scope, stored.seq()).map(|_| ())
            }
            Event::Turn(TurnEvent::ToolRan(ran)) => self.ran(scope, stored.seq(), ran),
            Event::Outcome(OutcomeEvent::Reported(reported)) => {
                self.reported(body, reported);
                Ok(())
            }
            Event::Turn(TurnEvent::Said(_))
            | Event::Memory(_)
            | Event::Reconcile(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Compaction(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_)
            | Event::Procedure(_)
            | Event::Foreign(_) => Ok(()),
        }
    }

    /// Says how a session ended; nothing of one that wasn't met.
    pub fn end(&mut self, scope: &Scope<'_>, ending: Ending) {
        let taken = scope.session_key().and_then(|key| self.sessions.get_mut(&key));
        if let Some(taken) = taken {
            taken.ending = ending;
        }
    }

    /// The sessions, in the order in which they began.
    ///
    /// # Errors
    /// None that [`Extractor::push`] didn't have.
    pub fn finish(self) -> Result<Sessions, Error> {
        let mut taken: Vec<Taken> = self.sessions.into_values().collect();
        taken.sort_by_key(|taken| taken.first);
        let mut sessions = Sessions::default();
        for taken in taken {
            sessions.begin(&taken.name, taken.ending)?;
            for Taking { seq, verb, parameters, ok } in taken.calls {
                let (verb, parameters) = (self.words.text(verb), self.words.text(parameters));
                sessions.push(Step { seq, verb, parameters, ok })?;
            }
        }
        Ok(sessions)
    }

    fn ran(&mut self, scope: &Scope<'_>, seq: Seq, ran: &ToolRan<'_>) -> Result<(), Error> {
        let ok = ran.ok.or(ran.exit_code.map(|code| code == 0));
        if self.steps >= Sessions::STEPS_MAX {
            return Err(Error::TooManySteps { limit: Sessions::STEPS_MAX });
        }
        if self.session(scope, seq)?.is_none() {
            return Ok(());
        }
        let calls = Call::steps(&ran.tool, &ran.arguments);
        for call in calls {
            let ok = call.ok(ok);
            let (verb, parameters) =
                (self.words.number(cut(&call.verb)), self.words.number(cut(&call.parameters)));
            if let Some(taken) = self.session(scope, seq)? {
                taken.calls.push(Taking { seq, verb, parameters, ok });
                self.steps += 1;
            }
        }
        Ok(())
    }

    fn reported(&mut self, body: &Body<'_>, reported: &Reported<'_>) {
        if !reported.verified && body.envelope.actor.rank < Rank::User {
            return;
        }
        let ending = match reported.result {
            TaskResult::Success => Ending::Succeeded,
            TaskResult::Failure => Ending::Failed,
            TaskResult::Partial => Ending::Unknown,
        };
        self.end(&body.envelope.scope, ending);
    }

    /// The session of a scope that is seen.
    fn session(&mut self, scope: &Scope<'_>, seq: Seq) -> Result<Option<&mut Taken>, Error> {
        let Some(key) = scope.session_key() else { return Ok(None) };
        if !self.visible.contains(&scope.cell()) {
            return Ok(None);
        }
        let full = self.sessions.len() >= Sessions::SESSIONS_MAX;
        if full && !self.sessions.contains_key(&key) {
            return Err(Error::TooManySessions { limit: Sessions::SESSIONS_MAX });
        }
        let taken = self.sessions.entry(key).or_insert_with(|| Taken {
            name: scope.session.as_deref().unwrap_or_default().to_owned(),
            first: seq,
            ending: Ending::Unknown,
            calls: Vec::new(),
        });
        Ok(Some(taken))
    }
}

#[cfg(test)]
mod tests;
