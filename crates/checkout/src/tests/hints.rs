use memlith_event::{Hints, Origin, Receipt};
use memlith_log::RecordId;

use super::ledger::{Ledger, ids};
use crate::{Error, Pack, QuarterBytes, Request, Verdict, checkout, reproduce};

fn hints(tool: &str, mission: &str) -> Hints<'static> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned().into());
    Hints { tool: text(tool), mission: text(mission), ..Hints::default() }
}

fn hinted(ledger: &Ledger, query: &str, hints: &Hints<'_>) -> Pack {
    let request = Request { hints: Some(hints), ..ledger.request(query, u32::MAX) };
    checkout(&ledger.view(), &request).unwrap()
}

/// Two remarks that answer equally well.
fn remarks() -> (Ledger, RecordId, RecordId) {
    let mut ledger = Ledger::new();
    ledger.scope.session = Some("the yard".into());
    let make = ledger.say(Origin::User, "make has a slow build here");
    ledger.scope.session = Some("The Harbour".into());
    let cargo = ledger.say(Origin::User, "the build is slow by cargo");
    ledger.scope.session = None;
    (ledger, make, cargo)
}

#[test]
fn what_has_to_do_with_a_hint_comes_a_little_earlier() {
    let (ledger, make, cargo) = remarks();
    let order = |tool, mission| ids(&hinted(&ledger, "slow build", &hints(tool, mission)).items);
    assert_eq!(ids(&ledger.all("slow build").items), [make, cargo]);
    assert_eq!(order("make", ""), [make, cargo]);
    assert_eq!(order("Cargo", ""), [cargo, make]);
    // A session by its name, exactly; and words that nothing has.
    assert_eq!(order("", "The Harbour"), [cargo, make]);
    assert_eq!(order("gradle", "harbour"), ids(&ledger.all("slow build").items));
    // One needs all words of a hint.
    assert_eq!(order("cargo nextest", ""), ids(&ledger.all("slow build").items));
    let pack = hinted(&ledger, "slow build", &hints("cargo", "The Harbour"));
    let why = &pack.items[0].why;
    assert_eq!(why.hinted.names().collect::<Vec<_>>(), ["mission", "tool"]);
    let plain = ledger.all("slow build").items.into_iter().find(|item| item.id == cargo).unwrap();
    assert_eq!(pack.items[0].score, plain.score * 11 / 10);
    assert_eq!(why.relevance, plain.why.relevance);
}

#[test]
fn a_hint_finds_nothing_by_itself_and_hides_nothing() {
    let (ledger, ..) = remarks();
    assert_eq!(hinted(&ledger, "lunch", &hints("cargo", "")).items, []);
    let mut plain = ids(&ledger.all("slow build").items);
    let mut with = ids(&hinted(&ledger, "slow build", &hints("cargo", "x")).items);
    plain.sort_unstable();
    with.sort_unstable();
    assert_eq!(plain, with);
}

#[test]
fn a_receipt_with_hints_is_reproduced_and_one_without_is_not_the_same() {
    let (ledger, ..) = remarks();
    let mut receipt = hinted(&ledger, "slow build", &hints("cargo", "")).receipt;
    let again = |receipt: &Receipt<'_>| reproduce(&ledger.view(), (receipt, ""), &QuarterBytes);
    assert_eq!(again(&receipt), Verdict::Reproduced);
    receipt.hints = Hints::default();
    assert!(matches!(again(&receipt), Verdict::Mismatch { .. }));
}

#[test]
fn a_hint_says_something_short() {
    let (ledger, ..) = remarks();
    let refused = |hints: &Hints<'_>| {
        let request = Request { hints: Some(hints), ..ledger.request("build", 9) };
        checkout(&ledger.view(), &request).unwrap_err()
    };
    assert_eq!(refused(&hints("\u{200b}", "")), Error::EmptyHint { name: "tool" });
    let long = "x".repeat(257);
    let too_long = Error::HintTooLong { name: "mission", found: 257, max: 256 };
    assert_eq!(refused(&hints("", &long)), too_long);
}
