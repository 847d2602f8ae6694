//! Open, remember, check out, cite, invalidate, reopen.

use memlith::{Caller, Change, CheckoutRequest, Ledger, Options, Remember};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::temp_dir().join(format!("memlith-embed-{}", std::process::id()));
    let ledger = Ledger::init(&dir, Options::default())?;
    let ana = Caller::user("default", "ana");

    let note = |text: &str| Remember { text: text.into(), ..Remember::default() };
    let wrong = ledger.remember(&ana, note("Staging runs Postgres 14."))?.id;
    let _ = ledger.remember(&ana, note("Deploys to staging happen on Tuesdays."))?;

    let question = || CheckoutRequest::new("which Postgres does staging run?");
    for item in ledger.checkout(&ana, &question())?.pack.items {
        println!("{}  {}", ledger.cite(item.id), item.excerpt.text);
    }

    let reason = Some("it was upgraded in May".into());
    let _ = ledger.change(&ana, Change::Invalidate { weight: None, reason }, &[wrong])?;
    ledger.close()?;

    let ledger = Ledger::open(&dir, Options::default())?;
    let again = ledger.checkout(&ana, &question())?.pack;
    assert!(again.items.iter().all(|item| item.id != wrong));
    println!("after the invalidation: {} of {} notes", again.items.len(), 2);

    ledger.close()?;
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}
