use super::*;

/// The pairs that the project's figures are of.
const PAIRS: &[u8] = include_bytes!("../../../../crates/claims/tests/pairs.jsonl");

fn figures(bytes: &[u8]) -> serde_json::Value {
    measure(&parse(bytes).unwrap()).unwrap().1
}

#[test]
fn the_goals_hold_on_both_halves() {
    let figures = figures(PAIRS);
    assert!(figures["pairs"].as_u64().unwrap() >= 300);
    for half in ["tuned", "untouched", "with_table_untouched"] {
        let of = |name: &str| figures[half][name].as_f64().unwrap();
        assert!(of("pairs") >= 150.0, "{half}");
        assert!(of("precision") >= 0.97, "{half}: {figures}");
        assert!(of("recall") >= 0.75, "{half}: {figures}");
    }
    for set in ["tuned", "untouched", "with_table"] {
        assert_eq!(figures[set]["contradictions_merged"], 0, "{set}: {figures}");
    }
}

#[test]
fn what_is_counted_is_what_was_said() {
    let pairs = r#"
{"a": "Ana lives in Pune", "b": "Ana lives in Oslo", "label": "change"}
{"a": "Ana lives in Pune", "b": "Ana is based in Pune", "label": "restatement", "cosine": 0.9}
{"a": "Ana lives in Pune", "b": "Ana lives in Rome", "label": "distinct", "cosine": 0.96}
{"a": "grows leeks", "b": "has leeks on the balcony", "label": "restatement", "cosine": 0.88}
"#;
    let figures = figures(pairs.as_bytes());
    assert_eq!(figures["pairs"], 4);
    assert_eq!(figures["precision"], 0.3333);
    assert_eq!(figures["recall"], 1.0);
    assert_eq!(figures["false_supersede"], 2, "one by the midpoint, one by its label");
    assert_eq!(figures["restatement_recall"], 0.5);
    assert_eq!(figures["nearest"]["pairs"], 4, "where no line says it, the table does");
    assert_eq!(figures["nearest"]["by_label"]["distinct"]["restated"], 1);
    assert_eq!(figures["nearest"]["by_label"]["restatement"]["superseded"], 2);
}

#[test]
fn what_is_no_pair_is_refused_with_its_line() {
    let good = r#"{"a": "x", "b": "y", "label": "distinct"}"#;
    for bad in ["prose", "{}", r#"{"a": "x", "b": "y", "label": "other"}"#] {
        let error = parse(format!("{good}\n{bad}\n").as_bytes()).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
    let far = r#"{"a": "x", "b": "y", "label": "distinct", "cosine": 1.5}"#;
    assert!(parse(far.as_bytes()).is_err());
    assert_eq!(parse(good.as_bytes()).unwrap()[0].label, Label::Distinct);
}
