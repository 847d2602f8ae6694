//! P12: what is erased is in no file, and nothing else is touched.

use memlith::{
    CheckoutRequest, Error, Ledger, RecordId,
    prove::{Level, verify_in},
};

use super::engine::{Machine, SUBJECTS, caller, owner};
use super::judge::Judge;
use super::law::Law;
use super::spelled::spelled;

pub(super) fn check(
    machine: &mut Machine,
    ledger: &Ledger,
    judge: &mut Judge,
) -> Result<(), Error> {
    let at = machine.chance.below(machine.items.len());
    let Some((id, subject)) = machine.items.get(at).map(|item| (item.id, item.subject)) else {
        return Ok(());
    };
    // Nobody but its own subject sees what has one.
    let others: Vec<_> = SUBJECTS.into_iter().filter(|other| *other != subject).collect();
    let topic = machine.topic();
    let packs = |ledger: &Ledger| -> Result<Vec<Shown>, Error> {
        let seen = others.iter().filter(|_| subject.is_some());
        seen.map(|other| pack(ledger, *other, topic)).collect()
    };
    let before = packs(ledger)?;
    let mut eraser = owner();
    eraser.scope.subject = subject.map(Into::into);
    ledger.erasure().erase(&eraser, &[id])?;
    machine.take(at);
    let after = packs(ledger)?;
    judge.case(Law::P12, before == after, || {
        format!("without {id} of {subject:?}, others are answered otherwise about {topic}")
    });
    for item in machine.items.iter().filter(|item| item.erased) {
        let holds = |name: &String| {
            let bytes = machine.disk.bytes(name).unwrap_or_default();
            bytes.windows(item.word.len() + 1).any(|window| {
                window.split_last().is_some_and(|(last, word)| {
                    word == item.word.as_bytes() && !last.is_ascii_alphanumeric()
                })
            })
        };
        let names = machine.disk.names();
        let held = names.iter().find(|name| holds(name));
        judge.case(Law::P12, held.is_none(), || {
            format!("{held:?} holds {} of {}", item.word, item.id)
        });
    }
    let report = verify_in(&machine.env(), Level::Full)?;
    judge.case(Law::P12, report.findings.is_empty(), || {
        format!(
            "after an erasure: {}",
            report.findings.iter().map(ToString::to_string).collect::<String>()
        )
    });
    Ok(())
}

type Shown = Vec<(RecordId, i64, String)>;

/// Returns the items of a checkout that isn't observed.
fn pack(ledger: &Ledger, subject: Option<&'static str>, topic: &str) -> Result<Shown, Error> {
    let mut request = CheckoutRequest::new(topic);
    (request.budget_tokens, request.observe) = (100_000, false);
    request.vector = spelled(topic);
    let pack = ledger.checkout(&caller(subject), &request)?.pack;
    Ok(pack.items.into_iter().map(|item| (item.id, item.score, item.excerpt.text)).collect())
}

impl Machine {
    /// Takes note that an item is erased, with all that rests on it.
    fn take(&mut self, at: usize) {
        let mut erased: Vec<bool> = self.items.iter().map(|item| item.erased).collect();
        for (index, item) in self.items.iter().enumerate() {
            let falls = item.on.is_some_and(|on| erased.get(on) == Some(&true));
            if let Some(place) = erased.get_mut(index) {
                *place |= falls || index == at;
            }
        }
        for (item, erased) in self.items.iter_mut().zip(erased) {
            item.erased = erased;
        }
    }
}
