use memlith_log::RecordId;
use serde::{Deserialize, Serialize};

use crate::Text;

/// Result of acting on what was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeEvent<'a> {
    /// An answer that cited items was tried.
    Reported(#[serde(borrow)] Reported<'a>),
}

/// How an answer did, and which items it cited.
///
/// The checkout that had shown them is the envelope's link
/// [`ShownIn`](crate::LinkKind::ShownIn).
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reported<'a> {
    /// The items that the answer cited, ascending, each once.
    pub targets: Vec<RecordId>,
    /// How it did.
    pub result: TaskResult,
    /// Whether it was checked: an exit code, a test result.
    pub verified: bool,
    /// How likely success was held to be before, 0 to 1,000,000 millionths: the strength of
    /// what is learned grows with the surprise.
    pub expected: Option<u32>,
    /// The purpose of the answer: a purpose of checkouts.
    #[serde(borrow)]
    pub purpose: Option<Text<'a>>,
    /// An account of what happened, in words.
    pub note: Option<Text<'a>>,
}

/// How a task that rested on an answer did.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum TaskResult {
    /// It did what it was for: what the answer cited is confirmed.
    Success,
    /// In part: nothing is learned from it.
    #[default]
    Partial,
    /// It failed: what the answer cited is doubted.
    Failure,
}

impl TaskResult {
    /// The probability that the result stands for, in millionths: 1, 0.5, 0.
    ///
    /// Source: Zaxy's prediction error (`docs/model.md`, "Salience", "Strengths").
    #[must_use]
    pub fn millionths(self) -> u32 {
        match self {
            TaskResult::Success => 1_000_000,
            TaskResult::Partial => 500_000,
            TaskResult::Failure => 0,
        }
    }
}
