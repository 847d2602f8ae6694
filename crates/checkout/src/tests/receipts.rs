use memlith_event::{CheckoutId, Embedding, LeftOut, LeftOutReason, Origin, Rank, Receipt, Scope};
use memlith_log::{Digest, LedgerId, Seq, Timestamp};

use super::ledger::{Ledger, ids};
use crate::*;

const QUERY: &str = "where is the tea?";

fn ledger() -> Ledger {
    let mut ledger = Ledger::new();
    ledger.say(Origin::User, "The tea is in the tin.");
    ledger.say(Origin::Tool, &format!("tea {}", "and coffee ".repeat(100)));
    let wrong = ledger.remember(Rank::User, "tea is on the shelf");
    ledger.invalidate(wrong);
    ledger.remember(Rank::Assistant, "the tea was moved to the cellar");
    ledger.say(Origin::User, "nothing to do with it");
    ledger
}

fn again(ledger: &Ledger, receipt: &Receipt<'_>) -> Verdict {
    reproduce(&ledger.view(), (receipt, ""), &QuarterBytes)
}

#[test]
fn a_receipt_says_what_the_pack_depended_on() {
    let ledger = ledger();
    let pack = ledger.checkout(QUERY, 100);
    let receipt = &pack.receipt;
    assert_eq!(receipt.checkout, CheckoutId([9; 16]));
    assert_eq!((&*receipt.query, receipt.budget_tokens), (QUERY, 100));
    assert_eq!((&*receipt.counter, &*receipt.purpose), ("bytes/4", "general"));
    let shown: Vec<_> = receipt.items.iter().map(|item| item.id).collect();
    assert_eq!(shown, ids(&pack.items));
    let authority = LeftOut { reason: LeftOutReason::Authority, count: 1 };
    let budget = LeftOut { reason: LeftOutReason::Budget, count: 1 };
    assert_eq!(receipt.left_out, [budget, authority]);
    assert_ne!(receipt.pack, ledger.checkout(QUERY, 10).receipt.pack);
}

#[test]
fn a_receipt_is_reproduced_at_its_own_view_whatever_came_after() {
    let then = ledger();
    let pack = then.all(QUERY);
    let mut later = then.clone();
    later.surface(&pack);
    later.remember(Rank::User, "the tea is all gone");
    assert_eq!(again(&then, &pack.receipt), Verdict::Reproduced);
    assert!(matches!(again(&later, &pack.receipt), Verdict::Mismatch { .. }), "another view");
}

#[test]
fn every_planted_difference_is_named() {
    let ledger = ledger();
    let good = ledger.checkout(QUERY, 100).receipt;
    type Plant = fn(&mut Receipt<'static>);
    let plants: [(&str, Plant); 19] = [
        ("ledger", |receipt| receipt.ledger = LedgerId([1; 16])),
        ("view", |receipt| receipt.view = Seq(3)),
        ("chain", |receipt| receipt.chain = Digest([1; 32])),
        ("item 0", |receipt| receipt.query = "what is in the cellar?".into()),
        ("number of items", |receipt| receipt.scope = Scope::tenant("u")),
        ("item 0", |receipt| receipt.now = Timestamp(receipt.now.0 * 2)),
        ("number of items", |receipt| receipt.budget_tokens = 1),
        ("request", |receipt| receipt.budget_tokens = 0),
        ("purpose", |receipt| receipt.purpose = "gaming".into()),
        ("item 1", |receipt| receipt.hints.phase = Some("tin".into())),
        // No component is 127: it is none.
        ("vector", |receipt| receipt.vector = Some(Embedding::default())),
        ("policy", |receipt| receipt.policy = Some(Seq(1))),
        ("weights", |receipt| receipt.weights = Digest([1; 32])),
        ("left out", |receipt| receipt.left_out.clear()),
        ("pack digest", |receipt| receipt.pack = Digest([1; 32])),
        ("pack digest", |receipt| receipt.items[0].score += 1),
        ("item 0", |receipt| replant(receipt, |receipt| receipt.items[0].score += 1)),
        ("item 1", |receipt| replant(receipt, |receipt| receipt.items[1].end -= 1)),
        ("item mem_", |receipt| replant(receipt, |receipt| receipt.items[0].id.hash = [0; 6])),
    ];
    for (number, (named, plant)) in plants.into_iter().enumerate() {
        let mut receipt = good.clone();
        plant(&mut receipt);
        let Verdict::Mismatch { what } = again(&ledger, &receipt) else {
            panic!("plant {number}, {named}, was not found");
        };
        assert!(what.starts_with(named), "{number}: {what}");
    }
    assert_eq!(again(&ledger, &good), Verdict::Reproduced);
}

/// Changes the items and mends the digest, as a careful forger would.
fn replant(receipt: &mut Receipt<'static>, plant: fn(&mut Receipt<'static>)) {
    plant(receipt);
    receipt.pack = receipt.pack_digest();
}

#[test]
fn a_receipt_of_other_software_is_not_judged() {
    let ledger = ledger();
    let good = ledger.all(QUERY).receipt;
    let check = |plant: fn(&mut Receipt<'static>)| {
        let mut receipt = good.clone();
        plant(&mut receipt);
        again(&ledger, &receipt)
    };
    assert_eq!(check(|receipt| receipt.scorer = 99), Verdict::NeedsScorer { version: 99 });
    assert_eq!(check(|receipt| receipt.fold = 99), Verdict::NeedsFold { version: 99 });
    let name = || "words".to_owned();
    let counter = check(|receipt| receipt.counter = "words".into());
    assert_eq!(counter, Verdict::NeedsCounter { name: name() });
}

#[test]
fn an_erasure_is_named_and_hides_no_forgery() {
    let ledger = ledger();
    let good = ledger.all(QUERY).receipt;
    let shown = Seq(1);
    let aside = ledger.memory.items().last().unwrap().id.seq;
    for erased in [shown, aside] {
        let left = ledger.without(&[erased]);
        assert_eq!(again(&left, &good), Verdict::Affected { erased: vec![erased] });
    }
    let left = ledger.without(&[shown]);
    let mut forged = good.clone();
    forged.items[1].score += 1;
    assert!(matches!(again(&left, &forged), Verdict::Mismatch { .. }));
}
