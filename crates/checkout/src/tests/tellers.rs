use memlith_event::{Actor, Body, Envelope, Event, LeftOutReason, Origin, Rank, Said, TurnEvent};

use super::ledger::{Ledger, ids, resting};

fn says(ledger: &mut Ledger, name: &'static str, text: &str) -> memlith_log::RecordId {
    let actor = Actor::new(name, Rank::User);
    let envelope = Envelope::new(ledger.scope.clone(), actor, ledger.now);
    let said = Said { text: text.to_owned().into(), ..Said::default() };
    ledger.append(Body { envelope, event: Event::Turn(TurnEvent::Said(said)) })
}

#[test]
fn a_turn_that_is_guarded_more_tells_of_the_memory_that_was_lifted_from_it() {
    let mut ledger = Ledger::new();
    let turn = ledger.say(Origin::User, "We deploy the shop on Fridays.");
    let memory = ledger.write(Rank::Assistant, resting("We deploy the shop on Fridays", &[turn]));
    let pack = ledger.all("when do we deploy the shop?");
    assert_eq!(ids(&pack.items), [turn]);
    let why = pack.left_out.iter().find(|one| one.id == memory).map(|one| one.reason);
    assert_eq!(why, Some(LeftOutReason::Duplicate));
}

#[test]
fn whom_a_question_finds_is_told_where_somebody_else_said_it() {
    let mut ledger = Ledger::new();
    says(&mut ledger, "ana", "I sold the old boat.");
    let kiln = says(&mut ledger, "bo", "I fired the teal kiln at dawn.");
    let asked = ledger.all("when did ana fire the teal kiln?");
    let of = asked.asked_of.as_ref().unwrap();
    assert!(of.other == kiln && of.margin < 0, "{of:?}");
    assert_eq!(of.said_by_another(&asked.items).map(|item| item.id), Some(kiln));
    let own = ledger.all("when did bo fire the teal kiln?");
    assert!(own.asked_of.as_ref().is_none_or(|of| of.said_by_another(&own.items).is_none()));
    assert_eq!(ledger.all("when was the kiln fired?").asked_of, None, "nobody is named");
    let named = says(&mut ledger, "bo", "ana fired the teal kiln and the teal kiln cracked.");
    let asked = ledger.all("when did ana fire the teal kiln?");
    assert_eq!(asked.items[0].id, named);
    assert!(asked.asked_of.unwrap().said_by_another(&asked.items).is_none(), "it names her");
}
