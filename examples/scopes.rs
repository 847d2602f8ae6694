//! Agents and people: what is shared, what is an agent's own, what is about one person, and
//! what one session keeps to itself.

use memlith::{Caller, Error, Ledger, Options, Rank};

/// The texts that a caller is shown of what was said of tea.
fn shown(ledger: &Ledger, caller: &Caller) -> Result<Vec<String>, Error> {
    let pack = ledger.checkout(caller, "what about tea?")?.pack;
    let mut texts: Vec<_> = pack.items.into_iter().map(|item| item.excerpt.text).collect();
    texts.sort();
    Ok(texts)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let ledger = Ledger::create(folder.path().join("ledger"), Options::default())?;

    // The tenant is the wall: nothing is ever seen across it. The rank is the program's to give.
    let team = Caller::user("acme", "ana");
    let planner = Caller::new("acme", "planner", Rank::Assistant).agent("planner");
    let coder = Caller::new("acme", "coder", Rank::Assistant).agent("coder");
    let of_bob = team.clone().about("bob");
    let in_standup = team.clone().session_only("standup");

    for (caller, text) in [
        (&team, "The office buys green tea."),
        (&planner, "The tea order is planned on Mondays."),
        (&of_bob, "Bob drinks black tea."),
        (&in_standup, "The tea kettle is being repaired."),
    ] {
        assert!(ledger.remember(caller, text)?.is_in_force());
    }

    // What is shared is seen by all; an agent sees its own beside it.
    assert_eq!(shown(&ledger, &team)?, ["The office buys green tea."]);
    assert_eq!(shown(&ledger, &coder)?, ["The office buys green tea."]);
    assert_eq!(shown(&ledger, &planner)?.len(), 2);
    assert_eq!(shown(&ledger, &of_bob)?, ["Bob drinks black tea.", "The office buys green tea."]);
    assert_eq!(shown(&ledger, &in_standup)?.len(), 2);
    assert_eq!(shown(&ledger, &Caller::user("another company", "eve"))?, [""; 0]);
    Ok(())
}
