use memlith_event::Key;
use memlith_state::{Fields, Place, Row};

/// The vectors of one model in one cell, those of derived items apart, or in all cells of a
/// tenant: row `recall.shelves`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Shelf {
    /// Of the cell and the model, or of the tenant and the model.
    pub(crate) key: Key,
    /// How many components each has: that of a tenant's first vector of the model holds.
    pub(crate) dimensions: u16,
    /// How many there are.
    pub(crate) vectors: u32,
}

impl Shelf {
    /// The shelf of a model in a cell, of primary or of derived items: how many of these there
    /// are moves nothing of those.
    pub(crate) fn of_cell(cell: Key, model: &str, derived: bool) -> Key {
        let sort = if derived { "derived vectors of cell" } else { "vectors of cell" };
        Key::of(sort, &[&cell.0, model.as_bytes()])
    }

    /// The shelf of a model in all cells of a tenant, to count them.
    pub(crate) fn of_tenant(tenant: &str, model: &str) -> Key {
        Key::of("vectors of tenant", &[tenant.as_bytes(), model.as_bytes()])
    }
}

const _: () = assert!(Shelf::WIDTH == 22, "docs/format.md, sections of recall");

impl Row for Shelf {
    type Key = Key;
    const NAME: &'static str = "recall.shelves";
    // key, dimensions, vectors
    const WIDTH: usize = Key::WIDTH + 2 + 4;

    fn key(&self) -> Key {
        self.key
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.key.0);
        out.extend(self.dimensions.to_le_bytes());
        out.extend(self.vectors.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Shelf {
        Shelf { key: Key::read(fields), dimensions: fields.u16(), vectors: fields.u32() }
    }

    fn read_key(row: &[u8]) -> Key {
        Key::read(&mut Fields::new(row))
    }

    fn place(key: &Key) -> Place {
        Place::Even(key.place())
    }
}
