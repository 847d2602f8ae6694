use std::io;
use std::sync::Arc;

use crate::finding::Finding;
use crate::layout::len_usize;
use crate::mark::{MARK_FILE_LEN, Mark, SLOT_LEN, SLOT_OFFSETS, Slot};
use crate::storage::{Access, File, Storage};
use crate::{Error, LedgerId};

/// The name of the mark's file.
pub(crate) const MARK_NAME: &str = "mark";

/// What the mark's file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarkReading {
    /// The valid slot of the greatest epoch, and its index.
    pub(crate) best: Option<(usize, Mark)>,
    pub(crate) missing: bool,
    /// The offsets of damaged slots.
    pub(crate) damaged: Vec<u64>,
}

/// The mark as a writer keeps it.
#[derive(Debug, Default)]
pub(crate) struct MarkFile {
    file: Option<Arc<dyn File>>,
    slot: usize,
    /// The epoch last read or written under the lock.
    pub(crate) epoch: u64,
    /// Whether the file says that nothing is written above it.
    pub(crate) clean: bool,
}

impl MarkReading {
    pub(crate) fn read(storage: &dyn Storage, ledger: LedgerId) -> Result<MarkReading, Error> {
        let file = match storage.open(MARK_NAME, Access::Read) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(MarkReading { missing: true, ..MarkReading::default() });
            }
            Err(error) => return Err(Error::io("open", MARK_NAME)(error)),
        };
        let mut bytes = vec![0; len_usize(MARK_FILE_LEN)];
        let read = file.read_at(&mut bytes, 0).map_err(Error::io("read", MARK_NAME))?;
        bytes.truncate(read);
        let mut reading = MarkReading::default();
        for (index, offset) in SLOT_OFFSETS.into_iter().enumerate() {
            let slot = bytes.get(len_usize(offset)..).and_then(|rest| rest.get(..SLOT_LEN));
            match slot.map_or(Slot::Damaged, Slot::decode) {
                Slot::Empty => {}
                Slot::Damaged => reading.damaged.push(offset),
                Slot::Valid(mark) if mark.ledger != ledger => {
                    return Err(Error::Corrupt {
                        file: MARK_NAME.to_owned(),
                        offset,
                        seq: None,
                        what: "the mark belongs to another ledger",
                    });
                }
                Slot::Valid(mark) => {
                    let newer = |best: &Mark| {
                        mark.epoch > best.epoch || crate::planted!("decoder-mark-older-slot")
                    };
                    if reading.best.is_none_or(|(_, best)| newer(&best)) {
                        reading.best = Some((index, mark));
                    }
                }
            }
        }
        Ok(reading)
    }

    pub(crate) fn mark(&self) -> Option<&Mark> {
        self.best.as_ref().map(|(_, mark)| mark)
    }

    /// The records that the mark says are synced: D + 1.
    pub(crate) fn floor_count(&self) -> u64 {
        self.mark().map_or(0, |mark| mark.seq.0.saturating_add(1))
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        let damaged = self.damaged.iter().map(|offset| {
            Finding::new(MARK_NAME, *offset, None, "mark slot damaged, the floor may lag")
        });
        let missing = (self.missing || self.best.is_none() && self.damaged.is_empty())
            .then(|| Finding::new(MARK_NAME, 0, None, "the mark is missing, the floor may lag"));
        damaged.chain(missing).collect()
    }
}

impl MarkFile {
    /// Goes on from what the file says; called whenever the lock was taken.
    ///
    /// What an earlier boot left is durable, and so is the slot that was left for one
    /// that is damaged: it may be the only one, and must not be written over where a
    /// power cut could take it.
    pub(crate) fn adopt(&mut self, reading: &MarkReading, boot_id: [u8; 16]) {
        match &reading.best {
            Some((slot, mark)) => {
                let only = mark.boot_id != boot_id || !reading.damaged.is_empty();
                let other = usize::from(only);
                (self.slot, self.epoch, self.clean) = (*slot ^ other, mark.epoch, mark.clean);
            }
            None => self.clean = false,
        }
        if reading.missing {
            self.file = None;
        }
    }

    /// Writes the mark with the next epoch into the current slot, unsynced.
    pub(crate) fn write(&mut self, storage: &dyn Storage, mut mark: Mark) -> Result<(), Error> {
        let file = self.file(storage)?;
        self.epoch = self.epoch.saturating_add(1);
        mark.epoch = self.epoch;
        let offset = SLOT_OFFSETS.get(self.slot).copied().unwrap_or_default();
        file.write_at(&mark.encode(), offset).map_err(Error::io("write", MARK_NAME))?;
        self.clean = mark.clean;
        Ok(())
    }

    /// Syncs the current slot and turns to the other one.
    pub(crate) fn leave_slot(&mut self, storage: &dyn Storage) -> Result<(), Error> {
        if !crate::planted!("mark-slot-changed-unsynced") {
            self.file(storage)?.sync_data().map_err(Error::io("sync", MARK_NAME))?;
        }
        self.slot ^= 1;
        Ok(())
    }

    /// Makes both slots say nothing, durably.
    pub(crate) fn clear(&mut self, storage: &dyn Storage) -> Result<(), Error> {
        let file = self.file(storage)?;
        for offset in SLOT_OFFSETS {
            file.write_at(&[0; SLOT_LEN], offset).map_err(Error::io("write", MARK_NAME))?;
        }
        file.sync_data().map_err(Error::io("sync", MARK_NAME))
    }

    fn file(&mut self, storage: &dyn Storage) -> Result<Arc<dyn File>, Error> {
        if let Some(file) = &self.file {
            return Ok(file.clone());
        }
        let file =
            storage.open(MARK_NAME, Access::Create).map_err(Error::io("create", MARK_NAME))?;
        if file.len().map_err(Error::io("read", MARK_NAME))? < MARK_FILE_LEN {
            file.set_len(MARK_FILE_LEN).map_err(Error::io("extend", MARK_NAME))?;
            file.sync_data().map_err(Error::io("sync", MARK_NAME))?;
            storage.sync_folder("").map_err(Error::io("sync", "the folder"))?;
        }
        self.file = Some(file.clone());
        Ok(file)
    }
}
