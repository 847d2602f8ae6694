//! The benches measure what the verbs do.

use serde_json::{Value, json};

use crate::harness::Desk;
use crate::program::memlith;

/// Two dialogues in LoCoMo's format. The last question's evidence is the turn after
/// the one that answers it, one name of evidence names nothing, one question has none.
fn dataset() -> Value {
    let turn = |place: usize, text: &str| json!({ "speaker": (["Ana", "Bo"][place]), "dia_id": (format!("D1:{}", place + 1)), "text": text });
    let ask = |question: &str, category: u64, evidence: &[&str]| json!({ "question": question, "answer": "", "category": category, "evidence": evidence });
    let dialogue = |name: &str, texts: [&str; 2], asked: &[Value]| {
        let turns = [turn(0, texts[0]), turn(1, texts[1])];
        let date = "1:56 pm on 8 May, 2023";
        let conversation = json!({ "speaker_a": "Ana", "speaker_b": "Bo", "session_1_date_time": date, "session_1": turns });
        json!({ "sample_id": name, "conversation": conversation, "qa": asked })
    };
    let one = [
        ask("Where did Ana move in spring?", 4, &["D1:1"]),
        ask("Who is strict with the violin?", 1, &["D1:2", "D9:9"]),
        ask("What is the answer?", 3, &[]),
    ];
    let two = [ask("Which colour has the bicycle?", 4, &["D1:2"])];
    json!([
        dialogue("one", ["I moved to Pune in spring.", "My violin teacher is strict."], &one),
        dialogue("two", ["The bicycle is red.", "Soup again tonight?"], &two),
    ])
}

#[test]
fn recall_is_measured_by_what_the_verb_recall_finds() {
    let desk = Desk::empty();
    std::fs::write(desk.path().join("data.json"), dataset().to_string()).unwrap();
    let bench = ["recall", "--dataset", "data.json"];
    let more = ["--per-question", "lines.jsonl", "--keep", "kept"];
    let report = desk.json(&[&bench[..], &more].concat());
    assert_eq!(report["questions"], 3, "{report}");
    assert_eq!(report["recall_at_5"], 100.0, "{report}");
    // The bicycle's evidence comes second: (1 + 1 + 1/2) / 3.
    assert_eq!(report["mrr"], 83.33, "{report}");
    assert_eq!(report["by_category"]["1"]["mrr"], 100.0, "{report}");
    assert_eq!(report["by_dialogue"]["1"]["mrr"], 50.0, "{report}");
    assert_eq!(report["unresolved_evidence"], 1, "{report}");
    assert_eq!(report["questions_without_evidence"], 1, "{report}");
    assert_eq!(report["public_dataset"], false);

    let lines = std::fs::read_to_string(desk.path().join("lines.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 3);
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let words: Vec<&str> =
            line["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        assert_eq!(words[0], "memlith");
        let found = memlith(&desk, &words[1..]);
        let ids: Vec<&Value> =
            found["results"].as_array().unwrap().iter().map(|result| &result["id"]).collect();
        assert_eq!(ids, line["top"].as_array().unwrap().iter().collect::<Vec<_>>(), "{line}");
    }
    let full = desk.json(&[&bench[..], &["--full"]].concat());
    assert_eq!(full["budgets"]["4000"]["gold"], 3, "{full}");
    assert!(full["ablation"]["coverage"]["recall_at_10_change"].is_number(), "{full}");
    for now in ["inside", "end", "year_after"] {
        assert_eq!(full["salience"][now]["on"]["questions"], 3, "{full}");
    }
    let skipped = desk.json(&[&bench[..], &["--skip", "1"]].concat());
    assert_eq!((&skipped["questions"], &skipped["dialogues_skipped"]), (&1.into(), &1.into()));
}

#[test]
fn cold_checkouts_are_measured_in_processes_of_their_own() {
    let desk = Desk::empty();
    let bench = ["cold-checkout", "--events", "200", "--runs", "2", "--check", "--items-min", "0"];
    let report = desk.json(&bench);
    assert_eq!(report["events"], 200, "{report}");
    assert_eq!(report["tail_events"], 100, "{report}");
    for timed in [&report, &report["no_observe"]] {
        assert_eq!(timed["runs"], 2, "{report}");
        let ms = |key: &str| timed[key].as_f64().unwrap();
        assert!(0.0 < ms("wall_ms_min") && ms("wall_ms_min") <= ms("wall_ms_p50"), "{report}");
        assert!(ms("wall_ms_p50") <= ms("wall_ms_p99"), "{report}");
        assert!(ms("wall_ms_p99") <= ms("wall_ms_max"), "{report}");
        // A process of its own has at least its program's pages.
        assert!(timed["rss_bytes"].as_u64().unwrap() > 1 << 20, "{report}");
    }
    // Each answer without observation, and the first with one, is that of a full replay.
    assert_eq!(report["checked"], 3, "{report}");
    let pooled = desk.json(&[&bench[..], &["--tails", "0,100", "--no-observe"]].concat());
    assert_eq!((&pooled["tails"], &pooled["runs"]), (&json!([0, 100]), &4.into()), "{pooled}");
    assert_eq!(pooled["checked"], 4, "{pooled}");
    // The kept ledger is measured again as it was, not as the first bench left its copy.
    let again = desk.json(&bench);
    for key in ["records", "tail_records", "checkpoint_bytes", "ledger_bytes"] {
        assert_eq!(again[key], report[key], "{key}");
    }
}

#[test]
fn a_cold_checkout_with_too_few_items_is_no_measurement() {
    let desk = Desk::empty();
    let bench = ["cold-checkout", "--events", "100", "--runs", "1", "--items-min", "500"];
    desk.refused(4, &bench, &["fewer than the 500"]);
    desk.refused(2, &["cold-checkout", "--events", "100", "--tail", "100"], &["tail"]);
    desk.refused(2, &["cold-checkout", "--size", "10mb"], &["a size looks like"]);
}

#[test]
fn the_growth_is_drawn() {
    let desk = Desk::empty();
    let bench = ["cold-checkout", "--sizes", "104kB,208kB", "--runs", "1"];
    let more = ["--items-min", "0", "--no-observe", "--dir", "kept", "--plot", "growth.svg"];
    let report = desk.json(&[&bench[..], &more].concat());
    assert_eq!(report["sizes"].as_array().map(Vec::len), Some(2), "{report}");
    assert_eq!(report["sizes"][1]["wall_ms_p50"], report["wall_ms_p50"]);
    assert!(report["ratio_p50"].as_f64().is_some_and(|ratio| ratio > 0.0), "{report}");
    let svg = std::fs::read_to_string(desk.path().join("growth.svg")).unwrap();
    for words in ["<svg", "104 kB", "207 kB", "warm, p99", "</svg>"] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
    // Nothing was dropped, and two ledgers are kept, and no copy.
    assert!(!svg.contains("dropped"));
    assert_eq!(std::fs::read_dir(desk.path().join("kept")).unwrap().count(), 2);
}

#[test]
fn an_append_is_measured_beside_a_bare_one_and_its_syncs_are_counted() {
    let desk = Desk::empty();
    let bench = ["append", "--single", "4", "--batches", "3", "--rounds", "2"];
    let report = desk.json(&[&bench[..], &["--threads", "1,3", "--per-thread", "2"]].concat());
    assert_eq!((&report["runs"], &report["payload_bytes"]), (&4.into(), &600.into()), "{report}");
    // A durable append is one sync, whatever the machine does meanwhile.
    assert_eq!(report["one"]["syncs_per_event"], 1.0, "{report}");
    assert!(report["one"]["bare_us_p50"].as_f64().is_some_and(|us| us > 0.0), "{report}");
    assert_eq!(report["buffered"]["events"], 600, "{report}");
    let stays = report["buffered"]["log_per_payload"].as_f64().unwrap();
    assert!((1.1..1.25).contains(&stays), "{report}");
    assert_eq!(report["group"][1]["threads"], 3, "{report}");
    assert_eq!(report["group"][1]["events"], 12, "{report}");
    assert!(report["grown"].is_null() && report["sustained"].is_null(), "{report}");
    let least = |pointer: &str| report.pointer(pointer).and_then(Value::as_f64).unwrap();
    assert!(least("/group/1/cpu_us_per_event") > 0.0, "{report}");
    // A thousand memories of a line: what they say, what finds them, and the space set aside.
    assert!((1e5..3e6).contains(&least("/small/disk_bytes")), "{report}");
    assert_eq!(std::fs::read_dir(desk.path().join("memlith-bench")).unwrap().count(), 0);
}

#[test]
fn verification_replay_and_warm_checkouts_are_measured_on_one_kept_ledger() {
    let desk = Desk::empty();
    let small = ["--size", "104kB", "--runs", "2", "--dir", "kept"];
    let verify = desk.json(&[&["verify"][..], &small].concat());
    let replay = desk.json(&[&["replay", "--threads", "1,2"][..], &small].concat());
    let checkout =
        desk.json(&[&["checkout", "--items-min", "0", "--readers", "1,3"][..], &small].concat());
    for report in [&verify, &replay] {
        assert_eq!((&report["events"], &report["runs"]), (&100.into(), &2.into()), "{report}");
    }
    let ledger = std::fs::read_dir(desk.path().join("kept")).unwrap().next().unwrap().unwrap();
    let ledger = ledger.path().to_str().unwrap().to_owned();
    let digest = &memlith(&desk, &["verify", "replay", "--json", "--ledger", &ledger])["digest"];
    assert_eq!(&replay["digest"], digest, "what is timed is what the verb does");
    assert_eq!(replay["by_threads"].as_array().map(Vec::len), Some(2), "{replay}");
    assert!(verify["routine"]["gb_per_s"].as_f64().is_some_and(|gb| gb > 0.0), "{verify}");
    for level in ["routine", "deep"] {
        let share = verify[level]["of_machine"].as_f64().unwrap();
        assert!(0.0 < share && share < 1.5, "{verify}");
    }
    assert!(replay["first_answer_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{replay}");
    let beside = |at: usize, key: &str| checkout["beside_writer"][at][key].as_f64().unwrap();
    assert!(beside(1, "readers") == 3.0 && beside(1, "writes_per_s") > 0.0, "{checkout}");
    assert!(beside(0, "wall_ms_p50") <= beside(0, "wall_ms_p999"), "{checkout}");
    assert!(checkout["items"].as_u64().is_some_and(|items| items > 80), "{checkout}");
    assert!(checkout["observed"]["wall_ms_p50"].as_f64().is_some_and(|ms| ms > 0.0));
    assert_eq!(std::fs::read_dir(desk.path().join("kept")).unwrap().count(), 1);
}

#[test]
fn a_plan_of_summaries_is_measured_and_audited() {
    let desk = Desk::empty();
    let report = desk.json(&["compact", "--events", "3000", "--runs", "2"]);
    assert_eq!((&report["events"], &report["runs"]), (&3_000.into(), &2.into()), "{report}");
    assert_eq!((&report["cited_percent"], &report["findings"]), (&100.0.into(), &0.into()));
    assert!(report["salience_least_percent"].as_f64().is_some_and(|kept| kept >= 95.0), "{report}");
    assert!(report["summaries"].as_u64().is_some_and(|count| count >= 6), "{report}");
    for reason in ["pending", "invalidated", "superseded", "stale", "derived", "bookkeeping"] {
        assert!(report["left_out"][reason].as_u64().is_some_and(|count| count > 0), "{report}");
    }
    let seeded = desk.json(&["compact", "--events", "3000", "--runs", "1", "--seed", "7"]);
    assert_ne!(seeded["work"], report["work"]);
}

#[test]
fn novelty_is_measured_on_a_short_log_and_on_a_long_one() {
    let desk = Desk::empty();
    let bench = ["novelty", "--sizes", "520kB,208kB", "--runs", "12"];
    let report = desk.json(&bench);
    let memories = |at: usize| &report["sizes"][at]["memories"];
    assert_eq!((memories(0), memories(1)), (&4.into(), &10.into()), "{report}");
    let longest = &report["sizes"][1];
    for sort in ["redundant", "reinforcing", "novel"] {
        assert_eq!(longest["by_sort"][sort]["told_percent"], 100.0, "{report}");
    }
    assert_eq!(longest["by_sort"]["redundant"]["bodies"], 1.0, "{report}");
    for ratio in ["ratio_p50", "ratio_cpu", "ratio_bodies", "ratio_postings"] {
        assert!(report[ratio].as_f64().is_some_and(|ratio| ratio > 0.0), "{report}");
    }
    assert_eq!((&report["runs"], &report["seed"]), (&12.into(), &42.into()), "{report}");
    let alone = desk.json(&["novelty", "--size", "208kB", "--runs", "1"]);
    assert!(
        alone["ratio_p50"].is_null() && alone["sizes"].as_array().is_some_and(|all| all.len() == 1)
    );
}
