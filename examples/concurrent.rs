//! Threads share one handle; a checkpoint thread keeps the next start fast.

use std::thread;

use memlith::{Caller, Keeper, Ledger, Options, Rank, Status};

const WRITERS: usize = 4;
const NOTES: usize = 8;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let dir = folder.path().join("ledger");
    let ledger = Ledger::open_or_create(&dir, Options::default())?;
    let keeper = Keeper::of(&ledger)?;

    let threads: Vec<_> = (0..WRITERS)
        .map(|writer| {
            // A clone is the same handle: writes are ordered, reads see whole batches.
            let ledger = ledger.clone();
            thread::spawn(move || -> Result<(), memlith::Error> {
                let worker = Caller::new("default", &format!("worker {writer}"), Rank::User);
                for note in 0..NOTES {
                    let text = format!("Crate number {note} of dock {writer} is sealed.");
                    // After a crash the same key writes nothing twice.
                    let caller = worker.keyed(&format!("{writer}/{note}"));
                    let first = ledger.remember(&caller, text.as_str())?;
                    let again = ledger.remember(&caller, text)?;
                    assert!(again.status() == Status::Known && again.id == first.id);
                }
                Ok(())
            })
        })
        .collect();
    for thread in threads {
        thread.join().map_err(|_| "a writer panicked")??;
    }

    let asks = Caller::user("default", "ana");
    assert_eq!(
        ledger.audit().stat(ledger.now())?.memories.iter().map(|one| one.1).sum::<u64>(),
        (WRITERS * NOTES) as u64
    );
    assert!(!ledger.checkout(&asks, "which crates are sealed?")?.pack.items.is_empty());
    drop(keeper);
    ledger.close()?;
    Ok(())
}
