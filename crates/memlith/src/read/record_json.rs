use memlith_event::{Body, Kind};
use memlith_log::{Digest, FIRST_EVENT_KIND, LogEvent, Payload, Record, RecordId, Seq, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::fold::state::body_of;

/// A record as JSON for people and other programs: a line of `memlith list events --json`, and the
/// readable part of a line of an export.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordJson {
    /// Its position.
    pub seq: Seq,
    /// Its id.
    pub id: RecordId,
    /// When the ledger learned it.
    pub recorded_at: Timestamp,
    /// When it happened; `None` where nothing says so.
    pub occurred_at: Option<Timestamp>,
    /// The name of its kind, e.g. `memory.remembered`.
    pub kind: &'static str,
    /// The number and version of its kind.
    pub code: String,
    /// Its hash.
    pub hash: Digest,
    /// Its chain value.
    pub chain: Digest,
    /// `present`, `erased` or `destroyed`.
    pub payload: &'static str,
    /// Body of the record: `{"envelope", "content"}` of an event, the fields of a record of the log
    /// itself, null where that is gone.
    pub body: Value,
}

impl RecordJson {
    /// The record as JSON.
    #[must_use]
    pub fn of(record: &Record) -> RecordJson {
        let code = Kind { number: record.kind, version: record.kind_version };
        let mut json = RecordJson {
            seq: record.seq,
            id: record.id(),
            recorded_at: record.recorded_at,
            occurred_at: None,
            kind: code.name(),
            code: code.to_string(),
            hash: record.record_hash,
            chain: record.chain,
            payload: match record.payload {
                Payload::Present { .. } => "present",
                Payload::Erased { .. } => "erased",
                Payload::Destroyed => "destroyed",
            },
            body: Value::Null,
        };
        match body_of(record) {
            Ok(Some(body)) => {
                json.occurred_at = Some(body.envelope.occurred_at);
                json.body = RecordJson::event(&body);
            }
            Ok(None) if record.kind < FIRST_EVENT_KIND => json.add_log_event(record),
            Ok(None) => {}
            Err(error) => json.body = json!({ "unreadable": error.to_string() }),
        }
        json
    }

    /// An event as JSON: its envelope and its content.
    #[must_use]
    pub fn event(body: &Body<'_>) -> Value {
        json!({ "envelope": body.envelope, "content": body.event })
    }

    fn add_log_event(&mut self, record: &Record) {
        let event = record.body().and_then(|body| LogEvent::decode(record.kind, body));
        let Some((event, clock)) = event else { return };
        (self.kind, self.body) = of_log(&event);
        if let Value::Object(fields) = &mut self.body {
            fields.insert("clock".to_owned(), json!(clock));
        }
    }
}

/// A record of the log itself: its name and its fields.
fn of_log(event: &LogEvent) -> (&'static str, Value) {
    match event {
        LogEvent::Genesis => ("log.genesis", json!({})),
        LogEvent::Erasure { reason, targets } => {
            let seqs: Vec<Seq> = targets.iter().map(|(seq, _)| *seq).collect();
            ("log.erasure", json!({ "reason": reason, "targets": seqs }))
        }
        LogEvent::ErasureDone { erasure } => ("log.erasure_done", json!({ "erasure": erasure })),
        LogEvent::CheckpointSealed(seal) => {
            let fields = json!({
                "seq": seal.seq,
                "chain": seal.chain,
                "fold_version": seal.fold_version,
                "configuration": seal.configuration,
                "erasure_epoch": seal.erasure_epoch,
                "root": seal.root,
            });
            ("log.checkpoint_sealed", fields)
        }
        LogEvent::HeadAnchored { seq, chain, receipt } => {
            ("log.head_anchored", json!({ "seq": seq, "chain": chain, "receipt": receipt }))
        }
        LogEvent::LossAccepted(loss) => {
            let fields = json!({
                "kept": loss.kept,
                "synced": loss.synced,
                "old_chain": loss.old_chain,
                "destroyed": loss.destroyed.iter().map(|(seq, _)| seq).collect::<Vec<_>>(),
            });
            ("log.loss_accepted", fields)
        }
        LogEvent::ClockRebased { previous } => {
            ("log.clock_rebased", json!({ "previous": previous }))
        }
        LogEvent::KeyRotated { old_key, new_key } => {
            ("log.key_rotated", json!({ "old_key": hex(old_key), "new_key": hex(new_key) }))
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
