//! The webhook against receivers that answer in every way.

use std::time::Duration;

use memlith_delivery::{Batch, Item, Sink, Verdict};
use memlith_delivery::{Webhook, is_signed};
use serde_json::{Value, json};

use memlith_testkit::{Answer, FaultServer};

const NOW: i64 = 1_784_887_151;

fn batch(count: u64) -> Batch {
    let item = |number: u64| Item {
        id: format!("mem_{number}_0a"),
        kind: "basin.strengthened".to_owned(),
        key: "tides \u{e9}".to_owned(),
        version: number,
        hash: "ab".to_owned(),
        data: json!({"strength": 0.5, "summary": " a\u{a0}b ", "links": []}),
    };
    Batch {
        id: "0a8de3b8-6d8d-89e7-8323-ad50f4cfc2ea".to_owned(),
        items: (1..=count).map(item).collect(),
    }
}

fn sent(answer: Answer) -> (Verdict, FaultServer) {
    let server = FaultServer::new([answer]);
    let address = server.address().replace("/v1", "");
    let webhook = Webhook::new(&address, "secret".to_owned(), Duration::from_secs(1)).unwrap();
    (webhook.deliver(&batch(2), NOW), server)
}

fn of(status: &str, headers: &str, body: &str) -> Verdict {
    sent(Answer::status(status, headers, body)).0
}

fn is_applied(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Done { results, .. } if results.iter().all(|one| one.applied))
}

#[test]
fn a_batch_is_one_signed_post() {
    let (verdict, server) = sent(Answer::status("200 OK", "", "{\"success\": true}"));
    assert!(is_applied(&verdict), "{verdict:?}");
    let [request] = server.heard().try_into().unwrap();
    assert!(request.head.starts_with("POST /webhook/memory/v1/consolidate "), "{}", request.head);
    let header = |name: &str| {
        let line = request.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        });
        line.unwrap()
    };
    assert_eq!(header("X-Webhook-Id"), batch(2).id);
    assert_eq!(header("X-Webhook-Timestamp"), NOW.to_string());
    // The body as it was sent: the receiver need not write it anew.
    let body = request.body.to_string();
    assert!(is_signed("secret", NOW, body.as_bytes(), &header("X-Webhook-Signature"), NOW));
    assert_eq!(request.body["batch_id"], batch(2).id);
    let first = &request.body["items"][0];
    assert_eq!((&first["type"], &first["version"]), (&json!("basin_strengthened"), &json!(1)));
    assert_eq!(first["data"]["summary"], " a\u{a0}b ");
}

#[test]
fn what_says_nothing_or_yes_is_applied() {
    for (status, body) in [
        ("200 OK", ""),
        ("200 OK", " \n"),
        ("200 OK", "{}"),
        ("200 OK", "{\"other\": 1}"),
        ("201 Created", "whatever"),
        ("202 Accepted", ""),
        ("204 No Content", ""),
    ] {
        let verdict = of(status, "", body);
        assert!(is_applied(&verdict), "{status} {body:?}: {verdict:?}");
    }
    let body = json!({"success": true, "processed": 2, "nodes_created": 3, "edges_created": 4});
    let Verdict::Done { nodes_created, edges_created, .. } = of("200 OK", "", &body.to_string())
    else {
        panic!("not applied");
    };
    assert_eq!((nodes_created, edges_created), (3, 4));
}

#[test]
fn each_item_is_what_the_results_say() {
    let results = json!([
        {"id": "mem_1_0a", "applied": true},
        {"id": "mem_2_0a", "applied": false, "error": "no such basin"},
    ]);
    let body: Value = json!({"success": false, "processed": 1, "failed": 1, "results": results});
    let Verdict::Done { results, .. } = of("200 OK", "", &body.to_string()) else {
        panic!("not read");
    };
    assert!(results[0].applied && !results[1].applied);
    assert_eq!(results[1].error.as_deref(), Some("no such basin"));
}

#[test]
fn what_may_pass_is_tried_again() {
    let wait = |verdict: Verdict| match verdict {
        Verdict::Again { wait, .. } => wait.map(|wait| wait.as_secs()),
        other @ (Verdict::Done { .. } | Verdict::Unreached { .. } | Verdict::Never { .. }) => {
            panic!("{other:?}")
        }
    };
    for status in ["500 Internal Server Error", "408 Request Timeout", "425 Too Early"] {
        assert_eq!(wait(of(status, "", "")), None, "{status}");
    }
    assert_eq!(wait(of("429 Too Many Requests", "Retry-After: 40\r\n", "")), Some(40));
    for body in [
        "{\"success\": false}",
        "<html>",
        "[1]",
        "{\"processed\": 3}",
        "{\"processed\": 1}",
        "{\"success\": true, \"processed\": 0}",
        "{\"failed\": 1}",
    ] {
        assert_eq!(wait(of("200 OK", "", body)), None, "{body}");
    }
}

#[test]
fn what_is_refused_or_moved_is_never_sent_again() {
    for status in [
        "301 Moved Permanently",
        "302 Found",
        "400 Bad Request",
        "401 Unauthorized",
        "403 Forbidden",
        "404 Not Found",
        "413 Content Too Large",
        "422 Unprocessable Content",
    ] {
        let verdict = of(status, "Location: http://127.0.0.1:1/\r\n", "");
        assert!(matches!(verdict, Verdict::Never { .. }), "{status}: {verdict:?}");
    }
}

#[test]
fn who_does_not_answer_to_the_end_was_not_reached() {
    let long = "x".repeat(2 << 20);
    let whole = Answer::status("200 OK", "", "{\"success\": true, \"results\": []}");
    for answer in [
        Answer::Stall,
        Answer::Endless,
        Answer::Bytes(Vec::new()),
        Answer::Bytes(b"not http\r\n\r\n".to_vec()),
        whole.cut(5),
        Answer::status("200 OK", "", &long),
        Answer::status("502 Bad Gateway", "", ""),
        Answer::status("503 Service Unavailable", "", ""),
        Answer::status("504 Gateway Timeout", "", ""),
    ] {
        let told = format!("{answer:?}").chars().take(80).collect::<String>();
        let (verdict, _server) = sent(answer);
        let Verdict::Unreached { what } = verdict else { panic!("{told}: {verdict:?}") };
        assert!(!what.contains("secret"), "{what}");
    }
    let closed = Webhook::new("http://127.0.0.1:1", "secret".to_owned(), Duration::from_secs(1));
    let verdict = closed.unwrap().deliver(&batch(1), NOW);
    assert!(matches!(verdict, Verdict::Unreached { .. }), "{verdict:?}");
}

#[test]
fn the_token_shows_nowhere_and_goes_over_no_open_line() {
    let new = |url: &str| Webhook::new(url, "secret".to_owned(), Duration::from_secs(1));
    assert!(!format!("{:?}", new("https://a.test/hook").unwrap()).contains("secret"));
    for open in ["http://a.test", "http://10.0.0.1/x", "ftp://a.test", "https://k@a.test", ""] {
        assert!(new(open).is_err(), "{open}");
    }
}
