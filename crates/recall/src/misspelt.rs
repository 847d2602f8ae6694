//! Words that were typed wrong: one letter too many, too few, another, or two in turn.
//!
//! The index has keys and no words, so that what is one edit away is worked out and looked up,
//! some hundreds of keys: only for a word that no item has and that the built-in table doesn't
//! know, of which most queries have none.

use std::collections::{BTreeMap, BTreeSet};

use memlith_event::Key;

use crate::analysis::{Stems, Word};
use crate::posting::Posting;
use crate::question::QueryTerm;
use crate::{Recall, StaticTable};

/// Maximum number of words of a query that are put right: what one costs is bounded.
const WORDS_MAX: usize = 2;

/// Shorter words have others one edit away that mean something else.
const LEN_MIN: usize = 5;

/// Longer ones have too many ways to be wrong.
const LEN_MAX: usize = 20;

/// Puts right the words of one query.
pub(crate) struct Speller<'a> {
    recall: &'a Recall,
    cells: &'a [Key],
    /// For so many more words it looks.
    left: usize,
}

impl<'a> Speller<'a> {
    pub(crate) fn new(recall: &'a Recall, cells: &'a [Key]) -> Speller<'a> {
        Speller { recall, cells, left: WORDS_MAX }
    }

    /// The term that most items of the cells have among those of words one edit from `word`, of
    /// equal ones the first; where none of them has `word` itself, whose term is `term`.
    ///
    /// The first letter is taken as right: it seldom isn't (E. J. Yannakoudakis and D. Fawthrop,
    /// "The rules of spelling errors", 1983).
    ///
    /// Cost: nothing but a look at the table for most words; else a lookup in each cell, and
    /// where that finds nothing some 50 for each letter, and what is pending is read through.
    pub(crate) fn put_right(&mut self, word: &str, term: &str) -> Option<String> {
        if self.left == 0 || !may_be_wrong(word, term) || is_met(self.recall, self.cells, term) {
            return None;
        }
        self.left -= 1;
        let words = one_edit_from(word);
        let stems = Stems::new();
        let stem =
            |lower: &str| stems.term(&Word { lower, position: 0, whole: false, plain: true });
        let mut having: BTreeMap<String, u64> = words.iter().map(|word| (stem(word), 0)).collect();
        for (term, having) in &mut having {
            let keys = self.cells.iter().map(|cell| Posting::term(*cell, term));
            *having = keys.map(|key| self.recall.postings.counted(&key)).sum();
        }
        let pending = self.recall.pending.iter();
        for pending in pending.filter(|pending| self.cells.contains(&pending.cell)) {
            pending.texts.scan(&mut |_, _, word| {
                if word.plain && words.contains(word.lower) {
                    *having.entry(stem(word.lower)).or_default() += 1;
                }
            });
        }
        let met = having.into_iter().filter(|(_, having)| *having > 0);
        met.rev().max_by_key(|(_, having)| *having).map(|(term, _)| term)
    }
}

/// Whether a word is one that nobody spells so, as far as that can be said.
fn may_be_wrong(word: &str, term: &str) -> bool {
    let plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
    let table = StaticTable::built_in().table();
    let known = || [word, term].iter().any(|word| table.find(false, word.as_bytes()).is_some());
    plain && (LEN_MIN..=LEN_MAX).contains(&word.len()) && !known()
}

fn is_met(recall: &Recall, cells: &[Key], term: &str) -> bool {
    let keys = || cells.iter().map(|cell| Posting::term(*cell, term));
    let sought = [QueryTerm { term: term.to_owned(), tenths: 0, misspelt: false }];
    keys().any(|key| !recall.postings.newest(&key, 1).is_empty())
        || !recall.pending_matches(cells, &sought).is_empty()
}

/// The words of small letters of ASCII that begin as `word` does and are one edit away (F. J.
/// Damerau, 1964).
fn one_edit_from(word: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for at in 1..=word.len() {
        let Some((start, end)) = word.split_at_checked(at) else { continue };
        let mut behind = end.chars();
        let first = behind.next();
        let rest = behind.as_str();
        for letter in 'a'..='z' {
            words.insert(format!("{start}{letter}{end}"));
            words.extend(first.map(|_| format!("{start}{letter}{rest}")));
        }
        let Some(first) = first else { continue };
        words.insert(format!("{start}{rest}"));
        let mut behind = rest.chars();
        let second = behind.next();
        words.extend(second.map(|second| format!("{start}{second}{first}{}", behind.as_str())));
    }
    words.remove(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edit_behind_the_first_letter_is_made_and_no_other() {
        let words = one_edit_from("databse");
        for right in ["database", "datbse", "databsse", "databes", "dotabse", "databsen"] {
            assert!(words.contains(right), "{right}");
        }
        for other in ["databse", "atabse", "catabse", "adtabse", "data", "databasse"] {
            assert!(!words.contains(other), "{other}");
        }
    }

    #[test]
    fn words_that_are_known_or_short_are_left_alone() {
        for word in ["billing", "database", "dog", "bilx", "caf\u{e9}s", "v8engine"] {
            assert!(!may_be_wrong(word, word), "{word}");
        }
        for word in ["biling", "databse", "recieve"] {
            assert!(may_be_wrong(word, word), "{word}");
        }
    }
}
