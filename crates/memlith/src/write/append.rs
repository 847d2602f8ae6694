//! From events to records: the one place where bodies are encoded and appended.

use memlith_event::{BODY_CODEC, Body};
use memlith_log::{Appended, Durability, Flags, NewRecord, Tick, Writer};

use crate::error::Error;
use crate::fold::state::State;
use crate::forget::tombstones;
use crate::ledger::Ledger;

/// How a batch is appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    Ordinary(Durability),
    /// Synced, and allowed to use the space kept back for a full disk: what takes
    /// something out of sight must always be possible.
    Urgent,
}

impl Ledger {
    /// Appends `bodies` as one batch, at the instant that was read for it; unless something
    /// that was read to decide on them turned out to be damaged, or a tombstone bars one.
    pub(crate) fn append(
        &self,
        writer: &mut Writer<'_>,
        decided_on: &State,
        tick: Tick,
        bodies: &[Body<'_>],
        urgency: Urgency,
    ) -> Result<Vec<Appended>, Error> {
        decided_on.check()?;
        if let Some(id) = self.barred(decided_on, bodies)? {
            return Err(tombstones::refused(id));
        }
        append(writer, tick, bodies, urgency)
    }
}

/// Appends `bodies` whatever tombstones say: for what takes them away.
pub(crate) fn append(
    writer: &mut Writer<'_>,
    tick: Tick,
    bodies: &[Body<'_>],
    urgency: Urgency,
) -> Result<Vec<Appended>, Error> {
    let encoded: Vec<Vec<u8>> = bodies.iter().map(Body::encode).collect();
    let records: Vec<NewRecord<'_>> = bodies
        .iter()
        .zip(&encoded)
        .map(|(body, bytes)| {
            let kind = body.event.kind();
            NewRecord {
                kind: kind.number,
                kind_version: kind.version,
                codec: BODY_CODEC,
                flags: Flags::NONE,
                body: bytes,
            }
        })
        .collect();
    Ok(match urgency {
        Urgency::Ordinary(durability) => writer.append_at(tick, &records, durability)?,
        Urgency::Urgent => writer.append_urgent(tick, &records, Durability::Immediate)?,
    })
}
