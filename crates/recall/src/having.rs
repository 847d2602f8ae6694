use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{Key, Scope};
use memlith_log::Seq;
use memlith_state::Found;

use crate::Recall;
use crate::analysis::tokens;
use crate::cell::cells_of;
use crate::posting::Posting;
use crate::question::QueryTerm;

/// Maximum number of words of a text that are looked up, the first ones.
const WORDS_MAX: usize = 24;

/// A further list is read where it is at most so many times as long as what is left.
const LIST_MAX: u64 = 8;

/// A list of so many entries is read in any case.
const LIST_MIN: u64 = 1_024;

/// A word of a text, and the terms under which an item that has it is filed: its stem, and as it
/// stands where the item writes it with capitals inside.
struct Sought {
    terms: Vec<String>,
}

impl Recall {
    /// The items that have the words of `text`, in the cells that `scope` sees, ascending; `None`
    /// where `text` has no word that is filed.
    ///
    /// Every item is among them whose entity or predicate is `text` up to case and white space.
    /// There may be others: long lists are left unread once few items are left.
    ///
    /// Cost: the entries of the rarest word's lists; a row for each item that is given.
    #[must_use]
    pub fn having(&self, text: &str, scope: &Scope<'_>) -> Option<Vec<Seq>> {
        let words = sought(text);
        if words.is_empty() {
            return None;
        }
        let cells = cells_of(self, scope);
        let mut found = self.settled_having(&words, &cells);
        found.extend(self.pending_having(&words, &cells));
        let numbers: Vec<u32> = found.into_iter().collect();
        let mut seqs = self.seqs(&numbers);
        seqs.sort_unstable();
        Some(seqs)
    }

    fn settled_having(&self, words: &[Sought], cells: &[Key]) -> BTreeSet<u32> {
        let lists = words.iter().map(|word| {
            let keys = cells
                .iter()
                .flat_map(|cell| word.terms.iter().map(|term| Posting::term(*cell, term)));
            let lists: Vec<Found<'_, Posting>> = keys.map(|key| self.postings.found(key)).collect();
            let count: u64 = lists.iter().map(Found::counted).sum();
            (count, lists)
        });
        let mut lists: Vec<(u64, Vec<Found<'_, Posting>>)> = lists.collect();
        lists.sort_by_key(|(count, _)| *count);
        let mut left: Option<BTreeSet<u32>> = None;
        for (count, lists) in lists {
            let len = left.as_ref().map_or(u64::MAX, |left| left.len() as u64);
            if count > LIST_MIN.max(len.saturating_mul(LIST_MAX)) {
                break;
            }
            let mut having = BTreeSet::new();
            for list in lists {
                list.each_newest(usize::MAX, |posting| {
                    if left.as_ref().is_none_or(|left| left.contains(&posting.item)) {
                        having.insert(posting.item);
                    }
                });
            }
            left = Some(having);
        }
        left.unwrap_or_default()
    }

    fn pending_having(&self, words: &[Sought], cells: &[Key]) -> Vec<u32> {
        let terms: Vec<(usize, &String)> = words
            .iter()
            .enumerate()
            .flat_map(|(at, word)| word.terms.iter().map(move |term| (at, term)))
            .collect();
        let query: Vec<QueryTerm> = terms
            .iter()
            .map(|(_, term)| QueryTerm { term: (*term).clone(), tenths: 10, misspelt: false })
            .collect();
        let mut having: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (_, found) in self.pending_matches(cells, &query) {
            let word = terms.get(found.term).map(|(word, _)| *word);
            having.entry(found.item).or_default().extend(word);
        }
        let whole = having.into_iter().filter(|(_, had)| had.len() == words.len());
        whole.map(|(number, _)| number).collect()
    }
}

fn sought(text: &str) -> Vec<Sought> {
    let mut words: Vec<Sought> = Vec::new();
    for token in tokens(&text.to_lowercase()).into_iter().filter(|token| !token.whole) {
        if words.len() == WORDS_MAX {
            break;
        }
        let mut terms = vec![token.term, token.word];
        terms.dedup();
        if words.iter().all(|known| known.terms != terms) {
            words.push(Sought { terms });
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use memlith_event::{
        Actor, Body, Content, Envelope, Event, Facts, ItemFacts, MemoryEvent, Projection, Rank,
        Remembered, Slot, Stored,
    };
    use memlith_log::{RecordId, Timestamp};

    use super::*;

    struct NoFacts;

    impl Facts for NoFacts {
        fn item(&self, _: Seq) -> Option<ItemFacts> {
            None
        }
    }

    /// An index in which the item at each sequence is about the entity of that place.
    fn index(entities: &[&str]) -> Recall {
        let mut recall = Recall::default();
        for (seq, entity) in (0..).map(Seq).zip(entities) {
            let slot = Slot {
                entity: (*entity).to_owned().into(),
                predicate: "is".into(),
                value: "so".into(),
                single: true,
            };
            let memory = Remembered { slot: Some(slot), ..Remembered::text("It is so.") };
            let actor = Actor::new("ana", Rank::User);
            let body = Body {
                envelope: Envelope::new(Scope::tenant("t"), actor, Timestamp(0)),
                event: Event::Memory(MemoryEvent::Remembered(memory)),
            };
            let content = Content::Event(Box::new(body));
            let id = RecordId { seq, hash: [0; 6] };
            recall.apply(&Stored { id, recorded_at: Timestamp(0), content }, &NoFacts);
        }
        recall
    }

    #[test]
    fn an_entity_is_found_however_it_is_written() {
        let written = [
            "checkoutRetry",
            "CHECKOUTRETRY",
            "checkoutretry",
            "CheckoutRetry",
            "Ana Smith",
            "ana  smith",
            "caf\u{e9}",
            "CAF\u{c9}",
            "src/main.rs",
            "o'brien",
            "iPhone 15",
            "staging database",
            "services",
            "8080",
        ];
        for settled in [false, true] {
            let mut recall = index(&written);
            if settled {
                recall.settle();
            }
            for (at, own) in written.iter().enumerate() {
                for asked in [(*own).to_owned(), own.to_lowercase(), own.to_uppercase()] {
                    let found = recall.having(&asked, &Scope::tenant("t")).unwrap();
                    assert!(found.contains(&Seq(at as u64)), "{asked} {own} {found:?}");
                    assert_eq!(recall.having(&asked, &Scope::tenant("u")), Some(Vec::new()));
                }
            }
            assert_eq!(recall.having("ana smith", &Scope::tenant("t")), Some(vec![Seq(4), Seq(5)]));
            assert_eq!(recall.having("the of", &Scope::tenant("t")), None);
            assert_eq!(recall.having("", &Scope::tenant("t")), None);
        }
    }
}
