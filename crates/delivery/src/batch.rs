use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

/// Items that are delivered at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// A UUID (version 8) made of what is in it: the same again has the same.
    pub id: String,
    /// The items in it.
    pub items: Vec<Item>,
}

/// One record, as a sink gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The record, e.g. `mem_17_0a1b`.
    pub id: String,
    /// The kind of item, e.g. `prediction.resolved`, or `tombstone` of one that is erased.
    pub kind: String,
    /// The subject of the item: the same key again is a newer version of the same.
    pub key: String,
    /// Rises with the log: a lower version than what is there changes nothing.
    pub version: u64,
    /// The hash of the record, in hexadecimal digits.
    pub hash: String,
    /// The content of the item.
    pub data: Value,
}

/// How a sink is told the type of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TypeNames {
    /// As the source of the protocol writes them: `prediction_resolved`.
    #[default]
    Underscored,
    /// As records name them: `prediction.resolved`.
    Dotted,
}

impl TypeNames {
    pub(crate) fn of(self, kind: &str) -> String {
        match self {
            TypeNames::Underscored => kind.replace('.', "_"),
            TypeNames::Dotted => kind.to_owned(),
        }
    }
}

/// The answer of a sink to a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The sink has them, but for those that it says it has not.
    Done {
        /// The answer of the sink for each item that it names.
        results: Vec<ItemResult>,
        /// The nodes that it says it made.
        nodes_created: u64,
        /// The edges that it says it made.
        edges_created: u64,
    },
    /// It answered that it took nothing: the same batch again later.
    Again {
        /// The message of the sink.
        what: String,
        /// How long it asks to be left alone.
        wait: Option<Duration>,
    },
    /// Nobody answered, or not to the end: whether it took anything is not known. Nothing else
    /// is sent to it before this is.
    Unreached {
        /// The failure of the call.
        what: String,
    },
    /// It will never take the batch as it is.
    Never {
        /// The message of the sink.
        what: String,
    },
}

/// The answer of a sink for one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemResult {
    /// The item.
    pub id: String,
    /// Whether the sink has it.
    pub applied: bool,
    /// Why not.
    pub error: Option<String>,
}

/// Where batches go.
pub trait Sink {
    /// Sends a batch; `now_unix` is in seconds, for signatures.
    fn deliver(&self, batch: &Batch, now_unix: i64) -> Verdict;
}
