//! The oracle's judgement of a write that is like others.

use memlith::{
    Authority, RecordId,
    read::OwnStatus,
    write::{Cosine, Difference},
};

use super::likening::{Saying, wording_of};
use super::naive::{Naive, NaiveItem, Who};
use super::verdict::Verdict;

/// From here on a write restates.
const RESTATE: i32 = 9_500_000;

/// From here on it supersedes, with nobody to ask.
const MIDPOINT: i32 = 8_750_000;

/// Below this it is something else.
const ADD: i32 = 8_000_000;

/// Maximum number of rows that an arbiter is shown.
const SHOWN_MAX: usize = 8;

/// The rank of a person.
const PERSON: u8 = 4;

/// Judgement of a write by the items that it is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Likened {
    pub(super) verdict: Verdict,
    /// Whether other words say it.
    pub(super) in_other_words: bool,
    /// The row that was nearest, where the write is not worth one.
    nearest: Option<usize>,
    /// Items whose place it takes, or would.
    pub(super) instead: Vec<usize>,
    /// Items that it contradicts and stands beside.
    pub(super) beside: Vec<usize>,
    /// A later item that ends it, and when that begins.
    later: Option<(usize, i64)>,
    /// Rows that an arbiter is shown, if one is asked.
    pub(super) shown: Option<Vec<Nearby>>,
}

impl Likened {
    /// Returns the verdict that the decision repeats: the row that says the same, or the nearest
    /// of one that is not worth a row.
    pub(super) fn repeats(&self) -> Verdict {
        self.nearest.map_or(self.verdict, Verdict::Restated)
    }

    /// Makes the judgement of a write that is like nothing.
    fn plain(verdict: Verdict) -> Likened {
        Likened {
            verdict,
            in_other_words: false,
            nearest: None,
            instead: Vec::new(),
            beside: Vec::new(),
            later: None,
            shown: None,
        }
    }
}

/// A row that a write is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nearby {
    pub(super) at: usize,
    pub(super) cosine: Cosine,
    pub(super) differs: Option<Difference>,
}

impl Nearby {
    /// Whether a difference keeps the two apart; another word does only where all else is the
    /// same.
    fn is_apart(self) -> bool {
        match self.differs {
            None => false,
            Some(Difference::Value) => self.is_from(RESTATE),
            Some(_) => true,
        }
    }

    fn is_from(self, least: i32) -> bool {
        self.cosine.0 >= least
    }
}

/// Judgement of a write by likeness alone.
#[derive(Debug, Default)]
struct Weighed {
    restates: Option<usize>,
    skipped: bool,
    instead: Vec<usize>,
    beside: Vec<usize>,
}

/// The table of the model; `near` with the nearest first.
fn weigh(near: &[Nearby], said: Saying) -> Weighed {
    let same = |one: &&Nearby| one.differs.is_none() && one.is_from(RESTATE);
    if let Some(same) = near.iter().find(same) {
        return Weighed { restates: Some(same.at), ..Weighed::default() };
    }
    let shown: Vec<&Nearby> = near.iter().filter(|one| one.is_from(ADD)).take(SHOWN_MAX).collect();
    let (first, last) = (shown.first(), shown.last());
    let (least, chosen) = match said {
        Saying::Add if !shown.is_empty() => return Weighed::default(),
        Saying::Skip if !shown.is_empty() => {
            return Weighed { skipped: true, ..Weighed::default() };
        }
        Saying::Update { nearest } if !shown.is_empty() => {
            let chosen = if nearest { first } else { last };
            (chosen.map_or(MIDPOINT, |one| one.cosine.0), chosen.map(|one| one.at))
        }
        Saying::Add | Saying::Skip | Saying::Update { .. } | Saying::Unseen | Saying::Nothing => {
            (MIDPOINT, None)
        }
    };
    let gives_way = |one: &&Nearby| Some(one.at) == chosen || !one.is_apart() && one.is_from(least);
    let instead: Vec<usize> = near.iter().filter(gives_way).map(|one| one.at).collect();
    let stays = |one: &&Nearby| {
        let is_named = one.differs == Some(Difference::Name);
        one.is_apart() && !is_named && one.is_from(ADD) && !instead.contains(&one.at)
    };
    let beside = near.iter().filter(stays).map(|one| one.at).collect();
    Weighed { instead, beside, ..Weighed::default() }
}

impl Naive {
    /// Judges a write of `text` for all, where writes are compared.
    pub(super) fn judge_likened(&self, text: &str, who: Who, time: i64, said: Saying) -> Likened {
        let verdict = self.judge_text(text, who, time);
        let none = Likened::plain(verdict);
        if !matches!(verdict, Verdict::Added | Verdict::Waits) {
            return none;
        }
        let near = self.near(text, time);
        let same = |one: &Nearby| one.differs.is_none() && one.is_from(RESTATE);
        let shown: Vec<Nearby> =
            near.iter().filter(|one| one.is_from(ADD)).take(SHOWN_MAX).copied().collect();
        let shown = Some(shown).filter(|shown| !shown.is_empty() && !near.iter().any(same));
        let mut weighed = weigh(&near, said);
        if let Some(at) = weighed.restates {
            return Likened { verdict: Verdict::Restated(at), in_other_words: true, ..none };
        }
        if weighed.skipped {
            let nearest = near.first().map(|one| one.at);
            return Likened { verdict: Verdict::Skipped, nearest, shown, ..none };
        }
        let later = self.take_later(&mut weighed.instead, time);
        let Weighed { instead, beside, .. } = weighed;
        let guard = |at: &usize| self.items.get(*at).map_or(0, |item| item.guard);
        let is_overruled = instead.iter().chain(&beside).any(|at| guard(at) > who.rank());
        let waits = verdict == Verdict::Waits || is_overruled;
        let verdict = match instead.is_empty() {
            _ if waits => Verdict::Waits,
            true => Verdict::Added,
            false => Verdict::Superseded,
        };
        Likened { verdict, instead, beside, later, shown, ..none }
    }

    /// The rows that a text for all may be compared with, the nearest first, of equal ones the
    /// older.
    fn near(&self, text: &str, from: i64) -> Vec<Nearby> {
        let Some(wording) = wording_of(text) else { return Vec::new() };
        let may_be = |(at, item): &(usize, &NaiveItem)| {
            item.own == OwnStatus::Active
                && self.is_for_all(*at)
                && !item.derived
                && item.is_open(from)
                && self.stale(*at).is_none()
        };
        let rows = self.items.iter().enumerate().filter(may_be);
        let mut near: Vec<Nearby> = rows
            .filter_map(|(at, item)| {
                let other = wording_of(&item.text)?;
                let cosine = Cosine(wording.cosine(other));
                // What is less near is not looked at, and decides nothing.
                Some(Nearby { at, cosine, differs: wording.differs(other) })
            })
            .collect();
        near.sort_by_key(|one| std::cmp::Reverse(one.cosine));
        near
    }

    /// Leaves out what begins later: that ends the newcomer.
    fn take_later(&self, instead: &mut Vec<usize>, from: i64) -> Option<(usize, i64)> {
        let begins = |at: &usize| self.items.get(*at).map_or(from, |item| item.from);
        let later = instead.iter().filter(|at| begins(at) > from).map(|at| (begins(at), *at)).min();
        instead.retain(|at| begins(at) <= from);
        later.map(|(begin, at)| (at, begin))
    }

    /// Takes in a write that was compared.
    pub(super) fn liken(&mut self, id: RecordId, text: &str, who: Who, time: i64, done: &Likened) {
        let guard = |at: usize| self.items.get(at).map_or(u8::MAX, |item| item.guard);
        let mut spoken = done.nearest.map(|at| (at, false));
        if let (Verdict::Restated(at), true) = (done.verdict, done.in_other_words) {
            spoken = Some((at, who.rank() >= guard(at)));
        }
        if let Some((at, is_own)) = spoken
            && let Some(item) = self.items.get_mut(at)
        {
            item.spoken.push((text.to_owned(), is_own));
        }
        if done.verdict == Verdict::Skipped || self.said_again(done.verdict, who, time, Vec::new())
        {
            return;
        }
        self.add(id, text, who, time, None);
        let waits = done.verdict == Verdict::Waits;
        self.settle_new(waits, None);
        let last = self.items.len() - 1;
        if let Some(item) = self.items.last_mut() {
            item.against.clone_from(&done.instead);
            item.against.extend(done.beside.iter().filter(|_| waits));
        }
        if !waits {
            self.stand(last, done);
        }
    }

    /// The item ends what it takes the place of, and stands beside what it contradicts.
    pub(super) fn stand(&mut self, newcomer: usize, done: &Likened) {
        let Some(from) = self.items.get(newcomer).map(|item| item.from) else { return };
        for at in &done.instead {
            if let Some(item) = self.items.get_mut(*at).filter(|item| !item.is_ended_by(newcomer)) {
                item.closed.push((newcomer, from));
            }
        }
        if let Some(item) = self.items.get_mut(newcomer) {
            item.closed.extend(done.later);
        }
        self.contests.extend(done.beside.iter().map(|at| (newcomer, *at)));
    }

    /// Judges an item that waits, once it is accepted: items that say the same in other words
    /// give way to it.
    pub(super) fn judge_accepted(&self, at: usize) -> Likened {
        let item = self.items.get(at);
        let (text, from) = item.map_or(("", 0), |item| (item.text.as_str(), item.from));
        let near = self.near(text, from);
        let mut weighed = weigh(&near, Saying::Nothing);
        if weighed.restates.is_some() {
            let same = near.iter().filter(|one| one.differs.is_none() && one.is_from(MIDPOINT));
            weighed.instead = same.map(|one| one.at).collect();
        }
        let later = self.take_later(&mut weighed.instead, from);
        let Weighed { instead, beside, .. } = weighed;
        Likened { instead, beside, later, ..Likened::plain(Verdict::Added) }
    }

    /// Returns the items that contradict the item and are eligible at the time.
    pub(super) fn contested_with(&self, at: usize, time: i64) -> Vec<usize> {
        let other = |(one, other): &(usize, usize)| match at {
            _ if *one == at => Some(*other),
            _ if *other == at => Some(*one),
            _ => None,
        };
        let others = self.contests.iter().filter_map(other);
        others.filter(|other| self.is_eligible(*other, time)).collect()
    }

    /// Whether nothing ever contradicted the item or took its place, at whatever instant: the
    /// clock may have been set back.
    pub(super) fn is_undisturbed(&self, at: usize) -> bool {
        let is_open = self.items.get(at).is_some_and(|item| item.closed.is_empty());
        is_open && !self.contests.iter().any(|(one, other)| [*one, *other].contains(&at))
    }

    /// A person's word for an item ends what contradicts it.
    pub(super) fn settle_contests(&mut self, at: usize, rank: u8, time: i64) {
        if rank < PERSON {
            return;
        }
        for other in self.contested_with(at, time) {
            if let Some(item) = self.items.get_mut(other).filter(|item| item.guard <= rank) {
                item.closed.push((at, time));
            }
        }
    }

    /// Whether the engine says of the item that it is contested where it has to.
    pub(super) fn agrees_on_contest(&self, at: usize, time: i64, found: Authority) -> bool {
        let is_contested = self.is_eligible(at, time) && !self.contested_with(at, time).is_empty();
        (found == Authority::Contested) == is_contested
    }
}
