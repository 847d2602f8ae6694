//! Labels that a pack gives an item, and the order of its items, from the definitions of
//! `docs/model/salience.md` and `docs/model/checkout.md`.

use std::cmp::Reverse;

use memlith::{Authority, Cited, Pack, read::OwnStatus};

use super::naive::{Naive, NaiveItem};

/// The parts of a factor.
const ONE: i128 = 1 << 30;

impl Naive {
    /// How a memory or a record stands at an instant: the first that holds.
    pub(super) fn label(&self, at: usize, time: i64) -> Authority {
        let Some(item) = self.items.get(at) else { return Authority::Erased };
        match item.own {
            OwnStatus::Erased => Authority::Erased,
            OwnStatus::Invalidated => Authority::Invalidated,
            OwnStatus::Rejected => Authority::Rejected,
            OwnStatus::Retracted => Authority::Retracted,
            OwnStatus::Pending => Authority::Pending,
            OwnStatus::Active if self.stale(at).is_some() => Authority::Stale,
            // A record is of what happened, and has no validity.
            OwnStatus::Active if item.session.is_some() => Authority::Active,
            OwnStatus::Active if !item.is_open(time) => Authority::Superseded,
            OwnStatus::Active if item.has_ended(time) => Authority::Expired,
            OwnStatus::Active if item.from > time => Authority::Future,
            OwnStatus::Active if !self.contested_with(at, time).is_empty() => Authority::Contested,
            OwnStatus::Active if self.is_outdated(at, time) => Authority::Outdated,
            OwnStatus::Active => Authority::Active,
        }
    }

    /// Whether it has faded so far that something better may push it out.
    fn may_give_way(&self, item: &NaiveItem, time: i64) -> Option<bool> {
        let is_exempt = item.session.is_some() || item.pinner > 0 || item.accepted;
        let has_faded = item.levels.has_faded(self.policy, time);
        if is_exempt { Some(false) } else { has_faded }
    }
}

/// Every item stands, weighs and is marked as it has to be, and they are in order.
pub(super) fn check(naive: &Naive, time: i64, pack: &Pack) -> Result<(), String> {
    let (_, answers) = pack.items.split_at(pack.stable_items.min(pack.items.len()));
    if !answers.is_sorted_by_key(|item| (Reverse(item.score), item.id.seq)) {
        let order: Vec<_> = answers.iter().map(|item| (item.score, item.id)).collect();
        return Err(format!("wrong: a pack is in the order {order:?}"));
    }
    for cited in &pack.items {
        let due = i128::from(cited.why.relevance) * i128::from(cited.why.multiplier.raw()) / ONE;
        if i128::from(cited.score) != due && !is_raised(pack, cited, due) {
            return Err(format!("wrong: {} has the score {}, not {due}", cited.id, cited.score));
        }
        if let Some(at) = naive.items.iter().position(|item| item.id == cited.id) {
            check_item(naive, at, time, cited)?;
        }
    }
    Ok(())
}

/// Whether it stands just before one that it is later than, of those that say other values of
/// one thing, or of which it has half of the score. That one may be left out: its score is then not
/// told.
fn is_raised(pack: &Pack, cited: &Cited, due: i128) -> bool {
    let answers_as_well = |other: &Cited| due * 2 >= i128::from(other.score);
    let mut older = pack
        .items
        .iter()
        .filter(|other| other.why.later == Some(cited.id) || answers_as_well(other));
    let is_just_before = older.any(|other| other.score + 1 == cited.score);
    due < i128::from(cited.score) && (is_just_before || !pack.left_out.is_empty())
}

fn check_item(naive: &Naive, at: usize, time: i64, cited: &Cited) -> Result<(), String> {
    let (Some(item), why) = (naive.items.get(at), &cited.why) else { return Ok(()) };
    let label = naive.label(at, time);
    if why.authority != label {
        return Err(format!("wrong: {} is {label:?}, shown as {:?}", cited.id, why.authority));
    }
    // What is later than now is read at its own time.
    let (least, most) = item.levels.multipliers(naive.policy, time.max(item.born));
    let found = i128::from(why.multiplier.raw());
    if !(least..=most).contains(&found) {
        return Err(format!("wrong: {} weighs {found}, not {least} to {most}", cited.id));
    }
    let (salience, expected) = (why.salience.to_string(), naive.salience(at, time));
    let found: f64 = salience.parse().unwrap_or(f64::NAN);
    if found.is_nan() || ((found - expected) / expected).abs() >= 1e-9 {
        return Err(format!("wrong: {} has salience {salience}, not {expected}", cited.id));
    }
    let marks = (why.pinned, why.accepted);
    if marks != (item.pinner > 0, item.accepted) {
        return Err(format!("wrong: {} is pinned, accepted: {marks:?}", cited.id));
    }
    match naive.may_give_way(item, time) {
        Some(faded) if faded != why.attenuated => {
            Err(format!("wrong: {} has faded: {}", cited.id, why.attenuated))
        }
        _ => Ok(()),
    }
}
