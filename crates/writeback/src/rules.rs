//! Finds what is worth keeping of a session's turns, by rules alone.

use std::collections::BTreeSet;

use memlith::RecordId;
use memlith::Scope;

use crate::commands::patterns;
use crate::cue::{self, Cue};
use crate::extractor::{ExtractError, Extracted, Extractor};
use crate::outcome::outcome;
use crate::sentences::{Sentence, sentences};
use crate::{Extraction, Statement, Turn, What};

/// An extractor without a model: whole sentences, lifted word for word, by closed lists of
/// English words.
///
/// Of what a person states it leaves out whatever shows that it is over with its moment. Of other
/// languages it takes items of lists and what holds always or never; the rest is counted.
///
/// ```
/// use memlith::{RecordId, Timestamp};
/// use memlith_writeback::{Turn, What, rules};
///
/// let said = "Thanks! From now on never push to main directly. Can you run the tests?";
/// let turn = Turn {
///     id: RecordId::default(),
///     occurred_at: Timestamp(0),
///     what: What::User(said.to_owned()),
/// };
/// let found = rules(&[turn]);
/// assert_eq!(found.facts[0].text, "From now on never push to main directly");
/// assert!(found.facts[0].lifted && found.facts.len() == 1);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

/// The greatest number of facts, and of facts about the person, that a model gives for a job.
pub const FACTS_MAX: usize = 5;

/// The greatest number of either that the rules give: each is a sentence that somebody said.
const SENTENCES_MAX: usize = 64;

/// A turn that is longer, in bytes, is pasted text.
const TURN_BYTES: usize = 4_000;

impl Extractor for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn claim_us(&self) -> i64 {
        30 * 1_000_000
    }

    fn extract(&self, _: &Scope<'_>, turns: &[Turn]) -> Result<Extracted, ExtractError> {
        Ok(Extracted::Found(rules(turns)))
    }
}

/// Everything that the rules find in the turns, oldest first.
#[must_use]
pub fn rules(turns: &[Turn]) -> Extraction {
    let (outcome, patterns) = (outcome(turns), patterns(turns));
    let mut found = Extraction { outcome, patterns, ..Extraction::default() };
    let mut met = BTreeSet::new();
    for turn in turns {
        match &turn.what {
            What::User(text) if text.len() <= TURN_BYTES => {
                for Sentence { text, is_item } in sentences(text) {
                    let Some((told, cue)) = cue::of_person(text, is_item) else {
                        found.dropped.other_language += u32::from(!is_english(text));
                        continue;
                    };
                    if met.insert(told.to_lowercase()) {
                        keep(&mut found, told, cue, turn.id);
                    }
                }
            }
            What::Assistant(text) if text.len() <= TURN_BYTES => {
                let findings = sentences(text).into_iter();
                let findings = findings.filter_map(|one| cue::of_assistant(one.text));
                for told in findings.filter(|told| met.insert(told.to_lowercase())) {
                    keep(&mut found, told, Cue::Fact, turn.id);
                }
            }
            What::User(_) | What::Assistant(_) | What::Tool { .. } => {}
        }
    }
    found
}

/// Files a sentence, as long as there is room: those said last are the ones that hold.
fn keep(found: &mut Extraction, told: &str, cue: Cue, turn: RecordId) {
    let list = match cue {
        Cue::Fact => &mut found.facts,
        Cue::Person => &mut found.user_facts,
    };
    list.push(Statement { text: told.to_owned(), evidence: vec![turn], lifted: true });
    if list.len() > SENTENCES_MAX {
        list.remove(0);
        found.dropped.over_limit = found.dropped.over_limit.saturating_add(1);
    }
}

fn is_english(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.len() < 3 || cue::is_english(&words, sentence)
}

#[cfg(test)]
mod tests;
