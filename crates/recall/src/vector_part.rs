use memlith_event::Key;
use memlith_state::{Fields, Row};

/// A stretch of the newest vector of an item and a model: row `recall.vectors`.
///
/// Rows have one width and vectors have not, so that each is cut; the last part ends in zeros,
/// which add nothing to a product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VectorPart {
    /// The shelf of the item's cell and the model.
    pub(crate) shelf: Key,
    /// The number of the item.
    pub(crate) item: u32,
    /// Which part, from 0.
    pub(crate) part: u16,
    /// Its components.
    pub(crate) components: [i8; PART_LEN],
}

/// Number of components in a part: what most models have is a multiple of it.
pub(crate) const PART_LEN: usize = 128;

impl VectorPart {
    /// The parts of a vector.
    pub(crate) fn of(shelf: Key, item: u32, all: &[i8]) -> impl Iterator<Item = VectorPart> {
        (0_u16..).zip(all.chunks(PART_LEN)).map(move |(part, chunk)| {
            let mut components = [0; PART_LEN];
            components.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            VectorPart { shelf, item, part, components }
        })
    }
}

const _: () = assert!(VectorPart::WIDTH == 150, "docs/format.md, sections of recall");

impl Row for VectorPart {
    type Key = (Key, u32, u16);
    const NAME: &'static str = "recall.vectors";
    // shelf, item, part, components
    const WIDTH: usize = Key::WIDTH + 4 + 2 + PART_LEN;

    fn key(&self) -> (Key, u32, u16) {
        (self.shelf, self.item, self.part)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.shelf.0);
        out.extend(self.item.to_le_bytes());
        out.extend(self.part.to_le_bytes());
        out.extend(self.components.iter().map(|one| one.to_le_bytes()[0]));
    }

    fn read(fields: &mut Fields<'_>) -> VectorPart {
        let (shelf, item, part) = VectorPart::read_fields(fields);
        let components = fields.bytes::<PART_LEN>().map(|byte| i8::from_le_bytes([byte]));
        VectorPart { shelf, item, part, components }
    }

    fn read_key(row: &[u8]) -> (Key, u32, u16) {
        VectorPart::read_fields(&mut Fields::new(row))
    }
}

impl VectorPart {
    fn read_fields(fields: &mut Fields<'_>) -> (Key, u32, u16) {
        (Key::read(fields), fields.u32(), fields.u16())
    }
}
