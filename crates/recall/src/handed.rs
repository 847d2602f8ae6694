//! Vectors that callers handed in: folded, and found again.

use memlith_event::{Embedded, Key};
use memlith_log::Seq;

use crate::item::{NONE, Traits};
use crate::shelf::Shelf;
use crate::vector_part::VectorPart;
use crate::{ModelId, ModelVector, Recall};

impl Recall {
    /// How many components a tenant's vectors of a model have; `None` where there are none.
    #[must_use]
    pub fn dimensions(&self, tenant: &str, model: &ModelId) -> Option<usize> {
        let shelf = self.shelves.get(&Shelf::of_tenant(tenant, model.as_str()))?;
        Some(usize::from(shelf.dimensions))
    }

    /// How many items of a tenant have a vector of a model.
    #[must_use]
    pub fn embedded(&self, tenant: &str, model: &ModelId) -> u32 {
        self.shelves.get(&Shelf::of_tenant(tenant, model.as_str())).map_or(0, |all| all.vectors)
    }

    /// Whether the item at `seq`, of the room `room`, has a vector of `model`.
    #[must_use]
    pub fn has_vector(&self, room: Key, seq: Seq, model: &ModelId) -> bool {
        let shelves = [false, true].map(|derived| Shelf::of_cell(room, model.as_str(), derived));
        if shelves.iter().all(|shelf| self.shelves.get(shelf).is_none()) {
            return false;
        }
        let Some(item) = self.number_of(seq) else { return false };
        shelves.iter().any(|shelf| self.vectors.get(&(*shelf, item, 0)).is_some())
    }

    /// Whether the item at `seq`, of the room `room`, has just this vector.
    #[must_use]
    pub fn has_same_vector(&self, room: Key, seq: Seq, vector: &ModelVector) -> bool {
        let Some(item) = self.number_of(seq) else { return false };
        let shelf = Shelf::of_cell(room, vector.model().as_str(), self.is_derived(item));
        let mut parts = VectorPart::of(shelf, item, vector.components());
        parts.all(|part| self.vectors.get(&(shelf, item, part.part)) == Some(part))
    }

    /// Folds in the vector of an item of the room `room` of `tenant`.
    ///
    /// What is no vector, or of no item, or wider or narrower than the tenant's others of its
    /// model, changes nothing.
    pub(crate) fn put_vector(&mut self, tenant: &str, room: Key, embedded: &Embedded<'_>) {
        let Some(vector) = ModelVector::of_event(&embedded.vector) else { return };
        let Some(item) = self.number_of(embedded.target.seq) else { return };
        let Ok(dimensions) = u16::try_from(vector.dimensions()) else { return };
        let model = vector.model().as_str();
        let shelf = Shelf::of_cell(room, model, self.is_derived(item));
        let keys = [Shelf::of_tenant(tenant, model), shelf];
        let shelves = keys.map(|key| {
            let none = Shelf { key, dimensions, vectors: 0 };
            self.shelves.get(&key).unwrap_or(none)
        });
        if shelves.iter().any(|one| one.dimensions != dimensions) {
            return;
        }
        let is_first = self.vectors.get(&(shelf, item, 0)).is_none();
        if is_first {
            for one in shelves {
                let vectors = one.vectors.saturating_add(1);
                self.shelves.put(Shelf { vectors, ..one });
            }
        }
        for part in VectorPart::of(shelf, item, vector.components()) {
            self.vectors.put(part);
        }
    }

    fn is_derived(&self, item: u32) -> bool {
        self.items.get(&item).is_some_and(|item| item.traits.has(Traits::DERIVED))
    }

    /// The number of the item at `seq`. Cost: O(log n) looks at rows; for the last item one.
    pub(crate) fn number_of(&self, seq: Seq) -> Option<u32> {
        let seq_of = |number: u32| self.items.get(&number).map(|item| item.seq);
        let mut high = u32::try_from(self.cell(Key::default()).items).unwrap_or(NONE);
        let last = high.checked_sub(1)?;
        if seq_of(last) == Some(seq) {
            return Some(last);
        }
        let mut low = 0;
        while low < high {
            let middle = low + (high - low) / 2;
            if seq_of(middle)? < seq {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (seq_of(low) == Some(seq)).then_some(low)
    }
}
