//! Steps that write what is compared by likeness.

use memlith::{RecordId, Remember, Written, write::ArbiterQuestion};

use super::effect::{Attempt, Effect};
use super::likened::{Likened, Nearby};
use super::likening::{Saying, Wording};
use super::naive::Who;
use super::play::{Judged, Play, caller, who};

impl Play {
    pub(super) fn liken(&mut self, text: u8, by: u8, says: u8) -> Judged {
        let who = match by % 4 {
            0 => Who::Tool,
            by => who(by == 1),
        };
        let (text, time) = (Wording::of(text).text(), self.world.time().0);
        let judged = self.timeline.now().judge_likened(&text, who, time, Saying::of(says));
        let told = self.world.told();
        told.tell(says);
        let remember = Remember { text: text.clone(), ..Remember::default() };
        let effect = Effect::Liken { text, who, judged: judged.clone() };
        let mut written = None;
        let rows: Vec<RecordId> = self.timeline.now().items.iter().map(|item| item.id).collect();
        self.command(judged.verdict, Attempt { effect, time }, |ledger| {
            let done = ledger.remember(&caller(who), remember)?;
            written = Some(done.clone());
            Ok(done)
        })?;
        match written {
            Some(written) => compare(&rows, &judged, &written, told.asked()),
            None => Ok(()),
        }
    }
}

/// The decision says what the oracle does, and the arbiter was asked what it had to be.
fn compare(
    rows: &[RecordId],
    judged: &Likened,
    written: &Written,
    asked: Option<ArbiterQuestion>,
) -> Judged {
    let ids = |of: &[usize]| {
        let mut ids: Vec<RecordId> = of.iter().filter_map(|at| rows.get(*at).copied()).collect();
        ids.sort_unstable();
        ids
    };
    // What waits displaces and contests nothing yet.
    let waits = written.outcome.label() == "pending";
    let expected = |of: &[usize]| if waits { Vec::new() } else { ids(of) };
    let (displaced, contested) = (written.outcome.displaced(), written.outcome.contested());
    if displaced != expected(&judged.instead) || contested != expected(&judged.beside) {
        return Err(format!("wrong: {:?} was due, and it was {:?}", judged, written.outcome));
    }
    let id = |one: &Nearby| rows.get(one.at).copied();
    let shown = |one: &Nearby| Some((id(one)?, one.cosine, one.differs));
    let expected = judged.shown.as_ref().map(|all| all.iter().filter_map(shown).collect());
    let found = asked.map(|question| {
        let all = question.candidates.iter().map(|one| (one.id, one.cosine, one.differs));
        all.collect::<Vec<_>>()
    });
    match found == expected {
        true => Ok(()),
        false => Err(format!("wrong: the arbiter was asked {found:?}, not {expected:?}")),
    }
}
