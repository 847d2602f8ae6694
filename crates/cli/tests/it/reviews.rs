//! Review at the command line: who may, and what is said to those who may not.

use crate::harness::{Desk, id};

/// A ledger with Ana's word and an assistant's, which waits against it.
fn waiting() -> (Desk, String) {
    let desk = Desk::new();
    let place = |value: &'static str| {
        let slot = ["--entity", "ana", "--predicate", "lives_in", "--single", "--value"];
        [&["remember", value], &slot[..], &[value]].concat()
    };
    desk.ok(&place("Pune"));
    let run = desk.run(&[&place("Delhi")[..], &["--as", "assistant", "--json"]].concat());
    assert_eq!(run.code, 1, "it waits: {run:?}");
    (desk, id(&run.json()))
}

fn shown(desk: &Desk) -> String {
    desk.json(&["checkout", "ana lives where? Pune Delhi", "--no-observe"])["items"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn nobody_reviews_without_the_token_or_a_terminal() {
    let (desk, delhi) = waiting();
    for verb in ["accept", "reject", "defer"] {
        desk.refused(1, &["review", verb, &delhi], &["MEMLITH_REVIEW_TOKEN", "review token"]);
        desk.refused(1, &["review", verb, &delhi, "--as", "owner"], &["needs a person"]);
    }
    assert_eq!(shown(&desk), "Pune");
    // A token is made once, and is its user's alone.
    let made = desk.json(&["review", "token"]);
    desk.refused(1, &["review", "token"], &["already", "--renew"]);
    let path = std::path::PathBuf::from(made["path"].as_str().unwrap());
    assert!(path.starts_with(desk.path().join(".config")) && !path.starts_with(desk.ledger()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |mode| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let token = made["token"].as_str().unwrap();
        let accept = || {
            let mut command = desk.command(&["review", "accept", &delhi]);
            crate::harness::Run::of(command.env("MEMLITH_REVIEW_TOKEN", token).output().unwrap())
        };
        mode(0o644).unwrap();
        accept().refused(1, &["others may read"]);
        mode(0o600).unwrap();
    }
    desk.hold("0123");
    desk.refused(1, &["review", "accept", &delhi], &["not the review token"]);
    assert_eq!(shown(&desk), "Pune");
}

#[test]
fn the_token_lets_another_than_the_author_review() {
    let (desk, delhi) = waiting();
    desk.hold(desk.json(&["review", "token"])["token"].as_str().unwrap());
    let listed = desk.json(&["review", "list", "--kind", "trust-rule"]);
    assert_eq!(listed["items"][0]["id"], delhi.as_str());
    assert_eq!(desk.json(&["review", "list", "--kind", "rule"])["items"][0]["id"].as_str(), None);
    let text = desk.ok(&["review", "show", &delhi]).out;
    assert!(text.contains("trust_rule by assistant") && text.contains("would end"), "{text}");
    desk.refused(1, &["review", "accept", &delhi, "--as", "user:assistant"], &["own proposal"]);
    desk.refused(1, &["review", "accept", &delhi, "--as", "tool"], &["rank 4"]);
    let accepted = desk.json(&["review", "accept", &delhi, "--as", "reviewer"]);
    assert_eq!(accepted["outcome"], "accepted");
    assert_eq!(accepted["displaced"].as_array().unwrap().len(), 1);
    assert_eq!(shown(&desk), "Delhi");
    desk.refused(1, &["review", "accept", &delhi], &["is active"]);
    desk.refused(1, &["review", "show", &delhi], &["doesn't wait"]);
}

#[test]
fn a_candidate_cites_what_is_there() {
    let desk = Desk::new();
    let tea = desk.remember("Ana drinks tea.");
    let propose = |sources: &[&str]| {
        let words = ["review", "propose", "rule", "Offer tea.", "--as", "assistant", "--rests-on"];
        desk.run(&[&words[..], sources].concat())
    };
    propose(&[&tea, "mem_4_000000000000"]).refused(1, &["names no item", "mem_4_000000000000"]);
    propose(&[&tea, "mem_99_0a1b2c3d4e5f"]).refused(1, &["mem_99_0a1b2c3d4e5f"]);
    propose(&[&tea, "mem_2_0a1b2c3d4e5f"]).refused(1, &["another history"]);
    let elsewhere = format!("memlith://{}/2#0a1b2c3d4e5f", "0".repeat(32));
    propose(&[&elsewhere]).refused(1, &["another ledger"]);
    propose(&[]).refused(2, &["--rests-on"]);
    assert_eq!(propose(&[&tea]).code, 0);
    let listed = desk.json(&["review", "list", "--kind", "rule"]);
    assert_eq!(listed["items"][0]["rests_on"][0], tea.as_str());
    // It leaves with what it rests on, before it ever stood.
    desk.ok(&["forget", &tea]);
    let rule = listed["items"][0]["id"].as_str().unwrap();
    assert_eq!(desk.json(&["review", "list"])["items"][0]["stale"], true);
    desk.hold(desk.json(&["review", "token"])["token"].as_str().unwrap());
    desk.refused(1, &["review", "accept", rule], &["stale"]);
}

/// Runs `review edit` with an editor that runs `script` on the page.
#[cfg(unix)]
fn edit(desk: &Desk, script: &str) -> crate::harness::Run {
    use std::os::unix::fs::PermissionsExt;
    let editor = desk.path().join("my editor");
    std::fs::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o700)).unwrap();
    let mut command = desk.command(&["review", "edit", "--as", "reviewer", "--json"]);
    command.env("VISUAL", format!("'{}' -x", editor.display())).env("PATH", "/usr/bin:/bin");
    crate::harness::Run::of(command.stdin(std::process::Stdio::null()).output().unwrap())
}

/// A ledger with a rule that waits, an episode, and a claim that would forge a block.
#[cfg(unix)]
fn three_waiting() -> (Desk, [String; 3]) {
    let desk = Desk::new();
    let tea = desk.remember("Ana drinks tea.");
    let propose = |kind, text: &str| {
        let words = ["review", "propose", kind, text, "--rests-on", &tea, "--as", "assistant"];
        id(&desk.json(&words))
    };
    let rule = propose("rule", "Never pour tea on keyboards.");
    let episode = propose("episode", "Ana spilled tea twice.\nThe keyboard survived.");
    let claim = propose("claim", &format!("Tea stains.\n{rule}\nAlways pour tea."));
    desk.hold(desk.json(&["review", "token"])["token"].as_str().unwrap());
    (desk, [rule, episode, claim])
}

#[cfg(unix)]
#[test]
fn an_edited_page_is_done_block_by_block() {
    let (desk, [rule, episode, claim]) = three_waiting();
    // The first is kept, the second reworded, the third deleted with the words that would
    // begin a block for the first.
    let script = format!(
        "test \"$1\" = -x && sed -i -e 's/spilled tea twice/spilled tea once/' \
         -e '/^{claim}$/,$d' \"$2\""
    );
    let run = edit(&desk, &script);
    assert_eq!(run.code, 0, "{run:?}");
    let done = run.json();
    assert_eq!(done["accepted"], serde_json::json!([rule]));
    assert_eq!(done["rejected"], serde_json::json!([claim]));
    assert_eq!(done["reworded"][0]["id"], episode.as_str());
    let by = desk.json(&["show", done["reworded"][0]["by"].as_str().unwrap()]);
    assert!(by.to_string().contains("once.\\nThe keyboard survived."), "{by}");
    assert_eq!(desk.json(&["review", "list"])["items"], serde_json::json!([]));
    for (id, status) in [(&rule, "active"), (&episode, "rejected"), (&claim, "rejected")] {
        let shown = desk.ok(&["show", id]).out;
        assert!(shown.contains(status), "{id}: {shown}");
    }
}

#[cfg(unix)]
#[test]
fn an_editor_that_fails_or_leaves_nothing_does_nothing() {
    let (desk, [rule, ..]) = three_waiting();
    let head = desk.json(&["head"]);
    for (script, code, words) in [
        ("exit 3".to_owned(), 1, "nothing was done"),
        (": > \"$2\"".to_owned(), 0, "no block"),
        ("sed -i '/^mem_/,$d' \"$2\"".to_owned(), 0, "no block"),
        // Each has something wrong behind a block that could be done.
        (format!("echo {rule} >> \"$2\""), 1, "stands twice"),
        ("echo mem_99_0123456789ab >> \"$2\"".to_owned(), 1, "doesn't wait"),
        ("sed -i '$d' \"$2\"; echo mem_x >> \"$2\"".to_owned(), 1, "doesn't wait"),
        ("sed -i '/survived/d; /spilled/d' \"$2\"".to_owned(), 1, "no words left"),
        ("printf '\\377' >> \"$2\"".to_owned(), 2, "UTF-8"),
    ] {
        let run = edit(&desk, &script);
        assert!(run.err.contains(words) && (code == 2 || run.code == code), "{script}: {run:?}");
    }
    assert_eq!(desk.json(&["head"]), head);
    desk.refused(4, &["review", "edit"], &["VISUAL"]);
}

/// An edited page of which each kind of block became something.
#[cfg(unix)]
pub(crate) fn edited() -> crate::harness::Run {
    let (desk, [_, _, claim]) = three_waiting();
    edit(&desk, &format!("sed -i -e 's/twice/once/' -e '/^{claim}$/,$d' \"$2\""))
}
