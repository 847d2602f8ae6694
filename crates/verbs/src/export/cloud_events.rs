//! Records as CloudEvents 1.0 in JSON, a line each.

use std::io::{self, Write};

use anyhow::Result;
use memlith::log::RecordJson;
use memlith::{Ledger, LedgerId, Seq};
use serde_json::{Value, json};

/// Writes every record as an event; returns how many there were.
///
/// # Errors
/// The ledger can't be read, or `out` not written.
pub(super) fn write(ledger: &Ledger, out: &mut dyn Write) -> Result<u64> {
    let mut count = 0;
    for record in ledger.records(Seq::GENESIS, None)? {
        serde_json::to_writer(&mut *out, &event(ledger.id(), RecordJson::of(&record?)))
            .map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        count += 1;
    }
    Ok(count)
}

/// A record as an event. `sequence` is CloudEvents' extension of that name; `recordhash`, `chain`
/// and `payload` are ours.
fn event(ledger: LedgerId, record: RecordJson) -> Value {
    let RecordJson { seq, id, recorded_at, kind, code, hash, chain, payload, body, .. } = record;
    json!({
        "specversion": "1.0",
        "id": id,
        "source": format!("memlith://{ledger}"),
        "type": format!("memlith.{kind}"),
        "subject": id,
        "time": recorded_at,
        "datacontenttype": "application/json",
        "sequence": format!("{:020}", seq.0),
        "kindcode": code,
        "recordhash": hash,
        "chain": chain,
        "payload": payload,
        "data": body,
    })
}
