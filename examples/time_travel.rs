//! Asks for facts as they were known at a time, and as they held at a time: two times, both kept.

use memlith::{Caller, CheckoutRequest, Ledger, Options, Remember, Timestamp};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let ledger = Ledger::create(folder.path().join("ledger"), Options::default())?;
    let ana = Caller::user("default", "ana");
    let question = || CheckoutRequest::new("where does Ana live?");

    let pune = ledger.remember(&ana, "Ana lives in Pune.")?;
    let oslo = ledger.remember(&ana, "Ana lives in Oslo.")?;
    assert_eq!(oslo.superseded(), [pune.id]);

    // Today, and as the ledger stood after the first write.
    let today = ledger.checkout(&ana, question())?.pack;
    assert_eq!(today.items.first().map(|item| item.id), Some(oslo.id));
    let before = ledger.checkout(&ana, question().as_of(pune.seq))?.pack;
    assert_eq!(before.items.first().map(|item| item.id), Some(pune.id));

    // A guest until tomorrow: of next week the same ledger says otherwise.
    let until = ledger.now().plus_us(Timestamp::DAY_US);
    let guest = Remember::new("Bob has the guest room.").valid_until(until);
    let guest = ledger.remember(&ana, guest)?.id;
    let next_week = ana.at(ledger.now().plus_us(7 * Timestamp::DAY_US));
    let has_guest = |caller: &Caller| -> Result<bool, memlith::Error> {
        let request = CheckoutRequest::new("who has the guest room?").unobserved();
        Ok(ledger.checkout(caller, request)?.pack.items.iter().any(|item| item.id == guest))
    };
    assert!(has_guest(&ana)?);
    assert!(!has_guest(&next_week)?);
    Ok(())
}
