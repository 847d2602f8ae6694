//! `list` and `get`: all that fits the filters, once, in order, page by page.

use serde_json::Value;

use crate::harness::{Desk, id};

/// A ledger with memories of all sorts, records in two sessions and another agent's notes.
fn full() -> Desk {
    let desk = Desk::new();
    for number in 0..12 {
        desk.remember(&format!("Note number {number} is about tea."));
    }
    for (place, from) in [("Pune", "2020-01-01"), ("Oslo", "2022-01-01"), ("Rome", "2024-01-01")] {
        lives(&desk, place, &["--valid-from", from]);
    }
    desk.run(&["remember", "A guess of a tool.", "--as", "tool", "--no-slot"]);
    let wrong = desk.remember("This was wrong.");
    desk.ok(&["forget", &wrong]);
    desk.ok(&["remember", "The bot's own note.", "--scope", "agent=bot"]);
    let line = |at: usize, session: &str| {
        format!(
            r#"{{"type":"user","uuid":"u{at}","parentUuid":null,"sessionId":"{session}","timestamp":"2026-05-01T12:00:{at:02}Z","message":{{"role":"user","content":"Said {at}"}}}}"#
        )
    };
    let lines = |session: &str, from: usize| {
        (from..from + 4).map(|at| line(at, session)).collect::<Vec<_>>().join("\n")
    };
    std::fs::write(desk.path().join("one.jsonl"), lines("one", 0)).unwrap();
    std::fs::write(desk.path().join("two.jsonl"), lines("two", 4)).unwrap();
    desk.ok(&["import", "claude-code", "one.jsonl", "two.jsonl"]);
    desk
}

fn lives(desk: &Desk, place: &str, more: &[&str]) -> String {
    let text = format!("Ana Smith lives in {place}.");
    let slot = ["--entity", "Ana Smith", "--predicate", "lives_in", "--single", "--value", place];
    id(&desk.json(&[&["remember", &text][..], &slot, more].concat()))
}

fn ids(page: &Value) -> Vec<String> {
    let rows = page["items"].as_array().or(page["sessions"].as_array()).unwrap();
    rows.iter().map(|row| row.get("id").or(row.get("last")).unwrap().to_string()).collect()
}

/// All pages of so many rows.
fn paged(desk: &Desk, args: &[&str], limit: &str) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let mut page = [&["list"], args, &["--limit", limit]].concat();
        page.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor.as_str()]));
        let page = desk.json(&page);
        let found = ids(&page);
        assert!(found.len() <= limit.parse().unwrap(), "{page}");
        all.extend(found);
        assert!(all.len() < 1_000, "it goes round in a circle");
        match page["next"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return all,
        }
    }
}

#[test]
fn pages_put_together_are_the_whole_list_in_either_order() {
    let desk = full();
    for (args, count) in [
        (&[][..], 17),
        (&["memories"], 17),
        (&["records"], 8),
        (&["sessions"], 2),
        (&["--status", "active"], 13),
        (&["--status", "pending"], 1),
        (&["--status", "invalidated"], 1),
        (&["--status", "superseded"], 2),
        (&["--origin", "tool"], 1),
        (&["--entity", "ana  smith"], 3),
        (&["--entity", "ANA SMITH", "--status", "active"], 1),
        (&["--entity", "ana"], 0),
        (&["--kind", "memory.remembered"], 17),
        (&["records", "--kind", "turn.said"], 8),
        (&["records", "--kind", "turn.tool_ran"], 0),
        (&["records", "--session", "one"], 4),
        (&["records", "--session", "three"], 0),
        (&["records", "--since", "2026-05-01T12:00:02Z", "--until", "2026-05-01T12:00:05Z"], 3),
        (&["sessions", "--since", "2026-05-01T12:00:04Z"], 1),
        (&["memories", "--scope", "agent=bot"], 18),
        (&["memories", "--scope", "tenant=other"], 0),
    ] {
        let whole = paged(&desk, args, "1000");
        assert_eq!(whole.len(), count, "{args:?}");
        let seq = |id: &String| id.split('_').nth(1).unwrap().parse::<u64>().unwrap();
        assert!(whole.iter().map(seq).rev().is_sorted(), "{args:?}: {whole:?}");
        for limit in ["1", "2", "5"] {
            assert_eq!(paged(&desk, args, limit), whole, "{args:?}");
            let mut oldest = paged(&desk, &[args, &["--oldest"]].concat(), limit);
            if args.first() != Some(&"sessions") {
                oldest.reverse();
                assert_eq!(oldest, whole, "{args:?}");
            }
            assert_eq!(oldest.len(), count, "{args:?}");
        }
    }
    let sessions = desk.json(&["list", "sessions"])["sessions"].clone();
    let named: Vec<(&str, u64)> = sessions
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["session"].as_str().unwrap(), one["items"].as_u64().unwrap()))
        .collect();
    assert_eq!(named, [("two", 4), ("one", 4)]);
    assert_eq!(sessions[1]["began"], "2026-05-01T12:00:00Z");
    let run = desk.ok(&["list", "--limit", "2"]);
    assert_eq!(run.out.lines().count(), 2);
    assert!(run.err.contains("--cursor cursor_"), "{run:?}");
}

#[test]
fn what_is_written_meanwhile_moves_no_page() {
    let desk = full();
    let first = desk.json(&["list", "--limit", "4"]);
    let next = first["next"].as_str().unwrap();
    let rest = desk.json(&["list", "--cursor", next]);
    desk.remember("Written between two pages.");
    assert_eq!(desk.json(&["list", "--cursor", next]), rest);
}

#[test]
fn a_cursor_that_leads_nowhere_says_so() {
    let (desk, other) = (full(), full());
    let next = |desk: &Desk| desk.json(&["list", "--limit", "2"])["next"].clone();
    let own = next(&desk).as_str().unwrap().to_owned();
    let foreign = next(&other).as_str().unwrap().to_owned();
    let (head, _) = own.rsplit_once('_').unwrap();
    for (cursor, code, more, words) in [
        (foreign.as_str(), 2, &[][..], "is of ledger"),
        (&own, 2, &["records"], "the list memories"),
        (&own, 2, &["--oldest"], "memories-oldest"),
        (&own[..own.len() / 2], 2, &[], "no cursor"),
        ("$(reboot)", 2, &[], "no cursor"),
        ("", 2, &[], "no cursor"),
        ("\u{1b}[31m", 2, &[], "no cursor"),
        (&format!("{head}_999999"), 1, &[], "ends at record"),
        (&format!("{head}_18446744073709551615"), 1, &[], "ends at record"),
    ] {
        let args = [&["list", "--cursor", cursor], more].concat();
        let run = desk.refused(code, &args, &[words]);
        assert!(run.out.is_empty() && !run.err.contains('\u{1b}'), "{run:?}");
    }
    for (args, words) in [
        (&["list", "--limit", "0"][..], "1..=10000"),
        (&["list", "--limit=-1"], "--limit"),
        (&["list", "--kind", "memory.surfaced"], "turn.said"),
        (&["list", "--status", "fine"], "superseded"),
        (&["list", "--origin", "moon"], "assistant"),
        (&["list", "everything"], "sessions"),
        (&["list", "--since", "yesterday"], "2026-05-01"),
    ] {
        desk.refused(2, args, &[words]);
    }
}

#[test]
fn get_gives_the_values_that_hold_and_on_request_all_of_them() {
    let desk = full();
    let rome = desk.json(&["list", "facts", "--entity", "ana smith", "--predicate", "lives_in"]);
    let values = |answer: &Value| -> Vec<(String, String)> {
        let values = answer["values"].as_array().unwrap().iter();
        let pair = |one: &Value| (one["value"].to_string(), one["authority"].to_string());
        values.map(pair).map(|(a, b)| (a.replace('"', ""), b.replace('"', ""))).collect()
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    };
    assert_eq!(values(&rome), pairs(&[("Rome", "active")]));
    let all = desk.json(&["list", "facts", "--entity", "Ana Smith", "--past"]);
    let expected = [("Pune", "superseded"), ("Oslo", "superseded"), ("Rome", "active")];
    assert_eq!(values(&all), pairs(&expected));
    assert_eq!(all["values"][0]["until"], all["values"][1]["valid_from"]);
    assert_eq!(all["values"][0]["replaced_by"], all["values"][1]["id"]);
    let then = desk.json(&[
        "list",
        "facts",
        "--entity",
        "ana smith",
        "--predicate",
        "LIVES_IN",
        "--at",
        "2021-06-01",
    ]);
    assert_eq!(values(&then), pairs(&[("Pune", "active")]));
    let then = desk.json(&["list", "facts", "--entity", "ana smith", "--now", "2023-06-01"]);
    assert_eq!(values(&then), pairs(&[("Oslo", "active")]));
    let text = desk.ok(&["list", "facts", "--entity", "ana smith"]).out;
    assert!(text.starts_with("Ana Smith / lives_in = Rome  active, from 2024"), "{text}");
    // Many values at a time, and a name of words that no index files.
    for tag in ["green", "hot"] {
        let slot = ["--entity", "the", "--predicate", "is", "--value", tag];
        desk.ok(&[&["remember", &format!("The is {tag}.")][..], &slot].concat());
    }
    assert_eq!(
        values(&desk.json(&["list", "facts", "--entity", "The", "--predicate", "is"])).len(),
        2
    );
    for args in [
        &["list", "facts", "--entity", "nobody"][..],
        &["list", "facts", "--entity", "ana smith", "--predicate", "drinks"],
        &["list", "facts", "--entity", "ana"],
        &["list", "facts", "--entity", "ana smith", "--at", "2019-01-01"],
        &["list", "facts", "--entity", "ana smith", "--scope", "tenant=other"],
        &["list", "facts", "--entity", ""],
        &["list", "facts", "--entity", "$(reboot)\u{1b}[31m"],
    ] {
        let run = desk.run(args);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{args:?}: {run:?}");
        assert!(run.err.contains("memlith search"), "{run:?}");
    }
}

#[test]
fn what_is_erased_is_in_no_list_but_that_of_the_erased() {
    let desk = full();
    let rome = desk.json(&["list", "facts", "--entity", "ana smith"])["values"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    desk.ok(&["erase", &rome, "--yes", "--as", "owner"]);
    assert!(!desk.ok(&["list", "--limit", "1000"]).out.contains("Rome"));
    assert_eq!(
        desk.run(&["list", "facts", "--entity", "ana smith", "--past"]).out.matches("Rome").count(),
        0
    );
    let gone = desk.json(&["list", "--status", "erased"]);
    assert_eq!(gone["items"][0]["id"], rome.as_str());
    assert_eq!(gone["items"][0]["text"], Value::Null);
}

#[test]
fn metadata_stays_beside_its_memory() {
    let desk = Desk::new();
    let noted = |text: &str, pairs: &[&str]| {
        let mut args = vec!["remember", text];
        args.extend(pairs.iter().flat_map(|pair| ["--metadata", pair]));
        desk.json(&args)
    };
    let key = &format!("ghp_{}", "0123456789abcdefghijklmnopqrstuvwxyz");
    let paid = noted("The invoice was paid.", &["ticket=KES-412", "by=ana=lena", "empty="]);
    let sent = noted("The letter was sent.", &["ticket=KES-413", &format!("note={key}")]);
    desk.remember("The tea is green.");
    assert_eq!(sent["redacted"].as_object().unwrap().len(), 1, "{sent}");
    let pairs = |id: &str| desk.json(&["show", id])["metadata"].clone();
    let (paid, sent) = (id(&paid), id(&sent));
    let of_paid = serde_json::json!({"by": "ana=lena", "empty": "", "ticket": "KES-412"});
    assert_eq!(pairs(&paid), of_paid);
    assert!(desk.ok(&["show", &paid]).out.contains("ticket = KES-412"));
    assert!(!pairs(&sent)["note"].as_str().unwrap().contains(key));
    // A key says that its value is a secret, whatever that looks like.
    let secret = format!("pass{}", "word=tulip");
    let door = id(&noted("The door has a lock.", &[&secret, "colour=green"]));
    assert_eq!(pairs(&door)["colour"], "green");
    assert!(pairs(&door)["password"].as_str().unwrap().starts_with("[REDACTED"));

    let found = |desk: &Desk, pairs: &[&str]| {
        let mut args = vec!["list"];
        args.extend(pairs.iter().flat_map(|pair| ["--metadata", pair]));
        ids(&desk.json(&args)).len()
    };
    let asked: [(&[&str], usize); 4] = [
        (&["ticket=KES-412"], 1),
        (&["ticket=KES-412", "by=ana=lena"], 1),
        (&["empty="], 1),
        (&["ticket=KES"], 0),
    ];
    for (pairs, count) in asked {
        assert_eq!(found(&desk, pairs), count, "{pairs:?}");
    }
    // Said again, it makes no row: the pairs of the row that stands stay.
    assert_eq!(noted("The invoice was paid.", &["ticket=other"])["outcome"], "restated");
    assert_eq!(pairs(&paid), of_paid);
    // A copy, a pack and a search have the words; a copy alone has the pairs.
    let export = desk.ok(&["export", "jsonl"]).out;
    let copy = Desk::new();
    assert_eq!(copy.run_with_input(&["import", "jsonl", "-"], export.as_bytes()).code, 0);
    assert_eq!(found(&copy, &["ticket=KES-412", "by=ana=lena"]), 1);
    assert!(!desk.ok(&["checkout", "Was the invoice paid?"]).out.contains("KES-412"));
    assert!(
        ids(&desk.json(&["list", "--metadata", "ticket=KES-412", "--status", "pending"]))
            .is_empty()
    );
    // What is erased leaves with its pairs, and what takes its place has its own.
    let again = ["update", &sent, "The letter was sent on Monday.", "--metadata", "ticket=KES-414"];
    let moved = pairs(&id(&desk.json(&again)));
    assert_eq!(moved["ticket"], "KES-414", "the pairs that it names are its own");
    assert_eq!(moved["note"], pairs(&sent)["note"], "the others stay");
    desk.ok(&["erase", &paid, "--as", "owner", "--yes"]);
    assert_eq!(pairs(&paid), Value::Null);
    assert_eq!(found(&desk, &["ticket=KES-412"]), 0);

    for (pair, says) in [("ticket", "KEY=VALUE"), ("=x", "with a key")] {
        desk.refused(2, &["remember", "Tea.", "--metadata", pair], &[says]);
    }
    let long = format!("long={}", "x".repeat(70_000));
    desk.refused(1, &["remember", "Tea.", "--metadata", &long], &["65536 bytes in all"]);
    let many: Vec<String> = (0..65).map(|at| format!("k{at}=v")).collect();
    let mut args = vec!["remember", "Tea."];
    args.extend(many.iter().flat_map(|pair| ["--metadata", pair.as_str()]));
    desk.refused(1, &args, &["65 pairs"]);
    desk.refused(2, &["list", "events", "--metadata", "a=b"], &["--metadata"]);
}
