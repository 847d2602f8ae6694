use serde::{Deserialize, Serialize};

use crate::Text;

/// An event of another system that has no counterpart here: kept whole, recallable.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Foreign<'a> {
    /// The format it was read from.
    #[serde(borrow)]
    pub format: Text<'a>,
    /// What its own system calls it.
    pub kind: Text<'a>,
    /// Its content as JSON, redacted.
    pub json: Text<'a>,
}
