//! Steps with vectors that callers hand in, of items and of questions.

use memlith::{CheckoutRequest, Cited, Error, Question, RecordId};

use super::effect::{Attempt, Effect};
use super::naive::{Who, word_of};
use super::play::{Judged, Play, caller, nothing};
use super::ranked;
use super::summaries;
use super::vectors::{Handed, Pointer};

impl Play {
    pub(super) fn embed(&mut self, item: u8, vector: u8, who: Who) -> Judged {
        let pointer = Pointer::of(vector);
        let (Some(at), Some(vector)) = (self.item(item), pointer.vector()) else { return Ok(()) };
        let (id, time) = (self.id(at), self.world.time().0);
        let due = self.timeline.now().judge_embed(at, pointer, who);
        let attempt = Attempt { effect: Effect::Embed { at, pointer }, time };
        let done = self
            .world
            .ledger(true)
            .and_then(|ledger| ledger.vectors().embed(&caller(who), &[(id, vector.clone())]));
        let found = match done {
            Ok(done) if done.already_present == 1 => Handed::AlreadyPresent,
            Ok(_) => Handed::Written,
            Err(Error::VectorWidth { .. }) => Handed::OfAnotherWidth,
            Err(Error::Rejected(_)) => Handed::Refused,
            Err(error) => return self.failed(&error, attempt),
        };
        if found != due {
            return Err(format!("wrong: {due:?} was due, and it was {found:?}"));
        }
        match found {
            Handed::Written => self.acknowledged(&attempt, self.world.is_immediate()),
            Handed::AlreadyPresent | Handed::Refused | Handed::OfAnotherWidth => self.nothing_new(),
        }
    }

    /// The words of an item with a vector: each answer is as near as it has to be, and none
    /// that the vector finds is missing.
    pub(super) fn near(&mut self, item: u8, vector: u8, observe: bool) -> Judged {
        let pointer = Pointer::of(vector);
        let (Some(at), Some(vector)) = (self.item(item), pointer.vector()) else { return Ok(()) };
        let text = self.timeline.now().items.get(at).map(|item| item.text.clone());
        let Some(text) = text else { return Ok(()) };
        let question = Question { query: text.clone(), as_of: None };
        let asker = caller(Who::User);
        let found = self
            .world
            .ledger(true)
            .and_then(|ledger| ledger.recall_near(&asker, &question, Some(&vector), 1_000));
        let is_comparable = self.timeline.now().is_comparable(pointer);
        match found {
            Ok(found) if is_comparable => self.compare_near(pointer, at, &found)?,
            Ok(_) => return Err("wrong: a vector of another width was compared".to_owned()),
            Err(Error::VectorWidth { .. }) if !is_comparable => return self.nothing_new(),
            Err(error) => return self.failed(&error, nothing()),
        }
        self.played.answers += 1;
        if !observe {
            return self.nothing_new();
        }
        self.said_asked(word_of(&text));
        let mut request = CheckoutRequest::new(text);
        (request.budget_tokens, request.vector) = (100_000, Some(vector));
        let asked = self.world.ledger(true).and_then(|ledger| ledger.checkout(&asker, &request));
        match asked {
            Ok(answer) => {
                let shown: Vec<RecordId> = answer.pack.items.iter().map(|item| item.id).collect();
                summaries::check_shown(self.timeline.now(), self.world.time().0, &shown)?;
                ranked::check(self.timeline.now(), self.world.time().0, &answer.pack)?;
                self.observed(answer, true)
            }
            Err(error) => {
                let attempt = Attempt { effect: Effect::Dispute, time: self.world.time().0 };
                self.failed(&error, attempt)
            }
        }
    }

    fn compare_near(&self, asked: Pointer, at: usize, found: &[Cited]) -> Judged {
        let (now, time) = (self.timeline.now(), self.world.time().0);
        for cited in found {
            let Some(known) = now.items.iter().position(|item| item.id == cited.id) else {
                continue;
            };
            let nearness = cited.why.signals.vector;
            if !now.is_nearness(known, asked, nearness) {
                return Err(format!("wrong: {} is {nearness} near to {asked:?}", cited.id));
            }
        }
        let own = Some(at).filter(|at| now.is_shown(*at, time));
        for due in now.pointed_at(asked, time).into_iter().chain(own) {
            let id = self.id(due);
            if found.iter().all(|cited| cited.id != id) {
                return Err(format!("wrong: {id} is not recalled with {asked:?}"));
            }
        }
        Ok(())
    }
}
