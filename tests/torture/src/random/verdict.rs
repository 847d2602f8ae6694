use memlith::{Judgement, WriteOutcome};

/// Outcome of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is refused, and nothing is written.
    Refused,
    /// It was erased, and is refused for that.
    Barred,
    /// A new item.
    Added,
    /// A new item that waits for review.
    Waits,
    /// The item is said again.
    Restated(usize),
    /// The item stands again.
    Revived(usize),
    /// The item is reconfirmed.
    Reopened(usize),
    /// A new item in the place of others.
    Superseded,
    /// It is not worth a row.
    Skipped,
    /// A new item in the place of the one that was wrong.
    Corrected,
    /// A memory says it in other words, and is reinforced unless it was for the same one.
    Redundant { at: usize, is_again: bool },
    /// The item is reviewed.
    Reviewed(Judgement),
    /// The item is changed.
    Changed(usize),
    /// The item is disputed, and stands.
    Disputed,
    /// It was written before, under its key.
    Known,
}

impl Verdict {
    /// Whether it is done by writing nothing.
    pub(super) fn leaves_nothing(self) -> bool {
        matches!(self, Verdict::Known | Verdict::Redundant { is_again: true, .. })
    }

    /// Whether it is refused.
    pub(super) fn is_refused(self) -> bool {
        matches!(self, Verdict::Refused | Verdict::Barred)
    }

    /// Whether the engine did what the oracle foretold.
    pub(super) fn agrees(self, outcome: &WriteOutcome) -> bool {
        let label = match self {
            Verdict::Refused | Verdict::Barred => return false,
            Verdict::Added => "added",
            Verdict::Waits => "pending",
            Verdict::Superseded => "superseded",
            Verdict::Skipped => "skipped",
            Verdict::Corrected => "corrected",
            Verdict::Redundant { .. } => "redundant",
            Verdict::Reviewed(judgement) => judgement.participle(),
            Verdict::Restated(_) => "restated",
            Verdict::Revived(_) => "revived",
            Verdict::Reopened(_) => "reopened",
            Verdict::Changed(_) => "changed",
            Verdict::Disputed => "disputed",
            Verdict::Known => "already_present",
        };
        outcome.label() == label
    }
}
