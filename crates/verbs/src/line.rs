use memlith::log::{LogEvent, Record, RecordJson};
use serde::Serialize;

use crate::plain::plain;
use crate::told;

/// A record as a line of `list events`.
#[derive(Serialize)]
pub(crate) struct Line {
    #[serde(flatten)]
    pub(crate) json: RecordJson,
    #[serde(skip)]
    words: String,
}

/// How much of a record's words stand in a line for people.
const WORDS_CHARS: usize = 100;

impl Line {
    pub(crate) fn of(record: &Record) -> Line {
        let json = RecordJson::of(record);
        let words = match memlith::log::decode(record) {
            Ok(Some(body)) => match body.event.item_text() {
                Some(text) => format!("{}: {text}", body.envelope.actor.name),
                None => told::words(&body, &json.body),
            },
            Ok(None) => {
                let event = record.body().and_then(|body| LogEvent::decode(record.kind, body));
                event.map_or_else(String::new, |(event, _)| of_log(&event))
            }
            Err(_) => String::new(),
        };
        Line { json, words }
    }

    /// For people: number, time, kind and as many words as a terminal's line holds.
    pub(crate) fn to_text(&self) -> String {
        let RecordJson { id, recorded_at, kind, payload, .. } = &self.json;
        let words = if *payload == "present" { self.words.as_str() } else { payload };
        let words = plain(words, WORDS_CHARS);
        format!("{id}  {recorded_at}  {kind}  {words}")
    }

    /// Words of the record: what it says or did, whole; nothing where that is gone.
    pub(crate) fn told(&self) -> &str {
        &self.words
    }
}

/// A record of the log itself in words.
fn of_log(event: &LogEvent) -> String {
    match event {
        LogEvent::Genesis => "the ledger begins".to_owned(),
        LogEvent::Erasure { targets, .. } => format!("{} records are to be erased", targets.len()),
        LogEvent::ErasureDone { erasure } => format!("the erasure of record {erasure} is done"),
        LogEvent::CheckpointSealed(seal) => format!("a checkpoint up to record {}", seal.seq),
        LogEvent::HeadAnchored { seq, .. } => format!("the head {seq} was given away"),
        LogEvent::LossAccepted(loss) => {
            let destroyed = match loss.destroyed.len() {
                0 => String::new(),
                count => format!(", {count} of them without their words"),
            };
            format!("{} of {} records were kept{destroyed}", loss.kept, loss.synced)
        }
        LogEvent::ClockRebased { previous } => format!("the clock was wrong at {previous}"),
        LogEvent::KeyRotated { old_key, new_key } => {
            let hex =
                |key: &[u8; 8]| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            format!("heads are signed with key {} in place of {}", hex(new_key), hex(old_key))
        }
    }
}
