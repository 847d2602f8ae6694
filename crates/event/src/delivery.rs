use memlith_log::{Seq, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Text;

/// The life of what is delivered to other stores.
///
/// A delivery is named by the record of its attempt. What is delivered is the records
/// themselves, which don't change: a delivery that is tried again sends the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryEvent<'a> {
    /// A worker is about to send records to a sink.
    Attempted(#[serde(borrow)] Attempt<'a>),
    /// A sink's answer to an attempt was recorded.
    Settled(#[serde(borrow)] Settled<'a>),
    /// Somebody paused a sink, or let it go on.
    Switched(#[serde(borrow)] Switched<'a>),
}

/// Records that are about to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Attempt<'a> {
    /// The sink's name.
    #[serde(borrow)]
    pub sink: Text<'a>,
    /// The records, ascending.
    pub items: Vec<Seq>,
    /// The erased records of which the sink is told that they are gone, ascending.
    pub gone: Vec<Seq>,
    /// All that is to be delivered up to this record has been attempted, now that this is.
    pub through: Seq,
    /// When the claim on them ends, whatever became of the worker.
    pub until: Timestamp,
}

/// Result of an attempt: all of it is applied but what is named.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Settled<'a> {
    /// The attempt.
    pub attempt: Seq,
    /// The sink's name.
    #[serde(borrow)]
    pub sink: Text<'a>,
    /// The records that were not applied, ascending.
    pub failed: Vec<Seq>,
    /// Why not; of several reasons the first.
    pub reason: Text<'a>,
    /// When they are tried again; never where `None`: they are dead.
    pub retry_at: Option<Timestamp>,
    /// Whether the sink could not be reached: until then nothing else is sent to it either.
    pub unreached: bool,
    /// How long the sink took, in milliseconds.
    pub duration_ms: u32,
    /// The nodes that it says it made.
    pub nodes: u64,
    /// The edges that it says it made.
    pub edges: u64,
}

/// A change of how a sink is served.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Switched<'a> {
    /// The sink's name.
    #[serde(borrow)]
    pub sink: Text<'a>,
    /// The service from now on.
    pub to: Service,
    /// Why.
    pub reason: Text<'a>,
}

/// How a sink is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// It gets nothing until it is resumed.
    Paused,
    /// It is served again.
    #[default]
    Resumed,
    /// Dead deliveries are tried again.
    Retried,
    /// It gets everything anew, from the first record on.
    Restarted,
}

impl DeliveryEvent<'_> {
    /// The sink that it is about.
    #[must_use]
    pub fn sink(&self) -> &str {
        match self {
            DeliveryEvent::Attempted(event) => &event.sink,
            DeliveryEvent::Settled(event) => &event.sink,
            DeliveryEvent::Switched(event) => &event.sink,
        }
    }
}
