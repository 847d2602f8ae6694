//! Exports in other programs' formats.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Desk, id};

/// Two values of one thing, the later of which was shown.
fn staged() -> (Desk, String, String) {
    let desk = Desk::new();
    let old = id(&desk.json(&["remember", "Staging runs Postgres 15."]));
    let new = id(&desk.json(&["remember", "Staging runs Postgres 16."]));
    desk.ok(&["checkout", "which Postgres does staging run?"]);
    (desk, old, new)
}

fn prov(desk: &Desk, of: &str) -> Value {
    serde_json::from_str(&desk.ok(&["export", "prov", of]).out).unwrap()
}

#[test]
fn a_memorys_life_names_what_it_replaced_and_who_was_shown_it() {
    let (desk, old, new) = staged();
    let life = prov(&desk, &new);
    let name = |id: &str| format!("item:{id}");
    assert_eq!(life["entity"][name(&old)]["prov:value"], "Staging runs Postgres 15.");
    let only = |relation: &str| {
        let all = life[relation].as_object().unwrap();
        assert_eq!(all.len(), 1, "{relation}: {life:#}");
        all.values().next().unwrap().clone()
    };
    let revision = only("wasDerivedFrom");
    assert_eq!(revision["prov:generatedEntity"], name(&new).as_str());
    assert_eq!(revision["prov:usedEntity"], name(&old).as_str());
    assert_eq!(only("wasInvalidatedBy")["prov:activity"], revision["prov:activity"]);
    let kinds: BTreeSet<&str> = life["activity"]
        .as_object()
        .unwrap()
        .values()
        .map(|one| one["prov:type"].as_str().unwrap())
        .collect();
    let all = ["memory.remembered", "memory.surfaced", "reconcile.decided"];
    assert_eq!(kinds, BTreeSet::from(all));
    // Of what is erased, the fact stays and no word.
    desk.ok(&["erase", &old, "--as", "owner", "--yes"]);
    let life = prov(&desk, &old);
    assert_eq!(life["entity"][name(&old)]["prov:type"], "erased");
    assert!(!life.to_string().contains("Postgres 15"), "{life:#}");
    // Another scope's life is as little told as it is shown.
    let walled = id(&desk.json(&["remember", "Zoe has the vault.", "--scope", "subject=bank"]));
    desk.refused(1, &["export", "prov", &walled, "--scope", "subject=shop"], &["no record"]);
    desk.refused(2, &["export", "prov"], &["ID"]);
    desk.refused(2, &["export", "jsonl", &new], &["leave the ID out"]);
}

#[test]
fn every_record_is_a_cloud_event() {
    let (desk, _, new) = staged();
    let out = desk.ok(&["export", "cloudevents"]).out;
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let head = desk.json(&["head"]);
    assert_eq!(events.len() as u64, head["seq"].as_u64().unwrap() + 1);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["specversion"], "1.0");
        assert_eq!(event["sequence"], format!("{number:020}"));
        let source = format!("memlith://{}", head["ledger"].as_str().unwrap());
        assert_eq!(event["source"], source.as_str());
    }
    let event = events.iter().find(|event| event["id"] == new.as_str()).unwrap();
    assert_eq!(event["type"], "memlith.memory.remembered");
    let text = &event["data"]["content"]["memory"]["remembered"]["text"];
    assert_eq!(text, "Staging runs Postgres 16.");
    assert_eq!(events.last().unwrap()["chain"], head["chain"]);
    let written = desk.json(&["export", "cloudevents", "--out", "events"]);
    assert_eq!(written["records"].as_u64(), Some(events.len() as u64));
}
