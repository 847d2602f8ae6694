use memlith_event::{Origin, Purpose, Rank};
use memlith_memory::Change;

use super::ledger::{DAY, Ledger, lives_in, resting};
use crate::{Answerability, Evidence, Pack};
use Answerability::{Answer, Ask, Refresh};

const WHERE: &str = "where is the spare key?";

fn verdict(ledger: &Ledger, query: &str) -> Answerability {
    ledger.all(query).answerability
}

#[test]
fn one_who_said_it_is_enough_however_long_the_log_is() {
    let mut ledger = Ledger::new();
    for number in 0..100 {
        ledger.say(Origin::User, &format!("remark {number} of something else"));
    }
    assert_eq!(verdict(&ledger, WHERE), Ask);
    ledger.say(Origin::User, "The spare key is under the mat");
    let pack = ledger.all(WHERE);
    assert_eq!(pack.answerability, Answer);
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
    assert_eq!(pack.answerability, Ask);
}

#[test]
fn a_question_does_not_answer_itself() {
    let mut ledger = Ledger::new();
    ledger.say(Origin::User, WHERE);
    assert_eq!(verdict(&ledger, WHERE), Refresh);
    ledger.say(Origin::Assistant, "The spare key is under the mat.");
    assert_eq!(verdict(&ledger, WHERE), Answer);
}

/// What becomes of the verdict on a fact that `what` happened to.
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
    assert_eq!(after(|_| ()).answerability, Answer);
    let outdated = after(|ledger| {
        ledger.write(Rank::User, lives_in("Oslo"));
    });
    assert_eq!(outdated.answerability, Refresh);
    let disputed = after(|ledger| {
        let commute = ledger.events[3].0;
        let wrong = Change::Invalidate { weight: None, reason: None };
        ledger.change(Rank::Tool, wrong, commute);
    });
    assert!(disputed.items[0].why.disputed, "a dispute hides nothing");
    assert_eq!(disputed.answerability, Refresh);
    let faded = after(|ledger| ledger.now = ledger.now.plus_us(200 * DAY));
    assert_eq!(faded.answerability, Refresh);
}

#[test]
fn what_was_made_of_other_items_is_no_evidence_of_itself() {
    let mut ledger = Ledger::new();
    let source = ledger.remember(Rank::User, "nothing of the kind");
    ledger.write(Rank::Engine, resting("the spare key is under the mat", &[source]));
    assert_eq!(verdict(&ledger, WHERE), Refresh);
}

#[test]
fn a_budget_that_shows_nothing_calls_for_another_look() {
    let mut ledger = Ledger::new();
    ledger.say(Origin::User, "The spare key is under the mat");
    assert_eq!(ledger.checkout(WHERE, 1).answerability, Refresh);
    assert_eq!(ledger.checkout(WHERE, 100).answerability, Answer);
}

#[test]
fn a_purpose_may_want_a_second_witness_and_somebodys_word() {
    let mut ledger = Ledger::new();
    let purposes = [Purpose::General, Purpose::Release, Purpose::Executive, Purpose::Legal];
    let verdicts = |ledger: &Ledger| {
        purposes.map(|purpose| ledger.all_for("is the build green?", purpose).answerability)
    };
    assert_eq!(verdicts(&ledger), [Ask; 4]);
    ledger.say(Origin::Tool, "the build is green");
    assert_eq!(verdicts(&ledger), [Answer, Refresh, Ask, Ask]);
    ledger.say(Origin::User, "I see that the build is green");
    assert_eq!(verdicts(&ledger), [Answer, Answer, Answer, Refresh]);
    ledger.say(Origin::Assistant, "so the build is green, then");
    assert_eq!(verdicts(&ledger), [Answer; 4]);
}
