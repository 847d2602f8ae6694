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
    desk.ok(&["invalidate", &tea]);
    let rule = listed["items"][0]["id"].as_str().unwrap();
    assert_eq!(desk.json(&["review", "list"])["items"][0]["stale"], true);
    desk.hold(desk.json(&["review", "token"])["token"].as_str().unwrap());
    desk.refused(1, &["review", "accept", rule], &["stale"]);
}
