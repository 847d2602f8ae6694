use memlith::{RecordId, Timestamp};

/// A turn of a session, as evidence: one record of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The record.
    pub id: RecordId,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// The event of the turn.
    pub what: What,
}

/// The event of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A person spoke.
    User(String),
    /// The assistant spoke.
    Assistant(String),
    /// A tool was called and came back.
    Tool {
        /// The tool's name.
        name: String,
        /// The arguments of the call: JSON, or plain text.
        arguments: String,
        /// The output that came back.
        output: String,
        /// Whether it succeeded: what the source says, else by its exit code.
        ok: Option<bool>,
    },
}
