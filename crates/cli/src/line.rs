use memlith::{Body, Digest, Kind, LogEvent, Payload, Record, RecordId, Seq, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::plain::plain;
use crate::told;

/// A record as a line of `log`.
#[derive(Serialize)]
pub(crate) struct Line {
    seq: Seq,
    id: RecordId,
    recorded_at: Timestamp,
    occurred_at: Option<Timestamp>,
    pub(crate) kind: &'static str,
    code: String,
    hash: Digest,
    chain: Digest,
    payload: &'static str,
    pub(crate) body: Value,
    #[serde(skip)]
    words: String,
}

/// How much of a record's words stand in a line for people.
const WORDS_CHARS: usize = 100;

impl Line {
    pub(crate) fn of(record: &Record) -> Line {
        let code = Kind { number: record.kind, version: record.kind_version };
        let mut line = Line {
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
            words: String::new(),
        };
        match memlith::decode(record) {
            Ok(Some(body)) => {
                line.occurred_at = Some(body.envelope.occurred_at);
                line.body = event(&body);
                line.words = match body.event.item_text() {
                    Some(text) => format!("{}: {text}", body.envelope.actor.name),
                    None => told::words(&body, &line.body),
                };
            }
            Ok(None) => line.log_level(record),
            Err(error) => line.body = json!({ "unreadable": error.to_string() }),
        }
        line
    }

    /// For people: number, time, kind and as many words as a terminal's line holds.
    pub(crate) fn to_text(&self) -> String {
        let words = if self.payload == "present" { self.words.as_str() } else { self.payload };
        let words = plain(words, WORDS_CHARS);
        format!("{}  {}  {}  {words}", self.id, self.recorded_at, self.kind)
    }

    /// What it says or did, whole; nothing where that is gone.
    pub(crate) fn told(&self) -> &str {
        &self.words
    }

    fn log_level(&mut self, record: &Record) {
        let Some((event, clock)) =
            record.body().and_then(|body| LogEvent::decode(record.kind, body))
        else {
            return;
        };
        (self.kind, self.body, self.words) = of_log(&event);
        if let Value::Object(fields) = &mut self.body {
            fields.insert("clock".to_owned(), json!(clock));
        }
    }
}

/// An event as JSON: its envelope and its content.
pub(crate) fn event(body: &Body<'_>) -> Value {
    json!({ "envelope": body.envelope, "content": body.event })
}

/// A record of the log itself: its name, its fields, and both in words.
fn of_log(event: &LogEvent) -> (&'static str, Value, String) {
    match event {
        LogEvent::Genesis => ("log.genesis", json!({}), "the ledger begins".to_owned()),
        LogEvent::Erasure { reason, targets } => {
            let seqs: Vec<Seq> = targets.iter().map(|(seq, _)| *seq).collect();
            let words = format!("{} records are to be erased", seqs.len());
            ("log.erasure", json!({ "reason": reason, "targets": seqs }), words)
        }
        LogEvent::ErasureDone { erasure } => {
            let words = format!("the erasure of record {erasure} is done");
            ("log.erasure_done", json!({ "erasure": erasure }), words)
        }
        LogEvent::CheckpointSealed(seal) => {
            let fields = json!({
                "seq": seal.seq,
                "chain": seal.chain,
                "fold_version": seal.fold_version,
                "configuration": seal.configuration,
                "erasure_epoch": seal.erasure_epoch,
                "root": seal.root,
            });
            ("log.checkpoint_sealed", fields, format!("a checkpoint up to record {}", seal.seq))
        }
        LogEvent::HeadAnchored { seq, chain, receipt } => {
            let fields = json!({ "seq": seq, "chain": chain, "receipt": receipt });
            ("log.head_anchored", fields, format!("the head {seq} was given away"))
        }
        LogEvent::LossAccepted(loss) => {
            let fields = json!({
                "kept": loss.kept,
                "synced": loss.synced,
                "old_chain": loss.old_chain,
                "destroyed": loss.destroyed,
            });
            let words = format!("{} of {} records were kept", loss.kept, loss.synced);
            ("log.loss_accepted", fields, words)
        }
        LogEvent::ClockRebased { previous } => {
            let words = format!("the clock was wrong at {previous}");
            ("log.clock_rebased", json!({ "previous": previous }), words)
        }
        LogEvent::KeyRotated { old_key, new_key } => {
            let fields = json!({ "old_key": hex(old_key), "new_key": hex(new_key) });
            ("log.key_rotated", fields, "bodies are sealed under a new key".to_owned())
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
