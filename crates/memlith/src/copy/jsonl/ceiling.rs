use memlith_event::{Body, Envelope, Kind, Origin, Rank, Tier};
use memlith_log::{FIRST_EVENT_KIND, Flags, LogEvent, Payload, RestoredRecord, Seq};

use crate::caller::Caller;

/// The authority of the one who imports: what a file claims counts no higher.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ceiling {
    pub(crate) rank: Rank,
    origin: Origin,
    tier: Tier,
}

impl Ceiling {
    pub(crate) fn of(caller: &Caller) -> Ceiling {
        let cap = caller.tier_cap.map_or(Rank::Owner, rank_of_tier);
        let tier = Tier::of(caller.origin(), None, caller.rank);
        Ceiling {
            rank: caller.rank.min(cap),
            origin: caller.origin(),
            tier: tier.min(Tier(caller.tier_cap.unwrap_or(Tier::USER.0))),
        }
    }

    /// Lowers what an envelope claims. Who spoke is not believed where that one is
    /// trusted more than the importer; a derived item is capped by its tier alone.
    pub(crate) fn lower(self, envelope: &mut Envelope<'_>) {
        envelope.actor.rank = envelope.actor.rank.min(self.rank);
        if envelope.origin != Origin::Derived && envelope.origin.cap() > self.origin.cap() {
            envelope.origin = self.origin;
        }
        if self.tier < Tier::USER {
            let claimed = envelope.tier_cap.unwrap_or(Tier::USER.0);
            envelope.tier_cap = Some(claimed.min(self.tier.0));
        }
    }

    /// Whether the records behind `head` claim no more than the importer has, so that
    /// they may follow what is here as they are.
    pub(crate) fn covers(self, batch: &[RestoredRecord], head: Seq) -> bool {
        let new = batch.iter().filter(|record| record.header.seq > head);
        self.rank == Rank::Owner || new.into_iter().all(|record| self.covers_record(record))
    }

    fn covers_record(self, record: &RestoredRecord) -> bool {
        let header = &record.header;
        let Payload::Present { body, .. } = &record.payload else { return true };
        // They decide who may write from then on.
        if header.flags.contains(Flags::INCOMPAT) || header.flags.contains(Flags::RO_COMPAT) {
            return false;
        }
        if header.kind < FIRST_EVENT_KIND {
            let event = LogEvent::decode(header.kind, body);
            return matches!(event, Some((LogEvent::Genesis | LogEvent::CheckpointSealed(_), _)));
        }
        let kind = Kind { number: header.kind, version: header.kind_version };
        Body::decode(kind, body).is_ok_and(|body| {
            let mut lowered = body.envelope.clone();
            self.lower(&mut lowered);
            lowered == body.envelope
        })
    }
}

/// The actors whose own word has the tier.
fn rank_of_tier(tier: u8) -> Rank {
    match tier {
        0 | 1 => Rank::Web,
        2 => Rank::Tool,
        3 => Rank::Assistant,
        4.. => Rank::User,
    }
}
