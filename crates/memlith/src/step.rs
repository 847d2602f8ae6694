use memlith_log::{Record, RecordId, Timestamp};
use serde::Serialize;

use crate::read::record_json::RecordJson;
use crate::read::show::decode;

/// An event in the life of a memory.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// The record that holds it.
    pub id: RecordId,
    /// When the ledger learned it.
    pub at: Timestamp,
    /// The kind of event, e.g. `memory.invalidated`.
    pub kind: &'static str,
    /// The words of a memory, where it was one that was written.
    pub text: Option<String>,
}

impl Step {
    pub(crate) fn of(record: &Record) -> Step {
        let json = RecordJson::of(record);
        let body = decode(record).ok().flatten();
        let text = body.and_then(|body| body.event.item_text().map(Into::into));
        Step { id: json.id, at: json.recorded_at, kind: json.kind, text }
    }
}
