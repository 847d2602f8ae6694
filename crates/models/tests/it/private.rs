//! Tests of what leaves the machine, and what stays on it.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;

use memlith::{RecordId, Scope, Timestamp};
use memlith_writeback::{Extractor, Turn, What};

use crate::world::{KEY, REPLY, SAID, World};
use memlith_testkit::{Answer, FaultServer};

fn turn(what: What) -> Turn {
    Turn { id: RecordId::default(), occurred_at: Timestamp(0), what }
}

#[test]
fn secrets_are_taken_out_of_the_evidence_once_more() {
    assert_eq!(memlith::write::redact(KEY).text, KEY);
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
    world.extractor().extract(&Scope::default(), &turns).unwrap();
    let body = server.heard()[0].body.to_string();
    assert!(!body.contains(&token) && !body.contains(KEY), "{body}");
    assert!(body.contains("REDACTED") && body.contains("I used"), "{body}");
}

#[test]
fn what_is_kept_is_the_owner_s_and_has_no_words() {
    let server = FaultServer::new([Answer::words(REPLY)]);
    let world = World::new(&server.address(), "");
    world.extractor().extract(&Scope::default(), &[turn(What::User(SAID.to_owned()))]).unwrap();
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
    let report = memlith::verify(world.dir(), memlith::prove::Level::Full).unwrap();
    assert!(report.is_ok(), "{report:?}");
}

#[test]
fn a_server_that_can_t_prove_who_it_is_gets_neither_key_nor_evidence() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let world = World::new(&format!("https://127.0.0.1:{port}/v1"), "timeout_s = 5");
    let heard = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heard = vec![0; 4_096];
        let length = stream.read(&mut heard).unwrap();
        heard.truncate(length);
        // Words in the clear where a certificate has to be.
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        heard
    });
    let asked = world.extractor().extract(&Scope::default(), &[turn(What::User(SAID.to_owned()))]);
    let error = asked.unwrap_err().to_string();
    assert!(error.contains("can't be reached"), "{error}");
    let heard = heard.join().unwrap();
    // The first record of TLS is a handshake (RFC 8446, section 5.1).
    assert_eq!(heard[0], 22);
    let has = |words: &str| heard.windows(words.len()).any(|part| part == words.as_bytes());
    assert!(!has(KEY) && !has(SAID));
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
