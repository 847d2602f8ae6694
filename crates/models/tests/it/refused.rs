//! Servers that give no reply, or none that can be used.

use memlith_writeback::JobEnd;

use crate::world::{KEY, REPLY, SAID, SECOND_US, World};
use memlith_testkit::{Answer, FaultServer};

/// Tries a job until it is dead; every attempt has to say this, and nothing may be learned.
fn fails_and_dies(answer: Answer, calls: usize, said: &str) {
    let server = FaultServer::new([answer]);
    let world = World::new(&server.address(), "timeout_s = 1");
    world.talk("s1", SAID);
    let reasons = world.run_to_the_end();
    assert_eq!(reasons.len(), calls, "{reasons:?}");
    assert!(reasons.iter().all(|reason| reason.contains(said)), "{said}: {reasons:?}");
    assert_eq!(server.heard().len(), calls);
    assert_eq!(world.standing(), [""; 0]);
    world.is_key_nowhere();
}

#[test]
fn what_may_pass_is_tried_four_times_and_then_dead() {
    // Bodies and headers that tell the key: no reason may have a word of them.
    let telling = format!("{{\"error\": \"Bearer {KEY}\"}}");
    let status = |status: &str| Answer::status(status, "", &telling);
    for (answer, said) in [
        (status("500 Internal Server Error"), "answered 500"),
        (status("401 Unauthorized"), "answered 401: see that the variable of key_env"),
        (status("429 Too Many Requests"), "answered 429"),
        (status("204 No Content"), "answered 204"),
        (status("200 OK"), "is no chat completion"),
        (Answer::status("200 OK", "", "<html>sign in</html>"), "is no chat completion"),
        (Answer::words(""), "reply is empty"),
        (Answer::words(" \n"), "reply is empty"),
        (Answer::words(REPLY).cut(40), "ended the connection within its reply"),
        (Answer::Bytes(b"HTTP/1.1 200 OK\r\nContent-".to_vec()), "can't be reached"),
        (Answer::Bytes(Vec::new()), "can't be reached"),
        (Answer::Bytes(b"\x15\x03\x01 no HTTP at all\r\n\r\n".to_vec()), "can't be reached"),
    ] {
        fails_and_dies(answer, 4, said);
    }
}

#[test]
fn a_server_that_says_nothing_is_left_after_the_limit() {
    fails_and_dies(Answer::Stall, 4, "took longer than 1 s");
}

#[test]
fn a_server_that_isn_t_there_is_tried_four_times() {
    // Nobody listens on port 1, and no other test is given it.
    let world = World::new("http://127.0.0.1:1/v1", "");
    world.talk("s1", SAID);
    let reasons = world.run_to_the_end();
    let said = "the model server can't be reached, or can't prove who it is: see endpoint in writeback.toml";
    assert_eq!(reasons, [said; 4]);
    world.is_key_nowhere();
}

#[test]
fn what_no_attempt_mends_is_dead_at_once() {
    let huge = Answer::words(&" ".repeat(10 << 20));
    let long = Answer::words(&format!("{REPLY}{}", " ".repeat(64 << 10)));
    for (answer, said) in [
        (huge, "longer than 524288 bytes"),
        (Answer::Endless, "longer than 524288 bytes"),
        (long, "longer than 65536 bytes"),
        (Answer::words(&format!("{{\"facts\": [\"{KEY}\"]}}")), "repeats the key"),
    ] {
        fails_and_dies(answer, 1, said);
    }
}

#[test]
fn a_reply_that_cannot_be_read_is_asked_for_again() {
    fails_and_dies(Answer::words("I found nothing worth keeping."), 4, "has no JSON object");
}

#[test]
fn a_redirect_is_not_followed() {
    let other = FaultServer::new([Answer::words(REPLY)]);
    for status in ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let location = format!("Location: {}/chat/completions?{KEY}\r\n", other.address());
        let redirect = Answer::status(status, &location, "");
        fails_and_dies(redirect, 4, &format!("redirects ({})", &status[..3]));
    }
    assert!(other.heard().is_empty(), "the key and the evidence went elsewhere");
}

#[test]
fn a_server_that_asks_for_patience_gets_it() {
    let busy = Answer::status("429 Too Many Requests", "Retry-After: 7200\r\n", "{}");
    let server = FaultServer::new([busy, Answer::words(REPLY)]);
    let world = World::new(&server.address(), "fallback = \"large\"");
    world.talk("s1", SAID);
    world.talk("s2", SAID);
    let asked = world.now();
    let until = asked.plus_us(7_200 * SECOND_US);
    let run = world.run();
    let JobEnd::Retrying { at, reason } = run.end else { panic!("{run:?}") };
    assert_eq!(at, until);
    assert!(reason.contains("answered 429"), "{reason}");
    assert_eq!(server.heard().len(), 1, "another model of the same server isn't asked");
    // Another worker leaves it alone as well, and knows so before it takes a job.
    world.clock.set(asked.plus_us(1_800 * SECOND_US));
    let rest = world.extractor().resting_until().unwrap().unwrap();
    assert_eq!(rest, (until, "the model server asked to be left alone"));
    let run = world.run();
    assert!(matches!(run.end, JobEnd::Retrying { at, .. } if at == until), "{run:?}");
    assert_eq!(server.heard().len(), 1);

    world.clock.set(until);
    assert_eq!(world.extractor().resting_until().unwrap(), None);
    world.apply();
    assert_eq!(world.standing(), [SAID]);
}

#[test]
fn it_may_ask_with_a_date_and_in_any_trouble() {
    // 2096-02-01, more than a week from any day on which this runs.
    let header = "Retry-After: Wed, 01 Feb 2096 00:00:00 GMT\r\n";
    let server = FaultServer::new([Answer::status("503 Service Unavailable", header, "{}")]);
    let world = World::new(&server.address(), "");
    world.talk("s1", SAID);
    let run = world.run();
    let week = world.now().plus_us(7 * 86_400 * SECOND_US);
    assert!(matches!(run.end, JobEnd::Retrying { at, .. } if at == week), "{run:?}");
}
