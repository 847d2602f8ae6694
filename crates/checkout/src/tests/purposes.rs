use memlith_event::{LeftOutReason, Origin, Purpose, Rank, TaskResult};
use memlith_log::RecordId;
use memlith_memory::{Change, Command, TaskReport};

use super::ledger::{DAY, Ledger, ids, lives_in, resting};
use crate::Learned;

/// Which purposes leave `id` out of a checkout of `query` by a rule of theirs.
fn left_out(ledger: &Ledger, query: &str, id: RecordId) -> Vec<(Purpose, LeftOutReason)> {
    let of = |purpose| {
        let pack = ledger.all_for(query, purpose);
        let out = pack.left_out.iter().find(|out| out.id == id)?;
        assert!(!ids(&pack.items).contains(&id));
        let of_purpose =
            [LeftOutReason::Unvouched, LeftOutReason::Derived, LeftOutReason::Outdated];
        of_purpose.contains(&out.reason).then_some((purpose, out.reason))
    };
    Purpose::ALL.into_iter().filter_map(of).collect()
}

fn for_reason(purposes: &[Purpose], reason: LeftOutReason) -> Vec<(Purpose, LeftOutReason)> {
    purposes.iter().map(|purpose| (*purpose, reason)).collect()
}

#[test]
fn text_that_nobody_stands_behind_is_not_for_every_purpose() {
    let mut ledger = Ledger::new();
    let said: Vec<RecordId> =
        (0..4).map(|at| ledger.say(Origin::User, &format!("tea and teapots, part {at}"))).collect();
    let page = ledger.say(Origin::Web, "tea");
    let tool = ledger.say(Origin::Tool, "tea: 3 tins");
    use Purpose::{Executive, Legal, Release, Sales, Security, Support};
    let no_web = [Release, Security, Support, Sales, Legal, Executive];
    let expected = for_reason(&no_web, LeftOutReason::Unvouched);
    assert_eq!(left_out(&ledger, "tea", page), expected);
    let no_tool = for_reason(&[Legal, Executive], LeftOutReason::Unvouched);
    assert_eq!(left_out(&ledger, "tea", tool), no_tool);
    assert_eq!(left_out(&ledger, "tea", said[0]), []);
    // A person stands behind it.
    ledger.change(Rank::User, Change::Confirm { weight: None, verified: false }, tool);
    assert_eq!(left_out(&ledger, "tea", tool), []);
}

#[test]
fn a_flood_that_a_purpose_leaves_out_crowds_nobody_out_of_it() {
    let mut ledger = Ledger::new();
    let said = ledger.say(Origin::User, "somewhere in a long remark there was tea");
    for number in 0..300 {
        ledger.say(Origin::Tool, &format!("tea {number}"));
    }
    assert_eq!(ids(&ledger.all_for("tea", Purpose::Legal).items), [said]);
}

#[test]
fn what_was_made_of_other_items_waits_for_review_where_it_matters() {
    let mut ledger = Ledger::new();
    let source = ledger.remember(Rank::User, "nothing of the kind");
    let summary = ledger.write(Rank::Engine, resting("tea in short", &[source]));
    use Purpose::{Legal, Release, Review, Sales, Security};
    let expected = for_reason(&[Review, Release, Security, Sales, Legal], LeftOutReason::Derived);
    assert_eq!(left_out(&ledger, "tea", summary), expected);
}

const DROPS_OUTDATED: [Purpose; 6] = [
    Purpose::Coding,
    Purpose::Release,
    Purpose::Support,
    Purpose::Sales,
    Purpose::Executive,
    Purpose::Coordinate,
];

#[test]
fn what_is_outdated_gives_way_to_newer_values_that_are_guarded_as_much() {
    let mut ledger = Ledger::new();
    let pune = ledger.write(Rank::User, lives_in("Pune"));
    let commute = ledger.write(Rank::User, resting("the commute is short", &[pune]));
    ledger.now = ledger.now.plus_us(DAY);
    assert_eq!(left_out(&ledger, "commute", commute), []);
    ledger.write(Rank::User, lives_in("Oslo"));
    let expected = for_reason(&DROPS_OUTDATED, LeftOutReason::Outdated);
    assert_eq!(left_out(&ledger, "commute", commute), expected);
}

/// The sources of an item may be guarded less than it is: who may displace them could
/// otherwise hide what a person said that rests on them.
#[test]
fn nobody_hides_an_item_by_displacing_what_it_rests_on() {
    let mut ledger = Ledger::new();
    let pune = ledger.write(Rank::Assistant, lives_in("Pune"));
    let commute = ledger.write(Rank::User, resting("the commute is short", &[pune]));
    ledger.now = ledger.now.plus_us(DAY);
    let oslo = ledger.write(Rank::Assistant, lives_in("Oslo"));
    assert_eq!(left_out(&ledger, "commute", commute), []);
    let shown = ledger.all_for("commute", Purpose::Release);
    assert_eq!(shown.items[0].why.newer, [oslo]);
    // A person stands behind the newer value; that the assistant takes it back again hides
    // nothing more and nothing less.
    ledger.change(Rank::User, Change::Confirm { weight: None, verified: false }, oslo);
    let expected = for_reason(&DROPS_OUTDATED, LeftOutReason::Outdated);
    assert_eq!(left_out(&ledger, "commute", commute), expected);
}

/// An outcome of an answer for a purpose that cited `target`, as reported by `rank`.
fn report(ledger: &mut Ledger, rank: Rank, purpose: Purpose, result: TaskResult, target: RecordId) {
    let report = TaskReport {
        targets: vec![target],
        result,
        verified: true,
        purpose: Some(purpose),
        ..TaskReport::default()
    };
    ledger.run(rank, &Command::Report(report)).unwrap();
}

#[test]
fn what_helped_for_a_purpose_comes_first_for_that_purpose_alone() {
    let mut ledger = Ledger::new();
    let first = ledger.say(Origin::User, "tea is in the red tin");
    let second = ledger.say(Origin::User, "tea is in the blue tin");
    report(&mut ledger, Rank::Tool, Purpose::Coding, TaskResult::Success, second);
    report(&mut ledger, Rank::User, Purpose::Coding, TaskResult::Failure, first);
    let coding = ledger.all_for("tea tin", Purpose::Coding);
    assert_eq!(ids(&coding.items), [second, first]);
    let learned = |at: usize| (coding.items[at].why.learned, coding.items[at].why.learned.factor());
    assert_eq!(learned(0), (Learned { successes: 1, failures: 0 }, 1_060_000));
    assert_eq!(learned(1), (Learned { successes: 0, failures: 1 }, 940_000));
    for item in &coding.items {
        let why = &item.why;
        let factor = i64::from(why.learned.factor());
        assert_eq!(item.score, why.multiplier.scales(why.relevance) * factor / 1_000_000);
    }
    for purpose in [Purpose::General, Purpose::Review] {
        let pack = ledger.all_for("tea tin", purpose);
        assert!(pack.items.iter().all(|item| item.why.learned == Learned::default()));
    }
}

#[test]
fn the_same_witness_counts_once_and_one_below_the_guard_not_at_all() {
    let mut ledger = Ledger::new();
    let said = ledger.say(Origin::User, "tea is in the red tin");
    for _ in 0..3 {
        report(&mut ledger, Rank::Tool, Purpose::Coding, TaskResult::Failure, said);
        report(&mut ledger, Rank::Tool, Purpose::Coding, TaskResult::Success, said);
    }
    report(&mut ledger, Rank::Tool, Purpose::Review, TaskResult::Success, said);
    let why = &ledger.all_for("tea tin", Purpose::Coding).items[0].why;
    assert_eq!(why.learned, Learned { successes: 1, failures: 0 });
}

#[test]
fn what_is_derived_learns_nothing() {
    let mut ledger = Ledger::new();
    let source = ledger.remember(Rank::User, "nothing of the kind");
    let summary = ledger.write(Rank::Engine, resting("tea in short", &[source]));
    report(&mut ledger, Rank::User, Purpose::Coding, TaskResult::Success, summary);
    let why = &ledger.all_for("tea", Purpose::Coding).items[0].why;
    assert_eq!(why.learned, Learned::default());
}

#[test]
fn a_proposal_that_waits_hides_nothing_and_takes_nothing() {
    let mut ledger = Ledger::new();
    let fact = ledger.write(Rank::User, lives_in("Pune"));
    ledger.write(Rank::Assistant, lives_in("Oslo"));
    let pack = ledger.all("where does Ana live?");
    let why = &pack.items[0].why;
    assert!(why.waits && !why.disputed && why.evidence, "{why:?}");
    assert_eq!(left_out(&ledger, "where does Ana live?", fact), []);
}
