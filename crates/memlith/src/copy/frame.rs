use memlith_event::{Body, Event, Kind, PolicyEvent, Role, RoleGiven};
use memlith_log::{Digest, LogEvent, Payload, RestoredRecord, Seq};

use super::shared::parts_of;
use super::stretch::Arrived;

/// A frame of a shared log as a reader that goes by roles sees it; nothing of it is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedFrame {
    /// Its first record.
    pub first: Seq,
    /// Its last one.
    pub last: Seq,
    /// The chain before its first record.
    pub before: Digest,
    /// The chain at its last record: it stays when words are erased.
    pub chain: Digest,
    /// The least role that may write all of its events.
    pub needed: Role,
    /// The roles that it gives, each by the record that does.
    pub given: Vec<(Seq, RoleGiven<'static>)>,
    /// Whether this version reads all of its events, but for those that were erased.
    pub is_readable: bool,
}

impl SharedFrame {
    /// Reads a frame; `None` where its bytes are none.
    #[must_use]
    pub fn read(frame: &[u8]) -> Option<SharedFrame> {
        let (before, records) = parts_of(frame)?;
        let first = RestoredRecord::decode(records)?.0.header.seq;
        let arrived = Arrived::read(records, first, before)?;
        let chain = *arrived.chains.last()?;
        let mut read = SharedFrame {
            first,
            last: arrived.records.last()?.header.seq,
            before,
            chain,
            needed: Role::Reader,
            given: Vec::new(),
            is_readable: true,
        };
        arrived.records.iter().for_each(|record| read.weigh(record));
        Some(read)
    }

    fn weigh(&mut self, record: &RestoredRecord) {
        let (seq, kind) = (record.header.seq, record.header.kind);
        let kind = Kind { number: kind, version: record.header.kind_version };
        if let Some(event) = record.log_event() {
            self.needed = self.needed.max(match event {
                // A node opens fast by checkpoints of its own, whatever it may write.
                LogEvent::CheckpointSealed(_) | LogEvent::HeadAnchored { .. } => Role::Reader,
                LogEvent::Erasure { .. } | LogEvent::LossAccepted(_) => Role::Owner,
                LogEvent::Genesis
                | LogEvent::ErasureDone { .. }
                | LogEvent::ClockRebased { .. }
                | LogEvent::KeyRotated { .. } => Role::Writer,
            });
            return;
        }
        // Of an erased event the kind is left.
        let Payload::Present { body, .. } = &record.payload else {
            self.needed = self.needed.max(Role::needed_for_erased(kind));
            self.is_readable &= kind != Kind::ROLE_GIVEN;
            return;
        };
        let body =
            (record.header.codec == memlith_event::BODY_CODEC).then(|| Body::decode(kind, body));
        let Some(Ok(body)) = body else {
            self.needed = self.needed.max(Role::Writer);
            self.is_readable = false;
            return;
        };
        self.needed = self.needed.max(Role::needed_for(&body));
        if let Event::Policy(PolicyEvent::RoleGiven(given)) = body.event {
            let RoleGiven { key, name, role } = given;
            self.given.push((seq, RoleGiven { key, name: name.into_owned(), role }));
        }
    }
}
