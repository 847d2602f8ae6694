//! The index as a fold.
//!
//! Invariants
//! 1. No text is kept: terms are keys, everything else is numbers.
//! 2. A cell's statistics count its primary items, whatever became of them since.
//! 3. A derived item is found by its terms alone: it is in no session, nobody's
//!    neighbour, and in no count.

use std::sync::Arc;

use memlith_event::{
    Body, Content, Event, Facts, Key, MemoryEvent, Names, Origin, Projection, Stored, TurnEvent,
};
use memlith_state::{Lists, Table, Tabular};

use crate::actor_name::ActorName;
use crate::analysis::tokens;
use crate::cell::Cell;
use crate::days::day_of;
use crate::item::{Item, NONE, Traits};
use crate::page::Texts;
use crate::pending::Pending;
use crate::posting::Posting;
use crate::reading::{Reader, Reading};
use crate::session::{Session, SessionName};
use crate::shelf::Shelf;
use crate::vector_part::VectorPart;

/// The lexical index of a ledger: which items have which terms, and what stands beside them.
///
/// Cost: folding in an item copies its text; taking it apart, once, is O(its terms log all
/// terms), about a microsecond a term, most of it stemming and hashing.
#[derive(Clone, Debug, Default)]
pub struct Recall {
    pub(crate) cells: Table<Cell>,
    pub(crate) sessions: Table<Session>,
    pub(crate) names: Table<SessionName>,
    pub(crate) actors: Table<ActorName>,
    pub(crate) items: Table<Item>,
    pub(crate) postings: Lists<Posting>,
    pub(crate) shelves: Table<Shelf>,
    pub(crate) vectors: Table<VectorPart>,
    scope_names: Names,
    /// The cells and actors whose names were last found, or made, to be known.
    named: [Option<(Key, Key)>; 16],
    /// The cell and the key of the session that was last entered, and its number.
    entered: Option<(Key, Key, u32)>,
    /// The last items, in the order of their numbers; in no posting yet.
    pub(crate) pending: Arc<Vec<Pending>>,
    /// Takes apart what is pending.
    pub(crate) reader: Reader,
}

/// The row that counts all items and sessions.
const ALL: Key = Key([0; 16]);

impl Projection for Recall {
    fn apply(&mut self, stored: &Stored<'_>, _facts: &dyn Facts) {
        match &stored.content {
            Content::Event(body) => {
                if let Event::Memory(MemoryEvent::Embedded(embedded)) = &body.event {
                    let scope = &body.envelope.scope;
                    self.put_vector(&scope.tenant, scope.room(), embedded);
                }
                self.index(stored, body, None);
            }
            Content::Erased(_) | Content::Other => {}
        }
    }

    fn settle(&mut self) {
        self.settle_pages();
    }

    fn tables(&self) -> Vec<&dyn Tabular> {
        vec![
            &self.cells,
            &self.sessions,
            &self.names,
            &self.actors,
            &self.items,
            &self.postings,
            &self.shelves,
            &self.vectors,
        ]
    }

    fn tables_mut(&mut self) -> Vec<&mut dyn Tabular> {
        vec![
            &mut self.cells,
            &mut self.sessions,
            &mut self.names,
            &mut self.actors,
            &mut self.items,
            &mut self.postings,
            &mut self.shelves,
            &mut self.vectors,
        ]
    }
}

impl Recall {
    /// Folds in a record whose text was taken apart; as [`Projection::apply`] does without.
    ///
    /// `reading` is what [`crate::Reader::read`] gave for the record's own body.
    pub fn apply_read(&mut self, stored: &Stored<'_>, reading: Reading) {
        match &stored.content {
            Content::Event(body) => self.index(stored, body, Some(Arc::new(reading))),
            Content::Erased(_) | Content::Other => {}
        }
    }

    fn index(&mut self, stored: &Stored<'_>, body: &Body<'_>, reading: Option<Arc<Reading>>) {
        let envelope = &body.envelope;
        let day = day_of(envelope.occurred_at);
        let texts = match &reading {
            Some(reading) => Some(reading.texts.clone()),
            None => Texts::of(&body.event).map(Arc::new),
        };
        let Some(texts) = texts else { return };
        let all = self.cell(ALL);
        let Some(number) = u32::try_from(all.items).ok().filter(|number| *number != NONE) else {
            // Past four thousand million items there are no numbers left.
            return;
        };
        self.cells.put(Cell { items: all.items + 1, ..all });

        let summary = matches!(body.event, Event::Compaction(_));
        let derived = summary || envelope.origin == Origin::Derived;
        let memory = matches!(body.event, Event::Memory(_)) && !derived;
        let tool = matches!(body.event, Event::Turn(TurnEvent::ToolRan(_)));
        let named = self.scope_names.of(envelope);
        let cell = named.room;
        let mut item = Item {
            number,
            seq: stored.seq(),
            session: NONE,
            previous: NONE,
            next: NONE,
            actor: named.actor,
            day,
            length: texts.length(),
            first_person: 0,
            traits: Traits::UNREAD
                .with(Traits::DERIVED, derived)
                .with(Traits::MEMORY, memory)
                .with(Traits::TOOL, tool),
        };
        if !derived {
            self.enter_session(cell, named.session, &mut item);
            self.count(cell, &item);
            self.name_actor(cell, &item, &envelope.actor.name);
        }
        let pending = Pending { number, cell, memory, texts, reading };
        Arc::make_mut(&mut self.pending).push(pending);
        self.items.put(item);
    }

    /// Makes `item` the last of its session, and the neighbour of the one before it.
    fn enter_session(&mut self, cell: Key, session: Option<Key>, item: &mut Item) {
        let Some(key) = session else { return };
        let entered = self.entered.filter(|known| (known.0, known.1) == (cell, key));
        let mut session = match entered {
            Some((.., number)) => self.session(number),
            None => self.session_of(cell, key),
        };
        self.entered = Some((cell, key, session.number));
        item.session = session.number;
        item.previous = session.last;
        if let Some(previous) = self.items.get(&session.last) {
            self.items.put(Item { next: item.number, ..previous });
        }
        session.items = session.items.saturating_add(1);
        session.last = item.number;
        session.length = session.length.saturating_add(u64::from(item.length));
        self.sessions.put(session);
    }

    /// The session of this key in a cell, a new one where there is none.
    fn session_of(&mut self, cell: Key, session: Key) -> Session {
        let key = session_name(cell, session);
        match self.names.get(&key) {
            Some(name) => self.session(name.number),
            None => self.new_session(cell, key),
        }
    }

    /// The number of the session of this key in a cell, if there is one.
    pub(crate) fn session_number(&self, cell: Key, session: Key) -> Option<u32> {
        self.names.get(&session_name(cell, session)).map(|name| name.number)
    }

    fn new_session(&mut self, cell: Key, key: Key) -> Session {
        let all = self.cell(ALL);
        let number = u32::try_from(all.sessions).unwrap_or(NONE - 1);
        self.cells.put(Cell { sessions: all.sessions + 1, ..all });
        let own = self.cell(cell);
        self.cells.put(Cell { sessions: own.sessions + 1, ..own });
        self.names.put(SessionName { key, number });
        Session { number, items: 0, last: NONE, length: 0 }
    }

    fn count(&mut self, cell: Key, item: &Item) {
        let mut row = self.cell(cell);
        row.items = row.items.saturating_add(1);
        row.length = row.length.saturating_add(u64::from(item.length));
        if item.session != NONE {
            row.session_length = row.session_length.saturating_add(u64::from(item.length));
        }
        self.cells.put(row);
    }

    fn name_actor(&mut self, cell: Key, item: &Item, name: &str) {
        // Most items are of the actor of one shortly before, whose name is no news.
        let known = Some((cell, item.actor));
        if self.named.contains(&known) {
            return;
        }
        self.named.rotate_right(1);
        if let Some(first) = self.named.first_mut() {
            *first = known;
        }
        for token in tokens(name) {
            let row = ActorName { word: ActorName::word(cell, &token.term), actor: item.actor };
            if self.actors.get(&(row.word, row.actor)).is_none() {
                self.actors.put(row);
            }
        }
    }

    pub(crate) fn cell(&self, key: Key) -> Cell {
        self.cells.get(&key).unwrap_or(Cell { key, ..Cell::default() })
    }

    pub(crate) fn session(&self, number: u32) -> Session {
        let unknown = Session { number, items: 0, last: NONE, length: 0 };
        self.sessions.get(&number).unwrap_or(unknown)
    }
}

fn session_name(cell: Key, session: Key) -> Key {
    Key::of("session of cell", &[&cell.0, &session.0])
}
