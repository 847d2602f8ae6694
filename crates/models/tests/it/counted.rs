//! Caps, and questions that were answered already.

use memlith::{RecordId, Scope, Timestamp};
use memlith_writeback::{Extracted, Extractor, JobEnd, Turn, What};

use crate::world::{REPLY, SAID, World};
use memlith_testkit::{Answer, FaultServer};

/// The beginning of the next day.
fn tomorrow(world: &World) -> Timestamp {
    let day = world.now().0.div_euclid(Timestamp::DAY_US) + 1;
    Timestamp(day * Timestamp::DAY_US)
}

fn waits_until_tomorrow(world: &World, cap: &str) {
    let run = world.run();
    let JobEnd::Retrying { reason, at } = run.end else { panic!("{run:?}") };
    assert!(reason.contains(cap), "{reason}");
    assert_eq!(at, tomorrow(world));
    let rest = world.extractor().resting_until().unwrap();
    assert_eq!(rest.map(|(until, _)| until), Some(tomorrow(world)));
}

/// Noon, so that no back-off is longer than the rest of the day.
fn noon(world: &World) -> Timestamp {
    tomorrow(world).plus_us(Timestamp::DAY_US / 2)
}

#[test]
fn a_cap_on_calls_ends_the_day() {
    let server = FaultServer::new([Answer::words(REPLY)]);
    let world = World::new(&server.address(), "calls_per_day = 1");
    world.clock.set(noon(&world));
    world.talk("s1", SAID);
    world.talk("s2", "The shop runs on Postgres 15.");
    world.apply();
    waits_until_tomorrow(&world, "calls_per_day");
    assert_eq!(server.heard().len(), 1);
    world.clock.set(tomorrow(&world));
    world.apply();
    assert_eq!(server.heard().len(), 2);
    world.is_key_nowhere();
}

#[test]
fn a_cap_on_tokens_counts_what_the_server_says() {
    // The server says that each took a thousand; a question is counted with some 400 beforehand.
    let server = FaultServer::new([Answer::words(REPLY)]);
    let world = World::new(&server.address(), "tokens_per_day = 1_900");
    world.clock.set(noon(&world));
    for session in ["s1", "s2", "s3"] {
        world.talk(session, &format!("{SAID} This is {session}."));
    }
    world.apply();
    world.apply();
    let run = world.run();
    let JobEnd::Retrying { reason, at } = run.end else { panic!("{run:?}") };
    assert!(reason.contains("tokens_per_day"), "{reason}");
    assert_eq!(at, tomorrow(&world));
    assert_eq!(server.heard().len(), 2);
}

#[test]
fn no_call_is_made_where_none_is_allowed() {
    let server = FaultServer::new([Answer::words(REPLY)]);
    for cap in ["calls_per_day", "tokens_per_day"] {
        let world = World::new(&server.address(), &format!("{cap} = 0"));
        world.clock.set(noon(&world));
        world.talk("s1", SAID);
        waits_until_tomorrow(&world, cap);
    }
    assert!(server.heard().is_empty());
}

#[test]
fn calls_that_fail_are_counted_and_take_no_tokens() {
    let server = FaultServer::new([Answer::status("500 Internal Server Error", "", "{}")]);
    let world = World::new(&server.address(), "calls_per_day = 2\ntokens_per_day = 1_000");
    world.clock.set(noon(&world));
    for session in ["s1", "s2", "s3"] {
        world.talk(session, SAID);
    }
    world.run();
    world.run();
    waits_until_tomorrow(&world, "calls_per_day");
    assert_eq!(server.heard().len(), 2);
}

#[test]
fn a_call_that_can_t_be_counted_is_not_made() {
    let server = FaultServer::new([Answer::words(REPLY)]);
    let world = World::new(&server.address(), "");
    world.talk("s1", SAID);
    let file = world.dir().join("writeback-calls.json");
    std::fs::write(&file, "{\"day\": 1,").unwrap();
    let run = world.run();
    let JobEnd::Retrying { reason, .. } = run.end else { panic!("{run:?}") };
    assert!(reason.contains("writeback-calls.json is damaged: delete it"), "{reason}");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(world.extractor().extract(&Scope::default(), &turns(SAID)).is_err());
    assert!(server.heard().is_empty());
}

fn turns(said: &str) -> Vec<Turn> {
    let what = What::User(said.to_owned());
    vec![Turn { id: RecordId::default(), occurred_at: Timestamp(0), what }]
}

#[test]
fn the_same_turns_are_asked_about_once() {
    let server = FaultServer::new([Answer::words(REPLY)]);
    let world = World::new(&server.address(), "");
    let reply = Ok(Extracted::Reply(REPLY.to_owned()));
    // Each with an extractor of its own: a worker that was killed comes back as another one.
    assert_eq!(world.extractor().extract(&Scope::default(), &turns(SAID)), reply);
    assert_eq!(world.extractor().extract(&Scope::default(), &turns(SAID)), reply);
    assert_eq!(server.heard().len(), 1);
    assert_eq!(world.extractor().extract(&Scope::default(), &turns("The shop is shut.")), reply);
    assert_eq!(server.heard().len(), 2);
}

#[test]
fn the_fallback_s_reply_is_kept_and_an_unreadable_one_is_not() {
    let gone = Answer::status("404 Not Found", "", "{}");
    let prose = Answer::words("Nothing.");
    let server = FaultServer::new([gone, Answer::words(REPLY), prose]);
    let world = World::new(&server.address(), "fallback = \"large\"");
    for _ in 0..2 {
        world.extractor().extract(&Scope::default(), &turns(SAID)).unwrap();
    }
    assert_eq!(server.heard().len(), 2);
    for _ in 0..2 {
        world.extractor().extract(&Scope::default(), &turns("The shop is shut.")).unwrap();
    }
    assert_eq!(server.heard().len(), 4);
}
