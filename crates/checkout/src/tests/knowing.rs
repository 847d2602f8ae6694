use memlith_event::{Body, Origin, Rank};
use memlith_log::RecordId;
use memlith_memory::Change;

use super::ledger::Ledger;
use crate::{Bodies, Error, Knowledge, View, knows};

/// Words that nobody may ask for.
struct Sealed;

impl Bodies for Sealed {
    fn body(&self, id: RecordId, _: &mut dyn FnMut(&Body<'_>)) {
        panic!("the words of {id} were read");
    }

    fn will_need(&self, _: &mut dyn Iterator<Item = RecordId>) {
        panic!("words were asked for");
    }
}

fn known(ledger: &Ledger, query: &str) -> Knowledge {
    knows(&View { bodies: &Sealed, ..ledger.view() }, &ledger.ask(query)).unwrap()
}

#[test]
fn knowing_reads_no_words() {
    let mut ledger = Ledger::new();
    let query = "where is the spare key?";
    let nothing = Knowledge {
        found: 0,
        near: 0,
        evidence: 0,
        nowhere: Vec::new(),
        relevance: 0,
        coverage: 0,
    };
    assert_eq!(known(&ledger, query), nothing);
    ledger.say(Origin::User, query);
    let asked = known(&ledger, query);
    assert_eq!((asked.found, asked.near, asked.evidence), (1, 1, 0));
    let mat = ledger.remember(Rank::User, "The spare key is under the mat");
    ledger.change(Rank::User, Change::Pin, mat);
    let told = known(&ledger, query);
    assert_eq!((told.found, told.near, told.evidence), (2, 2, 1));
    assert_eq!(told.coverage, 1_000_000);
    let best = ledger.recall(query).iter().map(|item| item.why.relevance).max();
    assert_eq!(Some(told.relevance), best);
    ledger.invalidate(mat);
    assert_eq!(known(&ledger, query).evidence, 0);
    assert_eq!(known(&ledger, "a totem, carved").near, 0);
    let asked = known(&ledger, "is the spare key in Oslo, or with DVD_2?");
    assert_eq!(asked.nowhere, ["Oslo", "DVD_2"]);
    assert_eq!(knows(&ledger.view(), &ledger.ask(" ")), Err(Error::EmptyQuery));
}

#[test]
#[should_panic(expected = "were read")]
fn a_recall_reads_them() {
    let mut ledger = Ledger::new();
    ledger.say(Origin::User, "The spare key is under the mat");
    let view = View { bodies: &Sealed, ..ledger.view() };
    let _ = crate::recall(&view, &ledger.ask("key"), 1, &crate::QuarterBytes);
}
