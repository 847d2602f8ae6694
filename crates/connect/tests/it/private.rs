//! What leaves the machine, and what stays on it.

use std::os::unix::fs::MetadataExt;

use memlith::writeback::{Extractor, Turn, What};
use memlith::{RecordId, Timestamp};

use crate::fault_server::{Answer, FaultServer};
use crate::world::{KEY, REPLY, SAID, World};

fn turn(what: What) -> Turn {
    Turn { id: RecordId::default(), occurred_at: Timestamp(0), what }
}

#[test]
fn secrets_are_taken_out_of_the_evidence_once_more() {
    assert_eq!(memlith_redact::redact(KEY).text, KEY);
    let token = format!("ghp_{}", "0123456789abcdefABCDEF0123456789abcd");
    let server = FaultServer::new([Answer::words(REPLY)]);
    let world = World::new(&server.address(), "");
    let turns = [
        turn(What::User(format!("Use {token} and {KEY}."))),
        turn(What::Assistant(format!("I used {token}."))),
        turn(What::Tool {
            name: "Bash".to_owned(),
            arguments: format!("{{\"command\": \"login {KEY}\"}}"),
            output: format!("token {token}"),
            ok: Some(true),
        }),
    ];
    world.extractor().extract(&turns).unwrap();
    let body = server.heard()[0].body.to_string();
    assert!(!body.contains(&token) && !body.contains(KEY), "{body}");
    assert!(body.contains("REDACTED") && body.contains("I used"), "{body}");
}

#[test]
fn what_is_kept_is_the_owner_s_and_has_no_words() {
    let server = FaultServer::new([Answer::words(REPLY)]);
    let world = World::new(&server.address(), "");
    world.extractor().extract(&[turn(What::User(SAID.to_owned()))]).unwrap();
    for name in ["writeback-calls.json", "writeback-calls.lock"] {
        let path = world.dir().join(name);
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600, "{name}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("8080") && !text.contains(KEY), "{text}");
    }
}

#[test]
fn the_ledger_is_as_sound_with_the_files_beside_it() {
    let server = FaultServer::new([Answer::words(REPLY)]);
    let world = World::new(&server.address(), "");
    world.talk("s1", SAID);
    world.apply();
    let report = memlith::verify(world.dir(), memlith_log::Level::Full).unwrap();
    assert!(report.is_ok(), "{report:?}");
}

#[test]
fn a_key_is_there_and_can_be_sent_or_nothing_is() {
    let world = World::new("https://a.test/v1", "");
    let told = |key| world.extractor_with(key).unwrap_err().to_string();
    assert!(told(None).contains("the variable A_KEY has no key"), "{}", told(None));
    for bad in ["", "two words", "a\r\nX-Other: 1"] {
        let error = told(Some(bad));
        assert!(error.contains("the variable A_KEY holds no key"), "{error}");
        assert!(bad.is_empty() || !error.contains(bad), "{error}");
    }
}
