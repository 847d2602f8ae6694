//! Steps of what holds for a time only, and of a second person.

use memlith::{Caller, Remember, Timestamp, Validity};

use super::effect::{Attempt, Effect};
use super::naive::{Naive, Who, Word};
use super::play::{Judged, Play, caller, text_of};
use super::verdict::Verdict;

/// The first of the texts that hold for a time.
const DATED: usize = 1_200;

const HOUR_US: i64 = 3_600_000_000;

impl Naive {
    /// The row that was written last holds from one instant until another.
    pub(super) fn hold(&mut self, from: i64, until: Option<i64>) {
        if let Some(last) = self.items.last_mut() {
            (last.from, last.until) = (from, until);
        }
    }
}

impl Play {
    pub(super) fn date(&mut self, ago: u8, begins: u8, lasts: u8) -> Judged {
        let now = self.world.time().0;
        let born = now - HOUR_US * i64::from(ago.saturating_sub(128));
        let around = |hours: u8| now + HOUR_US * (i64::from(hours % 96) - 48);
        let begins = (begins >= 128).then(|| around(begins));
        let from = begins.unwrap_or(born);
        let until = (lasts >= 64).then(|| from + HOUR_US * (1 + i64::from(lasts % 96)));
        let text = text_of(DATED + self.timeline.now().items.len());
        let validity = Validity { from: begins.map(Timestamp), until: until.map(Timestamp) };
        let remember = Remember { text: text.clone(), validity, ..Remember::default() };
        let attempt = Attempt { effect: Effect::Date { text, from, until }, time: born };
        let teller = Caller { now: Some(Timestamp(born)), ..caller(Who::User) };
        let known = self.timeline.now().items.len();
        self.command(Verdict::Added, attempt, |ledger| ledger.remember(&teller, remember))?;
        // Every other one is pinned at once, if it was written and holds.
        // What the owner pinned keeps its pin when another person's correction takes its place.
        match self.timeline.now().items.len() > known {
            true if ago.is_multiple_of(4) => self.pin_at(known, Who::Owner),
            true if ago.is_multiple_of(2) => self.pin_at(known, Who::User),
            _ => Ok(()),
        }
    }

    pub(super) fn second(&mut self, item: u8, how: u8) -> Judged {
        let by = Word { who: Who::Friend, verified: how.is_multiple_of(2) };
        match how % 5 {
            0 => self.confirm(item, Who::Friend),
            1 => {
                self.confirm(item, Who::User)?;
                self.confirm(item, Who::Friend)
            }
            2 => self.correct(item, Who::Friend),
            3 => self.report(item, true, by),
            _ => self.report(item, false, by),
        }
    }
}
