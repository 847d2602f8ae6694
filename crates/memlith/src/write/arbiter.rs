use std::fmt;
use std::time::Duration;

use memlith_event::{Cosine, Difference, Reply};
use memlith_log::RecordId;

/// Model or person that is asked where likeness leaves open what a write is.
///
/// It is asked while no lock is held. What it says is written down with the decision; a
/// replay asks nobody.
pub trait Arbiter: fmt::Debug + Send + Sync {
    /// Its name, as decisions keep it.
    fn name(&self) -> &str;

    /// How long one write waits for it, however often it is asked.
    fn patience(&self) -> Duration;

    /// Judges `question` within this time. A [`Reply`] that isn't a word of the arbiter's own says
    /// why there is none: the midpoint decides then.
    fn judge(&self, question: &Question, within: Duration) -> Reply;
}

/// A write, and what it may be another writing of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The words of the write.
    pub write: String,
    /// The rows that are near enough, the nearest first; at most eight.
    pub candidates: Vec<Contender>,
}

/// A row that a write may be another writing of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contender {
    /// The row.
    pub id: RecordId,
    /// Its words.
    pub text: String,
    /// The cosine of the two.
    pub cosine: Cosine,
    /// The difference between the two that matters, if there is one.
    pub differs: Option<Difference>,
}

impl Question {
    /// Maximum number of rows that an arbiter is shown.
    pub const CANDIDATES_MAX: usize = 8;

    /// Returns the reply if it names only rows that were shown.
    #[must_use]
    pub fn checked(&self, reply: Reply) -> Reply {
        let shown = |id: &RecordId| self.candidates.iter().any(|one| one.id == *id);
        if let Reply::Update(id) = &reply
            && !shown(id)
        {
            return Reply::Invented;
        }
        reply
    }
}
