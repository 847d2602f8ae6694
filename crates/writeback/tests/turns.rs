//! The rules on turns of our own writing: what must be lifted out of each, or nothing.
//!
//! Half of them, by the hash of the session, was not looked at when the rules were tuned.

use std::collections::BTreeMap;

use memlith_log::{RecordId, Seq, Timestamp};
use memlith_writeback::{Turn, What, rules};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    session: String,
    role: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    facts: Vec<String>,
    #[serde(default)]
    user_facts: Vec<String>,
}

#[derive(Debug, Default)]
struct Tally {
    turns: u32,
    expected: u32,
    found: u32,
    right: u32,
    /// Turns with nothing to lift, and those of them that gave nothing.
    empty: (u32, u32),
}

impl Tally {
    /// In thousandths: of what was lifted how much is right, of what is to be lifted how much
    /// was, of turns with nothing how many gave nothing.
    fn shares(&self) -> (u32, u32, u32) {
        let share = |part: u32, whole: u32| part * 1_000 / whole.max(1);
        let (silent, empty) = (self.empty.1, self.empty.0);
        (share(self.right, self.found), share(self.right, self.expected), share(silent, empty))
    }
}

fn is_tuned(session: &str) -> bool {
    blake3::hash(session.as_bytes()).as_bytes()[0] % 2 == 0
}

#[test]
fn what_is_worth_keeping_is_lifted_and_nothing_else() {
    let mut halves: BTreeMap<bool, Tally> = BTreeMap::new();
    for line in include_str!("turns.jsonl").lines() {
        let line: Line = serde_json::from_str(line).unwrap();
        let what = match line.role.as_str() {
            "user" => What::User(line.text.clone()),
            "assistant" => What::Assistant(line.text.clone()),
            _ => continue,
        };
        let id = RecordId { seq: Seq(1), ..RecordId::default() };
        let found = rules(&[Turn { id, occurred_at: Timestamp(0), what }]);
        let expected: Vec<&String> = line.facts.iter().chain(&line.user_facts).collect();
        let lifted: Vec<&String> =
            found.facts.iter().chain(&found.user_facts).map(|one| &one.text).collect();
        let right = expected.iter().filter(|one| lifted.contains(one)).count() as u32;
        let tally = halves.entry(is_tuned(&line.session)).or_default();
        tally.turns += 1;
        tally.expected += expected.len() as u32;
        tally.found += lifted.len() as u32;
        tally.right += right;
        if expected.is_empty() {
            tally.empty.0 += 1;
            tally.empty.1 += u32::from(lifted.is_empty());
        }
        if is_tuned(&line.session)
            && (expected.len() != lifted.len() || right == 0 && !lifted.is_empty())
        {
            println!("tuned half: {:?} gave {lifted:?}", line.text);
        }
    }
    for (is_tuned, tally) in &halves {
        let half = if *is_tuned { "tuned" } else { "untouched" };
        let (precision, recall, silent) = tally.shares();
        println!(
            "{half}: {} turns, {} to lift; precision {precision}, recall {recall}, nothing \
             answered with nothing {silent} (thousandths)",
            tally.turns, tally.expected
        );
    }
    let (precision, recall, silent) = halves[&false].shares();
    assert!(precision >= 950 && silent >= 980 && recall >= 500, "{:?}", halves[&false]);
}
