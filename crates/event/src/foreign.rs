use serde::{Deserialize, Serialize};

use crate::Text;

/// An event of another system that has no counterpart here: kept whole, recallable.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Foreign<'a> {
    /// The format it was read from.
    #[serde(borrow)]
    pub format: Text<'a>,
    /// The kind of the event, by the name that its own system uses.
    pub kind: Text<'a>,
    /// Its content as JSON, redacted.
    pub json: Text<'a>,
}
