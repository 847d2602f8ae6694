use memlith_event::{LeftOutReason, Origin, Purpose, Rank};
use memlith_log::RecordId;
use memlith_memory::Change;

use super::ledger::{DAY, Ledger, ids};
use crate::{Pack, for_prompt};

/// A ledger in which `pinned` memories are pinned, beside others.
fn pinned(pinned: usize) -> (Ledger, Vec<RecordId>) {
    let mut ledger = Ledger::new();
    let text = |at: usize| format!("always keep rule {at}: {}", "so it is. ".repeat(at));
    let ids: Vec<RecordId> = (0..pinned).map(|at| ledger.remember(Rank::User, &text(at))).collect();
    ledger.remember(Rank::User, "the spare key is under the mat");
    ledger.remember(Rank::User, "the kettle is on the stove");
    ids.iter().for_each(|id| ledger.change(Rank::User, Change::Pin, *id));
    (ledger, ids)
}

fn prefix(pack: &Pack) -> String {
    for_prompt(&pack.items)[..pack.stable_prefix_bytes()].to_owned()
}

#[test]
fn packs_begin_with_the_same_bytes_whatever_is_asked_and_appended() {
    let (mut ledger, mut rules) = pinned(3);
    let long = format!("a long rule: {} and mind any broken kettle", "so it is. ".repeat(90));
    rules.push(ledger.remember(Rank::User, &long));
    ledger.change(Rank::User, Change::Pin, rules[3]);
    let key = ledger.all("where is the spare key?");
    assert_eq!(ids(&key.items)[..key.stable_items], rules);
    assert_eq!(key.items.len(), 5);
    assert_eq!((key.items[0].score, key.items[0].why.pinned), (0, true));
    // An append, a showing, a day; then one that finds a pinned one by its own words.
    ledger.remember(Rank::User, "the kettle is broken");
    ledger.surface(&key);
    ledger.now = ledger.now.plus_us(DAY);
    let kettle = ledger.all("which rule is about the broken kettle?");
    assert_ne!(key.items[4], kettle.items[4]);
    assert!(kettle.items[3].score > 0, "it answers as well");
    assert_eq!(prefix(&key), prefix(&kettle));
    assert!(prefix(&key).contains("always keep rule 2"));
    assert_eq!(ids(&kettle.items).iter().filter(|id| **id == rules[0]).count(), 1);
    // One that changes changes them.
    ledger.change(Rank::User, Change::Unpin, rules[1]);
    let less = ledger.all("where is the spare key?");
    assert_eq!(less.stable_items, 3);
    assert!(!prefix(&key).starts_with(&prefix(&less)));
}

#[test]
fn without_a_pin_the_stable_part_is_the_preamble() {
    let (ledger, _) = pinned(0);
    let pack = ledger.all("where is the spare key?");
    assert_eq!((pack.stable_items, pack.stable_prefix_bytes()), (0, crate::Prompt::OPENING_BYTES));
}

#[test]
fn the_block_is_bounded_whatever_the_budget() {
    let (ledger, rules) = pinned(14);
    let pack = ledger.all("where is the spare key?");
    // The newest twelve, as far as 480 tokens go, in order of sequence.
    let shown = &ids(&pack.items)[..pack.stable_items];
    assert_eq!(shown, &rules[2..2 + shown.len()]);
    let tokens: u32 = pack.items[..pack.stable_items].iter().map(|item| item.excerpt.tokens).sum();
    assert!(shown.len() > 6 && tokens <= 480, "{} items, {tokens} tokens", shown.len());
    let small = ledger.checkout("where is the spare key?", 90);
    assert_eq!(ids(&small.items), rules[2..3]);
    assert!(small.left_out.iter().all(|out| out.reason == LeftOutReason::Budget));
}

#[test]
fn what_is_not_shown_unprompted_is_not_in_the_block() {
    let (mut ledger, rules) = pinned(1);
    let gone = ledger.remember(Rank::User, "a rule of old");
    ledger.change(Rank::User, Change::Pin, gone);
    ledger.invalidate(gone);
    assert_eq!(ids(&ledger.all_for("key", Purpose::Legal).items)[0], rules[0]);
    assert_eq!(ledger.all("key").stable_items, 1);
    ledger.scope.agent = Some("a".into());
    let own = ledger.remember(Rank::User, "a rule of this agent");
    ledger.change(Rank::User, Change::Pin, own);
    assert_eq!(ids(&ledger.all("key").items)[..2], [rules[0], own]);
    ledger.scope.agent = Some("b".into());
    ledger.say(Origin::User, "the key again");
    assert_eq!(ledger.all("key").stable_items, 1);
}
