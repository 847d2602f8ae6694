//! A claim from the web waits, somebody else accepts it, and a low rank only disputes.

use memlith::{Caller, Change, Judgement, Ledger, Options, Rank, Status};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let ledger = Ledger::create(folder.path().join("ledger"), Options::default())?;
    let crawler = Caller::new("default", "crawler", Rank::Web);
    let bea = Caller::new("default", "bea", Rank::Reviewer);

    // `Ok` says that it was written down, the status what became of it.
    let found = ledger.remember(&crawler, "The API listens on port 9090.")?;
    assert_eq!(found.status(), Status::Waiting);
    assert!(ledger.checkout(&bea, "which port?")?.pack.items.is_empty());

    for waiting in ledger.review().waiting(&bea)? {
        println!("{} waits: {:?}", waiting.item.id, waiting.reason);
        let reason = Some("the page is ours".to_owned());
        let said = ledger.review().judge(&bea, Judgement::Accept, waiting.item.id, reason)?;
        assert_eq!(said.outcome.label(), "accepted");
    }
    assert_eq!(ledger.checkout(&bea, "which port?")?.pack.items.len(), 1);

    // The crawler can't take back what a reviewer stands behind.
    let wrong = Change::invalidate("the page is gone");
    let disputed = ledger.change(&crawler, wrong, found.id)?;
    assert_eq!(disputed.status(), Status::Disputed);

    // A newer value takes the old one's place, and a rollback brings that back.
    let newer = ledger.remember(&bea, "The API listens on port 9443.")?;
    assert_eq!(newer.superseded(), [found.id]);
    let back = ledger.roll_back(&bea, newer.id, Some("too early".to_owned()))?;
    assert!(back.is_in_force());
    let pack = ledger.checkout(&bea, "which port does the API listen on?")?.pack;
    assert_eq!(pack.items.first().map(|item| item.id), Some(found.id));
    Ok(())
}
