//! Whatever a verb prints of a record leads back to it, and what names none says what to do.

use serde_json::Value;

use crate::harness::{Desk, id};

/// A ledger with two values of a slot and a checkout that showed the second.
pub(crate) fn moved() -> (Desk, String, String, Value) {
    let desk = Desk::new();
    let slot = ["--entity", "ana", "--predicate", "lives_in", "--single", "--value"];
    let lives = |text, place| id(&desk.json(&[&["remember", text], &slot[..], &[place]].concat()));
    let pune = lives("Ana lives in Pune.", "Pune");
    let oslo = lives("Ana lives in Oslo.", "Oslo");
    let pack = desk.json(&["checkout", "where does Ana live?"]);
    (desk, pune, oslo, pack)
}

#[test]
fn every_name_of_a_record_leads_to_it() {
    let (desk, pune, oslo, pack) = moved();
    let seq = oslo.split('_').nth(1).unwrap();
    let citation = desk.json(&["show", &oslo])["citation"].as_str().unwrap().to_owned();
    for name in [seq, &oslo, &oslo[..oslo.len() - 5], &format!("mem_{seq}_"), &citation] {
        for verb in ["show", "history", "trace", "explain", "taint"] {
            assert_eq!(desk.json(&[verb, name])["id"], oslo.as_str(), "{verb} {name}");
        }
    }
    let observed = pack["observation"].as_str().unwrap();
    let checkout = pack["receipt"]["checkout"].as_str().unwrap();
    for name in [observed, checkout] {
        for scope in ["tenant=default", "agent=other"] {
            let shown = desk.json(&["show", name, "--as", "user:ben", "--scope", scope]);
            assert_eq!(shown["id"], observed, "{name}");
        }
    }
    // Each verb that changes an item takes them as well.
    for verb in ["confirm", "promote", "pin", "unpin", "invalidate", "reconfirm"] {
        assert_eq!(desk.json(&[verb, seq])["ids"][0], oslo.as_str(), "{verb}");
    }
    let outcome = desk.json(&["outcome", "success", "--shown-in", checkout]);
    assert_eq!(outcome["outcome"], "changed");
    assert_ne!(pune, oslo);
}

#[test]
fn every_id_that_a_verb_prints_is_taken() {
    let (desk, _, oslo, _) = moved();
    desk.ok(&["invalidate", &oslo, "--reason", "moved again"]);
    let note = desk.remember("To be forgotten.");
    desk.ok(&["erase", &note, "--yes", "--as", "owner"]);
    desk.ok(&["checkpoint"]);
    let lines = desk.ok(&["log", "--json"]).out;
    let mut kinds = std::collections::BTreeSet::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let id = line["id"].as_str().unwrap();
        kinds.insert(line["kind"].as_str().unwrap().to_owned());
        for verb in ["show", "history", "trace", "explain"] {
            let answer = desk.json(&[verb, id]);
            assert_eq!(answer["id"], id, "{verb} {line}");
            assert!(!desk.ok(&[verb, id]).out.is_empty(), "{verb} {line}");
        }
    }
    assert!(kinds.len() >= 8, "{kinds:?}");
}

#[test]
fn what_names_no_record_says_what_to_do() {
    let (desk, _, oslo, _) = moved();
    for number in 0..5 {
        desk.remember(&format!("Note number {number}."));
    }
    let before = desk.json(&["head"])["seq"].clone();
    let long = "9".repeat(50_000);
    let elsewhere = format!("memlith://{}/4#000000000000", "0".repeat(32));
    for (name, code, words) in [
        ("", 2, "empty"),
        ("$(reboot)", 2, "mem_17_0a1b2c3d4e5f"),
        ("`id`;ls|wc", 2, "mem_17_0a1b2c3d4e5f"),
        ("4 ", 2, "white space"),
        ("\u{1b}[31m4", 2, "control character"),
        ("mem_4_ZZ", 2, "the beginning of no id"),
        ("04", 2, "forms"),
        (&oslo[1..], 2, "forms"),
        (&long, 2, "longer than any id"),
        ("memlith://x", 2, "citation"),
        ("99", 1, "`log` lists all"),
        ("mem_99", 1, "`log` lists all"),
        ("mem_4_0000", 1, "no record is named mem_4_0000"),
        ("18446744073709551615", 1, "`log` lists all"),
        ("mem_1", 1, "several records"),
        (&"0".repeat(32), 1, "no record is named"),
        (&elsewhere, 1, "another ledger"),
    ] {
        for verb in ["show", "history", "trace", "explain", "confirm", "invalidate", "pin"] {
            let run = desk.refused(code, &[verb, name], &[words]);
            assert!(run.out.is_empty() && run.err.len() < 1_000, "{verb}: {run:?}");
            assert!(!run.err.contains('\u{1b}'), "{run:?}");
        }
    }
    assert_eq!(desk.json(&["head"])["seq"], before);
}
