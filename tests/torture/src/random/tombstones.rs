//! The oracle's knowledge of tombstones, as `docs/format.md` has them.

use memlith::{RecordId, read::OwnStatus, write::Rejection};

use super::mined::{CALLS, call_words};
use super::naive::{Naive, NaiveItem};
use super::verdict::Verdict;

/// Minimum of words, or of characters, by which a thing said or done is known again.
const TELLING_WORDS: usize = 3;
const TELLING_CHARS: usize = 16;

/// One thing by which a record is known again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tombstone {
    /// The item that was erased with the record, or is it.
    item: usize,
    /// The record.
    target: RecordId,
    mark: Mark,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    /// The record as such: nothing in a session is copied from another ledger.
    Record,
    /// Its words, without case, white space and punctuation.
    Words(String),
    /// Its key in an import: the session, and the number of its call.
    Call(usize, usize),
}

impl Naive {
    /// The item, and every item that rests on it, however far.
    fn falling(&self, at: usize) -> Vec<usize> {
        let mut falling = Vec::new();
        for (index, item) in self.items.iter().enumerate() {
            let falls = |source: &usize| falling.contains(source);
            if index == at || item.justifications.iter().flatten().any(falls) {
                falling.push(index);
            }
        }
        falling
    }

    /// Lays tombstones for what an erasure of the item takes.
    pub(super) fn bury(&mut self, at: usize) {
        for index in self.falling(at) {
            let Some(item) = self.items.get(index) else { continue };
            if item.own == OwnStatus::Erased {
                continue;
            }
            for (target, mark) in marks(item) {
                let laid = Tombstone { item: index, target, mark };
                if !self.tombstones.contains(&laid) {
                    self.tombstones.push(laid);
                }
            }
        }
    }

    /// Erases the item and every item that rests on it.
    pub(super) fn erase(&mut self, at: usize) {
        for index in self.falling(at) {
            if let Some(item) = self.items.get_mut(index) {
                item.own = OwnStatus::Erased;
            }
        }
    }

    /// Takes away the tombstones of these records, or all.
    pub(super) fn lift(&mut self, targets: Option<&[RecordId]>) {
        let stays = |stone: &Tombstone| targets.is_some_and(|all| !all.contains(&stone.target));
        self.tombstones.retain(stays);
    }

    /// The records that have these words on their tombstones.
    fn known_by_words<'a>(&'a self, words: &str) -> impl Iterator<Item = &'a Tombstone> + use<'a> {
        let mark = Mark::Words(plain_words(words));
        self.tombstones.iter().filter(move |stone| stone.mark == mark)
    }

    /// Returns the verdict on a write, unless its words were erased: it is refused, if anything of
    /// them would be written.
    pub(super) fn unless_buried(&self, words: &str, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Refused
            | Verdict::Barred
            | Verdict::Known
            | Verdict::Redundant { .. }
            | Verdict::Reviewed(_)
            | Verdict::Changed(_)
            | Verdict::Disputed => verdict,
            Verdict::Added
            | Verdict::Waits
            | Verdict::Restated(_)
            | Verdict::Revived(_)
            | Verdict::Reopened(_)
            | Verdict::Superseded
            | Verdict::Skipped
            | Verdict::Corrected => match self.known_by_words(words).next() {
                Some(_) => Verdict::Barred,
                None => verdict,
            },
        }
    }

    /// Whether a write of the words may be refused like that where this was due: as erased
    /// only by a record that has them on its tombstone.
    pub(super) fn is_refusal(&self, due: Verdict, words: &str, rejection: &Rejection) -> bool {
        if let Rejection::Erased { id } = rejection {
            let names = |stone: &Tombstone| stone.target == *id;
            return due == Verdict::Barred && self.known_by_words(words).any(names);
        }
        due == Verdict::Refused
    }

    /// The calls of a session that an import would add, and how many a tombstone bars.
    pub(super) fn calls_due(&self, session: usize) -> (Vec<usize>, usize) {
        let is_there = |call: &usize| {
            let is_it = |item: &NaiveItem| item.session == Some(session) && item.call == *call;
            self.items.iter().any(|item| is_it(item) && item.own != OwnStatus::Erased)
        };
        let is_barred = |call: &usize| {
            let mark = Mark::Call(session, *call);
            let words = Some(call_words(*call)).filter(|words| is_telling(words));
            self.tombstones.iter().any(|stone| stone.mark == mark)
                || words.is_some_and(|words| self.known_by_words(&words).next().is_some())
        };
        let missing = (1..=CALLS).filter(|call| !is_there(call));
        let (barred, due): (Vec<usize>, Vec<usize>) = missing.partition(is_barred);
        (due, barred.len())
    }

    /// The items that have a tombstone.
    pub(super) fn buried(&self) -> Vec<usize> {
        let has_one = |at: &usize| self.tombstones.iter().any(|stone| stone.item == *at);
        (0..self.items.len()).filter(has_one).collect()
    }

    /// The records with tombstones that were erased with the item.
    pub(super) fn buried_with(&self, at: usize) -> Vec<RecordId> {
        let stones = self.tombstones.iter().filter(|stone| stone.item == at);
        let mut targets: Vec<RecordId> = stones.map(|stone| stone.target).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Whether the record has a tombstone.
    pub(super) fn is_buried(&self, id: RecordId) -> bool {
        self.tombstones.iter().any(|stone| stone.target == id)
    }
}

/// By what the item and the decisions that repeat it are known again.
fn marks(item: &NaiveItem) -> Vec<(RecordId, Mark)> {
    let mut marks = vec![(item.id, Mark::Record)];
    if let Some(session) = item.session {
        let words = Some(call_words(item.call)).filter(|words| is_telling(words));
        marks.push((item.id, Mark::Call(session, item.call)));
        marks.extend(words.map(|words| (item.id, Mark::Words(plain_words(&words)))));
    } else if item.procedure.is_none() {
        // Other records may give the same procedure again.
        marks.push((item.id, Mark::Words(plain_words(&item.text))));
    }
    for (decision, words) in &item.decisions {
        marks.push((*decision, Mark::Record));
        marks.push((*decision, Mark::Words(plain_words(words))));
    }
    marks
}

/// Whether the words of a record are more than what anybody may say again.
fn is_telling(words: &str) -> bool {
    let words = plain_words(words);
    words.split(' ').count() >= TELLING_WORDS || words.chars().count() >= TELLING_CHARS
}

/// The form in which two writings are the same: letters and digits, in lower case; all of a
/// session's are ASCII.
fn plain_words(words: &str) -> String {
    let parts = words.split(|found: char| !found.is_ascii_alphanumeric());
    let parts = parts.filter(|part| !part.is_empty()).map(str::to_lowercase);
    parts.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_calls_that_their_words_tell_and_one_that_they_do_not() {
        let telling: Vec<bool> = (1..=CALLS).map(|call| is_telling(&call_words(call))).collect();
        assert_eq!(telling, [true, true, false]);
        assert_eq!(plain_words(" The  CAT\tis: Mo-mo. "), "the cat is mo mo");
    }
}
