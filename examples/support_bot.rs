//! A support bot with users, on tokio: the library in one page.

use memlith::{AsyncMemory, CheckoutRequest, Rank, Result, forget::ErasureFilter, read::Listing};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let memory = AsyncMemory::open(folder.path().join("memory")).await?; // made where there is none
    let bob = memory.user("bob").agent("support");

    let first = bob.remember("I live in Pune").await?;
    let moved = bob.keyed("mail-17").remember("I moved to Oslo").await?;
    assert_eq!((moved.status(), moved.superseded()), (memlith::Status::Replaced, vec![first.id]));
    let hits = bob.search("where does Bob live?", 5).await?;
    hits.iter().for_each(|hit| println!("{} {} ({})", hit.id, hit.excerpt.text, hit.score));

    let request = CheckoutRequest::new("book a flight from where I live").budget_tokens(800);
    let pack = bob.checkout(request).await?; // recorded, cited
    let helped = pack.prompt().contains("Oslo"); // a model's turn
    let _ = bob.report(&pack, helped).await?; // the outcome, by its receipt

    println!("{} was: {}", first.id, bob.get(first.id).await?.text);
    let right = bob.update(moved.id, "I moved to Bergen").await?;
    bob.list(Listing::default()).await?.iter().for_each(|one| println!("{}", one.text));
    println!("{} events so far", bob.history(right.id).await?.len());
    assert!(bob.forget([right.id], "asked for it").await?.is_in_force()); // out of sight
    let all_of_bob = ErasureFilter::default();
    assert!(bob.speaker("owner", Rank::Owner).erase(all_of_bob).await?.is_some()); // out of the files
    assert!(memory.verify().await?.is_ok());
    Ok(())
}
