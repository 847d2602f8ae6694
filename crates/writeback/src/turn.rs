use memlith_log::{RecordId, Timestamp};

/// A turn of a session, as evidence: one record of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The record.
    pub id: RecordId,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// What happened.
    pub what: What,
}

/// What happened in a turn.
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
        /// What it was called with: JSON, or plain text.
        arguments: String,
        /// What came back.
        output: String,
        /// Whether it succeeded: what the source says, else by its exit code.
        ok: Option<bool>,
    },
}
