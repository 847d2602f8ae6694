//! Steps that write what waits, what only a session sees, and what is said in other words.

use memlith::{Change, Error, Remember, write::TrustPolicy};

use super::effect::{Attempt, Effect};
use super::likening::wording_of;
use super::naive::{NaiveItem, Place, Who};
use super::notes::{WORKERS, worker};
use super::play::{Judged, Play, TEXTS, caller, nothing, owner, text_of, who};
use super::verdict::Verdict;
use super::wordings::reworded;

/// The first of the notes of workers.
const NOTED: usize = 900;

/// The notes that a worker may write.
const NOTES: u8 = 4;

impl Play {
    pub(super) fn trust(&mut self, number: u8) -> Judged {
        let all = TrustPolicy::ALL;
        let policy = all.get(usize::from(number) % all.len()).copied().unwrap_or_default();
        let verdict = match self.timeline.now().trust == policy {
            true => Verdict::Refused,
            false => Verdict::Changed(0),
        };
        let attempt = Attempt { effect: Effect::Trust { policy }, time: self.world.time().0 };
        self.command(verdict, attempt, |ledger| ledger.policy().choose_trust(&owner(), policy))
    }

    pub(super) fn pin(&mut self, item: u8, who: Who) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        // Whose pin went where, after an erasure in between, is more than the oracle tells.
        let is_likened = |item: &NaiveItem| wording_of(&item.text).is_some();
        if self.timeline.now().items.get(at).is_some_and(is_likened) {
            return Ok(());
        }
        self.pin_at(at, who)
    }

    pub(super) fn pin_at(&mut self, at: usize, who: Who) -> Judged {
        let verdict = self.timeline.now().judge_pin(at, who, self.world.time().0);
        self.change(at, who, Change::Pin, verdict, Effect::Pin { at, who })
    }

    pub(super) fn unpin(&mut self, item: u8, who: Who) -> Judged {
        let pinned = self.timeline.now().pinned();
        let chosen = usize::from(item).checked_rem(pinned.len());
        let chosen = chosen.and_then(|chosen| pinned.get(chosen).copied());
        let Some(at) = chosen.or_else(|| self.item(item)) else { return Ok(()) };
        let verdict = self.timeline.now().judge_unpin(at, who);
        self.change(at, who, Change::Unpin, verdict, Effect::Unpin { at })
    }

    pub(super) fn reword(&mut self, text: u8, by: u8) -> Judged {
        let who = match by % 4 {
            0 => Who::Tool,
            by => who(by == 1),
        };
        let text = reworded(&text_of(usize::from(text) % TEXTS));
        let time = self.world.time().0;
        let judged = self.timeline.now().judge_reworded(&text, who, time);
        let remember = Remember { text: text.clone(), ..Remember::default() };
        let effect = Effect::Reword { text, who, reworded: judged };
        self.command(judged.verdict, Attempt { effect, time }, |ledger| {
            ledger.remember_new(&caller(who), remember)
        })
    }

    pub(super) fn note(&mut self, text: u8, room: u8, drops: bool) -> Judged {
        let (text, room) = (text_of(NOTED + usize::from(text % NOTES)), room % WORKERS);
        let (now, time) = (self.timeline.now(), self.world.time().0);
        if let Some(at) = now.note(&text, room).filter(|_| drops) {
            let who = Who::Assistant;
            let verdict = now.judge_invalidate(at, who);
            let id = self.id(at);
            let change = Change::Invalidate { weight: None, reason: None };
            let attempt = Attempt { effect: Effect::Invalidate { at, who }, time };
            return self
                .command(verdict, attempt, |ledger| ledger.change(&worker(room), change, [id]));
        }
        let place = Place { room: Some(room), from: time, sources: &[], waits: false };
        let verdict = now.judge_said(&text, Who::Assistant, place, time);
        let remember = Remember { text: text.clone(), ..Remember::default() };
        let effect = Effect::Note { text, room, verdict };
        self.command(verdict, Attempt { effect, time }, |ledger| {
            ledger.remember(&worker(room), remember)
        })
    }

    pub(super) fn offer(&mut self, note: u8, stranger: u8) -> Judged {
        let notes = self.timeline.now().notes();
        let chosen = usize::from(note).checked_rem(notes.len());
        let Some(at) = chosen.and_then(|chosen| notes.get(chosen).copied()) else { return Ok(()) };
        let Some(item) = self.timeline.now().items.get(at) else { return Ok(()) };
        let (text, room) = (item.text.clone(), item.room.unwrap_or_default());
        let (id, time) = (self.id(at), self.world.time().0);
        if stranger.is_multiple_of(8) {
            let other = worker((room + 1) % WORKERS);
            let offered =
                self.world.ledger(true).and_then(|ledger| ledger.review().offer(&other, id));
            return match offered {
                Err(Error::NoRecord { .. }) => self.nothing_new(),
                Err(error) => self.failed(&error, nothing()),
                Ok(written) => Err(format!("wrong: a stranger's note is {:?}", written.outcome)),
            };
        }
        let verdict = self.timeline.now().judge_offer(at, time);
        let attempt = Attempt { effect: Effect::Offer { text, note: at, verdict }, time };
        self.command(verdict, attempt, |ledger| ledger.review().offer(&worker(room), id))
    }
}
