use memlith::{AsOf, Caller, CheckoutRequest, Ledger, Options, Question, Timestamp, for_people};

use super::*;
use crate::demo::step::Step;

fn told(session: &str) -> Told {
    let dir = tempfile::tempdir().unwrap();
    play(&dir.path().join("ledger"), true, session.as_bytes(), SHIPPED).unwrap()
}

/// The words of every answer, without what differs from ledger to ledger.
fn answers(told: &Told) -> Vec<Vec<String>> {
    let answers = told.steps.iter().filter_map(|step| step.answer.as_ref());
    answers.map(|answer| answer.items.iter().map(|item| item.text.clone()).collect()).collect()
}

#[test]
fn answers_cite_the_session_and_what_is_wrong_leaves() {
    let told = told(memlith::copy::DEMO_SESSION);
    assert!(told.is_sound(), "{}", told.to_text());
    let answers = answers(&told);
    let [cause, sandbox, rule, again] = answers.as_slice() else { panic!("{answers:#?}") };
    assert!(cause[0].contains("caused by the shared retry clock"), "{cause:#?}");
    let address = "https://sandbox.pay.example/v3";
    assert!(sandbox.iter().any(|text| text.contains(address)), "{sandbox:#?}");
    let new = "We fix a flaky test by giving it a clock of its own.";
    let old = "We fix a flaky test by running it serially.";
    assert_eq!(rule[0], new);
    assert!(!again.is_empty());
    for answer in &answers {
        assert!(!answer.iter().any(|text| text == old), "{answer:#?}");
    }
    assert!(!again.iter().any(|text| text == new), "{again:#?}");
    assert!(!told.to_text().contains("demo0only0not0real0token"));
    let redacted = told.steps.iter().find(|step| step.name == "import").unwrap();
    assert!(redacted.outcome.contains("1 secret taken out"), "{}", redacted.outcome);
}

#[test]
fn an_edited_line_of_the_session_changes_the_answers() {
    let original = answers(&told(memlith::copy::DEMO_SESSION));
    let edits = [
        ("https://sandbox.pay.example/v3", "https://new.pay.example"),
        ("The flaky test was caused by the shared retry clock", "The flaky test was caused by DNS"),
    ];
    for (before, after) in edits {
        assert!(memlith::copy::DEMO_SESSION.contains(before), "{before}");
        let edited = answers(&told(&memlith::copy::DEMO_SESSION.replace(before, after)));
        assert_ne!(edited, original, "{before}");
        assert!(edited.iter().flatten().any(|text| text.contains(after)), "{edited:#?}");
    }
}

/// Runs again the words of a printed command, as the command line would.
fn again(dir: &Path, step: &Step) -> String {
    let words = step.command.words();
    let flag = |name: &str| {
        let place = words.iter().position(|word| word == name)?;
        words.get(place + 1).map(String::as_str)
    };
    assert_eq!((words[0].as_str(), flag("--ledger")), ("checkout", dir.to_str()));
    let ledger = Ledger::open(dir, Options { read_only: true, ..Options::default() }).unwrap();
    let now: Timestamp = flag("--now").unwrap().parse().unwrap();
    let caller = Caller { now: Some(now), ..Caller::user("default", "somebody") };
    let as_of = flag("--as-of").map(|seq| AsOf::Seq(memlith::Seq(seq.parse().unwrap())));
    let request = CheckoutRequest {
        question: Question { query: words[1].clone(), as_of },
        budget_tokens: flag("--budget-tokens").unwrap().parse().unwrap(),
        observe: false,
        ..CheckoutRequest::new("")
    };
    for_people(&ledger.checkout(&caller, &request).unwrap().pack.items)
}

#[test]
fn a_printed_answer_comes_again_from_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("ledger");
    let told = play(&dir, true, memlith::copy::DEMO_SESSION.as_bytes(), SHIPPED).unwrap();
    let answered: Vec<&Step> = told.steps.iter().filter(|step| step.answer.is_some()).collect();
    assert_eq!(answered.len(), 4);
    for step in answered {
        let answer = step.answer.as_ref().unwrap();
        assert_eq!(again(&dir, step), answer.text, "{}", step.command);
        assert!(told.to_text().contains(&answer.text));
    }
}

#[test]
fn times_are_the_sessions_own() {
    let told = told(memlith::copy::DEMO_SESSION);
    assert_eq!(told.session_end.to_string(), "2026-05-04T09:25:14.517000Z");
    let json = serde_json::to_value(&told).unwrap();
    for step in json["steps"].as_array().unwrap() {
        assert!(step["wall_ms"].is_f64() && step["command"].is_string(), "{step}");
        let command = step["command"].as_str().unwrap();
        let timed = ["checkout", "remember", "forget"];
        if timed.iter().any(|verb| command.starts_with(&format!("memlith {verb}"))) {
            assert!(command.contains("--now 2026-05-04T"), "{command}");
        }
    }
}

#[test]
fn a_session_without_events_or_a_second_ledger_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("ledger");
    play(&dir, true, memlith::copy::DEMO_SESSION.as_bytes(), SHIPPED).unwrap();
    assert!(play(&dir, true, memlith::copy::DEMO_SESSION.as_bytes(), SHIPPED).is_err());
    assert!(play(&folder.path().join("other"), true, "".as_bytes(), SHIPPED).is_err());
}
