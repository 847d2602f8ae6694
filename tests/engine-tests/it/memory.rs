//! The front of the library: who speaks sees what is theirs, and a word says what became of it.

use memlith::forget::ErasureFilter;
use memlith::read::Listing;
use memlith::{Memory, Rank, Remember, Status};

use crate::world::{World, ana};

fn memory() -> (World, Memory) {
    let world = World::new();
    let ledger = world.init();
    (world, Memory::of(ledger, ana()))
}

#[track_caller]
fn sees(memory: &Memory, texts: &[&str]) {
    let entries = memory.list(&Listing::default()).unwrap_or_default();
    assert_eq!(entries.iter().map(|entry| &*entry.text).collect::<Vec<_>>(), texts);
}

#[test]
fn users_projects_and_agents_see_what_is_theirs() {
    let (_world, memory) = memory();
    let (bob, eve) = (memory.user("bob"), memory.user("eve"));
    let _ = bob.remember("I live in Pune").unwrap();
    let _ = eve.remember("I live in Rome").unwrap();
    let _ = bob.project("api").remember("It listens on port 8080").unwrap();
    let _ = eve.agent("support").remember("She prefers mail").unwrap();
    sees(&bob, &["I live in Pune"]);
    sees(&eve, &["I live in Rome"]);
    sees(&eve.project("api"), &["It listens on port 8080"]);
    sees(&memory.project("api").user("eve"), &["It listens on port 8080"]);
    sees(&eve.agent("support"), &["She prefers mail", "I live in Rome"]);
}

#[test]
fn a_correction_is_seen_where_its_target_is() {
    let (_world, memory) = memory();
    let shared = memory.remember("The office closes at six.").unwrap();
    let new = memory.user("bob").update(shared.id, "The office closes at seven.").unwrap();
    for seen in [&memory, &memory.user("eve"), &memory.agent("support")] {
        assert_eq!(seen.get(shared.id).unwrap().replaced_by, Some(new.id));
        assert_eq!(seen.get(new.id).unwrap().text, "The office closes at seven.");
    }
    let own = memory.user("bob").remember("I live in Pune").unwrap();
    assert!(memory.user("eve").update(own.id, "I live in Rome").is_err());
}

#[test]
fn a_word_says_what_became_of_a_write() {
    let (_world, memory) = memory();
    let bob = memory.user("bob");
    let pune = bob.remember("I live in Pune").unwrap();
    assert_eq!(pune.status(), Status::Added);
    assert_eq!(bob.remember("I live in Pune").unwrap().status(), Status::Known);
    let oslo = bob.remember("I moved to Oslo").unwrap();
    assert_eq!(oslo.status(), Status::Replaced);
    assert_eq!(bob.get(pune.id).unwrap().replaced_by, Some(oslo.id));
    let rome = Remember::new("Bob lives in Rome.").single("bob", "lives_in", "Rome");
    let home = Remember::new("Bob lives in Oslo.").single("bob", "lives_in", "Oslo");
    let _ = bob.remember(home).unwrap();
    let model = bob.speaker("bot", Rank::Assistant).remember(rome).unwrap();
    assert_eq!(model.status(), Status::Waiting);
    assert_eq!(bob.confirm([oslo.id]).unwrap().status(), Status::Changed);
    // Whoever is named last speaks, and a person speaks as one.
    let again = bob.speaker("bot", Rank::Assistant).user("bob");
    assert_eq!((again.caller().rank, &*again.caller().name), (Rank::User, "bob"));
    let low = bob.speaker("bot", Rank::Assistant).forget([oslo.id], "wrong").unwrap();
    assert_eq!(low.status(), Status::Disputed);
}

#[test]
fn only_the_owner_erases_and_only_what_is_of_the_one_who_was_named() {
    let (_world, memory) = memory();
    let (bob, eve) = (memory.user("bob"), memory.user("eve"));
    let mine = bob.remember("I live in Pune").unwrap();
    let theirs = eve.remember("I live in Rome").unwrap();
    let all = ErasureFilter::default();
    bob.erase(&all).unwrap_err();
    assert!(bob.speaker("owner", Rank::Owner).erase(&all).unwrap().is_some());
    assert_eq!(bob.get(mine.id).unwrap().text, "");
    assert_eq!(eve.get(theirs.id).unwrap().text, "I live in Rome");
    assert!(bob.speaker("owner", Rank::Owner).erase(&all).unwrap().is_none());
    assert!(memory.verify().unwrap().is_ok());
}

#[test]
fn an_outcome_counts_with_a_receipt_and_without() {
    let (_world, memory) = memory();
    let bob = memory.user("bob");
    let pune = bob.remember("I live in Pune").unwrap();
    let salience = || bob.explain(pune.id).unwrap().explanation;
    let before = salience();
    let pack = bob.checkout("where do I live?").unwrap();
    assert!(pack.prompt().contains("Pune"));
    assert_eq!(bob.report(&pack, true).unwrap().status(), Status::Changed);
    assert_ne!(salience(), before);
    let request = memlith::CheckoutRequest::new("where do I live?").unobserved();
    let pack = bob.checkout(request).unwrap();
    assert_eq!(bob.report(&pack, false).unwrap().status(), Status::Changed);
    let nothing = bob.checkout("zebra").unwrap();
    bob.report(&nothing, true).unwrap_err();
    let kinds: Vec<&str> = bob.history(pune.id).unwrap().iter().map(|step| step.kind).collect();
    assert!(kinds.contains(&"outcome.reported"), "{kinds:?}");
}

#[test]
fn facts_of_an_entity_are_entries() {
    let (_world, memory) = memory();
    let api = memory.project("api");
    let _ = api.remember("The API listens on port 8080").unwrap();
    let _ = api.remember("The API listens on port 9090").unwrap();
    let facts = api.facts("API").unwrap();
    let values: Vec<&str> =
        facts.iter().filter_map(|one| Some(&*one.slot.as_ref()?.value)).collect();
    assert_eq!(values, ["9090"]);
}
