use memlith_event::{Key, Scope};
use memlith_state::{Fields, Place, Row};

use crate::Recall;

/// The statistics of one cell: row `recall.cells`. Derived items are in none of them.
///
/// The row of [`Key::default`] is of no cell: it counts all items and sessions, and
/// gives the next of each its number.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Cell {
    /// The cell.
    pub(crate) key: Key,
    /// How many primary items are in it.
    pub(crate) items: u64,
    /// How many sessions.
    pub(crate) sessions: u64,
    /// The lengths of its items, in fifths of a term.
    pub(crate) length: u64,
    /// The lengths of its items that are in a session.
    pub(crate) session_length: u64,
}

/// The rooms that a query of this scope searches: neither an item that only its own session
/// sees nor its statistics are found anywhere else.
///
/// The view of everything searches every room that has statistics: all but those in which
/// whatever there is was derived.
pub(crate) fn cells_of(recall: &Recall, scope: &Scope<'_>) -> Vec<Key> {
    if scope.everywhere {
        let all = recall.cells.rows().map(|cell| cell.key);
        return all.filter(|key| *key != Key::default()).collect();
    }
    let mut cells = scope.visible_cells();
    let Some(session) = &scope.session else { return cells };
    for agent in [scope.agent.as_ref(), None] {
        for subject in [scope.subject.as_ref(), None] {
            let own = Scope {
                tenant: scope.tenant.clone(),
                agent: agent.cloned(),
                subject: subject.cloned(),
                session: Some(session.clone()),
                session_only: true,
                everywhere: false,
            };
            let cell = own.room();
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
    }
    cells
}

const _: () = assert!(Cell::WIDTH == 48, "docs/format.md, sections of recall");

impl Row for Cell {
    type Key = Key;
    const NAME: &'static str = "recall.cells";
    // key, items, sessions, length, session length
    const WIDTH: usize = Key::WIDTH + 8 + 8 + 8 + 8;

    fn key(&self) -> Key {
        self.key
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.key.0);
        out.extend(self.items.to_le_bytes());
        out.extend(self.sessions.to_le_bytes());
        out.extend(self.length.to_le_bytes());
        out.extend(self.session_length.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Cell {
        Cell {
            key: Key::read(fields),
            items: fields.u64(),
            sessions: fields.u64(),
            length: fields.u64(),
            session_length: fields.u64(),
        }
    }

    fn place(key: &Key) -> Place {
        Place::Even(key.place())
    }
}
