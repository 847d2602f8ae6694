use memlith_event::{Origin, Purpose, Rank};
use memlith_memory::Change;

use super::ledger::{DAY, Ledger, lives_in, resting};
use crate::{Evidence, Pack};

const WHERE: &str = "where is the spare key?";

/// How many items of a pack of everything are evidence.
fn evident(ledger: &Ledger, query: &str) -> u32 {
    ledger.all(query).evidence.items
}

#[test]
fn one_who_said_it_is_enough_however_long_the_log_is() {
    let mut ledger = Ledger::new();
    for number in 0..100 {
        ledger.say(Origin::User, &format!("remark {number} of something else"));
    }
    assert_eq!(evident(&ledger, WHERE), 0);
    ledger.say(Origin::User, "The spare key is under the mat");
    let pack = ledger.all(WHERE);
    assert_eq!(pack.evidence, Evidence { items: 1, witnesses: 1, needed: 1 });
}

#[test]
fn what_is_beside_the_point_is_no_evidence() {
    let mut ledger = Ledger::new();
    for number in 0..9 {
        ledger.say(Origin::User, &format!("a remark of number {number}"));
    }
    ledger.say(Origin::User, "the spare umbrella");
    let query = "who carved the ornate spare totem?";
    let pack = ledger.all(query);
    assert!(!pack.items.is_empty() && pack.items.iter().all(|item| !item.why.evidence));
}

#[test]
fn a_question_does_not_answer_itself() {
    let mut ledger = Ledger::new();
    ledger.say(Origin::User, WHERE);
    assert_eq!(evident(&ledger, WHERE), 0);
    ledger.say(Origin::Assistant, "The spare key is under the mat.");
    assert_eq!(evident(&ledger, WHERE), 1);
}

/// Makes a pack about a fact after `what` happened to it, to see what becomes of its evidence.
fn after(what: impl FnOnce(&mut Ledger)) -> Pack {
    let mut ledger = Ledger::new();
    let pune = ledger.write(Rank::User, lives_in("Pune"));
    ledger.write(Rank::User, resting("the commute of Ana is short", &[pune]));
    ledger.now = ledger.now.plus_us(DAY);
    what(&mut ledger);
    ledger.all("the commute of Ana")
}

#[test]
fn evidence_holds_now_and_nobody_speaks_against_it() {
    assert!(after(|_| ()).evidence.items > 0);
    let outdated = after(|ledger| {
        ledger.write(Rank::User, lives_in("Oslo"));
    });
    assert_eq!(outdated.evidence.items, 0);
    let disputed = after(|ledger| {
        let commute = ledger.events[3].0;
        let wrong = Change::Invalidate { weight: None, reason: None };
        ledger.change(Rank::Tool, wrong, commute);
    });
    assert!(disputed.items[0].why.disputed, "a dispute hides nothing");
    assert_eq!(disputed.evidence.items, 0);
    let faded = after(|ledger| ledger.now = ledger.now.plus_us(200 * DAY));
    assert_eq!(faded.evidence.items, 0);
}

#[test]
fn what_was_made_of_other_items_is_no_evidence_of_itself() {
    let mut ledger = Ledger::new();
    let source = ledger.remember(Rank::User, "nothing of the kind");
    ledger.write(Rank::Engine, resting("the spare key is under the mat", &[source]));
    assert_eq!(evident(&ledger, WHERE), 0);
}

#[test]
fn what_is_not_shown_is_no_evidence() {
    let mut ledger = Ledger::new();
    ledger.say(Origin::User, "The spare key is under the mat");
    assert_eq!(ledger.checkout(WHERE, 1).evidence.items, 0);
    assert_eq!(ledger.checkout(WHERE, 100).evidence.items, 1);
}

#[test]
fn a_purpose_may_want_a_second_witness_and_somebodys_word() {
    let mut ledger = Ledger::new();
    let purposes = [Purpose::General, Purpose::Release, Purpose::Executive, Purpose::Legal];
    let witnesses = |ledger: &Ledger| {
        let of = |purpose| ledger.all_for("is the build green?", purpose).evidence;
        purposes.map(|purpose| (of(purpose).witnesses, of(purpose).needed))
    };
    assert_eq!(witnesses(&ledger), [(0, 1), (0, 2), (0, 1), (0, 2)]);
    ledger.say(Origin::Tool, "the build is green");
    assert_eq!(witnesses(&ledger), [(1, 1), (1, 2), (0, 1), (0, 2)]);
    ledger.say(Origin::User, "I see that the build is green");
    assert_eq!(witnesses(&ledger), [(2, 1), (2, 2), (1, 1), (1, 2)]);
    ledger.say(Origin::Assistant, "so the build is green, then");
    assert_eq!(witnesses(&ledger), [(3, 1), (3, 2), (2, 1), (2, 2)]);
}
