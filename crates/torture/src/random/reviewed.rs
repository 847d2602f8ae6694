use memlith::{Judgement, OwnStatus};

use super::arithmetic::decay;
use super::naive::{Naive, NaiveItem, Verdict, Who};

/// The rank of who reviews.
const REVIEWER: u8 = 4;

impl NaiveItem {
    /// Whether nothing has taken its place at `time`.
    pub(super) fn is_open(&self, time: i64) -> bool {
        self.closed.iter().all(|(_, closed)| *closed > time)
    }

    /// Who took it out, and when, where that keeps out what says the same.
    pub(super) fn barred_by(&self) -> Option<(u8, i64)> {
        let is_out = match self.own {
            OwnStatus::Invalidated | OwnStatus::Rejected => true,
            OwnStatus::Retracted => self.before == OwnStatus::Invalidated,
            OwnStatus::Pending | OwnStatus::Active | OwnStatus::Erased => false,
        };
        self.invalidated.filter(|_| is_out)
    }
}

impl Naive {
    /// The items that wait for review.
    pub(super) fn waiting(&self) -> Vec<usize> {
        let waits = |at: &usize| self.own(*at) == Some(OwnStatus::Pending);
        (0..self.items.len()).filter(waits).collect()
    }

    fn own(&self, at: usize) -> Option<OwnStatus> {
        self.items.get(at).map(|item| item.own)
    }

    /// What a tool's correction of an item becomes.
    pub(super) fn judge_correct(&self, at: usize, time: i64) -> Verdict {
        let Some(item) = self.items.get(at) else { return Verdict::Refused };
        let has_begun = item.from <= time || !item.is_open(time);
        match self.is_active(at) && (has_begun || self.stale(at).is_some()) {
            true => Verdict::Waits,
            false => Verdict::Refused,
        }
    }

    /// What a review by the user becomes.
    pub(super) fn judge_review(&self, at: usize, judgement: Judgement, time: i64) -> Verdict {
        let Some(item) = self.items.get(at) else { return Verdict::Refused };
        let others = || self.items.iter().enumerate().filter(|(other, _)| *other != at);
        let equal = || others().filter(|(_, other)| other.text == item.text);
        let is_barred = equal().filter_map(|(_, other)| other.barred_by());
        let is_barred = is_barred.into_iter().any(|(rank, when)| REVIEWER < rank || time <= when);
        let is_said = equal().any(|(at, other)| {
            let stands = self.is_active(at) && self.stale(at).is_none();
            stands && other.is_open(item.from) && other.guard >= item.guard
        });
        let is_refused = match judgement {
            Judgement::Accept => is_barred || is_said || self.stale(at).is_some(),
            Judgement::Reject | Judgement::Defer => false,
        };
        match item.own == OwnStatus::Pending && !is_refused {
            true => Verdict::Reviewed(judgement),
            false => Verdict::Refused,
        }
    }

    /// What comes of the row that was written last: it waits, or makes others moot.
    pub(super) fn settle_new(&mut self, waits: bool, against: Option<usize>) {
        let from = against.and_then(|at| self.items.get(at)).map(|item| item.from);
        let Some((last, others)) = self.items.split_last_mut() else { return };
        last.against = against;
        last.from = from.unwrap_or(last.from);
        if waits {
            (last.own, last.before) = (OwnStatus::Pending, OwnStatus::Pending);
            return;
        }
        for other in others {
            let is_reached = other.guard <= last.author.rank();
            if other.own == OwnStatus::Pending && other.text == last.text && is_reached {
                other.own = OwnStatus::Retracted;
            }
        }
    }

    pub(super) fn review(&mut self, at: usize, judgement: Judgement, time: i64, recorded: i64) {
        let Some(item) = self.items.get_mut(at) else { return };
        match judgement {
            Judgement::Defer => {}
            Judgement::Reject => {
                item.own = OwnStatus::Rejected;
                item.invalidated = Some((REVIEWER, recorded));
            }
            Judgement::Accept => {
                (item.own, item.accepted) = (OwnStatus::Active, true);
                item.guard = item.guard.max(REVIEWER);
                item.decider = REVIEWER;
                item.levels.accept(decay(time.max(item.born)));
                let (text, from, against) = (item.text.clone(), item.from, item.against);
                self.give_way(at, &text, from, against);
            }
        }
    }

    /// What an accepted item takes the place of, and what it makes moot.
    fn give_way(&mut self, accepted: usize, text: &str, from: i64, against: Option<usize>) {
        for (at, item) in self.items.iter_mut().enumerate().filter(|(at, _)| *at != accepted) {
            let is_same = item.text == text;
            let is_displaced = item.own == OwnStatus::Active && against == Some(at);
            let lapses = is_same
                && item.own == OwnStatus::Invalidated
                && item.before == OwnStatus::Active
                && item.is_open(from);
            if is_displaced || lapses {
                item.closed.push((accepted, from));
            }
            if is_same && item.own == OwnStatus::Pending && item.guard <= REVIEWER {
                item.own = OwnStatus::Retracted;
            }
        }
    }

    /// What taking back an item becomes.
    pub(super) fn judge_rollback(&self, at: usize, who: Who, time: i64) -> Verdict {
        let Some(item) = self.items.get(at) else { return Verdict::Refused };
        let is_result = matches!(item.own, OwnStatus::Active | OwnStatus::Invalidated);
        let invalidator = item.invalidated.map_or(0, |(rank, _)| rank);
        let needed = item.decider.max(item.guard).max(invalidator);
        let goes_on = |(_, row): &(usize, &NaiveItem)| {
            row.own == OwnStatus::Active && row.closed.iter().any(|(by, _)| *by == at)
        };
        let is_barred = self.items.iter().enumerate().filter(goes_on).any(|(index, row)| {
            let others = self.items.iter().enumerate().filter(|(other, _)| *other != index);
            let bars = others.filter(|(_, other)| other.text == row.text);
            let mut bars = bars.filter_map(|(_, other)| other.barred_by());
            self.stale(index).is_none()
                && bars.any(|(rank, when)| who.rank() < rank || time <= when)
        });
        match is_result && who.rank() >= needed && !is_barred {
            true => Verdict::Changed(at),
            false => Verdict::Refused,
        }
    }

    pub(super) fn roll_back(&mut self, at: usize, who: Who, recorded: i64) {
        let ends = self.items.get(at).map(|item| item.closed.clone()).unwrap_or_default();
        let says = |own: &NaiveItem, text: &str| own.own == OwnStatus::Active && own.text == text;
        let active = self.items.clone();
        for (index, row) in self.items.iter_mut().enumerate() {
            let opened = row.closed.iter().any(|(by, _)| *by == at);
            row.closed.retain(|(by, _)| *by != at);
            if !opened {
                continue;
            }
            row.closed.extend(ends.iter().filter(|(by, _)| *by != index));
            // Said again meanwhile, it is the row that said so that goes on.
            for (other, again) in active.iter().enumerate() {
                let is_another = other != index && other != at;
                if is_another && says(again, &row.text) && again.is_open(row.from) {
                    row.closed.push((other, again.from.max(row.from)));
                }
            }
        }
        let Some(item) = self.items.get_mut(at) else { return };
        let rank = item.invalidated.map_or(0, |(rank, _)| rank).max(who.rank());
        (item.before, item.own) = (item.own, OwnStatus::Retracted);
        item.invalidated = Some((rank, recorded));
    }
}
