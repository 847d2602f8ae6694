//! Open, remember, check out, cite, invalidate, reopen.

use memlith::{Caller, Change, Ledger, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::temp_dir().join(format!("memlith-embed-{}", std::process::id()));
    let ledger = Ledger::create(&dir, Options::default())?;
    let ana = Caller::user("default", "ana");

    let wrong = ledger.remember(&ana, "Staging runs Postgres 14.")?.id;
    let kept = ledger.remember(&ana, "Deploys to staging happen on Tuesdays.")?;
    assert!(kept.is_in_force());

    let question = "which Postgres does staging run?";
    for item in ledger.checkout(&ana, question)?.pack.items {
        println!("{}  {}", ledger.cite(item.id), item.excerpt.text);
    }

    let change = ledger.change(&ana, Change::invalidate("it was upgraded in May"), wrong)?;
    assert!(change.is_in_force());
    ledger.close()?;

    let ledger = Ledger::open(&dir, Options::default())?;
    let again = ledger.checkout(&ana, question)?.pack;
    assert!(again.items.iter().all(|item| item.id != wrong));
    println!("after the invalidation: {} of 2 notes", again.items.len());
    ledger.close()?;
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}
