use std::sync::Arc;

use crate::{Envelope, Key, Scope};

/// The names that folds make of envelopes; those of the last few are remembered.
///
/// Most events are of the scope and the actor of one of the few before them: hashing four
/// names is ten times what finding them takes. What is given is what [`Scope::cell`],
/// [`Scope::room`], [`Scope::session_key`] and [`crate::Actor::key`] give, remembered or not.
///
/// A clone shares what is remembered, until one of the two meets another name.
#[derive(Clone, Debug, Default)]
pub struct Names(Arc<Remembered>);

#[derive(Clone, Debug, Default)]
struct Remembered {
    scopes: [Place<(Scope<'static>, Named)>; SCOPES],
    actors: [Place<(Box<str>, Key)>; ACTORS],
}

/// Place for one remembered name, if it holds any.
type Place<T> = Option<Arc<T>>;

/// The names of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Named {
    /// Of its cell.
    pub cell: Key,
    /// Of its room.
    pub room: Key,
    /// Of its session in the cell.
    pub session: Option<Key>,
    /// Of its actor.
    pub actor: Key,
}

/// Number of scopes that are remembered: a few sessions go on at a time.
const SCOPES: usize = 4;

/// Number of actors that are remembered: a user, an assistant and its tools take turns in a
/// session.
const ACTORS: usize = 16;

impl Names {
    /// The names of `envelope`.
    pub fn of(&mut self, envelope: &Envelope<'_>) -> Named {
        let actor = self.actor(envelope);
        Named { actor, ..self.scope(&envelope.scope) }
    }

    fn scope(&mut self, scope: &Scope<'_>) -> Named {
        let known = self.0.scopes.iter().flatten().find(|known| known.0 == *scope);
        if let Some(known) = known {
            return known.1;
        }
        let cell = scope.cell();
        let session = scope.session_in(cell);
        let room = scope.room_in(cell, session);
        let named = Named { cell, room, session, actor: Key::default() };
        remember(&mut Arc::make_mut(&mut self.0).scopes, (scope.clone().into_owned(), named));
        named
    }

    fn actor(&mut self, envelope: &Envelope<'_>) -> Key {
        let name = envelope.actor.name.as_str();
        if let Some(known) = self.0.actors.iter().flatten().find(|known| *known.0 == *name) {
            return known.1;
        }
        let key = envelope.actor.key();
        remember(&mut Arc::make_mut(&mut self.0).actors, (name.into(), key));
        key
    }
}

/// Puts `new` in the place of what was remembered first.
fn remember<T>(all: &mut [Place<T>], new: T) {
    all.rotate_right(1);
    if let Some(first) = all.first_mut() {
        *first = Some(Arc::new(new));
    }
}

#[cfg(test)]
mod tests {
    use memlith_log::Timestamp;

    use super::*;
    use crate::{Actor, Rank};

    #[test]
    fn what_is_remembered_is_what_would_be_hashed() {
        let mut names = Names::default();
        // Each is met again while it is remembered, and again when it no longer is.
        for round in [0, 0, 1, 2, 3, 0, 4, 5, 5, 0, 1].into_iter().chain(0..40).chain([0]) {
            for (agent, session, session_only) in
                [(None, None, false), (Some("a"), Some("s"), false), (Some("a"), Some("s"), true)]
            {
                let scope = Scope {
                    tenant: format!("t{}", round % 3).into(),
                    agent: agent.map(Into::into),
                    subject: None,
                    session: session.map(|name| format!("{name}{round}").into()),
                    session_only,
                    everywhere: false,
                };
                let actor = Actor::new(format!("actor {round}"), Rank::User);
                let envelope = Envelope::new(scope.clone(), actor.clone(), Timestamp(0));
                let expected = Named {
                    cell: scope.cell(),
                    room: scope.room(),
                    session: scope.session_key(),
                    actor: actor.key(),
                };
                assert_eq!(names.of(&envelope), expected);
            }
        }
    }
}
