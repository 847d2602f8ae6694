use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Bytes, CheckpointError, Fields, Row, Section, Sections, Tabular};

/// Items by key, append only: sorted base bytes below a small ordered overlay.
///
/// The items of one key stay in the order of their appends; nothing is ever changed
/// or removed, which is what makes a posting list cheap. `R` is one entry, its key
/// the list it belongs to.
///
/// In a checkpoint each key stands once, before the run of its items:
/// section `<NAME>` holds the directory, `<NAME>+` the items.
///
/// Cost: an append is O(log n) in the keys, and O(all) at every doubling; reading a
/// list is O(log n) plus its length.
#[derive(Clone, Debug)]
pub struct Lists<R: Entry> {
    directory: Bytes,
    items: Bytes,
    overlay: Arc<BTreeMap<R::Key, Vec<R>>>,
    overlay_items: usize,
}

/// One item of [`Lists`]: a [`Row`] whose key may stand many times.
///
/// Its encoding is the key's bytes followed by the item's.
pub trait Entry: Row {
    /// The name of the section that holds the items.
    const ITEMS_NAME: &'static str;

    /// How many of the leading bytes of the encoding are the key.
    const KEY_WIDTH: usize;
}

/// An overlay with fewer items than this is never folded into the base on its own.
const OVERLAY_ITEMS_MIN: usize = 262_144;

/// The bytes of an item count and a start in the directory.
const SPAN_WIDTH: usize = 16;

impl<R: Entry> Default for Lists<R> {
    fn default() -> Lists<R> {
        Lists {
            directory: Bytes::default(),
            items: Bytes::default(),
            overlay: Arc::default(),
            overlay_items: 0,
        }
    }
}

impl<R: Entry> Lists<R> {
    const ITEM_WIDTH: usize = R::WIDTH - R::KEY_WIDTH;
    const LINE_WIDTH: usize = R::KEY_WIDTH + SPAN_WIDTH;

    /// The items of `key`, in the order they were appended.
    pub fn list<'a>(&'a self, key: &R::Key) -> impl Iterator<Item = R> + use<'a, R> {
        let line = self.find(key);
        let base = line.into_iter().flat_map(|line| self.items_of(line));
        base.chain(self.overlay.get(key).into_iter().flatten().cloned())
    }

    /// How many items `key` has.
    #[must_use]
    pub fn count(&self, key: &R::Key) -> usize {
        let base = self.find(key).map_or(0, |line| self.span(line).1);
        base + self.overlay.get(key).map_or(0, Vec::len)
    }

    /// Appends `entry` to the list of its key.
    pub fn push(&mut self, entry: R) {
        Arc::make_mut(&mut self.overlay).entry(entry.key()).or_default().push(entry);
        self.overlay_items += 1;
        if self.overlay_items > OVERLAY_ITEMS_MIN.max(self.items.len() / Self::ITEM_WIDTH) {
            self.rebase();
        }
    }

    /// Folds the overlay into a new base. Changes no answer.
    pub fn rebase(&mut self) {
        if self.overlay_items > 0 {
            let (directory, items) = self.encode();
            *self = Lists { directory, items, ..Lists::default() };
        }
    }

    fn encode(&self) -> (Bytes, Bytes) {
        let mut directory = Vec::with_capacity(self.directory.len());
        let item_count = self.items.len() / Self::ITEM_WIDTH + self.overlay_items;
        let mut items = Vec::with_capacity(item_count * Self::ITEM_WIDTH);
        let mut bytes = Vec::with_capacity(R::WIDTH);
        for list in self.merged() {
            let (start, mut count) = (items.len() / Self::ITEM_WIDTH, 0);
            for entry in list {
                bytes.clear();
                entry.write(&mut bytes);
                debug_assert_eq!(bytes.len(), R::WIDTH, "{} has one width", R::NAME);
                let (key, item) = bytes.split_at_checked(R::KEY_WIDTH).unwrap_or_default();
                if count == 0 {
                    directory.extend_from_slice(key);
                }
                items.extend_from_slice(item);
                count += 1;
            }
            directory.extend((start as u64).to_le_bytes());
            directory.extend((count as u64).to_le_bytes());
        }
        (directory.into(), items.into())
    }

    /// Every list, in key order, base items before overlay items.
    fn merged(&self) -> impl Iterator<Item = Vec<R>> + '_ {
        let mut line = 0;
        let mut overlay = self.overlay.iter().peekable();
        std::iter::from_fn(move || {
            let base_key = self.key_at(line);
            let overlay_key = overlay.peek().map(|(key, _)| (*key).clone());
            let key = match (&base_key, &overlay_key) {
                (Some(base), Some(over)) => base.min(over).clone(),
                (Some(key), None) | (None, Some(key)) => key.clone(),
                (None, None) => return None,
            };
            let mut list = Vec::new();
            if base_key.as_ref() == Some(&key) {
                list.extend(self.items_of(line));
                line += 1;
            }
            if overlay_key.as_ref() == Some(&key) {
                list.extend(
                    overlay.next().into_iter().flat_map(|(_, entries)| entries.iter().cloned()),
                );
            }
            Some(list)
        })
    }

    fn line_count(&self) -> usize {
        self.directory.len() / Self::LINE_WIDTH
    }

    fn line(&self, line: usize) -> Option<(&[u8], &[u8])> {
        let start = line.checked_mul(Self::LINE_WIDTH)?;
        let bytes = self.directory.as_slice().get(start..)?.get(..Self::LINE_WIDTH)?;
        bytes.split_at_checked(R::KEY_WIDTH)
    }

    fn key_at(&self, line: usize) -> Option<R::Key> {
        let (key, _) = self.line(line)?;
        let mut bytes = key.to_vec();
        bytes.resize(R::WIDTH, 0);
        Some(R::read(&mut Fields::new(&bytes)).key())
    }

    /// The first item of a line's list, and how many it has.
    fn span(&self, line: usize) -> (usize, usize) {
        let Some((_, span)) = self.line(line) else { return (0, 0) };
        let mut fields = Fields::new(span);
        let (start, count) = (usize::try_from(fields.u64()), usize::try_from(fields.u64()));
        (start.unwrap_or(usize::MAX), count.unwrap_or(0))
    }

    fn items_of(&self, line: usize) -> impl Iterator<Item = R> + use<'_, R> {
        let (start, count) = self.span(line);
        let key = self.line(line).map_or(&[][..], |(key, _)| key);
        let mut bytes = key.to_vec();
        let items = start
            .checked_mul(Self::ITEM_WIDTH)
            .and_then(|start| self.items.as_slice().get(start..))
            .unwrap_or_default();
        items.chunks_exact(Self::ITEM_WIDTH).take(count).map(move |item| {
            bytes.truncate(R::KEY_WIDTH);
            bytes.extend_from_slice(item);
            R::read(&mut Fields::new(&bytes))
        })
    }

    fn find(&self, key: &R::Key) -> Option<usize> {
        let (mut low, mut high) = (0, self.line_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key_at(middle).is_some_and(|found| found < *key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (self.key_at(low).as_ref() == Some(key)).then_some(low)
    }

    /// Keys ascend, and the lists tile the items without gap or overlap.
    fn check(&self) -> Result<(), CheckpointError> {
        let wrong_length = |name, len| Err(CheckpointError::SectionLength { name, len });
        if !self.directory.len().is_multiple_of(Self::LINE_WIDTH) {
            return wrong_length(R::NAME, self.directory.len());
        }
        let (mut end, mut previous) = (0_usize, None);
        for line in 0..self.line_count() {
            let key = self.key_at(line);
            let (start, count) = self.span(line);
            if start != end || count == 0 || previous.is_some() && previous >= key {
                return Err(CheckpointError::SectionOrder { name: R::NAME });
            }
            end = start.saturating_add(count);
            previous = key;
        }
        if end.checked_mul(Self::ITEM_WIDTH) != Some(self.items.len()) {
            return wrong_length(R::ITEMS_NAME, self.items.len());
        }
        Ok(())
    }
}

impl<R: Entry> Tabular for Lists<R> {
    fn save(&self, out: &mut Sections) {
        let (directory, items) = if self.overlay_items == 0 {
            (self.directory.clone(), self.items.clone())
        } else {
            self.encode()
        };
        out.push(Section { name: R::NAME, bytes: directory });
        out.push(Section { name: R::ITEMS_NAME, bytes: items });
    }

    fn load(&mut self, sections: &mut Sections) -> Result<(), CheckpointError> {
        let directory = sections.take(R::NAME)?;
        let items = sections.take(R::ITEMS_NAME)?;
        *self = Lists { directory, items, ..Lists::default() };
        self.check()
    }

    fn each_row(&self, visit: &mut dyn FnMut(&'static str, &[u8])) {
        let mut bytes = Vec::with_capacity(R::WIDTH);
        for entry in self.merged().flatten() {
            bytes.clear();
            entry.write(&mut bytes);
            visit(R::NAME, &bytes);
        }
    }

    fn rebase(&mut self) {
        Lists::rebase(self);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Posting(u16, u32);

    impl Row for Posting {
        type Key = u16;
        const NAME: &'static str = "postings";
        const WIDTH: usize = 6;
        fn key(&self) -> u16 {
            self.0
        }
        fn write(&self, out: &mut Vec<u8>) {
            out.extend(self.0.to_le_bytes());
            out.extend(self.1.to_le_bytes());
        }
        fn read(fields: &mut Fields<'_>) -> Posting {
            Posting(fields.u16(), fields.u32())
        }
    }

    impl Entry for Posting {
        const ITEMS_NAME: &'static str = "postings+";
        const KEY_WIDTH: usize = 2;
    }

    proptest! {
        #[test]
        fn lists_are_a_map_of_vectors(ops in prop::collection::vec((0u8..8, 0u16..12, any::<u32>()), 0..200)) {
            let mut lists = Lists::<Posting>::default();
            let mut model: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
            for (op, key, value) in ops {
                if op == 0 {
                    lists.rebase();
                } else {
                    lists.push(Posting(key, value));
                    model.entry(key).or_default().push(value);
                }
            }
            let mut sections = Sections::default();
            lists.save(&mut sections);
            let mut loaded = Lists::<Posting>::default();
            loaded.load(&mut sections).unwrap();
            for either in [&lists, &loaded] {
                for key in 0..12 {
                    let expected = model.get(&key).cloned().unwrap_or_default();
                    prop_assert_eq!(either.count(&key), expected.len());
                    prop_assert_eq!(either.list(&key).map(|entry| entry.1).collect::<Vec<_>>(), expected);
                }
            }
        }
    }

    #[test]
    fn a_directory_that_lies_is_refused() {
        let mut lists = Lists::<Posting>::default();
        lists.push(Posting(1, 10));
        lists.push(Posting(2, 20));
        let (directory, items) = lists.encode();
        for at in 0..directory.len() {
            let mut bytes = directory.as_slice().to_vec();
            bytes[at] ^= 4;
            let mut sections = Sections::default();
            sections.push(Section { name: Posting::NAME, bytes: bytes.into() });
            sections.push(Section { name: Posting::ITEMS_NAME, bytes: items.clone() });
            let mut loaded = Lists::<Posting>::default();
            let refused = loaded.load(&mut sections).is_err();
            // A changed key can still be a legal directory, of other lists.
            assert!(refused || at % 18 < 2, "byte {at}");
            loaded.each_row(&mut |_, _| ());
        }
    }
}
