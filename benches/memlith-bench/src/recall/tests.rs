use serde_json::{Value, json};

use super::*;

/// Two dialogues; in the second a word of the first stands in another place.
fn dataset() -> Vec<u8> {
    let turn = |id: &str, speaker: &str, text: &str| json!({ "speaker": speaker, "dia_id": id, "text": text });
    let dialogue = |name: &str, turns: [Value; 3], qa: Value| {
        json!({
            "sample_id": name,
            "conversation": {
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": turns,
            },
            "qa": qa,
        })
    };
    let one = [
        turn("D1:1", "Ana", "Hello there, how have you been?"),
        turn("D1:2", "Bo", "I adopted a greyhound last week."),
        turn("D1:3", "Ana", "My orchard has a new cider press."),
    ];
    let two = [
        turn("D1:1", "Cy", "The greyhound bus was late."),
        turn("D1:2", "Di", "Mine too."),
        turn("D1:3", "Cy", "Let us take the tram tomorrow."),
    ];
    let asked = |question: &str, evidence: &[&str], category: u64| json!({ "question": question, "evidence": evidence, "category": category });
    let of_one = json!([
        asked("Who adopted a greyhound?", &["D1:2"], 4),
        asked("What about the cider press?", &["D1:3; D7:7"], 1),
        asked("What is nowhere?", &["D"], 5),
    ]);
    let of_two = json!([asked("Which greyhound was late?", &["D1:1"], 4)]);
    json!([dialogue("one", one, of_one), dialogue("two", two, of_two)]).to_string().into_bytes()
}

#[test]
fn each_dialogue_is_asked_in_a_ledger_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    std::fs::write(path("set.json"), dataset()).unwrap();
    let args = RecallArgs {
        dataset: Some(path("set.json")),
        agents: false,
        seed: 42,
        per_question: Some(path("lines")),
        force: memlith_verbs::out_file::Force::default(),
        limit_k: 2,
        keep: Some(path("kept")),
        skip: 0,
        embedder: None,
        wanted: Wanted::default(),
    };
    measure(&args, &|_| ()).unwrap();
    let lines = std::fs::read_to_string(path("lines")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "the question without evidence is not asked");
    for line in &lines {
        let top = line["top"].as_array().unwrap();
        assert!(!top.is_empty() && top.len() <= 2, "{line}");
        assert_eq!(top[0], line["gold"][0], "{line}");
    }
    assert_eq!(lines[2]["dialogue"], "two");
    let dir = format!("--ledger={}", path("kept").join("two").display());
    assert_eq!(lines[2]["command"][2], dir);
    assert!(path("kept").join("two").join("mark").is_file(), "the ledger is kept");
}

#[test]
fn evidence_is_counted_and_dialogues_can_be_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("set.json");
    std::fs::write(&file, dataset()).unwrap();
    for (skip, asked, unresolved, unanswerable) in [(0, 3, 2, 1), (1, 1, 0, 0)] {
        let args = RecallArgs {
            dataset: Some(file.clone()),
            agents: false,
            seed: 42,
            per_question: None,
            force: memlith_verbs::out_file::Force::default(),
            limit_k: 20,
            keep: None,
            skip,
            embedder: None,
            wanted: Wanted::default(),
        };
        let printed = serde_json::to_value(measure(&args, &|_| ()).unwrap()).unwrap();
        assert_eq!(printed["questions"], asked, "{printed}");
        assert_eq!(printed["mrr"], 100.0, "{printed}");
        assert_eq!(printed["unresolved_evidence"], unresolved, "{printed}");
        assert_eq!(printed["questions_without_evidence"], unanswerable, "{printed}");
        assert_eq!(printed["runs"], asked, "{printed}");
        assert_eq!(printed["by_category"]["4"]["questions"], if skip == 0 { 2 } else { 1 });
    }
}

#[test]
fn everything_is_measured_where_it_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("set.json");
    std::fs::write(&file, dataset()).unwrap();
    let args = RecallArgs {
        dataset: Some(file),
        agents: false,
        seed: 42,
        per_question: None,
        force: memlith_verbs::out_file::Force::default(),
        limit_k: 20,
        keep: None,
        skip: 0,
        embedder: None,
        wanted: Wanted { full: true, ..Wanted::default() },
    };
    let printed = serde_json::to_value(measure(&args, &|_| ()).unwrap()).unwrap();
    assert_eq!(printed["interval_95"]["mrr"], json!([100.0, 100.0]), "{printed}");
    let pooled = &printed["pooled"];
    assert_eq!((&pooled["turns"], &pooled["scoped_differences"]), (&json!(6), &json!(0)));
    assert_eq!(pooled["scoped"]["mrr"], 100.0, "{printed}");
    assert!(pooled["unscoped"]["mrr"].as_f64().unwrap() >= 50.0, "{printed}");
    for tokens in ["500", "1000", "2000"] {
        let budget = &printed["budgets"][tokens];
        assert_eq!((&budget["gold"], &budget["checkout"]), (&json!(3), &json!(3)), "{printed}");
        assert_eq!((&budget["top_k"], &budget["fewer"]), (&json!(3), &json!(0)), "{printed}");
    }
    assert!(printed["ablation"]["coverage"]["recall_at_10_change"].is_number(), "{printed}");
    for now in ["inside", "end", "year_after"] {
        let salience = &printed["salience"][now];
        assert_eq!(salience["on"]["recall_at_10"], salience["off"]["recall_at_10"], "{printed}");
    }
    assert!(printed["latency"].is_null(), "{printed}");
}
