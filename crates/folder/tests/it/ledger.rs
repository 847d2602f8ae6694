//! From a ledger to a folder, and what a folder does to a ledger: nothing.

use memlith::log::{Event, OutcomeEvent};
use memlith::{AsOf, Caller, Change, Ledger, Options, Rank, RecordId, Remember, Status};
use memlith_folder::{Files, Inputs, Part, Severity, lint, read, render};
use memlith_writeback::JobQueue;

use crate::sample::{config, files};

fn ledger(dir: &std::path::Path) -> Ledger {
    Ledger::create(dir.join("ledger"), Options::default()).unwrap()
}

fn ana() -> Caller {
    Caller::user("default", "ana")
}

/// `count` sessions in three projects, each with a memory of unique words and one that many say.
fn filled(ledger: &Ledger, count: usize) -> Vec<RecordId> {
    let mut ids = Vec::new();
    for number in 0..count {
        let project = ["logeng", "site", "api"][number % 3];
        let caller = ana().about(project).session(format!("session-{number}"));
        for text in [
            format!("Always call the unit u{number:03}pref before lunch."),
            format!("The port of u{number:03}fact is {}.", 4000 + number),
            format!("When `make u{number:03}` fails, run `make clean` first."),
        ] {
            ids.push(ledger.remember(&caller, text.as_str()).unwrap().id);
        }
    }
    ids
}

fn inputs(ledger: &Ledger, as_of: Option<AsOf>) -> Inputs {
    let mut caller = ana();
    caller.scope = memlith::Scope::of_everything();
    read(ledger, &caller, as_of).unwrap()
}

fn folder(ledger: &Ledger) -> Files {
    files(&render(&inputs(ledger, None), &config()))
}

#[test]
fn what_stands_is_in_the_folder_and_lints_clean() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = ledger(dir.path());
    filled(&ledger, 30);
    let read = inputs(&ledger, None);
    assert_eq!((read.sessions.len(), read.statements.len()), (30, 90));
    for part in [Part::Preference, Part::Knowledge, Part::Failure] {
        assert_eq!(read.statements.iter().filter(|one| one.part == part).count(), 30, "{part:?}");
    }
    let files = folder(&ledger);
    assert_eq!(lint(&files, None).findings, []);
    for number in 0..30 {
        for word in ["pref", "fact"] {
            assert!(files["MEMORY.md"].contains(&format!("u{number:03}{word}")));
        }
    }
}

#[test]
fn what_was_superseded_waits_or_was_withdrawn_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = ledger(dir.path());
    let caller = ana().about("api").session("one");
    let port =
        |value: &str| Remember::new(format!("It listens on {value}.")).single("api", "port", value);
    let _ = ledger.remember(&caller, port("8080")).unwrap();
    let _ = ledger.remember(&caller, port("9090")).unwrap();
    let model = Caller::new("default", "coder", Rank::Assistant).about("api").session("one");
    assert_eq!(ledger.remember(&model, port("7070")).unwrap().status(), Status::Waiting);
    let wrong = ledger.remember(&caller, "The moon is made of cheese.").unwrap();
    let _ = ledger.change(&caller, Change::invalidate("no"), wrong.id).unwrap();
    let alone = caller.clone().session_only("one");
    let _ = ledger.remember(&alone, "A secret of this session alone.").unwrap();
    let text: String = folder(&ledger).into_values().collect();
    assert!(text.contains("It listens on 9090."));
    for gone in ["8080", "7070", "cheese", "alone"] {
        assert!(!text.contains(gone), "{gone}");
    }
}

#[test]
fn the_past_is_rendered_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = ledger(dir.path());
    let last = *filled(&ledger, 10).last().unwrap();
    let before = folder(&ledger);
    let head = ledger.head().seq;
    filled(&ledger, 14);
    let _ = ledger.remember(&ana(), "I am a nurse.").unwrap();
    assert_ne!(folder(&ledger), before);
    assert!(last.seq <= head);
    assert_eq!(files(&render(&inputs(&ledger, Some(AsOf::Seq(head))), &config())), before);
}

#[test]
fn a_note_without_a_session_stands_with_its_project() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = ledger(dir.path());
    let _ = ledger.remember(&ana().about("site"), "Always deploy on Monday.").unwrap();
    let pinned = ledger.remember(&ana(), "Never push on Friday.").unwrap();
    let _ = ledger.change(&ana(), Change::Pin, pinned.id).unwrap();
    let files = folder(&ledger);
    assert_eq!(lint(&files, None).findings, []);
    assert!(files["MEMORY.md"].contains("- Always deploy on Monday. [Task 1]"));
    assert!(files["memory_summary.md"].contains("- Never push on Friday. (pinned; "));
}

#[test]
fn what_one_session_said_is_gone_with_its_erasure() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = ledger(dir.path());
    let ids = filled(&ledger, 30);
    let owner = Caller::new("default", "ana", Rank::Owner).about("site");
    let targets: Vec<RecordId> = ids[21..24].to_vec();
    let _ = ledger.erasure().erase(&owner, &targets).unwrap();
    let files = folder(&ledger);
    for (path, text) in &files {
        for marker in ["u007", "session-7\n", "session-7`"] {
            assert!(!path.contains(marker) && !text.contains(marker), "{marker} in {path}");
        }
    }
    assert!(files["MEMORY.md"].contains("u008pref"));
    assert_eq!(lint(&files, None).count(Severity::Error), 0);
}

#[test]
fn rendering_and_linting_move_no_salience() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = ledger(dir.path());
    let ids = filled(&ledger, 6);
    let head = ledger.head();
    let at = ana().at(ledger.now());
    let explained = |id: &RecordId| {
        let caller = at.clone().about(["logeng", "site", "api"][0]);
        serde_json::to_string(&ledger.explain(&caller, *id).unwrap()).unwrap()
    };
    let before: Vec<String> = ids[..3].iter().map(explained).collect();
    let expected = folder(&ledger);
    for _ in 0..100 {
        let files = folder(&ledger);
        assert_eq!(lint(&files, None).findings, []);
        assert_eq!(files, expected);
    }
    assert_eq!(ledger.head(), head);
    assert_eq!(ids[..3].iter().map(explained).collect::<Vec<_>>(), before);
}

#[test]
fn a_report_says_how_a_session_ended() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = ledger(dir.path());
    let caller = ana().about("api").session("one");
    let id = ledger.remember(&caller, "The port is 8080.").unwrap().id;
    let report = memlith::write::TaskReport {
        targets: vec![id],
        result: memlith::write::TaskResult::Failure,
        verified: true,
        expected: None,
        purpose: None,
        note: None,
        shown_in: None,
    };
    let _ = ledger.report(&caller, report).unwrap();
    let records: Vec<_> =
        ledger.records(memlith::Seq(0), None).unwrap().map(Result::unwrap).collect();
    let is_report = |record: &memlith::log::Record| {
        let body = memlith::log::decode(record).unwrap();
        body.is_some_and(|body| matches!(body.event, Event::Outcome(OutcomeEvent::Reported(_))))
    };
    assert!(records.iter().any(is_report));
    assert!(folder(&ledger)["MEMORY.md"].contains(", fail\n"));
}

/// A session of Claude Code as its transcript has it.
fn transcript(number: usize) -> String {
    let directory = crate::sample::DIRECTORIES[number % 5];
    let session = format!("{:08x}-0000-4000-8000-{number:012x}", number * 7_919);
    let day = 1 + number % 28;
    let turn = |minute: usize, role: &str, content: serde_json::Value| {
        let parent = (minute > 0).then(|| format!("u{number}-{}", minute - 1));
        serde_json::json!({
            "type": role, "uuid": format!("u{number}-{minute}"), "parentUuid": parent,
            "sessionId": session, "cwd": directory, "gitBranch": "main",
            "timestamp": format!("2026-05-{day:02}T12:{minute:02}:00Z"),
            "message": { "role": role, "content": content },
        })
        .to_string()
    };
    let tool = ["Bash", "WebFetch"][number % 2];
    [
        turn(0, "user", format!("please fix the u{number:03}task of the parser").into()),
        turn(1, "user", format!("From now on always format module u{number:03}.").into()),
        turn(2, "user", format!("From now on never push to branch s{}mark.", number % 5).into()),
        turn(
            3,
            "assistant",
            serde_json::json!([{ "type": "tool_use", "id": "t", "name": tool,
                "input": { "command": "cargo test" } }]),
        ),
        turn(
            4,
            "user",
            serde_json::json!([{ "type": "tool_result", "tool_use_id": "t", "content": "ok" }]),
        ),
    ]
    .join("\n")
}

/// A ledger of sessions that were imported in this order, and what write-back lifts out of them.
fn imported(dir: &std::path::Path, order: &[usize]) -> Ledger {
    let ledger = ledger(dir);
    for number in order {
        let options = memlith::copy::ImportOptions {
            scope: memlith::Scope::tenant("default"),
            ..Default::default()
        };
        let format = memlith::copy::Format::ClaudeCode;
        let _ = ledger.import(format, transcript(*number).as_bytes(), options).unwrap();
        let session = format!("{:08x}-0000-4000-8000-{number:012x}", number * 7_919);
        let _ = JobQueue::of(&ledger)
            .run_before(&ana().session(session), &memlith_writeback::Rules, ledger.now())
            .unwrap();
    }
    ledger
}

#[test]
fn the_order_of_imports_changes_no_byte() {
    let order: Vec<usize> = (0..50).collect();
    let dir = tempfile::tempdir().unwrap();
    let expected = folder(&imported(dir.path(), &order));
    assert_eq!(lint(&expected, None).findings, []);
    assert!(
        expected["memory_summary.md"].contains("never push to branch s1mark (10 sessions; "),
        "{}",
        expected["memory_summary.md"]
    );
    for number in &order {
        let marker = format!("u{number:03}");
        assert!(expected["MEMORY.md"].contains(&marker), "{marker}");
    }
    for seed in 1..20 {
        let mut other = order.clone();
        crate::laws::shuffled(&mut other, seed);
        let dir = tempfile::tempdir().unwrap();
        let files = folder(&imported(dir.path(), &other));
        for (path, text) in &expected {
            assert_eq!(files.get(path), Some(text), "{path}, seed {seed}");
        }
        assert_eq!(files.len(), expected.len());
    }
}

/// Takes a session in once more.
fn import_again(ledger: &Ledger, number: usize) {
    let options = memlith::copy::ImportOptions {
        scope: memlith::Scope::tenant("default"),
        ..Default::default()
    };
    let format = memlith::copy::Format::ClaudeCode;
    let _ = ledger.import(format, transcript(number).as_bytes(), options).unwrap();
    let caller = ana().session(session_of(number));
    let _ =
        JobQueue::of(ledger).run_before(&caller, &memlith_writeback::Rules, ledger.now()).unwrap();
}

fn session_of(number: usize) -> String {
    format!("{:08x}-0000-4000-8000-{number:012x}", number * 7_919)
}

#[test]
fn a_session_that_is_erased_leaves_nothing_and_comes_back_with_no_import() {
    let order: Vec<usize> = (0..30).collect();
    // Session 2 was the first to say what many say; what the ledger kept of the others' saying it
    // goes with the row.
    for (number, stays) in [(7, true), (2, false)] {
        let dir = tempfile::tempdir().unwrap();
        let ledger = imported(dir.path(), &order);
        let has = |files: &Files, marker: &str| {
            files.iter().any(|(path, text)| path.contains(marker) || text.contains(marker))
        };
        let (session, unique) = (session_of(number), format!("u{number:03}"));
        for marker in [&unique, &session] {
            assert!(has(&folder(&ledger), marker));
        }
        let owner = Caller::new("default", "ana", Rank::Owner);
        let filter =
            memlith::forget::ErasureFilter { session: Some(session.clone()), ..Default::default() };
        assert!(ledger.erasure().erase_matching(&owner, &filter).unwrap().is_some());
        for round in 0..2 {
            let files = folder(&ledger);
            for marker in [&unique, &session] {
                assert!(!has(&files, marker), "{marker}, round {round}");
            }
            let shared = "never push to branch s2mark (5 sessions; ";
            assert_eq!(files["memory_summary.md"].contains(shared), stays);
            assert_eq!(lint(&files, None).findings, []);
            import_again(&ledger, number);
        }
    }
}

#[test]
fn what_others_said_too_outlives_a_turn_that_was_withdrawn() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = imported(dir.path(), &(0..30).collect::<Vec<_>>());
    let read = inputs(&ledger, None);
    let is_shared = |one: &&memlith_folder::Statement| one.text.contains("s2mark");
    let shared = read.statements.iter().find(is_shared).unwrap();
    assert_eq!(shared.threads.len(), 6);
    let first: RecordId = shared.evidence[0].parse().unwrap();
    let change = ledger.change(&ana(), Change::invalidate("not said"), first).unwrap();
    assert!(change.is_in_force(), "{change:?}");
    let after = inputs(&ledger, None);
    let shared = after.statements.iter().find(is_shared).unwrap();
    assert_eq!(shared.threads.len(), 5, "{shared:?} {first}");
    let files = folder(&ledger);
    let told = "never push to branch s2mark (5 sessions; ";
    assert!(files["memory_summary.md"].contains(told), "{}", files["memory_summary.md"]);
    assert_eq!(lint(&files, None).findings, []);
}
