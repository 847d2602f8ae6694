use std::cell::RefCell;
use std::sync::Arc;

use memlith_event::Key;

use crate::Recall;
use crate::analysis::{Stems, Word, needle};
use crate::glance::Glance;
use crate::item::{Item, Traits};
use crate::page::{Page, Texts};
use crate::posting::{Field, Places, Posting};
use crate::question::QueryTerm;
use crate::reading::{ReadTerm, Reading};
use crate::sketch::Sketch;

/// An item that is folded in and not taken apart yet.
///
/// Taking a text apart costs a hundred times what reading it does. A process that answers
/// one question reads what came after the last checkpoint for that question's terms alone;
/// one that goes on, or writes a run, takes it apart once ([`Recall::settle_pages`]).
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    /// Its number; pending items are numbered without gaps.
    pub(crate) number: u32,
    /// The cell it is indexed in.
    pub(crate) cell: Key,
    /// Whether it is a memory, and not derived.
    pub(crate) memory: bool,
    pub(crate) texts: Arc<Texts>,
    /// Where it was taken apart ahead of the fold.
    pub(crate) reading: Option<Arc<Reading>>,
}

/// The terms of a query, to be looked for in texts.
pub(crate) struct Sought<'a> {
    terms: &'a [QueryTerm],
    /// The beginning of every plain word of each term.
    needles: Vec<&'a str>,
    /// Which terms a word may have that begins with this byte, one bit each.
    by_first: [u64; 256],
    stems: Stems,
    /// For each term the first words that might have it, and whether they do: of most terms
    /// there are one or two, in every other text.
    met: RefCell<Vec<Vec<Met>>>,
    /// Looks for the needles that a text of plain ASCII has one of if it has any term; none
    /// where that can't be said.
    glance: Option<Glance>,
}

/// A word that might have a term, and whether it does.
#[derive(Clone, Debug)]
struct Met {
    lower: Box<str>,
    has: bool,
}

/// Maximum number of words of a term that are remembered.
const MET_MAX: usize = 8;

/// One term of the query in one item.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// As in [`crate::posting::Posting`].
    pub(crate) frequency: u16,
    /// Its places, as in [`crate::posting::Posting`].
    pub(crate) places: Places,
}

impl<'a> Sought<'a> {
    /// Looks for at most 64 terms: a question has no more.
    pub(crate) fn new(terms: &'a [QueryTerm]) -> Sought<'a> {
        let mut by_first = [0_u64; 256];
        for (at, term) in terms.iter().enumerate().take(64) {
            // A plain word of a term of one letter may begin with any other.
            let any = term.term.len() < 2;
            for (byte, bits) in by_first.iter_mut().enumerate() {
                let begins =
                    term.term.bytes().next().is_some_and(|first| usize::from(first) == byte);
                *bits |= u64::from(any || begins) << at;
            }
        }
        let met = RefCell::new(vec![Vec::new(); terms.len()]);
        let needles = terms.iter().map(|term| needle(&term.term)).collect();
        Sought { terms, needles, by_first, stems: Stems::new(), met, glance: Glance::of(terms) }
    }

    /// Whether a word has the term at this place.
    fn has(&self, at: usize, word: &Word<'_>) -> bool {
        let (Some(term), Some(needle)) = (self.terms.get(at), self.needles.get(at)) else {
            return false;
        };
        if !word.may_be(&term.term, needle) {
            return false;
        }
        if !word.plain {
            return true;
        }
        let mut met = self.met.borrow_mut();
        let Some(met) = met.get_mut(at) else { return false };
        if let Some(met) = met.iter().find(|met| *met.lower == *word.lower) {
            return met.has;
        }
        let has = self.stems.term(word) == term.term;
        if met.len() < MET_MAX {
            met.push(Met { lower: word.lower.into(), has });
        }
        has
    }

    /// The last text in which a term may be, and the byte of it behind which none begins;
    /// right where it says that there is none.
    fn last_in(&self, texts: &Texts) -> Option<(usize, usize)> {
        let Some(glance) = &self.glance else { return Some((usize::MAX, usize::MAX)) };
        // What folds together is not looked for: accents, and what an apostrophe parts.
        let plain = |text: &str| text.is_ascii() && !text.contains('\'');
        let last = |text: &str| if plain(text) { glance.last_in(text) } else { Some(usize::MAX) };
        texts.each().enumerate().rev().find_map(|(at, text)| Some((at, last(text)?)))
    }

    /// Finds each term in the texts of an item, in the order of the terms; or nothing
    /// where none is.
    pub(crate) fn in_item(&self, texts: &Texts) -> Vec<Option<Found>> {
        // Of most texts that have a term half lies behind its last place.
        let Some(last) = self.last_in(texts) else { return Vec::new() };
        let mut found: Vec<Option<Found>> = vec![None; self.terms.len()];
        texts.scan_through(last, &mut |field, position, word| {
            let first = word.lower.bytes().next().unwrap_or_default();
            let mut bits = self.by_first.get(usize::from(first)).copied().unwrap_or_default();
            while bits != 0 {
                let at = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if !self.has(at, word) {
                    continue;
                }
                let Some(slot) = found.get_mut(at) else { continue };
                let Found { frequency, places } = slot.get_or_insert_default();
                if places.push(position) {
                    *frequency = frequency.saturating_add(field.fifths());
                }
            }
        });
        found
    }
}

/// Gives an item, whose page was read, an entry in the lists of its terms; a memory also in
/// those of memories, with the sketch of its terms.
fn post(pending: &Pending, item: &Item, reading: &Reading, out: &mut Vec<Posting>) {
    let cell = pending.cell;
    let posting = |key, frequency, places| Posting {
        key,
        item: item.number,
        session: item.session,
        length: item.length,
        frequency,
        derived: item.traits.has(Traits::DERIVED),
        places,
    };
    for ReadTerm { key, frequency, places } in &reading.terms {
        out.push(posting(*key, *frequency, *places));
        if pending.memory {
            let bare = posting(Posting::of_memories(*key), 0, Places::default());
            out.push(Posting { session: reading.sketch.0, length: 0, ..bare });
        }
    }
    for key in [Posting::actor(cell, item.actor), Posting::day(cell, item.day)] {
        out.push(posting(key, 0, Places::default()));
    }
}

impl Recall {
    /// The pending item of this number.
    pub(crate) fn pending(&self, number: u32) -> Option<&Pending> {
        let first = self.pending.first()?.number;
        self.pending.get(usize::try_from(number.checked_sub(first)?).ok()?)
    }

    /// The sketch of what a pending item says.
    pub(crate) fn sketch_of(&self, pending: &Pending) -> Sketch {
        if let Some(reading) = &pending.reading {
            return reading.sketch;
        }
        let mut sketch = Sketch::default();
        let stems = Stems::new();
        pending.texts.scan(&mut |field, _, word| {
            if field == Field::Text && !word.whole {
                sketch = sketch.with(Posting::term(pending.cell, &stems.term(word)));
            }
        });
        sketch
    }

    /// The row with what has to be read out of the item's text, if it wasn't yet.
    pub(crate) fn read(&self, item: Item) -> Item {
        match self.pending(item.number) {
            Some(pending) if item.traits.has(Traits::UNREAD) => {
                let page = Page::of(&pending.texts, item.day);
                item.with(&page)
            }
            Some(_) | None => item,
        }
    }

    /// Takes apart what is pending. Changes no answer.
    pub(crate) fn settle_pages(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let mut postings = Vec::new();
        for one in pending.iter() {
            let Some(item) = self.items.get(&one.number) else { continue };
            let reading = match &one.reading {
                Some(reading) => reading.clone(),
                None => Arc::new(self.reader.read_texts(one.cell, one.texts.clone(), item.day)),
            };
            let item = item.with(&reading.page);
            post(one, &item, &reading, &mut postings);
            self.items.put(item);
        }
        self.postings.push_all(postings);
    }
}
