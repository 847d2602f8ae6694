//! A day with the command line: what is written is found, cited, changed and explained.

use crate::harness::{Desk, id};

const QUERY: &str = "which database is staging on?";

#[test]
fn what_is_remembered_is_checked_out_cited_and_can_be_taken_out() {
    let desk = Desk::new();
    let postgres = desk.remember("The staging database runs Postgres 15.");
    desk.remember("Deploys need two approvals.");

    let pack = desk.json(&["checkout", QUERY]);
    assert_eq!(pack["items"][0]["id"], postgres.as_str());
    assert_eq!(pack["observed"], true);
    let citation = pack["items"][0]["citation"].as_str().unwrap().to_owned();

    desk.ok(&["forget", &citation, "--reason", "it was upgraded"]);
    let pack = desk.json(&["checkout", QUERY]);
    assert!(pack["items"].as_array().unwrap().iter().all(|item| item["id"] != postgres.as_str()));
    assert_eq!(desk.json(&["show", &postgres])["authority"], "invalidated");

    desk.ok(&["undo", &postgres]);
    assert_eq!(desk.json(&["checkout", QUERY])["items"][0]["id"], postgres.as_str());
}

#[test]
fn a_surfacing_multiplies_salience_and_an_unobserved_look_does_not() {
    let desk = Desk::new();
    let note = desk.remember("The staging database runs Postgres 15.");
    for (observed, factor) in [(false, "1.0"), (true, "1.05"), (false, "1.05"), (true, "1.1025")] {
        let more: &[&str] = if observed { &[] } else { &["--no-observe"] };
        desk.ok(&[&["checkout", QUERY], more].concat());
        assert_eq!(desk.json(&["show", "--why", &note])["factor"], factor);
    }
}

#[test]
fn an_outcome_confirms_what_a_checkout_showed() {
    let desk = Desk::new();
    let note = desk.remember("The staging database runs Postgres 15.");
    let shown = desk.json(&["checkout", QUERY])["observation"].clone();
    let shown = shown.as_str().unwrap_or_else(|| panic!("{shown}"));
    desk.ok(&["confirm", "--outcome", "success", "--shown-in", shown, "--note", "the query ran"]);
    assert_eq!(desk.json(&["show", "--why", &note])["factor"], "1.575");
    let kinds = desk.ok(&["show", "--history", &note]).out;
    assert!(kinds.contains("outcome.reported"), "{kinds}");
    desk.ok(&["config", "--as", "owner", "--salience", "attested-only"]);
    assert_eq!(desk.json(&["show", "--why", &note])["factor"], "1.5");
    assert_eq!(desk.json(&["config"])["salience"], "attested-only");
}

#[test]
fn a_curve_is_drawn_from_the_items_own_time_to_the_instant() {
    let desk = Desk::new();
    let note = desk.remember("The staging database runs Postgres 15.");
    desk.ok(&["checkout", QUERY]);
    desk.ok(&["forget", &note]);
    let drawn = desk.ok(&["show", "--why", &note, "--at", "2099-01-01", "--svg", "curve.svg"]).out;
    assert!(drawn.contains("1.050 |") && drawn.contains("0.010 |"), "{drawn}");
    assert!(drawn.trim_end().ends_with("2099-01-01"), "{drawn}");
    let svg = std::fs::read_to_string(desk.path().join("curve.svg")).unwrap();
    assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
    for words in ["memory.surfaced x 1.05<", "memory.invalidated x 0.2<", "attenuated below 0.15"] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
    let curve = desk.json(&["show", "--why", &note])["curve"].clone();
    let saliences: Vec<f64> =
        curve.as_array().unwrap().iter().map(|leg| leg["salience"].as_f64().unwrap()).collect();
    assert_eq!(saliences.len(), 3);
    assert!(saliences[1] > 1.04 && saliences[2] < 0.22, "{saliences:?}");
    let early = ["show", "--why", note.as_str(), "--at", "1999-01-01", "--svg", "none.svg"];
    desk.refused(2, &early, &["--at"]);
}

#[test]
fn reading_changes_no_byte() {
    let desk = Desk::new();
    let note = desk.remember("The staging database runs Postgres 15.");
    let files = || {
        let mut files: Vec<_> = std::fs::read_dir(desk.ledger())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| (std::fs::read(&path).unwrap(), path))
            .collect();
        files.sort();
        files
    };
    let before = files();
    for args in [
        &["search", QUERY][..],
        &["checkout", QUERY, "--no-observe"],
        &["checkout", QUERY, "--as-of", "1"],
        &["show", &note],
        &["show", "--history", &note],
        &["show", "--sources", &note],
        &["show", "--why", &note],
        &["list", "events"],
        &["maintain", "stat"],
        &["verify", "--full"],
        &["verify", "replay"],
        &["verify", "receipts"],
        &["export", "jsonl"],
    ] {
        desk.ok(args);
        assert!(files() == before, "{args:?} changed a file");
    }
}

#[test]
fn a_slot_with_one_value_keeps_the_newest_and_the_past_keeps_the_old() {
    let desk = Desk::new();
    let lives_in = |text, place| {
        let slot = ["--entity", "ana", "--predicate", "lives_in", "--single", "--value", place];
        desk.json(&[&["remember", text], &slot[..]].concat())
    };
    let pune = lives_in("Ana lives in Pune.", "Pune");
    let bangalore = lives_in("Ana lives in Bangalore.", "Bangalore");
    assert_eq!(bangalore["outcome"], "superseded");
    assert_eq!(bangalore["displaced"][0], pune["id"]);

    let now = desk.json(&["checkout", "where does Ana live?"]);
    assert_eq!(now["items"][0]["id"], bangalore["id"]);
    let counted =
        |more: &[&str]| desk.json(&[&["maintain", "stat"], more].concat())["memories"].clone();
    assert_eq!(counted(&[]), serde_json::json!({ "active": 1, "superseded": 1 }));
    // Neither held yet in 1999.
    assert_eq!(counted(&["--now", "1999-12-31"]), serde_json::json!({ "future": 2 }));
    let seq = pune["seq"].to_string();
    let then = desk.json(&["checkout", "where does Ana live?", "--as-of", &seq]);
    assert_eq!(then["items"][0]["id"], pune["id"]);
    assert_eq!(then["observed"], false);
}

#[test]
fn what_rests_on_an_item_is_traced_and_leaves_with_it() {
    let desk = Desk::new();
    let fact = desk.remember("Staging runs Postgres 15.");
    let advice = id(&desk.json(&["remember", "Test migrations on 15.", "--rests-on", &fact]));
    let traced = desk.json(&["show", "--sources", &fact]);
    let found =
        traced["items"].as_array().unwrap().iter().find(|item| item["id"] == advice.as_str());
    assert_eq!(found.unwrap()["distance"], 1);

    desk.ok(&["forget", &fact]);
    assert_eq!(desk.json(&["show", &advice])["authority"], "stale");
}

#[test]
fn a_key_writes_once_and_scopes_are_walls() {
    let desk = Desk::new();
    let once = ["remember", "Ana drinks tea.", "--key", "note-1", "--scope", "tenant=home"];
    let first = desk.json(&once);
    let again = desk.json(&once);
    assert_eq!((again["outcome"].as_str(), &again["id"]), (Some("already_present"), &first["id"]));

    let other = desk.json(&["search", "tea", "--scope", "tenant=work"]);
    assert_eq!(other["results"].as_array().unwrap().len(), 0);
    desk.refused(1, &["show", &id(&first)], &[&id(&first)]);
    desk.ok(&["show", &id(&first), "--scope", "tenant=home"]);
}

/// The value of a slot named `password` was written as it was given.
#[test]
fn the_value_of_a_slot_that_is_named_for_a_secret_is_in_no_file_and_no_answer() {
    let desk = Desk::new();
    let slot = ["--entity", "staging", "--predicate", "password", "--value", "hunter2"];
    let run = desk.ok(&[&["remember", "Staging has one.", "--json"], &slot[..]].concat());
    let written = run.json();
    assert_eq!(written["redacted"]["assignment"], 1, "{written}");
    let looks: [&[&str]; 5] = [
        &["list", "events", "--json"],
        &["list", "facts", "--entity", "staging", "--json"],
        &["list", "--json"],
        &["export", "jsonl"],
        &["checkout", "staging password", "--json"],
    ];
    for look in looks {
        let told = desk.run(look);
        assert!(!told.out.contains("hunter2") && !told.err.contains("hunter2"), "{told:?}");
    }
    assert!(!run.out.contains("hunter2") && !run.err.contains("hunter2"), "{run:?}");
    for entry in std::fs::read_dir(desk.ledger()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(7).any(|at| at == b"hunter2"), "{}", path.display());
        }
    }
}

#[test]
fn secrets_are_counted_and_never_written() {
    let desk = Desk::new();
    let secret = "postgres://ana:hunter2hunter2@db.example.com/shop";
    let written = desk.json(&["remember", &format!("The shop is at {secret}")]);
    assert!(!written["redacted"].as_object().unwrap().is_empty());
    assert!(!desk.ok(&["list", "events", "--json"]).out.contains("hunter2"));
    let segment = std::fs::read(desk.segment(0)).unwrap();
    assert!(!segment.windows(7).any(|window| window == b"hunter2"));
}

#[test]
fn an_erasure_is_the_owners_and_takes_the_words() {
    let desk = Desk::new();
    let note = desk.remember("Ana has a cat called Miso.");
    desk.refused(1, &["erase", &note, "--yes"], &["rank"]);
    desk.refused(2, &["erase", &note, "--as", "owner"], &["--yes"]);
    desk.ok(&["erase", &note, "--as", "owner", "--yes"]);
    assert_eq!(desk.json(&["show", &note])["authority"], "erased");
    assert!(!desk.ok(&["list", "events", "--json"]).out.contains("Miso"));
    desk.ok(&["verify", "--full"]);
}

#[test]
fn the_ledger_is_found_from_below_by_flag_and_by_environment() {
    let desk = Desk::new();
    desk.remember("Ana drinks tea.");
    let below = desk.path().join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    let run = |args: &[&str], variable: Option<&str>| {
        let mut command = desk.command(args);
        command.current_dir(&below);
        variable.map(|dir| command.env("MEMLITH_LEDGER", dir));
        command.output().unwrap().status.code()
    };
    assert_eq!(run(&["maintain", "stat"], None), Some(0));
    assert_eq!(run(&["maintain", "stat"], Some("nowhere")), Some(4));
    let dir = desk.ledger();
    let dir = dir.to_str().unwrap();
    assert_eq!(run(&["--ledger", dir, "maintain", "stat"], Some("nowhere")), Some(0));
    assert_eq!(run(&["maintain", "stat", "--ledger", "nowhere"], Some(dir)), Some(4));
    Desk::empty().refused(4, &["maintain", "stat"], &["memlith init", "--ledger"]);
}
