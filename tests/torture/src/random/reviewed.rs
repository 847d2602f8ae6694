use memlith::{Judgement, read::OwnStatus};

use super::arithmetic::decay;
use super::naive::{Naive, NaiveItem, Who};
use super::verdict::Verdict;

/// The rank of who reviews.
const REVIEWER: u8 = 4;

impl NaiveItem {
    /// Whether it says what another does to the same.
    fn says(&self, other: &NaiveItem) -> bool {
        self.has(&other.text) && self.room == other.room
    }

    /// Whether nothing has taken its place at `time`.
    pub(super) fn is_open(&self, time: i64) -> bool {
        self.closed.iter().all(|(_, closed)| *closed > time)
    }

    /// Whether its own end has passed at `time`.
    pub(super) fn has_ended(&self, time: i64) -> bool {
        self.until.is_some_and(|until| until <= time)
    }

    /// Returns the rank that took it out, and when, where that keeps out equal texts.
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
        let waits = |at: &usize| self.own(*at) == Some(OwnStatus::Pending) && self.is_for_all(*at);
        (0..self.items.len()).filter(waits).collect()
    }

    fn own(&self, at: usize) -> Option<OwnStatus> {
        self.items.get(at).map(|item| item.own)
    }

    /// Judges a correction of an item.
    pub(super) fn judge_correct(&self, at: usize, who: Who, time: i64) -> Verdict {
        let Some(item) = self.items.get(at) else { return Verdict::Refused };
        let holds = item.from <= time && !item.has_ended(time);
        let is_behind = !item.is_open(time) || self.stale(at).is_some();
        let may = self.is_active(at) && (holds || is_behind);
        let rank = who.rank();
        match may {
            true if self.waits(rank) || item.guard > rank => Verdict::Waits,
            true => Verdict::Corrected,
            false => Verdict::Refused,
        }
    }

    /// Judges a review by the user.
    pub(super) fn judge_review(&self, at: usize, judgement: Judgement, time: i64) -> Verdict {
        let Some(item) = self.items.get(at) else { return Verdict::Refused };
        let others = || self.items.iter().enumerate().filter(|(other, _)| *other != at);
        let equal = || others().filter(|(_, other)| other.says(item));
        let is_barred = equal().filter_map(|(_, other)| other.barred_by());
        let is_barred = is_barred.into_iter().any(|(rank, when)| REVIEWER < rank || time <= when);
        let is_said = equal().any(|(at, other)| {
            // What it was proposed to take the place of says it with less behind it.
            let stands = self.is_active(at) && self.stale(at).is_none();
            let is_reached = other.guard >= item.guard && !item.against.contains(&at);
            stands && other.is_open(item.from) && is_reached
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

    /// Settles the row that was written last: it waits, or makes others moot.
    pub(super) fn settle_new(&mut self, waits: bool, against: Option<usize>) {
        let from = against.and_then(|at| self.items.get(at)).map(|item| item.from);
        let Some((last, others)) = self.items.split_last_mut() else { return };
        last.against = against.into_iter().collect();
        last.from = from.unwrap_or(last.from);
        if waits {
            (last.own, last.before) = (OwnStatus::Pending, OwnStatus::Pending);
            return;
        }
        for other in others {
            let is_reached = other.guard <= last.author.rank();
            if other.own == OwnStatus::Pending && other.says(last) && is_reached {
                other.own = OwnStatus::Retracted;
            }
        }
    }

    /// The row that was written last takes the place of one that was wrong: now, or when it
    /// is let in.
    pub(super) fn correct(&mut self, at: usize, is_now: bool) {
        self.settle_new(!is_now, Some(at));
        if !is_now {
            return;
        }
        let last = self.items.len() - 1;
        let Some((from, rank)) = self.items.get(last).map(|item| (item.from, item.author.rank()))
        else {
            return;
        };
        let Some(item) = self.items.get_mut(at) else { return };
        item.closed.push((last, from));
        if !(REVIEWER..=rank).contains(&item.pinner) {
            return;
        }
        let pinner = std::mem::take(&mut item.pinner);
        self.moved_pins.push((last, at, pinner));
        if let Some(newcomer) = self.items.get_mut(last) {
            newcomer.pinner = pinner;
        }
    }

    pub(super) fn review(&mut self, at: usize, judgement: Judgement, time: i64, recorded: i64) {
        let mut likened = self.judge_accepted(at);
        let Some(item) = self.items.get_mut(at) else { return };
        match judgement {
            Judgement::Defer => {}
            Judgement::Reject => {
                item.own = OwnStatus::Rejected;
                item.invalidated = Some((REVIEWER, recorded));
            }
            Judgement::Accept => {
                let guard = item.guard;
                (item.own, item.accepted) = (OwnStatus::Active, true);
                item.guard = item.guard.max(REVIEWER);
                item.decider = REVIEWER;
                item.levels.accept(decay(time.max(item.born)));
                let accepted = item.clone();
                let displaced = self.give_way(at, &accepted, guard);
                likened.beside.retain(|at| !displaced.contains(at));
                self.stand(at, &likened);
            }
        }
    }

    /// Displaces the items that an accepted item takes the place of, which are returned, and
    /// retracts those that it makes moot; `guard` is the guard that it had.
    fn give_way(&mut self, accepted: usize, newcomer: &NaiveItem, guard: u8) -> Vec<usize> {
        let (from, mut moved, mut displaced) = (newcomer.from, 0, Vec::new());
        let stale: Vec<bool> = (0..self.items.len()).map(|at| self.stale(at).is_some()).collect();
        for (at, item) in self.items.iter_mut().enumerate().filter(|(at, _)| *at != accepted) {
            let is_same = item.says(newcomer);
            // What says the same with less behind it.
            let is_less = is_same
                && item.guard < guard
                && item.is_open(from)
                && stale.get(at) == Some(&false);
            let is_against = item.from <= from && newcomer.against.contains(&at);
            let is_displaced = item.own == OwnStatus::Active && (is_against || is_less);
            let lapses = is_same
                && item.own == OwnStatus::Invalidated
                && item.before == OwnStatus::Active
                && item.is_open(from);
            if is_displaced || lapses {
                item.closed.push((accepted, from));
            }
            displaced.extend(Some(at).filter(|_| is_displaced));
            if is_displaced && (1..=REVIEWER).contains(&item.pinner) {
                self.moved_pins.push((accepted, at, item.pinner));
                moved = moved.max(item.pinner);
                item.pinner = 0;
            }
            if is_same && item.own == OwnStatus::Pending && item.guard <= REVIEWER {
                item.own = OwnStatus::Retracted;
            }
        }
        if let Some(item) = self.items.get_mut(accepted) {
            item.pinner = item.pinner.max(moved);
        }
        displaced
    }

    /// Judges the taking back of an item.
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
            let bars = others.filter(|(_, other)| other.says(row));
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
        let says = |own: &NaiveItem, row: &NaiveItem| own.own == OwnStatus::Active && own.says(row);
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
                if is_another && says(again, row) && again.is_open(row.from) {
                    row.closed.push((other, again.from.max(row.from)));
                }
            }
        }
        let Some(item) = self.items.get_mut(at) else { return };
        let rank = item.invalidated.map_or(0, |(rank, _)| rank).max(who.rank());
        (item.before, item.own) = (item.own, OwnStatus::Retracted);
        item.invalidated = Some((rank, recorded));
        if std::mem::take(&mut item.pinner) > 0 {
            self.give_pin_back(at);
        }
    }
}
