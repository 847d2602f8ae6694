//! Proof: every answer can be run again, and a head kept elsewhere shows what was taken back.

use memlith::{
    Caller, Ledger, Options,
    prove::{HeadVerdict, Level, check_head},
    read::Verdict,
    verify,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let dir = folder.path().join("ledger");
    let ledger = Ledger::create(&dir, Options::default())?;
    let ana = Caller::user("default", "ana");
    let id = ledger.remember(&ana, "The rent is 900 euros.")?.id;
    let answer = ledger.checkout(&ana, "how much is the rent?")?;
    println!("{} was shown, written down as {:?}", ledger.cite(id), answer.observed);

    // Every receipt is run again on the state that it was made from.
    let audits = ledger.audit().receipts()?;
    assert!(audits.iter().all(|one| one.verdict == Verdict::Reproduced) && audits.len() == 1);

    // What a memory is made of: who said it, and all that it led to.
    let shown = ledger.show(&ana, id)?;
    assert_eq!(shown.item.id, id);
    assert!(!ledger.history(&ana, id)?.is_empty());

    // A line to be kept elsewhere, for example in another repository.
    let head = ledger.audit().head()?.to_string();
    let file = ledger
        .audit()
        .stat(ledger.now())?
        .files
        .into_iter()
        .find(|file| file.name.starts_with("seg-"))
        .ok_or("no segment")?;
    ledger.close()?;
    let report = verify(&dir, Level::Full)?;
    assert!(report.is_ok());
    assert!(matches!(check_head(&dir, &report, &head.parse()?)?, HeadVerdict::Holds));

    // One byte in the middle of the log is found, and where.
    let segment = dir.join(&file.name);
    let mut bytes = std::fs::read(&segment)?;
    *bytes.get_mut(300).ok_or("no record")? ^= 1;
    std::fs::write(&segment, bytes)?;
    let report = verify(&dir, Level::Full)?;
    println!("found: {:?}", report.findings.first());
    assert!(!report.is_ok());
    Ok(())
}
