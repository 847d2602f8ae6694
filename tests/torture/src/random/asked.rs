//! Steps that only look: with hints, and at all that an item led to.

use memlith::{CheckoutRequest, Cited, Error, Hints, Ledger, Pack};

use super::likening::wording_of;
use super::naive::{Who, word_of};
use super::play::{Judged, Play, caller, nothing};
use super::ranked;
use super::taint;

/// Amount that one hint adds to a score, in millionths.
const HINTED: i128 = 50_000;

const ONE: i128 = 1_000_000;

impl Play {
    /// Asks a question without hints and with them: they find nothing, change no relevance,
    /// and raise what has to do with them by a twentieth each.
    pub(super) fn hint(&mut self, item: u8, hint: u8) -> Judged {
        let (Some(at), Some(about)) = (self.item(item), self.item(hint)) else { return Ok(()) };
        let items = &self.timeline.now().items;
        let text = |at: usize| items.get(at).map(|item| item.text.clone()).unwrap_or_default();
        let (question, word) = (text(at), word_of(&text(about)).to_owned());
        let mut request = CheckoutRequest::new(question);
        (request.budget_tokens, request.observe) = (100_000, false);
        let plain = request.clone();
        request.hints = Hints {
            mission: Some(word.clone().into()),
            workspace: Some("the lives in room".to_owned().into()),
            phase: Some("nowhere at all".to_owned().into()),
            ..Hints::default()
        };
        let ask = |ledger: &Ledger, request: &CheckoutRequest| {
            ledger.checkout(&caller(Who::User), request).map(|answer| answer.pack)
        };
        let asked = self
            .world
            .ledger(true)
            .and_then(|ledger| Ok((ask(ledger, &plain)?, ask(ledger, &request)?)));
        match asked {
            Ok((plain, hinted)) => {
                self.played.answers += 2;
                ranked::check(self.timeline.now(), self.world.time().0, &plain)?;
                self.compare_hinted(&word, &plain, &hinted)?;
                self.nothing_new()
            }
            Err(error) => self.failed(&error, nothing()),
        }
    }

    fn compare_hinted(&self, word: &str, plain: &Pack, hinted: &Pack) -> Judged {
        let items = &self.timeline.now().items;
        for item in &hinted.items {
            let known = items.iter().find(|known| known.id == item.id);
            let (Some(known), Some(before)) = (known, find(plain, item)) else { continue };
            // A record of a run, and a text of a few words, have less to do with the hints.
            if known.session.is_some() || wording_of(&known.text).is_some() {
                continue;
            }
            // The newer of two values stands one above the older, whatever the hints.
            let is_lifted = |pack: &Pack, score: i64| {
                pack.items.iter().any(|other| other.score.saturating_add(1) == score)
            };
            if is_lifted(plain, before.score) || is_lifted(hinted, item.score) {
                continue;
            }
            let met = 1 + i128::from(word_of(&known.text) == word);
            let due = i128::from(before.score) * (ONE + met * HINTED) / ONE;
            // A lifted one may be left out, and the plain score be one more.
            let differs = (i128::from(item.score) - due).abs() > 1;
            if item.why.relevance != before.why.relevance || differs {
                let (score, relevance) = (item.score, item.why.relevance);
                return Err(format!(
                    "wrong: with {met} hints {} has {relevance} and {score}, not {} and {due}",
                    item.id, before.why.relevance
                ));
            }
        }
        Ok(())
    }

    /// Checks the list of all that an item led to, and what becomes of that if it is taken out.
    pub(super) fn taint(&mut self, item: u8, invalidate: bool) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        if invalidate {
            self.invalidate(item, Who::User)?;
        }
        let Some(id) = self.timeline.now().items.get(at).map(|item| item.id) else {
            return Ok(());
        };
        let listed: Result<_, Error> =
            self.world.ledger(true).and_then(|ledger| ledger.taint(&caller(Who::User), id));
        match listed {
            Ok(listed) => {
                self.played.answers += 1;
                taint::check(self.timeline.now(), at, &listed)
            }
            Err(error) => self.failed(&error, nothing()),
        }
    }
}

fn find<'a>(pack: &'a Pack, item: &Cited) -> Option<&'a Cited> {
    pack.items.iter().find(|other| other.id == item.id)
}
