use std::fmt;

use crate::layout::{Fields, Fixed};
use crate::{Seq, Timestamp};

/// The 32 hashed bytes that say what a record is; frame offsets 56 to 87.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordHeader {
    /// The record's position in its ledger.
    pub seq: Seq,
    /// When the ledger learned it; never before its predecessor's.
    pub recorded_at: Timestamp,
    /// Bytes of the body, without the blind.
    pub payload_len: u32,
    /// Meaning of the body; below 64 it belongs to the log.
    pub kind: u16,
    /// The version of the kind's layout.
    pub kind_version: u8,
    /// How the body is encoded; 0 is a fixed layout.
    pub codec: u8,
    /// Properties that a reader must know before the body.
    pub flags: Flags,
    /// The record's place in its batch, from 0.
    pub batch_pos: u16,
    /// Records in the batch, 1 to 4,096.
    pub batch_len: u16,
}

/// The flags of a record; unknown bits are refused as a newer format.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);
    /// The body is encrypted.
    pub const SEALED: Flags = Flags(1);
    /// The time was raised to the predecessor's; the body keeps the raw reading.
    pub const CLAMPED: Flags = Flags(2);
    /// Software that does not know the kind may read but not write.
    pub const RO_COMPAT: Flags = Flags(4);
    /// Software that does not know the kind must refuse to open.
    pub const INCOMPAT: Flags = Flags(8);

    const KNOWN: u16 = 15;

    /// Whether all bits of `other` are set.
    #[must_use]
    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// These flags and those of `other`.
    #[must_use]
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    pub(crate) fn all_known(self) -> bool {
        self.0 & !Flags::KNOWN == 0
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Flags({:#06b})", self.0)
    }
}

impl RecordHeader {
    /// The length of an encoded header.
    pub const LEN: usize = 8 + 8 + 4 + 2 + 1 + 1 + 2 + 2 + 2 + 2;

    /// The bytes that are hashed and written.
    #[must_use]
    pub fn encode(&self) -> [u8; RecordHeader::LEN] {
        Fixed::new()
            .u64(self.seq.0)
            .i64(self.recorded_at.0)
            .u32(self.payload_len)
            .u16(self.kind)
            .bytes(&[self.kind_version, self.codec])
            .u16(self.flags.0)
            .u16(self.batch_pos)
            .u16(self.batch_len)
            .u16(0)
            .whole()
    }

    /// Reads the fields; the caller checks the reserved last two bytes.
    #[must_use]
    pub fn decode(bytes: &[u8; RecordHeader::LEN]) -> Option<RecordHeader> {
        let mut fields = Fields(bytes);
        Some(RecordHeader {
            seq: fields.seq()?,
            recorded_at: Timestamp(fields.i64()?),
            payload_len: fields.u32()?,
            kind: fields.u16()?,
            kind_version: fields.u8()?,
            codec: fields.u8()?,
            flags: Flags(fields.u16()?),
            batch_pos: fields.u16()?,
            batch_len: fields.u16()?,
        })
    }

    /// Whether its time may lie before its predecessor's.
    pub(crate) fn may_step_back(&self) -> bool {
        self.kind == CLOCK_REBASED
    }

    /// Whether the record is the last one of its batch.
    #[must_use]
    pub fn ends_batch(&self) -> bool {
        self.batch_pos.checked_add(1) == Some(self.batch_len)
    }
}

/// The kind that says the clock was wrong.
const CLOCK_REBASED: u16 = 6;

const _: () = assert!(RecordHeader::LEN == 32);
