//! Judges writes that say the same in other words, and what they add.

use super::naive::{Naive, Who, word_of};
use super::verdict::Verdict;

/// Verdict on a write in other words, and the memory that it reinforces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reworded {
    pub(super) verdict: Verdict,
    pub(super) akin: Option<usize>,
}

/// The text in other words: neither figure nor turn nor order is another.
pub(super) fn reworded(text: &str) -> String {
    text.replacen("The animal", "An animal", 1)
}

impl Naive {
    /// Judges a write of a text that is added if it says anything new, and else is left out.
    pub(super) fn judge_reworded(&self, text: &str, who: Who, time: i64) -> Reworded {
        let verdict = self.judge_text(text, who, time);
        let is_same = |at: &usize| {
            self.items.get(*at).is_some_and(|item| {
                !item.derived && word_of(&item.text) == word_of(text) && self.is_shown(*at, time)
            })
        };
        let akin = (0..self.items.len()).find(is_same).filter(|_| verdict == Verdict::Added);
        let guard = akin.and_then(|at| self.items.get(at)).map_or(0, |item| item.guard);
        match akin {
            Some(at) if guard >= who.rank() => {
                let is_again = self.items.get(at).is_some_and(|item| item.noted.contains(&who));
                Reworded { verdict: Verdict::Redundant { at, is_again }, akin }
            }
            _ => Reworded { verdict, akin },
        }
    }

    /// It was said in other words: as if it was shown, once for each who says so.
    pub(super) fn note_again(&mut self, at: usize, who: Who, time: i64) {
        let Some(item) = self.items.get_mut(at) else { return };
        if item.noted.contains(&who) {
            return;
        }
        item.noted.push(who);
        let id = item.id;
        self.surface(id, time);
    }
}
