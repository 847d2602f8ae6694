use memlith_event::{Key, Origin, OwnStatus, Tier};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_state::{Fields, Place, Row};

/// A record or a memory: what every item has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its id.
    pub id: RecordId,
    /// Yes-or-no properties.
    pub flags: ItemFlags,
    /// The status decided for it.
    pub own: OwnStatus,
    /// The status an invalidation took it from.
    pub before: OwnStatus,
    /// The origin of its words.
    pub origin: Origin,
    /// How far its source is trusted.
    pub tier: Tier,
    /// The least rank that may displace it.
    pub guard: u8,
    /// The highest rank that invalidated it, or that of who rejected it or took it back; 0
    /// where none did.
    pub invalidator: u8,
    /// The rank it took to break every justification, 0 where one is intact;
    /// [`Item::FINAL`] where a source is gone for good.
    pub broken_by: u8,
    /// The rank that pinned it, 0 where it isn't pinned.
    pub pinner: u8,
    /// The rank that made it active, 0 where none did.
    pub decider: u8,
    /// Key of the scope's cell that it is in.
    pub cell: Key,
    /// The session it happened in, zero where in none.
    pub session: Key,
    /// Key of the actor that wrote it.
    pub actor: Key,
    /// When the ledger learned it.
    pub recorded_at: Timestamp,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// When it was last invalidated, rejected or taken back, as recorded; meaningless while it stands.
    pub invalidated_at: Timestamp,
}

/// Yes-or-no properties of an [`Item`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ItemFlags(u8);

impl ItemFlags {
    /// It is a record: what happened, never true or false.
    pub const RECORD: ItemFlags = ItemFlags(1);
    /// The engine or a model made it from other items.
    pub const DERIVED: ItemFlags = ItemFlags(2);
    /// Only queries of its own session see it.
    pub const SESSION_ONLY: ItemFlags = ItemFlags(4);
    /// Review accepted it.
    pub const ACCEPTED: ItemFlags = ItemFlags(8);
    /// It stands for a part of the log.
    pub const SUMMARY: ItemFlags = ItemFlags(16);

    /// Whether all of `flags` are set.
    #[must_use]
    pub fn has(self, flags: ItemFlags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// These and `flags`, where `on` holds; these without `flags` otherwise.
    #[must_use]
    pub fn with(self, flags: ItemFlags, on: bool) -> ItemFlags {
        if on { ItemFlags(self.0 | flags.0) } else { ItemFlags(self.0 & !flags.0) }
    }
}

impl Item {
    /// Whether it is a record.
    #[must_use]
    pub fn is_record(&self) -> bool {
        self.flags.has(ItemFlags::RECORD)
    }

    /// Whether it was made from other items.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.flags.has(ItemFlags::DERIVED)
    }

    /// Whether it is a summary: derived, never unprompted, and with no guard but its tier.
    #[must_use]
    pub fn is_summary(&self) -> bool {
        self.flags.has(ItemFlags::SUMMARY)
    }

    /// Above every rank: what no rank can make good again.
    pub const FINAL: u8 = u8::MAX;

    /// Whether none of its justifications is intact.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.broken_by > 0
    }

    /// Whether the content rule keeps out what says the same.
    #[must_use]
    pub(crate) fn bars(&self) -> bool {
        let invalidated = self.own == OwnStatus::Retracted && self.before == OwnStatus::Invalidated;
        invalidated || matches!(self.own, OwnStatus::Invalidated | OwnStatus::Rejected)
    }

    /// Whether it is pinned.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.pinner > 0
    }
}

impl Row for Item {
    type Key = Seq;
    const NAME: &'static str = "items";
    const WIDTH: usize = 8 + 6 + 8 + 2 + 3 * Key::WIDTH + 3 * 8;

    fn key(&self) -> Seq {
        self.id.seq
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.id.seq.0.to_le_bytes());
        out.extend(self.id.hash);
        out.extend([
            self.flags.0,
            self.own.code(),
            self.before.code(),
            self.origin.code(),
            self.tier.0,
            self.guard,
            self.invalidator,
            self.pinner,
            self.broken_by,
            self.decider,
        ]);
        out.extend(self.cell.0);
        out.extend(self.session.0);
        out.extend(self.actor.0);
        out.extend(self.recorded_at.0.to_le_bytes());
        out.extend(self.occurred_at.0.to_le_bytes());
        out.extend(self.invalidated_at.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Item {
        let id = RecordId { seq: Seq(fields.u64()), hash: fields.bytes() };
        let flags = ItemFlags(fields.u8());
        let own = OwnStatus::from_code(fields.u8());
        let before = OwnStatus::from_code(fields.u8());
        let origin = Origin::from_code(fields.u8());
        let tier = Tier(fields.u8());
        let (guard, invalidator, pinner) = (fields.u8(), fields.u8(), fields.u8());
        let (broken_by, decider) = (fields.u8(), fields.u8());
        Item {
            id,
            flags,
            own,
            before,
            origin,
            tier,
            guard,
            invalidator,
            broken_by,
            pinner,
            decider,
            cell: Key::read(fields),
            session: Key::read(fields),
            actor: Key::read(fields),
            recorded_at: Timestamp(fields.i64()),
            occurred_at: Timestamp(fields.i64()),
            invalidated_at: Timestamp(fields.i64()),
        }
    }

    fn read_key(row: &[u8]) -> Seq {
        Seq(Fields::new(row).u64())
    }

    fn place(key: &Seq) -> Place {
        Place::Number(key.0)
    }
}
