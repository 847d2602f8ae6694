use serde_json::{Value, json};

use super::session::Session;
use crate::harness::Desk;

/// A line that is no message of the protocol gets an error of it, and the next call its answer.
#[test]
fn a_line_that_is_no_request_is_told_so() {
    let mut session = Session::begun(&Desk::new(), &[]);
    let deep = [vec![b'['; 5_000], vec![b']'; 5_000]].concat();
    let long = [b"{\"jsonrpc\":\"2.0\",\"x\":\"".to_vec(), vec![b'a'; 33 << 20]].concat();
    for (line, code) in [
        (&b"hello"[..], -32_700),
        (b"{\"jsonrpc\":\"2.0\",", -32_700),
        (b"\xff\xfe", -32_700),
        (&deep, -32_700),
        (&long, -32_700),
        (b"5", -32_600),
        (b"{}", -32_600),
        (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32_600),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}]", -32_600),
    ] {
        session.raw(line);
        let answer = session.next();
        let shown = String::from_utf8_lossy(line.get(..60).unwrap_or(line)).into_owned();
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        // Under its id, where it has one that can be read.
        let id = if shown.contains("\"id\":1,") { json!(1) } else { Value::Null };
        assert_eq!(answer["id"], id, "{answer}");
    }
    session.raw(b"   ");
    let answer = session.ask("ping", json!({}));
    assert_eq!(answer["result"], json!({}));
    assert_eq!(session.end(), 0);
}
