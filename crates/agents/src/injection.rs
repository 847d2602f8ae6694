//! Memories that a prompt is given.

use memlith::read::Prompt;
use memlith::{Caller, Cited, Error, Ledger, Origin, Question, RecordId, Scope};

use crate::brief::is_worth_telling;
use crate::shown::Shown;

/// The most tokens of what a prompt is given, as it is rendered.
pub const INJECTION_TOKENS: u32 = 800;

/// The most tokens that have at most 9,000 characters: longer texts were seen to be cut by a
/// client.
const TOKENS_MAX: u32 = 9_000 / 4;

/// The number of answers that an injection is chosen from.
const CANDIDATES: usize = 16;

/// The most bytes of a prompt that are asked for: what is pasted behind them says little.
const QUESTION_BYTES: usize = 2_000;

/// An item is given where it has so much of what the prompt's words ask for, by how rare
/// they are, in millionths. Half is evidence (`docs/model.md`, "Evidence"); a prompt
/// says more than a question.
const COVERAGE_MIN: i64 = 400_000;

/// An answer of less than this share of the best one's score is left out, as a divisor.
const SCORE_SHARE: i64 = 3;

/// The text and the items that a prompt is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Injection {
    /// The text for the model; empty where nothing is to the point.
    pub(crate) text: String,
    /// The items in it.
    pub(crate) shown: Vec<RecordId>,
}

/// The items to the point of `prompt`, within `budget_tokens`, that were not shown to the session
/// yet. Nothing is written.
///
/// # Errors
/// The ledger's.
pub(crate) fn injection(
    ledger: &Ledger,
    caller: &Caller,
    prompt: &str,
    shown: &Shown,
    budget_tokens: u32,
) -> Result<Injection, Error> {
    let end = prompt.floor_char_boundary(QUESTION_BYTES.min(prompt.len()));
    let query = prompt.get(..end).unwrap_or_default().trim();
    if query.is_empty() {
        return Ok(Injection::default());
    }
    let question = Question { query: query.to_owned(), as_of: None };
    // Only the session itself sees what it said; it is in its context anyway.
    let mut asked = caller.clone();
    asked.scope.session = None;
    let found = ledger.recall(&asked, &question, CANDIDATES)?;
    let Some(best) = found.iter().map(|item| item.score).max() else {
        return Ok(Injection::default());
    };
    let own =
        caller.scope.session.as_deref().map(|name| Scope::session_named(caller.scope.cell(), name));
    let mut text = Prompt::new(budget_tokens.min(TOKENS_MAX));
    let mut given = Vec::new();
    let is_new = |item: &&Cited| {
        let is_own = own.is_some() && item.said_in.map(|(_, session)| session) == own;
        !is_own && !shown.has(item.id)
    };
    let chosen = || found.iter().filter(is_new).filter(|item| is_to_the_point(item, best));
    // What is older is not shown without what may have replaced it.
    let newer: Vec<RecordId> = chosen().filter_map(|item| item.why.later).collect();
    let is_given =
        |item: &&Cited| newer.contains(&item.id) || chosen().any(|one| one.id == item.id);
    for item in found.iter().filter(is_new).filter(is_given) {
        if text.push_cited(item) {
            given.push(item.id);
        }
    }
    Ok(Injection { text: text.finish(), shown: given })
}

/// Whether an answer is worth a model's attention.
fn is_to_the_point(item: &Cited, best: i64) -> bool {
    let signals = &item.why.signals;
    let is_output = item.why.record && matches!(item.why.origin, Origin::Tool | Origin::File);
    item.why.authority.is_shown()
        && !item.why.question
        && !is_output
        && is_worth_telling(&item.excerpt.text)
        && signals.coverage >= COVERAGE_MIN
        && item.score.saturating_mul(SCORE_SHARE) >= best
}
