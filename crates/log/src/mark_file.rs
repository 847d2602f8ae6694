use std::io;
use std::sync::Arc;

use crate::finding::Finding;
use crate::layout::len_usize;
use crate::mark::{MARK_FILE_LEN, Mark, SLOT_LEN, SLOT_OFFSETS, Slot};
use crate::storage::{Access, File, Storage};
use crate::{Error, LedgerId};

/// The name of the mark's file.
pub(crate) const MARK_NAME: &str = "mark";

/// The finding where there is none: how many records were acknowledged is then only known as
/// far as the segments say it.
pub(crate) const MISSING: &str =
    "the mark is missing; the records are checked without it, and the next write makes it anew";

/// Content of the mark's file: both slots, read and judged.
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
    /// The mark of `ledger`.
    pub(crate) fn read(storage: &dyn Storage, ledger: LedgerId) -> Result<MarkReading, Error> {
        MarkReading::read_of(storage, Some(ledger))
    }

    /// The mark of whatever ledger the folder held.
    pub(crate) fn read_of_any(storage: &dyn Storage) -> Result<MarkReading, Error> {
        MarkReading::read_of(storage, None)
    }

    fn read_of(storage: &dyn Storage, ledger: Option<LedgerId>) -> Result<MarkReading, Error> {
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
                Slot::Valid(mark) if ledger.is_some_and(|ledger| mark.ledger != ledger) => {
                    return Err(Error::Corrupt {
                        file: MARK_NAME.to_owned(),
                        offset,
                        seq: None,
                        what: "the mark belongs to another ledger",
                    });
                }
                Slot::Valid(mark) => {
                    if reading.best.is_none_or(|(_, best)| mark.epoch > best.epoch) {
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
            Finding::new(
                MARK_NAME,
                *offset,
                None,
                "a slot of the mark is damaged; the next write makes it anew",
            )
        });
        let missing = (self.missing || self.best.is_none() && self.damaged.is_empty())
            .then(|| Finding::new(MARK_NAME, 0, None, MISSING));
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
        self.file(storage)?.sync_data().map_err(Error::io("sync", MARK_NAME))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Digest, MemoryDisk, Seq};

    const LEDGER: LedgerId = LedgerId([3; 16]);
    const BOOT: [u8; 16] = [2; 16];

    fn mark(epoch: u64) -> Mark {
        let chain = Digest([4; 32]);
        Mark { ledger: LEDGER, seq: Seq(5), epoch, chain, boot_id: BOOT, clean: true }
    }

    /// Content of a slot of the file: a mark of an epoch, zeros, or anything else.
    #[derive(Clone, Copy)]
    enum Holds {
        Epoch(u64),
        Nothing,
        Rot,
    }
    use Holds::{Epoch, Nothing, Rot};

    fn disk(slots: [Holds; 2]) -> MemoryDisk {
        let mut bytes = vec![0; len_usize(MARK_FILE_LEN)];
        for (slot, offset) in slots.into_iter().zip(SLOT_OFFSETS.map(len_usize)) {
            match slot {
                Epoch(epoch) => bytes[offset..][..SLOT_LEN].copy_from_slice(&mark(epoch).encode()),
                Nothing => {}
                Rot => bytes[offset] = 1,
            }
        }
        let disk = MemoryDisk::new();
        disk.set_bytes(MARK_NAME, bytes);
        disk
    }

    fn read(disk: &MemoryDisk) -> MarkReading {
        MarkReading::read(&disk.process(), LEDGER).unwrap()
    }

    const DAMAGED: &str = "a slot of the mark is damaged";
    const NONE: &str = "the mark is missing";

    /// The slots, the mark's slot and epoch, and the offset and text of each finding.
    type Case = ([Holds; 2], Option<(usize, u64)>, &'static [(u64, &'static str)]);

    #[test]
    fn the_valid_slot_of_the_greatest_epoch_is_the_mark_and_the_rest_is_told() {
        let cases: [Case; 9] = [
            ([Epoch(3), Epoch(3)], Some((0, 3)), &[]),
            ([Epoch(1), Epoch(2)], Some((1, 2)), &[]),
            ([Epoch(2), Epoch(1)], Some((0, 2)), &[]),
            ([Epoch(7), Nothing], Some((0, 7)), &[]),
            ([Nothing, Epoch(7)], Some((1, 7)), &[]),
            ([Rot, Epoch(7)], Some((1, 7)), &[(0, DAMAGED)]),
            ([Epoch(7), Rot], Some((0, 7)), &[(4_096, DAMAGED)]),
            ([Rot, Rot], None, &[(0, DAMAGED), (4_096, DAMAGED)]),
            ([Nothing, Nothing], None, &[(0, NONE)]),
        ];
        for (case, (slots, best, told)) in cases.into_iter().enumerate() {
            let reading = read(&disk(slots));
            assert!(!reading.missing, "{case}");
            assert_eq!(reading.best.map(|(slot, mark)| (slot, mark.epoch)), best, "{case}");
            assert_eq!(reading.floor_count(), best.map_or(0, |_| 6), "{case}");
            let findings = reading.findings();
            assert_eq!(findings.len(), told.len(), "{case}: {findings:?}");
            for (finding, (offset, what)) in findings.iter().zip(told) {
                assert_eq!((finding.file.as_str(), finding.offset), (MARK_NAME, *offset), "{case}");
                assert!(finding.what.starts_with(what), "{case}: {finding:?}");
            }
        }
        let reading = read(&MemoryDisk::new());
        assert!(reading.missing && reading.best.is_none() && reading.findings().len() == 1);
        // A slot that the file is too short for is damaged.
        let short = disk([Epoch(7), Nothing]);
        short.set_bytes(MARK_NAME, short.bytes(MARK_NAME).unwrap()[..4_200].to_vec());
        assert_eq!(read(&short).damaged, [4_096]);
        let other = MarkReading::read(&disk([Epoch(1), Nothing]).process(), LedgerId([9; 16]));
        assert!(matches!(other, Err(Error::Corrupt { .. })), "{other:?}");
    }

    #[test]
    fn a_writer_goes_on_in_the_slot_whose_loss_would_cost_nothing() {
        let other_boot = [8; 16];
        let cases = [
            ([Epoch(1), Epoch(4)], BOOT, (1, 4, true)),
            ([Epoch(4), Epoch(1)], BOOT, (0, 4, true)),
            // What an earlier boot left is durable; so is the one beside a damaged one.
            ([Epoch(1), Epoch(4)], other_boot, (0, 4, true)),
            ([Epoch(4), Rot], BOOT, (1, 4, true)),
            ([Rot, Epoch(4)], other_boot, (0, 4, true)),
            ([Nothing, Nothing], BOOT, (0, 0, false)),
        ];
        for (case, (slots, boot_id, expected)) in cases.into_iter().enumerate() {
            let mut file = MarkFile { clean: true, ..MarkFile::default() };
            file.adopt(&read(&disk(slots)), boot_id);
            assert_eq!((file.slot, file.epoch, file.clean), expected, "{case}");
        }
    }

    #[test]
    fn a_mark_is_written_into_alternate_slots_of_a_file_that_outlives_a_power_cut() {
        let disk = MemoryDisk::new();
        let (storage, mut file) = (disk.process(), MarkFile::default());
        for (epoch, slot) in [(1, 0), (2, 1), (3, 0)] {
            file.write(&storage, mark(0)).unwrap();
            assert_eq!((file.epoch, file.clean), (epoch, true));
            assert_eq!(read(&disk).best, Some((slot, mark(epoch))));
            file.leave_slot(&storage).unwrap();
            assert_eq!(read(&disk.after_power_cut()).best, Some((slot, mark(epoch))));
        }
        file.write(&storage, mark(0)).unwrap();
        // Unsynced, it costs at most itself.
        let cut = disk.after_power_cut();
        assert_eq!(cut.bytes(MARK_NAME).unwrap().len(), len_usize(MARK_FILE_LEN));
        assert_eq!(read(&cut).mark().map(|mark| mark.epoch), Some(3));
        // One that is long enough is not extended again.
        disk.set_fault(None);
        MarkFile::default().write(&storage, mark(0)).unwrap();
        assert_eq!(disk.operations(), 1);
        file.write(&storage, mark(0)).unwrap();
        // A file that was removed meanwhile is made anew.
        disk.delete(MARK_NAME);
        file.adopt(&read(&disk), BOOT);
        assert!(!file.clean);
        file.write(&storage, Mark { clean: false, ..mark(0) }).unwrap();
        assert_eq!(read(&disk).mark().map(|mark| (mark.epoch, mark.clean)), Some((6, false)));
        file.clear(&storage).unwrap();
        let cleared = read(&disk.after_power_cut());
        assert!(cleared.best.is_none() && cleared.damaged.is_empty() && !cleared.missing);
    }
}
