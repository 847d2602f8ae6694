//! Requests that make no sense, or may not be done: the code says which, the words what to do.

use crate::harness::{Desk, id};

#[test]
fn requests_that_make_no_sense_are_usage() {
    let desk = Desk::new();
    let note = desk.remember("Ana drinks tea.");
    let note = note.as_str();
    for (args, words) in [
        (&["checkout", ""][..], "empty"),
        (&["checkout", " \u{200b}"], "empty"),
        (&["search", ""], "empty"),
        (&["search", "--exists", ""], "empty"),
        (&["remember", "--dry-run", ""], "empty"),
        (&["checkout", "tea", "--budget-tokens", "0"], "--budget-tokens"),
        (&["checkout", "tea", "--budget-tokens", "-1"], "--budget-tokens"),
        (&["search", "tea", "--limit", "0"], "--limit"),
        (&["confirm", note, "--weight", "0"], "above 0 and at most 10"),
        (&["confirm", note, "--weight", "NaN"], "above 0 and at most 10"),
        (&["confirm", note, "--weight", "10.1"], "above 0 and at most 10"),
        (&["forget", note, "--weight", "-0.2"], "--weight"),
        (&["confirm", "--outcome", "success"], "<ID>"),
        (&["confirm", "--outcome", "perfect", note], "success"),
        (&["confirm", "--outcome", "success", note, "--expected", "1.5"], "from 0 to 1"),
        (&["checkout", "tea", "--purpose", "gaming"], "coordinate"),
        (&["checkout", "tea", "--hint", "mood=good"], "workspace"),
        (&["checkout", "tea", "--hint", "tool="], "workspace"),
        (&["confirm", "--outcome", "success", note, "--purpose", "gaming"], "coordinate"),
        (&["config", "--salience", "zaxy"], "compat-zaxy"),
        (&["config", "--trust", "none"], "balanced"),
        (&["config", "--trust", "open", "--salience", "default"], "cannot be used with"),
        (&["show", "02"], "mem_17_0a1b2c3d4e5f"),
        (&["show", "mem_x"], "mem_17_0a1b2c3d4e5f"),
        (&["show", "memlith://x"], "memlith://"),
        (&["confirm"], "<ID>"),
        (&["checkout", "tea", "--as-of", "yesterday"], "2026-05-01"),
        (&["maintain", "stat", "--now", "noon"], "2026-05-01T12:00:00Z"),
        (&["maintain", "stat", "--scope", "team=x"], "tenant=T"),
        (&["maintain", "stat", "--as", "root"], "owner"),
        (&["maintain", "stat", "--lock-timeout", "1m"], "0.5s"),
        (&["import", "zip", "x"], "eventloom"),
        (&["remember", "x", "--entity", "ana"], "--predicate"),
        (&["export", "csv"], "jsonl"),
        (&["frobnicate"], "frobnicate"),
        (&[], "Usage"),
    ] {
        let run = desk.refused(2, args, &[words]);
        assert_eq!(run.out, "", "{args:?}");
    }
}

#[test]
fn what_is_not_there_or_may_not_be_done_is_a_finding() {
    let desk = Desk::new();
    let note = desk.remember("Ana drinks tea.");
    let missing = "mem_2_000000000000";
    let elsewhere = format!("memlith://{}/2#000000000000", "0".repeat(32));
    for (args, words) in [
        (&["show", missing][..], missing),
        (&["show", "--history", missing], missing),
        (&["show", "--sources", missing], missing),
        (&["show", "--why", missing], missing),
        (&["forget", missing], missing),
        (&["forget", &note, missing], missing),
        (&["forget", &note, &note], "twice"),
        (&["confirm", "--outcome", "failure", missing], missing),
        (&["confirm", "--outcome", "success", "--shown-in", missing], missing),
        (&["confirm", "--outcome", "success", "--shown-in", &note], "shows nothing"),
        (&["config", "--salience", "attested-only"], "owner"),
        (&["config", "--trust", "open"], "owner"),
        (&["config", "--trust", "balanced", "--as", "owner"], "in force already"),
        (&["config", "--salience", "default", "--as", "owner"], "in force already"),
        (&["pin", &note, "--as", "assistant"], "--as user"),
        (&["confirm", &note, "--weight", "0.5"], "--weight is from 1"),
        (&["init"], "--ledger DIR"),
        (&["demo", "--keep", ".memlith"], "--ledger DIR"),
        (&["remember", " "], "empty"),
        (&["remember", "x", "--rests-on", missing], missing),
        (&["show", &elsewhere], "another ledger"),
        (&["checkout", "tea", "--as-of", "1999-12-31"], "first record"),
        (&["checkout", "tea", "--as-of", "99"], "ends at record"),
        (&["verify", "replay", "--until", "99"], "ends at record"),
        (&["verify", "replay", "--from-checkpoint", "2"], "checkpoint"),
    ] {
        let run = desk.refused(1, args, &[words]);
        assert_eq!(run.out, "", "{args:?}");
    }
    // A refused command wrote nothing.
    assert_eq!(desk.json(&["maintain", "stat"])["events"], 3);
}

#[test]
fn a_low_rank_disputes_a_users_fact_and_the_fact_stands() {
    let desk = Desk::new();
    let slot = ["--entity", "ana", "--predicate", "lives_in", "--single", "--value"];
    let write = |text: &str, value: &str, who: &str| {
        let args = [&["remember", text][..], &slot, &[value, "--as", who, "--json"]].concat();
        desk.run(&args)
    };
    let pune = id(&write("Ana lives in Pune.", "Pune", "user").json());
    for who in ["assistant", "tool", "web"] {
        let run = write(&format!("Ana lives in {who}."), who, who).refused(1, &["review"]);
        assert_eq!(run.json()["outcome"], "pending", "{who}");
    }
    let run = desk.run(&["forget", &pune, "--as", "assistant", "--json"]);
    assert_eq!(run.refused(1, &["rank"]).json()["outcome"], "disputed");

    let pack = desk.json(&["checkout", "where does Ana live?"]);
    assert_eq!(pack["items"][0]["id"], pune.as_str());
    assert_eq!(pack["items"][0]["why"]["disputed"], true);
    assert_eq!(pack["items"].as_array().unwrap().len(), 1);
}

#[test]
fn flags_go_before_or_after_the_verb_and_every_verb_shows_examples() {
    let desk = Desk::new();
    assert_eq!(
        desk.ok(&["--json", "maintain", "stat"]).out,
        desk.ok(&["maintain", "stat", "--json"]).out
    );
    let of_all = desk.ok(&["--help"]).out;
    assert_eq!(of_all.matches("--lock-timeout").count(), 1, "{of_all}");
    for verb in verbs(&desk) {
        let help = desk.ok(&[&verb, "--help"]).out;
        assert!(help.contains("Examples:"), "{verb}");
        // What every verb takes stands in one place, which each names.
        assert!(!help.contains("--lock-timeout"), "{verb}");
        assert!(help.contains("`memlith --help` has the options"), "{verb}: {help}");
        assert_eq!(desk.ok(&["help", &verb]).out, help);
    }
    for words in all_verbs(&desk) {
        assert!(help(&desk, &words, "--help").contains("Examples:"), "{words:?}");
    }
}

/// Every verb, and every verb below one.
fn all_verbs(desk: &Desk) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    all.extend(verbs(desk).into_iter().map(|verb| vec![verb]));
    let mut at = 1;
    while let Some(words) = all.get(at).cloned() {
        let help = help(desk, &words, "--help");
        let list = help.split_once("Commands:\n").map_or("", |(_, list)| list);
        let lines = list.lines().take_while(|line| !line.is_empty());
        let named = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        let names = named.filter_map(|line| line.split_whitespace().next());
        for name in names.filter(|name| *name != "help") {
            all.push([words.as_slice(), &[name.to_owned()]].concat());
        }
        at += 1;
    }
    all
}

fn help(desk: &Desk, words: &[String], flag: &str) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).chain([flag]).collect();
    desk.ok(&words).out
}

#[test]
fn no_help_shows_how_it_stands_in_the_source() {
    // `reconcile calibrate --help` printed the backslashes before quotes.
    let desk = Desk::empty();
    let verbs = all_verbs(&desk);
    assert!(verbs.len() > 40, "{verbs:?}");
    for (words, flag) in verbs.iter().flat_map(|words| [(words, "--help"), (words, "-h")]) {
        let help = help(&desk, words, flag);
        let (about, rest) = help.split_once("Usage:").unwrap();
        for line in help.lines() {
            let is_source = line.contains("\\\"") || line.trim_end().ends_with('\\');
            assert!(!is_source, "{words:?} {flag} shows a backslash: {line}");
        }
        // Columns and examples are set with blanks, prose isn't.
        let of_flags = rest.lines().filter(|line| line.starts_with("          "));
        let of_flags = of_flags.filter(|line| flag == "--help" && !line.trim().starts_with("- "));
        let prose = about.lines().chain(of_flags);
        for line in prose {
            assert!(!line.trim().contains("  "), "{words:?} {flag} has a gap: {line}");
        }
    }
}

/// The verbs that `--help` lists, with the heading that each stands under.
fn grouped(desk: &Desk) -> Vec<(String, String)> {
    let help = desk.ok(&["--help"]).out;
    let (_, list) = help.split_once("Usage: ").unwrap();
    let (list, _) = list.split_once("\nOptions:\n").unwrap();
    let (mut group, mut found) = (String::new(), Vec::new());
    for line in list.lines().skip(1) {
        match line.strip_prefix("  ") {
            Some(verb) if !verb.starts_with(' ') => {
                found.push((group.clone(), verb.split(' ').next().unwrap().to_owned()));
            }
            Some(_) => {}
            None => group = line.trim_end_matches(':').to_owned(),
        }
    }
    assert!(found.len() > 20, "{help}");
    found
}

/// The verbs that `--help` lists.
pub(crate) fn verbs(desk: &Desk) -> Vec<String> {
    grouped(desk).into_iter().map(|(_, verb)| verb).collect()
}

#[test]
fn every_verb_is_in_exactly_one_group() {
    let desk = Desk::empty();
    let grouped = grouped(&desk);
    let mut groups: Vec<&str> = grouped.iter().map(|(group, _)| group.as_str()).collect();
    groups.dedup();
    assert_eq!(groups, ["Give agents a memory", "Write", "Ask", "Review", "Prove", "Keep"]);
    let mut listed: Vec<String> = verbs(&desk);
    listed.sort_unstable();
    listed.dedup();
    assert_eq!(listed.len(), grouped.len());
}

#[test]
fn a_write_of_the_future_is_refused_and_one_of_the_past_is_told_as_that() {
    let desk = Desk::new();
    let words = ["ahead of the ledger's clock", "leave the instant out", "--now"];
    desk.refused(2, &["remember", "The cat is called Momo.", "--now", "2999-01-01"], &words);
    let id = crate::harness::id(&desk.json(&["remember", "Momo was born.", "--now", "1999-05-01"]));
    let shown = desk.json(&["show", &id]);
    assert_eq!(shown["occurred_at"], "1999-05-01T00:00:00Z", "{shown}");
    // A read may look ahead; what it observes is of the clock.
    desk.ok(&["checkout", "when was Momo born?", "--now", "2999-01-01"]);
    desk.ok(&["search", "Momo", "--now", "2999-01-01"]);
}
