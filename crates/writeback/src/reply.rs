//! The reply of a model: read loosely, and believed of nothing that its evidence doesn't show.

use std::collections::BTreeSet;

use memlith::RecordId;
use memlith::write::TaskResult;
use serde_json::{Map, Value};

use crate::commands::PATTERNS_MAX;
use crate::evidence::{begins_with_an_invented_name, has_invented, turns_round};
use crate::extraction::{Dropped, Extraction, Pattern, Statement, TaskOutcome};
use crate::outcome::outcome;
use crate::packet::{Packet, told};
use crate::rules::FACTS_MAX;
use crate::sentences::sentences;
use crate::{Turn, What};

/// The longest reply that is read, in bytes.
const REPLY_BYTES: usize = 64 << 10;

/// A pattern has at most so many steps, and so many of each of its other lists.
const LIST_MAX: usize = 20;

/// An object is looked for at so many opening braces.
const BRACES_MAX: usize = 64;

/// The longest text of one item, in bytes.
const TEXT_BYTES: usize = 1_000;

const KEYS: [&str; 4] = ["facts", "user_facts", "patterns", "outcome"];

/// A reply that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplyError {
    /// No JSON object with one of the keys is in it.
    #[error(
        "the reply of {bytes} bytes has no JSON object with facts, user_facts, patterns or \
         outcome: `memlith list events --json` has it, in its record `job.replied`"
    )]
    NoObject {
        /// The length of the reply.
        bytes: usize,
    },
    /// It is too long to be one.
    #[error("the reply of {bytes} bytes is longer than {REPLY_BYTES}: ask for a shorter one")]
    TooLong {
        /// The length of the reply.
        bytes: usize,
    },
}

/// Reads a reply about `turns`, whose numbers are those of [`Packet::of`](crate::Packet::of).
///
/// It may stand in prose or between fences; the first object counts that has one of the keys.
/// An item is dropped, and counted, that has no words, cites nothing or what isn't there, or
/// names what its evidence doesn't. What is absent is empty, and empty is a right answer.
///
/// # Errors
/// [`ReplyError`].
pub fn read_reply(reply: &str, turns: &[Turn]) -> Result<Extraction, ReplyError> {
    if reply.len() > REPLY_BYTES {
        return Err(ReplyError::TooLong { bytes: reply.len() });
    }
    let object = object_in(reply).ok_or(ReplyError::NoObject { bytes: reply.len() })?;
    let first = Packet::of(turns).left_out();
    let mut reader = Reader { turns, first, dropped: Dropped::default() };
    let facts = reader.statements(object.get("facts"));
    let user_facts = reader.statements(object.get("user_facts")).into_iter();
    let (user_facts, others): (Vec<_>, Vec<_>) =
        user_facts.partition(|fact| is_of_a_person(turns, &fact.evidence));
    reader.dropped.uncited += u32::try_from(others.len()).unwrap_or(u32::MAX);
    let patterns = reader.patterns(object.get("patterns"));
    let outcome = reader.outcome(object.get("outcome"));
    let patterns =
        patterns.into_iter().map(|pattern| Pattern { verified: went_well(turns), ..pattern });
    let patterns = patterns.collect();
    let unknown = object.keys().filter(|key| !KEYS.contains(&key.as_str())).count();
    reader.dropped.unknown_keys = u32::try_from(unknown).unwrap_or(u32::MAX);
    Ok(Extraction { facts, user_facts, patterns, outcome, dropped: reader.dropped })
}

/// How the task went in which a practice was seen, by what a person said or the tests; a model's
/// word is no check.
fn went_well(turns: &[Turn]) -> Option<bool> {
    match outcome(turns)?.result {
        TaskResult::Success => Some(true),
        TaskResult::Failure => Some(false),
        TaskResult::Partial => None,
    }
}

/// Whether a person said one of these turns.
fn is_of_a_person(turns: &[Turn], ids: &[RecordId]) -> bool {
    let cited = |turn: &&Turn| ids.contains(&turn.id);
    turns.iter().filter(cited).any(|turn| matches!(turn.what, What::User(_)))
}

fn object_in(reply: &str) -> Option<Map<String, Value>> {
    let braces = reply.match_indices('{').take(BRACES_MAX);
    braces.into_iter().find_map(|(at, _)| {
        let rest = reply.get(at..)?;
        let value = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next()?.ok()?;
        let Value::Object(object) = value else { return None };
        // Nothing at all is an answer too.
        let is_one = object.is_empty() || KEYS.iter().any(|key| object.contains_key(*key));
        is_one.then_some(object)
    })
}

struct Reader<'a> {
    turns: &'a [Turn],
    /// The place of the oldest turn that the packet had.
    first: usize,
    dropped: Dropped,
}

impl Reader<'_> {
    fn statements(&mut self, list: Option<&Value>) -> Vec<Statement> {
        let mut kept = Vec::new();
        for item in items(list) {
            let text = item.get("text").or(item.get("statement")).or(Some(item));
            let Some(text) = words(text) else {
                self.dropped.blank = self.dropped.blank.saturating_add(1);
                continue;
            };
            let Some(cited) = self.founded(item, &[&text]) else { continue };
            if self.says_otherwise(&text, &cited) {
                self.dropped.invented = self.dropped.invented.saturating_add(1);
                continue;
            }
            if kept.len() == FACTS_MAX {
                self.dropped.over_limit = self.dropped.over_limit.saturating_add(1);
                continue;
            }
            kept.push(self.statement(text, &cited));
        }
        kept
    }

    /// A statement, lifted where it is a whole sentence of one of its turns. A part of one may say
    /// the opposite: "never use npm" has "use npm" in it.
    fn statement(&self, text: String, cited: &BTreeSet<usize>) -> Statement {
        let has = |turn: &&Turn| match &turn.what {
            What::User(said) | What::Assistant(said) => {
                sentences(said).iter().any(|one| without_stop(one.text) == without_stop(&text))
            }
            What::Tool { .. } => false,
        };
        let source = cited.iter().filter_map(|at| self.turns.get(*at)).find(has);
        match source.map(|turn| turn.id) {
            Some(id) => Statement { text, evidence: vec![id], lifted: true },
            None => Statement { text, evidence: self.ids(cited), lifted: false },
        }
    }

    fn patterns(&mut self, list: Option<&Value>) -> Vec<Pattern> {
        let mut kept = Vec::new();
        for item in items(list) {
            let text = |key: &str| words(item.get(key)).unwrap_or_default();
            let list = |key: &str| -> Vec<String> {
                let kept = items(item.get(key)).filter_map(|one| words(Some(one)));
                kept.take(LIST_MAX).collect()
            };
            let mut pattern = Pattern {
                name: text("name"),
                trigger: text("trigger"),
                preconditions: list("preconditions"),
                steps: list("steps"),
                gotchas: list("gotchas"),
                success_criteria: list("success_criteria"),
                verified: None,
                evidence: Vec::new(),
            };
            if pattern.steps.is_empty() {
                self.dropped.blank = self.dropped.blank.saturating_add(1);
                continue;
            }
            let lists = [
                &pattern.preconditions,
                &pattern.steps,
                &pattern.gotchas,
                &pattern.success_criteria,
            ];
            let mut said: Vec<&str> = lists.into_iter().flatten().map(String::as_str).collect();
            said.extend([pattern.name.as_str(), pattern.trigger.as_str()]);
            let Some(cited) = self.founded(item, &said) else { continue };
            if kept.len() == PATTERNS_MAX {
                self.dropped.over_limit = self.dropped.over_limit.saturating_add(1);
                continue;
            }
            pattern.evidence = self.ids(&cited);
            kept.push(pattern);
        }
        kept
    }

    fn outcome(&mut self, value: Option<&Value>) -> Option<TaskOutcome> {
        let item = value.filter(|value| value.is_object())?;
        let Some(summary) = words(item.get("summary")) else {
            self.dropped.blank = self.dropped.blank.saturating_add(1);
            return None;
        };
        let cited = self.founded(item, &[&summary])?;
        let result = match item.get("status").and_then(Value::as_str) {
            Some("success") => TaskResult::Success,
            Some("failure") => TaskResult::Failure,
            Some("partial") => TaskResult::Partial,
            Some(_) | None => {
                self.dropped.blank = self.dropped.blank.saturating_add(1);
                return None;
            }
        };
        // A model's word is no check.
        let evidence = self.ids(&cited);
        Some(TaskOutcome { result, verified: false, summary, worded: true, evidence })
    }

    /// The turns that an item cites, by place; `None`, and counted, where it cites nothing or
    /// what isn't there, or its words name what they don't.
    fn founded(&mut self, item: &Value, said: &[&str]) -> Option<BTreeSet<usize>> {
        let mut cited = BTreeSet::new();
        for number in items(item.get("evidence")) {
            let place = number_of(number).and_then(|number| number.checked_sub(1));
            let Some(place) = place.filter(|place| (self.first..self.turns.len()).contains(place))
            else {
                cited.clear();
                break;
            };
            cited.insert(place);
        }
        if cited.is_empty() {
            self.dropped.uncited = self.dropped.uncited.saturating_add(1);
            return None;
        }
        let turns = cited.iter().filter_map(|at| self.turns.get(*at));
        let evidence: Vec<String> = turns.map(|turn| told(&turn.what).1).collect();
        if said.iter().any(|text| has_invented(text, &evidence)) {
            self.dropped.invented = self.dropped.invented.saturating_add(1);
            return None;
        }
        Some(cited)
    }

    /// Whether a statement is about what its turns don't name, or denies what they say.
    fn says_otherwise(&self, text: &str, cited: &BTreeSet<usize>) -> bool {
        let turns = cited.iter().filter_map(|at| self.turns.get(*at));
        let evidence: Vec<String> = turns.map(|turn| told(&turn.what).1).collect();
        begins_with_an_invented_name(text, &evidence) || turns_round(text, &evidence)
    }

    fn ids(&self, cited: &BTreeSet<usize>) -> Vec<RecordId> {
        let mut ids: Vec<RecordId> =
            cited.iter().filter_map(|at| self.turns.get(*at)).map(|turn| turn.id).collect();
        ids.sort_unstable();
        ids
    }
}

/// The elements of a list; none of what is no list.
fn items(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    list.and_then(Value::as_array).into_iter().flatten()
}

/// A text with a letter or a digit in it, not too long to be one.
fn words(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?.trim();
    let has_words = text.contains(char::is_alphanumeric);
    (has_words && text.len() <= TEXT_BYTES).then(|| text.to_owned())
}

/// A sentence without what ends it.
fn without_stop(sentence: &str) -> &str {
    sentence.trim_end_matches(['.', '!']).trim_end()
}

/// A number of evidence: 3, "3", "E3" or "[3]".
fn number_of(value: &Value) -> Option<usize> {
    if let Some(number) = value.as_u64() {
        return usize::try_from(number).ok();
    }
    let text = value.as_str()?.trim();
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let digits = text.strip_prefix(['E', 'e']).unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests;
