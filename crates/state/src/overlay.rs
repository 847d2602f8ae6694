use std::collections::BTreeMap;
use std::collections::btree_map;
use std::fmt;

use crate::Entry;
use crate::order::by_key;

/// Entries that were appended to lists since their last run.
///
/// Lists grow one entry at a time, each in a piece of memory of its own, or come all at once
/// when a run is to be made, and then lie one behind the other.
#[derive(Clone)]
pub(crate) struct Overlay<E: Entry> {
    /// Each list by its key.
    lists: BTreeMap<E::Key, Vec<E>>,
    /// All lists, in the order of their keys; empty where [`Overlay::lists`] is not.
    sorted: Vec<E>,
}

/// The lists of an [`Overlay`], in the order of their keys.
pub(crate) struct Iter<'a, E: Entry> {
    lists: btree_map::Iter<'a, E::Key, Vec<E>>,
    sorted: &'a [E],
}

impl<E: Entry> Default for Overlay<E> {
    fn default() -> Overlay<E> {
        Overlay { lists: BTreeMap::new(), sorted: Vec::new() }
    }
}

impl<E: Entry> fmt::Debug for Overlay<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlay").finish_non_exhaustive()
    }
}

impl<E: Entry> Overlay<E> {
    /// The entries of `key`, in the order they were appended.
    pub(crate) fn get(&self, key: &E::Key) -> &[E] {
        if let Some(list) = self.lists.get(key) {
            return list;
        }
        let start = self.sorted.partition_point(|entry| entry.key() < *key);
        let left = self.sorted.get(start..).unwrap_or_default();
        left.get(..left.partition_point(|entry| entry.key() == *key)).unwrap_or_default()
    }

    pub(crate) fn iter(&self) -> Iter<'_, E> {
        Iter { lists: self.lists.iter(), sorted: &self.sorted }
    }

    /// Appends `entry` to the list of its key.
    pub(crate) fn push(&mut self, entry: E) {
        for entry in std::mem::take(&mut self.sorted) {
            self.lists.entry(entry.key()).or_default().push(entry);
        }
        self.lists.entry(entry.key()).or_default().push(entry);
    }

    /// Appends `entries`, in their order, each to the list of its key.
    pub(crate) fn push_all(&mut self, entries: Vec<E>) {
        let order = by_key(&entries);
        let sorted = order.into_iter().filter_map(|at| entries.get(at).cloned());
        if self.lists.is_empty() && self.sorted.is_empty() {
            self.sorted = sorted.collect();
        } else {
            sorted.for_each(|entry| self.push(entry));
        }
    }
}

impl<'a, E: Entry> Iterator for Iter<'a, E> {
    type Item = (E::Key, &'a [E]);

    fn next(&mut self) -> Option<(E::Key, &'a [E])> {
        let Some(key) = self.sorted.first().map(E::key) else {
            return self.lists.next().map(|(key, list)| (key.clone(), list.as_slice()));
        };
        let len = self.sorted.iter().take_while(|entry| entry.key() == key).count();
        let (list, left) = self.sorted.split_at_checked(len)?;
        self.sorted = left;
        Some((key, list))
    }
}
