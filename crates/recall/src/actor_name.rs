use memlith_event::Key;
use memlith_state::{Fields, Place, Row};

/// One word of an actor's name in one cell: row `recall.actors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActorName {
    /// The cell and the word.
    pub(crate) word: Key,
    /// An actor whose name has the word.
    pub(crate) actor: Key,
}

impl ActorName {
    /// The key of a word of a name in a cell.
    pub(crate) fn word(cell: Key, term: &str) -> Key {
        Key::of("word of actor", &[&cell.0, term.as_bytes()])
    }
}

const _: () = assert!(ActorName::WIDTH == 32, "docs/format.md, sections of recall");

impl Row for ActorName {
    type Key = (Key, Key);
    const NAME: &'static str = "recall.actors";
    // word, actor
    const WIDTH: usize = Key::WIDTH + Key::WIDTH;

    fn key(&self) -> (Key, Key) {
        (self.word, self.actor)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.word.0);
        out.extend(self.actor.0);
    }

    fn read(fields: &mut Fields<'_>) -> ActorName {
        ActorName { word: Key::read(fields), actor: Key::read(fields) }
    }

    fn place(key: &(Key, Key)) -> Place {
        Place::Even(key.0.place())
    }
}
