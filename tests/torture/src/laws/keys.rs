//! P10: what was written under a key is not written again, and nothing else is.

use memlith::{Caller, Change, Error, Ledger, Remember, write::IdempotencyKey};

use super::engine::{Machine, SUBJECTS, caller};
use super::judge::Judge;
use super::law::Law;

pub(super) fn check(
    machine: &mut Machine,
    ledger: &Ledger,
    judge: &mut Judge,
) -> Result<(), Error> {
    if !judge.asks(Law::P10) {
        return Ok(());
    }
    let id = machine.write(ledger)?;
    let subject = machine.items.last().and_then(|item| item.subject);
    let mut key = [0; 16];
    machine.chance.fill(&mut key);
    let keyed = Caller { key: Some(IdempotencyKey(key)), ..caller(subject) };
    let confirm = || Change::Confirm { weight: None, verified: false };
    let confirms = machine.chance.once_in(2);
    let first = machine.keyed("first");
    let write = || match confirms {
        true => ledger.change(&keyed, confirm(), [id]),
        false => ledger.remember(&keyed, first.clone()),
    };
    let _ = write()?;
    machine.pass();
    let before = (ledger.refresh()?, ledger.audit().digest()?);
    for try_number in 0..2 {
        let label = write()?.outcome.label();
        judge.case(Law::P10, label == "already_present", || {
            format!("try {try_number} under a known key is {label}")
        });
        let other = ledger.remember(&keyed, machine.keyed("second"));
        let refused = matches!(other, Err(Error::KeyReused { .. }));
        judge.case(Law::P10, refused, || {
            format!("try {try_number}: another write under a known key is not refused")
        });
    }
    let after = (ledger.refresh()?, ledger.audit().digest()?);
    judge.case(Law::P10, before == after, || "a known key changed the state".to_owned());
    // A key is its actor's, in one cell.
    let other = Caller { name: "anb".to_owned(), ..keyed.clone() };
    let elsewhere = SUBJECTS.into_iter().find(|other| *other != subject).flatten();
    let elsewhere = Caller { key: keyed.key, ..caller(elsewhere) };
    // And each of its bytes counts, the last one too.
    let differing = |at: usize| {
        let mut bytes = key;
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1;
        }
        Caller { key: Some(IdempotencyKey(bytes)), ..keyed.clone() }
    };
    let (within, last) = (differing(machine.items.len() % 15), differing(15));
    for (who, text) in [(other, "third"), (elsewhere, "fourth"), (within, "fifth"), (last, "sixth")]
    {
        let label = ledger.remember(&who, machine.keyed(text))?.outcome.label();
        judge.case(Law::P10, label == "added", || format!("another's key makes a write {label}"));
    }
    Machine::import(ledger)?;
    let before = (ledger.refresh()?, ledger.audit().digest()?);
    Machine::import(ledger)?;
    let after = (ledger.refresh()?, ledger.audit().digest()?);
    judge.case(Law::P10, before == after, || "an import was taken in twice".to_owned());
    Ok(())
}

impl Machine {
    fn keyed(&mut self, which: &str) -> Remember {
        let number = self.items.len();
        Remember { text: format!("{which} word of key {number}"), ..Remember::default() }
    }
}
