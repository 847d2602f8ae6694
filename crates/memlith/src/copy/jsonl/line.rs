use std::io::{BufRead, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memlith_log::{
    Digest, Flags, Head, LedgerId, Payload, Record, RecordHeader, RecordId, RestoredRecord, Seq,
    Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::read::record_json::RecordJson;

/// The first line of an export.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Heading {
    /// The version of the export's layout.
    memlith_export: u32,
    /// The ledger it was made from.
    pub(crate) ledger: LedgerId,
    /// Number of records that follow.
    pub(crate) records: u64,
}

/// The last line of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ending {
    /// Number of records that came before.
    pub(crate) memlith_export_end: u64,
    /// The last of them, and the chain there.
    seq: Seq,
    chain: Digest,
}

const EXPORT_VERSION: u32 = 2;

/// One record. Numbers and digests are exact; `log` is for people and other programs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) seq: Seq,
    /// Microseconds since 1970: every instant has a number, not every one a date.
    recorded_at_us: i64,
    kind: u16,
    kind_version: u8,
    codec: u8,
    flags: u16,
    batch_pos: u16,
    batch_len: u16,
    payload_len: u32,
    pub(crate) hash: Digest,
    #[serde(skip_serializing_if = "Option::is_none")]
    blind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    erased_payload_digest: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none", skip_deserializing)]
    log: Option<RecordJson>,
}

/// The longest line that is read: the longest body in base 64, and its event in JSON.
const LINE_LEN_MAX: u64 = 128 << 20;

impl Heading {
    pub(crate) fn of(ledger: LedgerId, records: u64) -> Heading {
        Heading { memlith_export: EXPORT_VERSION, ledger, records }
    }

    pub(crate) fn to_json(self) -> String {
        serde_json::to_string(&self).unwrap_or_default()
    }

    pub(crate) fn from_json(line: &str) -> Option<Heading> {
        let heading: Heading = serde_json::from_str(line).ok()?;
        (heading.memlith_export == EXPORT_VERSION).then_some(heading)
    }
}

impl Ending {
    pub(crate) fn of(head: &Head) -> Ending {
        let Head { seq, chain, .. } = *head;
        Ending { memlith_export_end: seq.0.saturating_add(1), seq, chain }
    }

    pub(crate) fn to_json(self) -> String {
        serde_json::to_string(&self).unwrap_or_default()
    }

    pub(crate) fn from_json(line: &str) -> Option<Ending> {
        // Every record is longer to read than this is to see.
        let ending = line.starts_with("{\"memlith_export_end\"");
        ending.then(|| serde_json::from_str(line).ok()).flatten()
    }
}

impl Line {
    pub(crate) fn of(record: &Record) -> Line {
        let (blind, body, erased) = match &record.payload {
            Payload::Present { blind, body } => {
                (Some(STANDARD.encode(blind)), Some(STANDARD.encode(body)), None)
            }
            Payload::Erased { payload_digest } => (None, None, Some(*payload_digest)),
            Payload::Destroyed => (None, None, None),
        };
        Line {
            seq: record.seq,
            recorded_at_us: record.recorded_at.0,
            kind: record.kind,
            kind_version: record.kind_version,
            codec: record.codec,
            flags: record.flags.0,
            batch_pos: record.batch_pos,
            batch_len: record.batch_len,
            payload_len: record.payload_len,
            hash: record.record_hash,
            blind,
            body,
            erased_payload_digest: erased,
            log: Some(RecordJson::of(record)),
        }
    }

    /// The id that the record has.
    pub(crate) fn id(&self) -> RecordId {
        RecordId::new(self.seq, &self.hash)
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn from_json(text: &str) -> serde_json::Result<Line> {
        serde_json::from_str(text)
    }

    /// Whether it is the last of its batch.
    pub(crate) fn ends_batch(&self) -> bool {
        self.batch_pos.saturating_add(1) >= self.batch_len
    }

    /// The record, if its hash is what the line says.
    pub(crate) fn restored(&self) -> Result<RestoredRecord, String> {
        let header = RecordHeader {
            seq: self.seq,
            recorded_at: Timestamp(self.recorded_at_us),
            payload_len: self.payload_len,
            kind: self.kind,
            kind_version: self.kind_version,
            codec: self.codec,
            flags: Flags(self.flags),
            batch_pos: self.batch_pos,
            batch_len: self.batch_len,
        };
        let restored = RestoredRecord { header, payload: self.payload()? };
        let hash = restored.record_hash().map_err(|error| error.to_string())?;
        if hash != self.hash {
            return Err(format!(
                "record {} hashes to {hash}, the line says {}: it was changed",
                self.seq, self.hash
            ));
        }
        Ok(restored)
    }

    fn payload(&self) -> Result<Payload, String> {
        if let Some(payload_digest) = self.erased_payload_digest {
            return Ok(Payload::Erased { payload_digest });
        }
        let decode = |field: &Option<String>, name: &str| {
            let text =
                field.as_deref().ok_or_else(|| format!("record {} has no {name}", self.seq))?;
            STANDARD.decode(text).map_err(|error| format!("{name} of record {}: {error}", self.seq))
        };
        let blind = decode(&self.blind, "blind")?;
        let blind = <[u8; 16]>::try_from(blind).map_err(|_| "a blind has 16 bytes".to_owned())?;
        Ok(Payload::Present { blind, body: decode(&self.body, "body")? })
    }
}

/// A line without its end.
pub(crate) struct TextLine {
    pub(crate) text: String,
    /// Whether it had an end.
    pub(crate) is_whole: bool,
}

/// The next line, or `None` at the end of the input.
pub(crate) fn read_line(input: &mut impl BufRead) -> Result<Option<TextLine>, String> {
    let mut bytes = Vec::new();
    let read = input.by_ref().take(LINE_LEN_MAX).read_until(b'\n', &mut bytes);
    let read = read.map_err(|error| format!("reading failed: {error}"))?;
    if read == 0 {
        return Ok(None);
    }
    let is_whole = bytes.pop_if(|last| *last == b'\n').is_some();
    if !is_whole && read as u64 == LINE_LEN_MAX {
        return Err(format!("the line is longer than {LINE_LEN_MAX} bytes"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(TextLine { text, is_whole })),
        // Cut in the middle of a letter.
        Err(_) if !is_whole => Ok(Some(TextLine { text: String::new(), is_whole })),
        Err(error) => Err(format!("not UTF-8: {error}")),
    }
}
