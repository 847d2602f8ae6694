//! Nothing crosses from one scope to another.

use memlith::{
    Caller, Change, CheckoutRequest, Error, Question, RecordId, Remember, Scope,
    read::Novelty,
    write::{IdempotencyKey, Rejection},
};
use proptest::prelude::*;

use crate::world::{World, ana, fact, head, words};

/// A tenant, an agent, a subject, and a session, which may be all that sees it.
type Place = (u8, Option<u8>, Option<u8>, Option<(u8, bool)>);

fn place() -> impl Strategy<Value = Place> {
    let name = || prop::option::of(0..2_u8);
    (0..2_u8, name(), name(), prop::option::of((0..2_u8, any::<bool>())))
}

fn caller((tenant, agent, subject, session): Place) -> Caller {
    let name = |kind: &str, number: u8| format!("{kind}{number}").into();
    let scope = Scope {
        agent: agent.map(|agent| name("agent", agent)),
        subject: subject.map(|subject| name("subject", subject)),
        session: session.map(|(session, _)| name("session", session)),
        session_only: session.is_some_and(|(_, only)| only),
        ..Scope::tenant(format!("tenant{tenant}"))
    };
    Caller { scope, ..ana() }
}

/// The rule, in its own words: tenants equal, each other coordinate shared or equal, and
/// what is a session's alone seen by that session, which is one of its agent and subject.
fn sees(query: Place, item: Place) -> bool {
    let session = |place: Place| (place.1, place.2, place.3.map(|(session, _)| session));
    let is_alone = item.3.is_some_and(|(_, only)| only);
    query.0 == item.0
        && (!is_alone || session(item) == session(query))
        && (item.1.is_none() || item.1 == query.1)
        && (item.2.is_none() || item.2 == query.2)
}

fn refused<T>(outcome: Result<T, Error>) -> bool {
    matches!(outcome, Err(Error::NoRecord { .. } | Error::Rejected(Rejection::NotFound { .. })))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_crosses(
        written in prop::collection::vec((place(), any::<u8>()), 1..12),
        asked in place(),
    ) {
        let world = World::new();
        let ledger = world.init();
        let mut items: Vec<(Place, RecordId)> = Vec::new();
        for (number, (place, on)) in written.iter().enumerate() {
            // Each rests on an earlier one that its writer sees, so that traces cross cells.
            let seen: Vec<RecordId> = items
                .iter()
                .filter(|(other, _)| sees(*place, *other))
                .map(|(_, id)| *id)
                .collect();
            let source = usize::from(*on).checked_rem(seen.len()).map(|index| seen[index]);
            let remember = Remember {
                rests_on: source.into_iter().collect(),
                ..words(&format!("Apple number {number} is ripe."))
            };
            let id = ledger.remember(&caller(*place), remember).unwrap().id;
            items.push((*place, id));
            let request = CheckoutRequest::new(format!("apple number {number}"));
            ledger.checkout(&caller(*place), &request).unwrap();
        }
        let mut asker = caller(asked);
        asker.scope.session_only = false;
        let visible: Vec<RecordId> =
            items.iter().filter(|(place, _)| sees(asked, *place)).map(|(_, id)| *id).collect();

        let question = Question { query: "ripe apple".into(), as_of: None };
        let mut found: Vec<RecordId> =
            ledger.recall(&asker, &question, 99).unwrap().iter().map(|item| item.id).collect();
        found.sort_unstable();
        prop_assert_eq!(&found, &visible);
        let pack = ledger.checkout(&asker, CheckoutRequest::new("ripe apple")).unwrap().pack;
        prop_assert!(pack.items.iter().all(|item| visible.contains(&item.id)));
        prop_assert!(pack.left_out.iter().all(|item| visible.contains(&item.id)));

        let end = head(&ledger);
        for (place, id) in &items {
            if sees(asked, *place) {
                // A trace named the private items that rest on a shared one, and a history
                // held the queries of others in whose checkouts it was shown.
                let reached = ledger.trace(&asker, *id).unwrap();
                prop_assert!(reached.iter().all(|one| visible.contains(&one.id)), "trace of {}", id);
                for record in ledger.history(&asker, *id).unwrap() {
                    let body = memlith::log::decode(&record).unwrap().unwrap();
                    let from = body.envelope.scope.cell();
                    prop_assert!(asker.scope.visible_cells().contains(&from), "history of {}", id);
                }
                continue;
            }
            prop_assert!(refused(ledger.show(&asker, *id)));
            prop_assert!(refused(ledger.explain(&asker, *id)));
            prop_assert!(refused(ledger.trace(&asker, *id)));
            prop_assert!(refused(ledger.history(&asker, *id)));
            let change = Change::Invalidate { weight: None, reason: None };
            prop_assert!(refused(ledger.change(&asker, change, [*id])));
            prop_assert!(refused(ledger.correct(&asker, *id, words("Apples are green."))));
            let resting = Remember { rests_on: vec![*id], ..words("Apples are green.") };
            prop_assert!(refused(ledger.remember(&asker, resting)));
            let mut owner = asker.clone();
            owner.rank = memlith::Rank::Owner;
            prop_assert!(refused(ledger.erasure().erase(&owner, &[*id])));
        }
        prop_assert_eq!(head(&ledger), end, "a refusal wrote something");
    }
}

#[test]
fn a_session_is_a_wall_only_for_what_is_session_only() {
    let world = World::new();
    let ledger = world.init();
    let draft = ledger.remember(&within("s1", true), words("A draft about apples.")).unwrap().id;
    let note = ledger.remember(&within("s1", false), words("A note about apples.")).unwrap().id;
    let found = |caller: &Caller| -> Vec<RecordId> {
        let question = Question { query: "apples".into(), as_of: None };
        let mut ids: Vec<RecordId> =
            ledger.recall(caller, &question, 9).unwrap().iter().map(|one| one.id).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(found(&within("s1", false)), [draft, note]);
    assert_eq!(found(&within("s2", false)), [note]);
    assert_eq!(found(&ana()), [note]);
}

#[test]
fn a_key_of_one_subject_is_none_of_anothers() {
    // Filed by tenant and actor alone, the second write was dropped, and answered with an
    // id that its scope doesn't see.
    let world = World::new();
    let ledger = world.init();
    let key = Some(IdempotencyKey([7; 16]));
    let mut ids = std::collections::BTreeSet::new();
    let places = [(None, None), (None, Some(0)), (None, Some(1)), (Some(1), Some(1))];
    let places = places.map(|(agent, subject)| (0, agent, subject, None));
    for place in places {
        let keyed = Caller { key, ..caller(place) };
        let id = ledger.remember(&keyed, words("Said under a key.")).unwrap().id;
        assert!(ids.insert(id) && ledger.show(&keyed, id).is_ok(), "{place:?}");
        let again = ledger.remember(&keyed, words("Said under a key.")).unwrap();
        assert_eq!((again.id, again.outcome.label()), (id, "already_present"));
    }
}

/// Ana in a session, alone with it or not.
fn within(session: &str, session_only: bool) -> Caller {
    let session = Some(session.to_owned().into());
    Caller { scope: Scope { session, session_only, ..ana().scope }, ..ana() }
}

/// The day of the deploy, as a slot of one value.
fn deploy_on(day: &str) -> Remember {
    fact(&format!("The deploy runs on {day}."), "deploy", "day", day)
}

#[test]
fn what_a_session_keeps_to_itself_takes_the_place_of_nothing() {
    // A session's own note superseded what all others saw, and what all others were to see
    // was a mere restatement of a session's own note.
    let world = World::new();
    let ledger = world.init();
    let shared = ledger.remember(&ana(), deploy_on("Friday")).unwrap().id;
    let alone = within("s1", true);
    let finding = ledger.remember(&alone, deploy_on("Monday")).unwrap();
    assert_eq!(finding.outcome.label(), "added");
    let seen = |caller: &Caller| {
        let pack = ledger.checkout(caller, CheckoutRequest::new("day of the deploy")).unwrap().pack;
        pack.items.iter().map(|item| item.id).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(seen(&ana()), [shared].into());
    assert_eq!(seen(&within("s1", false)), [shared, finding.id].into());
    let newer = ledger.remember(&alone, deploy_on("Tuesday")).unwrap();
    assert_eq!(newer.outcome.label(), "superseded", "within the session it has one value");
    assert_eq!(seen(&within("s1", false)), [shared, newer.id].into());

    let _ = ledger.remember(&alone, words("The build takes nine minutes.")).unwrap();
    let said = ledger.remember(&ana(), words("The build takes nine minutes.")).unwrap();
    assert_eq!(said.outcome.label(), "added");

    let refused = ledger.correct(&alone, shared, deploy_on("Sunday")).unwrap_err();
    assert!(matches!(refused, Error::Rejected(Rejection::SessionOnly { id }) if id == shared));
    // Said to all, it may take the place of what one session saw.
    let _ = ledger.correct(&within("s1", false), newer.id, words("No deploys.")).unwrap();
}

#[test]
fn what_was_declared_wrong_is_not_said_to_a_session_alone() {
    let world = World::new();
    let ledger = world.init();
    let wrong = ledger.remember(&ana(), deploy_on("Friday")).unwrap().id;
    let mut assistant = within("s1", true);
    let change = Change::Invalidate { weight: None, reason: None };
    let _ = ledger.change(&assistant, change.clone(), [wrong]).unwrap();
    // The invalidation is about what all see, so that all see it.
    let history = ledger.history(&ana(), wrong).unwrap();
    let kinds: Vec<&str> = history
        .iter()
        .filter_map(|record| Some(memlith::log::decode(record).ok()??.event.kind().name()))
        .collect();
    assert!(kinds.contains(&"memory.invalidated"), "{kinds:?}");
    assistant.rank = memlith::Rank::Assistant;
    let refused = ledger.remember(&assistant, deploy_on("Friday")).unwrap_err();
    assert!(
        matches!(refused, Error::Rejected(Rejection::PreviouslyInvalidated { id, .. }) if id == wrong)
    );
    // What one session declared wrong of its own binds that session alone.
    let own = ledger.remember(&within("s2", true), deploy_on("Sunday")).unwrap().id;
    let _ = ledger.change(&within("s2", true), change, [own]).unwrap();
    assert!(ledger.remember(&assistant, deploy_on("Sunday")).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_a_session_keeps_to_itself_changes_nothing_for_others(
        steps in prop::collection::vec((0..3_u8, 0..4_u8, 0..4_u8), 1..24),
    ) {
        let (with, without) = (World::new(), World::new());
        let (whole, rest) = (with.init(), without.init());
        let say = |ledger: &memlith::Ledger, caller: &Caller, what: u8, value: u8| {
            let day = ["Monday", "Tuesday", "Friday", "Sunday"][usize::from(value)];
            let remember = if what == 0 { words(&format!("{day} is quiet.")) } else { deploy_on(day) };
            let id = ledger.remember(caller, remember).ok().map(|written| written.id);
            if what == 2 && let Some(id) = id {
                let change = Change::Invalidate { weight: None, reason: None };
                let _ = ledger.change(caller, change, [id]).unwrap();
            }
        };
        for (who, what, value) in steps {
            let caller = if who == 0 { ana() } else { within(["", "s1", "s2"][usize::from(who)], true) };
            say(&whole, &caller, what, value);
            if who == 0 {
                say(&rest, &caller, what, value);
            }
        }
        let shown = |ledger: &memlith::Ledger| {
            let request = CheckoutRequest::new("deploy monday tuesday friday sunday quiet");
            let pack = ledger.checkout(&ana(), &request).unwrap().pack;
            pack.items.into_iter().map(|item| item.excerpt.text).collect::<Vec<_>>()
        };
        prop_assert_eq!(shown(&whole), shown(&rest));
    }
}

#[test]
fn what_two_people_say_of_themselves_is_each_ones_own() {
    let world = World::new();
    let ledger = world.init();
    let bob = Caller { name: "bob".to_owned(), ..ana() };
    let text = "I keep my bicycle in the cellar";
    let said = Remember { text: text.to_owned(), ..Remember::default() };
    let first = ledger.remember(&ana(), said.clone()).unwrap();
    assert_eq!(ledger.novelty(&bob, text).unwrap(), Novelty::Novel);
    assert_eq!(ledger.novelty(&ana(), text).unwrap(), Novelty::Redundant(first.id));
    let second = ledger.remember(&bob, said.clone()).unwrap();
    assert_eq!(second.outcome.label(), "added");
    let again = ledger.remember(&ana(), said).unwrap();
    assert_eq!(again.outcome.label(), "restated");
}
