use std::sync::Arc;

use memlith_event::{Body, Key, Names};
use parking_lot::Mutex;

use crate::days::day_of;
use crate::page::{Page, Texts};
use crate::posting::{Field, Places};
use crate::sketch::Sketch;
use crate::term_keys::TermKeys;

/// The text of an event taken apart: all of folding it in that is dear.
///
/// It depends on the event alone, so that any thread can do it ahead of the fold.
#[derive(Debug)]
pub struct Reading {
    pub(crate) texts: Arc<Texts>,
    pub(crate) page: Page,
    /// Ascending by key.
    pub(crate) terms: Vec<ReadTerm>,
    /// The sketch of the terms of what was said.
    pub(crate) sketch: Sketch,
}

/// A term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadTerm {
    /// The list of the term in the cell of the item.
    pub(crate) key: Key,
    /// As in [`crate::posting::Posting`].
    pub(crate) frequency: u16,
    /// Its places, as in [`crate::posting::Posting`].
    pub(crate) places: Places,
}

/// Takes texts apart, quicker with every one: what was stemmed and hashed is remembered.
///
/// A megabyte at most is. Clones share it: a snapshot, whose texts are taken apart for a
/// checkpoint, knows the words of those before it.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    names: Names,
    keys: Arc<Mutex<TermKeys>>,
    /// Written over by each text: the key of a word's term, what it counts for, its place.
    words: Vec<(Key, u16, u16)>,
}

impl Reader {
    /// The reading of an event; `None` where it is no item.
    pub fn read(&mut self, body: &Body<'_>) -> Option<Reading> {
        let texts = Texts::of(&body.event)?;
        let envelope = &body.envelope;
        let named = self.names.of(envelope);
        let cell = named.room;
        Some(self.read_texts(cell, Arc::new(texts), day_of(envelope.occurred_at)))
    }

    /// The reading of an item's texts, in its cell, which were written on `day`.
    pub(crate) fn read_texts(&mut self, cell: Key, texts: Arc<Texts>, day: i32) -> Reading {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        let mut sketch = Sketch::default();
        let mut known = self.keys.lock();
        let mut keys = known.in_cell(cell);
        texts.scan(&mut |field, position, word| {
            let key = keys.of(word);
            if field == Field::Text && !word.whole {
                sketch = sketch.with(key);
            }
            words.push((key, field.fifths(), position));
        });
        drop(known);
        // The words of a term stay in the order they were said in.
        words.sort_by_key(|(key, ..)| u128::from_be_bytes(key.0));
        let mut terms: Vec<ReadTerm> = Vec::with_capacity(words.len());
        for (key, fifths, position) in words.drain(..) {
            if terms.last().is_none_or(|last| last.key != key) {
                terms.push(ReadTerm { key, frequency: 0, places: Places::default() });
            }
            let Some(term) = terms.last_mut() else { continue };
            if term.places.push(position) {
                term.frequency = term.frequency.saturating_add(fifths);
            }
        }
        self.words = words;
        terms.shrink_to_fit();
        Reading { page: Page::of(&texts, day), texts, terms, sketch }
    }
}
