use memlith::{Status, Written};

/// Outcome of a write beside the statement that stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// No new row: it was known.
    Restated,
    /// A row in the place of the one that stood.
    Superseded,
    /// A row beside it, and each is marked with the other.
    Contested,
    /// A row beside it.
    Added,
}

impl Verdict {
    pub(crate) const ALL: [Verdict; 4] =
        [Verdict::Restated, Verdict::Superseded, Verdict::Contested, Verdict::Added];

    /// The verdict that the engine's answer to a write states.
    pub(crate) fn of(written: &Written) -> Verdict {
        if written.status() == Status::Known {
            Verdict::Restated
        } else if !written.superseded().is_empty() {
            Verdict::Superseded
        } else if !written.contested().is_empty() {
            Verdict::Contested
        } else {
            Verdict::Added
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Restated => "restated",
            Verdict::Superseded => "superseded",
            Verdict::Contested => "contested",
            Verdict::Added => "added",
        }
    }
}
