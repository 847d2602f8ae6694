//! How a task ended, as far as that was said or seen.

use memlith::write::TaskResult;

use crate::commands::runs_tests;
use crate::sentences::sentences;
use crate::{TaskOutcome, Turn, What};

/// A turn of a person that is longer, in bytes, tells more than how it went.
const TURN_BYTES: usize = 400;

/// A sentence of more words says more than how it went.
const WORDS_MAX: usize = 7;

/// How the task ended: by the person's last word on it, else by the last run of tests, whichever
/// came later.
///
/// A person's word is a short sentence of its own that begins with a verdict: "thanks, that
/// works". A question, a condition or a request has the same words in another place.
pub(crate) fn outcome(turns: &[Turn]) -> Option<TaskOutcome> {
    let ended = |turn: &Turn, result, summary: &str| TaskOutcome {
        result,
        verified: true,
        summary: summary.to_owned(),
        worded: false,
        evidence: vec![turn.id],
    };
    turns.iter().rev().find_map(|turn| match &turn.what {
        What::User(text) if text.len() <= TURN_BYTES => {
            let mut said = sentences(text).into_iter().rev();
            said.find_map(|one| verdict(one.text).map(|result| ended(turn, result, one.text)))
        }
        What::Tool { name, arguments, ok: Some(ok), .. } if runs_tests(name, arguments) => {
            Some(match ok {
                true => ended(turn, TaskResult::Success, "the tests passed"),
                false => ended(turn, TaskResult::Failure, "the tests failed"),
            })
        }
        What::User(_) | What::Assistant(_) | What::Tool { .. } => None,
    })
}

/// The result that a sentence says a task had.
fn verdict(sentence: &str) -> Option<TaskResult> {
    const BEFORE: [&str; 16] = [
        "thanks", "thank", "you", "ok", "okay", "yes", "yep", "great", "nice", "perfect", "cool",
        "hm", "hmm", "no", "nope", "ah",
    ];
    const GOOD: [&str; 10] = [
        "works now",
        "that works",
        "that worked",
        "it works",
        "works",
        "all good now",
        "that fixed it",
        "that did it",
        "all tests pass",
        "the tests pass",
    ];
    const BAD: [&str; 13] = [
        "still broken",
        "it's still broken",
        "that's still broken",
        "still fails",
        "it still fails",
        "that still fails",
        "still failing",
        "doesn't work",
        "it doesn't work",
        "that doesn't work",
        "didn't work",
        "that didn't work",
        "that's wrong",
    ];
    // Words that take a verdict back, or leave it open.
    const OPEN: [&str; 14] = [
        "but", "if", "when", "unless", "until", "except", "not", "only", "on", "in", "without",
        "should", "for", "almost",
    ];
    if sentence.ends_with('?') {
        return None;
    }
    let bare = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('\u{2019}', "'")
    };
    let words: Vec<String> = sentence.split_whitespace().map(bare).collect();
    let said: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .skip_while(|word| BEFORE.contains(word))
        .collect();
    if said.len() > WORDS_MAX || said.iter().any(|word| OPEN.contains(word)) {
        return None;
    }
    let begins = |list: &[&str]| {
        list.iter().any(|verdict| {
            let mut verdict = verdict.split(' ');
            let mut said = said.iter();
            verdict.all(|word| said.next() == Some(&word))
        })
    };
    match () {
        () if begins(&BAD) => Some(TaskResult::Failure),
        () if begins(&GOOD) => Some(TaskResult::Success),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_a_short_sentence_that_begins_with_it() {
        let good = ["thanks, that works", "works now!", "Perfect, it works.", "all tests pass"];
        let bad = ["hm, that's still broken", "no, it doesn't work", "still fails with the same"];
        let open = [
            "can you check it works?",
            "make sure that works on Windows",
            "if it works, commit",
            "nothing works now",
            "it works on my machine but not in CI",
            "it works in chrome",
            "explain why it doesn't work without a lock",
            "works for me to meet at 3",
            "does it still fail?",
            "it works?",
            "still broken?",
            "thanks",
            "",
        ];
        for (said, result) in [
            (&good[..], Some(TaskResult::Success)),
            (&bad[..], Some(TaskResult::Failure)),
            (&open[..], None),
        ] {
            for sentence in said {
                assert_eq!(verdict(sentence), result, "{sentence}");
            }
        }
    }
}
