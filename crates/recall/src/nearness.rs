use std::cmp::Reverse;

use memlith_event::Key;

use crate::embedding::Products;
use crate::shelf::Shelf;
use crate::vector_part::{PART_LEN, VectorPart};
use crate::{ModelVector, Recall};

/// How near a query's vector the items' vectors of its model are.
#[derive(Debug)]
pub(crate) struct Nearness<'a> {
    vector: &'a ModelVector,
    /// Those of primary items, and those of derived ones.
    sorts: [Sort; 2],
}

/// The vectors of one sort of items in the cells that are searched.
#[derive(Debug)]
struct Sort {
    /// The cells' shelves that have any.
    shelves: Vec<Key>,
    /// All their items, ascending, with the cosine of each; where there are too many, `None`.
    scanned: Option<Vec<(u32, i64)>>,
}

/// A scope with more vectors of the model than so many is not scanned for what shares no word
/// with a query: there vectors re-score what words find.
///
/// Source: ADR 0028, with what a scan of so many costs a cold checkout.
const SCANNED_MAX: u64 = 4_096;

/// Nor is one whose vectors have more components in all: 4,096 vectors of 384.
const SCANNED_COMPONENTS_MAX: u64 = 3 << 19;

/// Of a scope that is scanned so many items of each sort are looked at for candidates, the
/// nearest.
const NEAREST_MAX: usize = 200;

impl<'a> Nearness<'a> {
    /// Reads the vectors of a scope of few, none of one of many.
    pub(crate) fn of(recall: &Recall, cells: &[Key], vector: &'a ModelVector) -> Nearness<'a> {
        let sorts = [false, true].map(|derived| Sort::of(recall, cells, vector, derived));
        Nearness { vector, sorts }
    }

    /// The cosine of an item's vector and the query's, in millionths; 0 without one.
    pub(crate) fn cosine(&self, recall: &Recall, item: u32, derived: bool) -> i64 {
        let [primary, of_derived] = &self.sorts;
        let sort = if derived { of_derived } else { primary };
        if let Some(scanned) = &sort.scanned {
            let at = scanned.binary_search_by_key(&item, |(number, _)| *number);
            return at.ok().and_then(|at| scanned.get(at)).map_or(0, |(_, cosine)| *cosine);
        }
        let parts = sort
            .shelves
            .iter()
            .flat_map(|shelf| recall.vectors.range((*shelf, item, 0)..=(*shelf, item, u16::MAX)));
        cosines(self.vector, parts).first().map_or(0, |(_, cosine)| *cosine)
    }

    /// The items nearest to the query where its scope was scanned, primary ones and derived
    /// ones, each the nearest first, equal ones by number; none that points away from it.
    pub(crate) fn nearest(&self) -> [Vec<u32>; 2] {
        self.sorts.each_ref().map(|sort| nearest(sort.scanned.as_deref().unwrap_or_default()))
    }
}

impl Sort {
    fn of(recall: &Recall, cells: &[Key], vector: &ModelVector, derived: bool) -> Sort {
        let model = vector.model().as_str();
        let keys = cells.iter().map(|cell| Shelf::of_cell(*cell, model, derived));
        let shelves = keys.filter_map(|key| recall.shelves.get(&key));
        let of_width = |shelf: &Shelf| usize::from(shelf.dimensions) == vector.dimensions();
        let shelves: Vec<Shelf> = shelves.filter(of_width).collect();
        let vectors: u64 = shelves.iter().map(|shelf| u64::from(shelf.vectors)).sum();
        let components = vectors.saturating_mul(vector.dimensions() as u64);
        let is_small = vectors <= SCANNED_MAX && components <= SCANNED_COMPONENTS_MAX;
        let shelves: Vec<Key> = shelves.into_iter().map(|shelf| shelf.key).collect();
        let scanned = is_small.then(|| {
            let parts = shelves.iter().flat_map(|shelf| {
                recall.vectors.range((*shelf, 0, 0)..=(*shelf, u32::MAX, u16::MAX))
            });
            let mut all = cosines(vector, parts);
            all.sort_unstable();
            all
        });
        Sort { shelves, scanned }
    }
}

fn nearest(scanned: &[(u32, i64)]) -> Vec<u32> {
    let near = scanned.iter().filter(|(_, cosine)| *cosine > 0);
    let mut near: Vec<_> = near.map(|(item, cosine)| (Reverse(*cosine), *item)).collect();
    if near.len() > NEAREST_MAX {
        near.select_nth_unstable(NEAREST_MAX);
        near.truncate(NEAREST_MAX);
    }
    near.sort_unstable();
    near.into_iter().map(|(_, item)| item).collect()
}

/// The cosine of each vector of these parts and `vector`, in the parts' order.
fn cosines(vector: &ModelVector, parts: impl Iterator<Item = VectorPart>) -> Vec<(u32, i64)> {
    let own: Vec<&[i8]> = vector.components().chunks(PART_LEN).collect();
    let mut all: Vec<(u32, i64)> = Vec::new();
    let none = Products::of(vector.components());
    let (mut item, mut products) = (None, none);
    for part in parts {
        if item != Some(part.item) {
            all.extend(item.map(|item| (item, products.cosine())));
            (item, products) = (Some(part.item), none);
        }
        let of_query = own.get(usize::from(part.part)).copied().unwrap_or_default();
        // Behind the vector's end a part is zeros.
        let components = part.components.get(..of_query.len()).unwrap_or_default();
        products.add(of_query, components);
    }
    all.extend(item.map(|item| (item, products.cosine())));
    all
}
