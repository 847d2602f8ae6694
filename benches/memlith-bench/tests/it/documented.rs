//! The README states exactly the keys that are printed.

use serde_json::{Value, json};

use crate::harness::Desk;
use crate::keys::{Keys, compare, documented, say};

const PAGE: &str = include_str!("../../README.md");

#[test]
fn the_documented_keys_are_those_that_are_printed() {
    compare(&documented(PAGE), &printed());
}

/// Every key that a script over all benches prints.
fn printed() -> Keys {
    let mut keys = Keys::new();
    let desk = Desk::empty();
    let mut say = |desk: &Desk, bench: &str, args: &[&str]| {
        say(&mut keys, bench, &desk.run(&[&[args[0], "--json"], &args[1..]].concat()));
    };
    let told = include_str!("../../../../crates/import/tests/fixtures/locomo.json");
    let mut told: Vec<Value> = serde_json::from_str(told).unwrap();
    // Whom a question asks is told where some ask the wrong one.
    for (question, category) in [("Where did Ana move in Pune?", 4), ("Where did Bo move?", 5)] {
        let asked = json!({"question": question, "category": category, "evidence": ["D1:1"]});
        told[0]["qa"].as_array_mut().unwrap().push(asked);
    }
    // An interval takes two dialogues.
    let mut again = told[0].clone();
    again["sample_id"] = "again".into();
    told.push(again);
    let locomo = Value::from(told).to_string();
    std::fs::write(desk.path().join("locomo.json"), locomo).unwrap();
    let full = ["--full", "--latency", "--latency-max", "6000"];
    let recall = ["recall", "--dataset", "locomo.json"];
    say(&desk, "recall", &[&recall[..], &full].concat());
    say(&desk, "recall", &["recall", "--agents"]);
    let pairs = r#"{"a": "Ana lives in Pune", "b": "Ana lives in Oslo", "label": "change"}
{"a": "grows leeks", "b": "has leeks", "label": "restatement", "cosine": 0.9}"#;
    std::fs::write(desk.path().join("pairs.jsonl"), pairs).unwrap();
    say(&desk, "reconcile", &["reconcile", "--pairs", "pairs.jsonl"]);
    let cold = ["cold-checkout", "--drop-caches", "--check", "--items-min", "0"];
    let small = ["--sizes", "104kB,208kB", "--tail", "20", "--runs", "3"];
    say(&desk, "cold-checkout", &[&cold[..], &small].concat());
    let append = ["append", "--single", "2", "--batches", "1", "--rounds", "1"];
    let small = ["--threads", "2", "--per-thread", "1", "--grown", "104kB", "--seconds", "1"];
    say(&desk, "append", &[&append[..], &small].concat());
    for verb in ["verify", "replay"] {
        let small = [verb, "--size", "104kB", "--runs", "1"];
        say(&desk, verb, &small);
    }
    let small = ["checkout", "--size", "104kB", "--runs", "3", "--items-min", "0"];
    say(&desk, "checkout", &[&small[..], &["--readers", "2", "--one-processor"]].concat());
    let small = ["mine", "--sessions", "40", "--steps", "30", "--procedures", "2"];
    say(&desk, "mine", &small);
    let small = ["checkpoint", "--size", "104kB", "--every", "50", "--single", "2"];
    say(&desk, "checkpoint", &small);
    let small = ["door", "--rows", "60", "--notes", "4", "--facts", "3", "--scoped", "20"];
    say(&desk, "door", &[&small[..], &["--writes", "1"]].concat());
    let small = ["compact", "--events", "3000", "--runs", "2"];
    say(&desk, "compact", &small);
    let small = ["novelty", "--sizes", "104kB,208kB", "--runs", "4"];
    say(&desk, "novelty", &small);
    keys
}
