use std::cmp::Reverse;

use memlith::{Pack, RecordId, read::OwnStatus};

use super::naive::{Naive, NaiveItem, Who, word_of};
use super::verdict::Verdict;

/// A pack begins with so many pinned items at most.
const ITEMS_MAX: usize = 12;

/// Their excerpts have so many tokens together at most.
const TOKENS_MAX: usize = 480;

/// A token is so many bytes.
const TOKEN_BYTES: usize = 4;

/// The rank that may pin.
const PINNER: u8 = 4;

impl Naive {
    pub(super) fn judge_pin(&self, at: usize, who: Who, time: i64) -> Verdict {
        let stands = self.is_eligible(at, time) && !self.is_outdated(at, time);
        match stands && who.rank() >= PINNER {
            true => Verdict::Changed(at),
            false => Verdict::Refused,
        }
    }

    pub(super) fn judge_unpin(&self, at: usize, who: Who) -> Verdict {
        let is_there = |item: &&NaiveItem| item.own != OwnStatus::Erased;
        match self.items.get(at).filter(is_there).map_or(0, |item| item.pinner) {
            0 => Verdict::Refused,
            pinner if who.rank() < pinner.max(PINNER) => Verdict::Refused,
            _ => Verdict::Changed(at),
        }
    }

    pub(super) fn pin(&mut self, at: usize, who: Who) {
        if let Some(item) = self.items.get_mut(at) {
            item.pinner = item.pinner.max(who.rank());
        }
    }

    pub(super) fn unpin(&mut self, at: usize) {
        if let Some(item) = self.items.get_mut(at) {
            item.pinner = 0;
        }
    }

    /// The items that are pinned and can be looked at.
    pub(super) fn pinned(&self) -> Vec<usize> {
        let is_pinned = |item: &NaiveItem| item.pinner > 0 && item.own != OwnStatus::Erased;
        let pinned = self.items.iter().enumerate().filter(|(_, item)| is_pinned(item));
        pinned.map(|(at, _)| at).collect()
    }

    /// Gives the pin of an item that was taken back to the one that had it before, at any distance.
    pub(super) fn give_pin_back(&mut self, at: usize) {
        let mut left = vec![at];
        while let Some(to) = left.pop() {
            for (_, from, pinner) in self.moved_pins.clone().into_iter().filter(|pin| pin.0 == to) {
                match self.items.get_mut(from) {
                    Some(item) if item.own == OwnStatus::Retracted => left.push(from),
                    Some(item) => item.pinner = item.pinner.max(pinner),
                    None => {}
                }
            }
        }
    }

    /// Returns the items that every pack begins with at an instant, in the order of the log.
    fn block(&self, time: i64) -> Vec<&NaiveItem> {
        let mut block: Vec<(usize, &NaiveItem)> = self.items.iter().enumerate().collect();
        block.retain(|(at, item)| item.pinner > 0 && self.is_shown_unasked(*at, time));
        block.sort_by_key(|(at, item)| (Reverse(item.pinner), Reverse(*at)));
        block.truncate(ITEMS_MAX);
        block.sort_by_key(|(at, _)| *at);
        let mut tokens = 0;
        let fits = |item: &&NaiveItem| {
            tokens += item.text.len().div_ceil(TOKEN_BYTES);
            tokens <= TOKENS_MAX
        };
        block.into_iter().map(|(_, item)| item).take_while(fits).collect()
    }
}

/// A pack begins with the pinned block, in the order of the log, whatever was asked.
pub(super) fn check(naive: &Naive, time: i64, pack: &Pack) -> Result<(), String> {
    let block = naive.block(time);
    // What says the same, in other words too, may stand for it.
    let same = |item: &NaiveItem, other: &NaiveItem| word_of(&item.text) == word_of(&other.text);
    if block.iter().any(|item| block.iter().filter(|other| same(item, other)).count() > 1) {
        return Ok(());
    }
    let expected: Vec<RecordId> = block.iter().map(|item| item.id).collect();
    let found = pack.items.iter().take(pack.stable_items).map(|item| item.id);
    let found: Vec<RecordId> = found.collect();
    match found == expected {
        true => Ok(()),
        false => Err(format!("wrong: a pack begins with {found:?}, not with {expected:?}")),
    }
}
