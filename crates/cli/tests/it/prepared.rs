//! Ledgers of another time.

use std::sync::Arc;

use memlith::{
    Caller, Ledger, Options, Remember, Timestamp,
    storage::{Env, FixedClock, LocalStorage},
};

use crate::harness::Desk;

/// A ledger whose records are all of the instant `at`.
fn written_at(at: Timestamp) -> Desk {
    let desk = Desk::empty();
    let storage = LocalStorage::create(desk.ledger()).unwrap();
    let env = Env { clock: Arc::new(FixedClock::new(at)), ..Env::system(storage) };
    let ledger = Ledger::create_in(env, Options::default()).unwrap();
    let text = "Ana drinks tea.".to_owned();
    let remember = Remember { text, ..Remember::default() };
    let _ = ledger.remember(&Caller::user("default", "ana"), remember).unwrap();
    ledger.close().unwrap();
    desk
}

#[test]
fn a_clock_ten_years_ahead_is_refused_until_it_is_accepted() {
    let desk = written_at("2016-01-01T00:00:00Z".parse().unwrap());
    desk.refused(4, &["remember", "x"], &["400 days", "2016-01-01"]);
    desk.ok(&["search", "tea"]);
    let pack = desk.json(&["checkout", "tea"]);
    assert_eq!(pack["observed"], false, "{pack}");
    desk.ok(&["remember", "x", "--accept-clock-jump"]);
    desk.ok(&["remember", "y"]);
}

#[test]
fn now_is_an_argument_of_every_read() {
    let desk = written_at("2026-05-01T00:00:00Z".parse().unwrap());
    let seen = |now: &str| {
        let pack = desk.json(&["checkout", "tea", "--no-observe", "--now", now]);
        (pack["items"][0]["why"]["salience"].clone(), pack["receipt"]["now"].clone())
    };
    assert_eq!(seen("2026-05-01"), (1.0.into(), "2026-05-01T00:00:00Z".into()));
    assert_eq!(seen("2026-05-31"), (0.5.into(), "2026-05-31T00:00:00Z".into()));
    assert_eq!(seen("2026-06-30"), (0.25.into(), "2026-06-30T00:00:00Z".into()));
}
