//! The rules on turns of our own writing: what must be lifted out of each, or nothing.
//!
//! Half of them, by the hash of the session, was not looked at when the rules were tuned.

use std::collections::BTreeMap;

use memlith::{RecordId, Seq, Timestamp};
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
    turns: usize,
    expected: usize,
    found: usize,
    right: usize,
    /// Turns with nothing to lift, and those of them that gave nothing.
    empty: (usize, usize),
}

impl Tally {
    /// In thousandths: of what was lifted how much is right, of what is to be lifted how much
    /// was, of turns with nothing how many gave nothing.
    fn shares(&self) -> (usize, usize, usize) {
        let share = |part: usize, whole: usize| part * 1_000 / whole.max(1);
        let (silent, empty) = (self.empty.1, self.empty.0);
        (share(self.right, self.found), share(self.right, self.expected), share(silent, empty))
    }
}

fn is_tuned(session: &str) -> bool {
    blake3::hash(session.as_bytes()).as_bytes()[0].is_multiple_of(2)
}

/// Written by who wrote the rules.
#[test]
fn what_is_worth_keeping_is_lifted_and_nothing_else() {
    let halves = halves(include_str!("turns.jsonl"));
    let (precision, recall, silent) = halves[&false].shares();
    assert!(precision >= 950 && silent >= 980 && recall >= 500, "{:?}", halves[&false]);
}

/// Written by somebody who had not seen the rules.
#[test]
fn of_another_hands_turns_too() {
    let halves = halves(include_str!("others.jsonl"));
    let (precision, recall, silent) = halves[&false].shares();
    assert!(precision >= 700 && silent >= 930 && recall >= 750, "{:?}", halves[&false]);
}

fn halves(set: &str) -> BTreeMap<bool, Tally> {
    let mut halves: BTreeMap<bool, Tally> = BTreeMap::new();
    for line in set.lines() {
        let line: Line = serde_json::from_str(line).expect("a line of the set");
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
        // A sentence cut a little longer or shorter is the same sentence.
        let is_same = |one: &str, other: &str| one.contains(other) || other.contains(one);
        let is_right = |one: &&&String| expected.iter().any(|other| is_same(one, other));
        let right = lifted.iter().filter(is_right).count();
        let tally = halves.entry(is_tuned(&line.session)).or_default();
        tally.turns += 1;
        tally.expected += expected.len();
        tally.found += lifted.len();
        tally.right += right;
        if expected.is_empty() {
            tally.empty.0 += 1;
            tally.empty.1 += usize::from(lifted.is_empty());
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
    halves
}
