use serde::{Deserialize, Serialize};

/// Status decided for an item; what time and its sources make of it is computed at read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnStatus {
    /// Waits for review.
    Pending,
    /// Stands.
    Active,
    /// Was refused by review; final.
    Rejected,
    /// Was declared wrong; a record: was withdrawn.
    Invalidated,
    /// Was taken back with the decision that made it.
    Retracted,
    /// Its body is gone; final.
    Erased,
}

impl OwnStatus {
    /// The status as a byte of folded state.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            OwnStatus::Pending => 0,
            OwnStatus::Active => 1,
            OwnStatus::Rejected => 2,
            OwnStatus::Invalidated => 3,
            OwnStatus::Retracted => 4,
            OwnStatus::Erased => 5,
        }
    }

    /// The status that [`OwnStatus::code`] gives `code`; an unknown one is never shown.
    #[must_use]
    pub fn from_code(code: u8) -> OwnStatus {
        match code {
            0 => OwnStatus::Pending,
            1 => OwnStatus::Active,
            2 => OwnStatus::Rejected,
            3 => OwnStatus::Invalidated,
            4 => OwnStatus::Retracted,
            _ => OwnStatus::Erased,
        }
    }
}
