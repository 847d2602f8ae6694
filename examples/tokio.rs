//! From async code: calls block for a disk's sync at most, so they go to `spawn_blocking`.

use memlith::{Caller, Checkout, Error, Ledger, Options, Written};
use tokio::task::spawn_blocking;

/// State that a server holds: cheap to clone, one ledger behind it.
#[derive(Clone)]
struct Memory {
    ledger: Ledger,
    caller: Caller,
}

impl Memory {
    async fn remember(&self, text: &str) -> Result<Written, Error> {
        let (memory, text) = (self.clone(), text.to_owned());
        let write = move || memory.ledger.remember(&memory.caller, text);
        spawn_blocking(write).await.expect("no call panics")
    }

    async fn checkout(&self, question: &str) -> Result<Checkout, Error> {
        let (memory, question) = (self.clone(), question.to_owned());
        let read = move || memory.ledger.checkout(&memory.caller, question);
        spawn_blocking(read).await.expect("no call panics")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let ledger = Ledger::create(folder.path().join("ledger"), Options::default())?;
    let memory = Memory { ledger, caller: Caller::user("default", "ana") };

    let (port, color) = tokio::join!(
        memory.remember("The API listens on port 8080."),
        memory.remember("The logo is green."),
    );
    assert!(port?.is_in_force() && color?.is_in_force());

    let answer = memory.checkout("which port does the API listen on?").await?;
    assert_eq!(answer.pack.items.len(), 1);
    answer.pack.items.iter().for_each(|item| println!("{}", item.excerpt.text));
    Ok(())
}
