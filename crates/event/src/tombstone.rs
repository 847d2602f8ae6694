use memlith_log::{LedgerId, RecordId};
use serde::{Deserialize, Serialize};

/// The life of tombstones: what keeps an erased text from coming back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TombstoneEvent {
    /// An erasure left tombstones.
    Laid(TombstonesLaid),
    /// The owner lets what they stand for come in again.
    Lifted(TombstonesLifted),
}

/// Tombstones of records that are erased next.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TombstonesLaid {
    /// The ledger whose key they were made with. A ledger restored from an export has another
    /// id, and not the key.
    pub ledger: LedgerId,
    /// Which key: the first eight bytes of a digest of it.
    pub key: u64,
    /// One for each thing by which a record can be known again.
    pub stones: Vec<Tombstone>,
}

/// A keyed digest of something by which an erased record can be known again: its key in an
/// import, its normalised text, or its own hash.
///
/// Without the key, which lies in no record, it says nothing: not even a short text can be
/// guessed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Tombstone {
    /// The erased record.
    pub target: RecordId,
    /// The first 16 bytes of keyed BLAKE3.
    pub digest: [u8; 16],
}

/// Tombstones that the owner took away.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TombstonesLifted {
    /// Those of these erased records.
    pub targets: Vec<RecordId>,
    /// All that were made with these keys: for one that is lost.
    pub keys: Vec<u64>,
}
