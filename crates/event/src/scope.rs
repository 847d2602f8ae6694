use serde::{Deserialize, Serialize};

use crate::{Key, Text};

/// The owner of an event: tenant, agent and subject, and the session it happened in.
///
/// As the scope of an item, `None` for agent or subject is `*`, shared by all. As the
/// scope of a query, `None` means unset, and sees only what is shared. A session
/// groups; it is a wall only where `session_only` is set (working memory).
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Scope<'a> {
    /// The tenant; nothing is ever visible across tenants.
    #[serde(borrow)]
    pub tenant: Text<'a>,
    /// The agent, or `*`.
    pub agent: Option<Text<'a>>,
    /// The person or thing the event is about, or `*`.
    pub subject: Option<Text<'a>>,
    /// The session the event happened in.
    pub session: Option<Text<'a>>,
    /// Whether only queries of the same session see it.
    pub session_only: bool,
    /// Whether it is the owner's view of all that the ledger holds, of every tenant and
    /// session. For queries alone: nothing is written in it, and no record holds it.
    #[serde(skip)]
    pub everywhere: bool,
}

impl<'a> Scope<'a> {
    /// The scope of a tenant, shared by every agent and subject.
    #[must_use]
    pub fn tenant(tenant: impl Into<Text<'a>>) -> Scope<'a> {
        Scope { tenant: tenant.into(), ..Scope::default() }
    }

    /// The view of all that the ledger holds: see [`Scope::everywhere`].
    #[must_use]
    pub fn of_everything() -> Scope<'static> {
        Scope { everywhere: true, ..Scope::default() }
    }

    /// The key of (tenant, agent, subject): the unit of visibility and of statistics.
    #[must_use]
    pub fn cell(&self) -> Key {
        cell(&self.tenant, self.agent.as_deref(), self.subject.as_deref())
    }

    /// The key of the session within its cell, where there is one.
    #[must_use]
    pub fn session_key(&self) -> Option<Key> {
        self.session.as_ref()?;
        self.session_in(self.cell())
    }

    /// The key of the session within `cell`, which is that of this scope.
    pub(crate) fn session_in(&self, cell: Key) -> Option<Key> {
        Some(Scope::session_named(cell, self.session.as_ref()?))
    }

    /// The room of what only the session of this key sees.
    #[must_use]
    pub fn room_of_session(session: Key) -> Key {
        Key::of("cell of session", &[&session.0])
    }

    /// The key of the session called `name` in `cell`.
    #[must_use]
    pub fn session_named(cell: Key, name: &str) -> Key {
        Key::of("session", &[&cell.0, name.as_bytes()])
    }

    /// The key of what is written together: the cell, or the session's own room where
    /// nobody else sees it.
    ///
    /// What is in one room is indexed together and compared with each other on a write,
    /// so that what only a session sees changes nothing for those who don't.
    #[must_use]
    pub fn room(&self) -> Key {
        let cell = self.cell();
        self.room_in(cell, self.session_in(cell))
    }

    /// The room, given the keys of cell and session, which are those of this scope.
    pub(crate) fn room_in(&self, cell: Key, session: Option<Key>) -> Key {
        match session {
            Some(session) if self.session_only => Scope::room_of_session(session),
            Some(_) | None => cell,
        }
    }

    /// The cells that a query of this scope sees, its own first; at most four.
    ///
    /// An item is visible iff tenants are equal and, for agent and subject, the
    /// item's is `*` or equal. The view of everything sees more than these.
    #[must_use]
    pub fn visible_cells(&self) -> Vec<Key> {
        let mut cells = Vec::with_capacity(4);
        for agent in [self.agent.as_deref(), None] {
            for subject in [self.subject.as_deref(), None] {
                let key = cell(&self.tenant, agent, subject);
                if !cells.contains(&key) {
                    cells.push(key);
                }
            }
        }
        cells
    }

    /// Copies the scope, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Scope<'static> {
        Scope {
            tenant: self.tenant.into_owned(),
            agent: self.agent.map(Text::into_owned),
            subject: self.subject.map(Text::into_owned),
            session: self.session.map(Text::into_owned),
            session_only: self.session_only,
            everywhere: self.everywhere,
        }
    }
}

fn cell(tenant: &str, agent: Option<&str>, subject: Option<&str>) -> Key {
    let present = [u8::from(agent.is_some()), u8::from(subject.is_some())];
    let (agent, subject) = (agent.unwrap_or_default(), subject.unwrap_or_default());
    Key::of("cell", &[tenant.as_bytes(), &present, agent.as_bytes(), subject.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_sees_its_own_and_the_shared_cells() {
        let shared = Scope::tenant("t");
        let agent = Scope { agent: Some("a".into()), ..shared.clone() };
        let both = Scope { subject: Some("s".into()), ..agent.clone() };
        assert_eq!(shared.visible_cells(), [shared.cell()]);
        assert_eq!(agent.visible_cells(), [agent.cell(), shared.cell()]);
        assert_eq!(both.visible_cells().len(), 4);
        assert!(!agent.visible_cells().contains(&both.cell()));
        assert!(!Scope::tenant("u").visible_cells().contains(&shared.cell()));
    }

    #[test]
    fn what_a_session_keeps_to_itself_is_in_a_room_of_its_own() {
        let session = Scope { session: Some("s".into()), ..Scope::tenant("t") };
        let alone = Scope { session_only: true, ..session.clone() };
        let other = Scope { session: Some("u".into()), ..alone.clone() };
        assert_eq!(session.room(), session.cell());
        assert_eq!(alone.cell(), session.cell());
        assert!(alone.room() != alone.cell() && alone.room() != other.room());
        let nowhere = Scope { session_only: true, ..Scope::tenant("t") };
        assert_eq!(nowhere.room(), nowhere.cell());
    }

    #[test]
    fn an_agent_named_like_the_wildcard_is_not_the_wildcard() {
        let named = Scope { agent: Some("".into()), ..Scope::tenant("t") };
        assert_ne!(named.cell(), Scope::tenant("t").cell());
    }
}
