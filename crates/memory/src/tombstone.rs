//! Tombstones: what is not to come back, as a command and as a fold.

use memlith_event::{
    Body, Event, Key, Rank, Tombstone, TombstoneEvent, TombstonesLaid, TombstonesLifted,
};
use memlith_log::{LedgerId, RecordId, Seq};
use memlith_state::{Fields, Place, Row};

use crate::command::Door;
use crate::elsewhere::{read_id, write_id};
use crate::memory::Memory;
use crate::rejection::Rejection;

/// A tombstone by its digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    digest: Key,
    target: RecordId,
    key: u64,
}

/// Tombstone by the erased record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buried {
    target: RecordId,
    digest: Key,
}

/// A key that tombstones were made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TombstoneKeyUse {
    /// Which key.
    pub key: u64,
    /// The ledger that it belongs to.
    pub ledger: LedgerId,
    /// How many tombstones that were made with it stand.
    pub standing: u64,
}

const FIRST: RecordId = RecordId { seq: Seq(0), hash: [0; 6] };
const LAST: RecordId = RecordId { seq: Seq::MAX, hash: [u8::MAX; 6] };

impl Memory {
    /// The erased record whose tombstone has this digest.
    #[must_use]
    pub fn tombstone(&self, digest: [u8; 16]) -> Option<RecordId> {
        let digest = Key(digest);
        let mut rows = self.tombstones.range((digest, FIRST)..=(digest, LAST));
        rows.next().map(|row| row.target)
    }

    /// The keys of the tombstones that stand.
    pub fn tombstone_keys(&self) -> impl Iterator<Item = TombstoneKeyUse> + '_ {
        self.tombstone_keys.rows().filter(|used| used.standing > 0)
    }

    /// Decides whether the owner may take tombstones away: those of `targets`, and all that
    /// were made with `keys`.
    ///
    /// # Errors
    /// The caller isn't the owner, or a target has none.
    pub fn decide_lift(
        &self,
        targets: &[RecordId],
        keys: &[u64],
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        for id in targets {
            let mut buried = self.buried.range((*id, Key([0; 16]))..=(*id, Key::MAX));
            if buried.next().is_none() {
                return Err(Rejection::NoTombstone { id: *id });
            }
        }
        if door.actor.rank < Rank::Owner {
            let (id, needed) = (targets.first().copied(), Rank::Owner.level());
            let id = id.unwrap_or_default();
            return Err(Rejection::Rank { id, needed, found: door.actor.rank });
        }
        let lifted = TombstonesLifted { targets: targets.to_vec(), keys: keys.to_vec() };
        let event = Event::Tombstone(TombstoneEvent::Lifted(lifted));
        Ok(vec![Body { envelope: door.envelope(Vec::new()), event }])
    }

    /// The event that lays tombstones, for one who erases next.
    #[must_use]
    pub fn laying(laid: TombstonesLaid, door: &Door) -> Body<'static> {
        let event = Event::Tombstone(TombstoneEvent::Laid(laid));
        Body { envelope: door.envelope(Vec::new()), event }
    }

    pub(crate) fn fold_tombstone(&mut self, event: &TombstoneEvent) {
        match event {
            TombstoneEvent::Laid(laid) => self.fold_laid(laid),
            TombstoneEvent::Lifted(lifted) => {
                for id in &lifted.targets {
                    let buried = self.buried.range((*id, Key([0; 16]))..=(*id, Key::MAX));
                    let digests: Vec<Key> = buried.map(|row| row.digest).collect();
                    digests.into_iter().for_each(|digest| self.lift(digest, *id));
                }
                for key in &lifted.keys {
                    let of_key: Vec<Standing> =
                        self.tombstones.rows().filter(|row| row.key == *key).collect();
                    of_key.into_iter().for_each(|row| self.lift(row.digest, row.target));
                }
            }
        }
    }

    fn fold_laid(&mut self, laid: &TombstonesLaid) {
        let TombstonesLaid { ledger, key, stones } = laid;
        let known = self.tombstone_keys.get(key);
        let mut used = known.unwrap_or(TombstoneKeyUse { key: *key, ledger: *ledger, standing: 0 });
        for Tombstone { target, digest } in stones {
            let digest = Key(*digest);
            if self.tombstones.get(&(digest, *target)).is_some() {
                continue;
            }
            used.standing += 1;
            self.tombstones.put(Standing { digest, target: *target, key: *key });
            self.buried.put(Buried { target: *target, digest });
        }
        self.tombstone_keys.put(used);
    }

    fn lift(&mut self, digest: Key, target: RecordId) {
        let Some(standing) = self.tombstones.get(&(digest, target)) else { return };
        self.tombstones.remove(&(digest, target));
        self.buried.remove(&(target, digest));
        if let Some(used) = self.tombstone_keys.get(&standing.key) {
            let standing = used.standing.saturating_sub(1);
            self.tombstone_keys.put(TombstoneKeyUse { standing, ..used });
        }
    }
}

impl Row for Standing {
    type Key = (Key, RecordId);
    const NAME: &'static str = "tombstones";
    const WIDTH: usize = Key::WIDTH + 14 + 8;

    fn key(&self) -> (Key, RecordId) {
        (self.digest, self.target)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.digest.0);
        write_id(self.target, out);
        out.extend(self.key.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Standing {
        let (digest, target) = (Key::read(fields), read_id(fields));
        Standing { digest, target, key: fields.u64() }
    }

    fn place(key: &(Key, RecordId)) -> Place {
        Place::Even(key.0.place())
    }
}

impl Row for Buried {
    type Key = (RecordId, Key);
    const NAME: &'static str = "buried";
    const WIDTH: usize = 14 + Key::WIDTH;

    fn key(&self) -> (RecordId, Key) {
        (self.target, self.digest)
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_id(self.target, out);
        out.extend(self.digest.0);
    }

    fn read(fields: &mut Fields<'_>) -> Buried {
        Buried { target: read_id(fields), digest: Key::read(fields) }
    }
}

impl Row for TombstoneKeyUse {
    type Key = u64;
    const NAME: &'static str = "tombstone_keys";
    const WIDTH: usize = 32;

    fn key(&self) -> u64 {
        self.key
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.key.to_le_bytes());
        out.extend(self.ledger.0);
        out.extend(self.standing.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> TombstoneKeyUse {
        let (key, ledger) = (fields.u64(), LedgerId(fields.bytes()));
        TombstoneKeyUse { key, ledger, standing: fields.u64() }
    }
}
