//! P13: looking changes no byte.

use std::collections::BTreeMap;

use memlith::{
    AsOf, Caller, CheckoutRequest, Error, Ledger, Question, Seq,
    prove::{Level, Replay, verify_in},
};

use super::engine::{Machine, SUBJECTS, caller};
use super::judge::Judge;
use super::law::Law;

pub(super) fn check(machine: &mut Machine, judge: &mut Judge) -> Result<(), Error> {
    if !judge.asks(Law::P13) {
        return Ok(());
    }
    let ledger = machine.open(true)?;
    let mut before = files(machine);
    let subject = SUBJECTS.get(machine.chance.below(SUBJECTS.len())).copied().flatten();
    let who = caller(subject);
    let looks: [(&str, Look); 6] = [
        ("checkout", unobserved),
        ("recall", recall),
        ("export", export),
        ("replay and audits", audits),
        ("stat and records", records),
        ("verify", verify),
    ];
    for (name, look) in looks {
        machine.pass();
        look(machine, &ledger, &who)?;
        before = same(machine, before, name, judge);
    }
    for at in 0..machine.items.len() {
        let Some(item) = machine.items.get(at) else { break };
        let (who, id) = (caller(item.subject), item.id);
        ledger.show(&who, id)?;
        ledger.history(&who, id)?;
        ledger.trace(&who, id)?;
        ledger.explain(&who, id)?;
        before = same(machine, before, "show, history, trace or explain", judge);
    }
    ledger.close()
}

type Files = BTreeMap<String, Vec<u8>>;
type Look = fn(&mut Machine, &Ledger, &Caller) -> Result<(), Error>;

fn files(machine: &Machine) -> Files {
    let names = machine.disk.names().into_iter();
    names.map(|name| (name.clone(), machine.disk.bytes(&name).unwrap_or_default())).collect()
}

fn same(machine: &Machine, before: Files, look: &str, judge: &mut Judge) -> Files {
    let after = files(machine);
    judge.case(Law::P13, before == after, || {
        let differs = after.iter().find(|(name, bytes)| before.get(*name) != Some(bytes));
        format!("{look} changed {:?}", differs.map(|(name, _)| name))
    });
    after
}

fn unobserved(machine: &mut Machine, ledger: &Ledger, who: &Caller) -> Result<(), Error> {
    let mut request = CheckoutRequest::new(machine.topic());
    request.observe = false;
    ledger.checkout(who, &request)?;
    // The past is never observed.
    request.observe = true;
    request.question.as_of = Some(AsOf::Seq(Seq(ledger.head().seq.0 / 2)));
    ledger.checkout(who, &request).map(drop)
}

fn recall(machine: &mut Machine, ledger: &Ledger, who: &Caller) -> Result<(), Error> {
    let question = Question { query: machine.topic().to_owned(), as_of: None };
    ledger.recall(who, &question, 10).map(drop)
}

fn export(_: &mut Machine, ledger: &Ledger, _: &Caller) -> Result<(), Error> {
    ledger.export_jsonl(&mut Vec::new()).map(drop)
}

fn audits(_: &mut Machine, ledger: &Ledger, _: &Caller) -> Result<(), Error> {
    ledger.audit().replay(&Replay { threads: Some(2), ..Replay::default() })?;
    ledger.audit().digest()?;
    ledger.audit().state()?;
    ledger.audit().receipts().map(drop)
}

fn records(_: &mut Machine, ledger: &Ledger, _: &Caller) -> Result<(), Error> {
    ledger.audit().stat(ledger.now())?;
    ledger.policy().salience()?;
    ledger.policy().trust()?;
    for record in ledger.records(Seq::GENESIS, None)? {
        record?;
    }
    Ok(())
}

fn verify(machine: &mut Machine, _: &Ledger, _: &Caller) -> Result<(), Error> {
    verify_in(&machine.env(), Level::Full).map(drop)
}
