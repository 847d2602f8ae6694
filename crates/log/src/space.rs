//! Space before it is written to: zeros ahead of the end, the next segment's file, the reserve.
//!
//! Invariants: 1. zeros are written behind the end of a file alone, under the lock; 2. a
//! prepared file holds zeros and nothing else; 3. the reserve is whole or not there.

use std::io;
use std::sync::Arc;

use crate::Error;
use crate::footer::Footer;
use crate::layout::{is_zero, len_usize, len64};
use crate::log::Log;
use crate::rotate::{CAPACITY_STEP, capacity_for, least_capacity};
use crate::storage::{Access, File, Storage};
use crate::writer::{Room, Writer};

pub(crate) const PREPARED_NAME: &str = "next.tmp";
pub(crate) const RESERVE_NAME: &str = "reserve";

/// Zeros are written in pieces of this length.
///
/// The page cache holds a piece as one folio, and goes over all of a folio's blocks for every
/// write into it: a frame of 704 bytes takes 1.4 microseconds in one of 1 MiB and 0.7 in one
/// of 256 KiB. In shorter ones the zeros themselves take longer.
const ZEROS_LEN: u64 = 256 << 10;
/// A segment's file grows by this part of its capacity.
const GROWTH_PART: u64 = 16;
/// By so much at most: that part of the usual 64 MiB.
const GROWTH_MAX: u64 = 4 << 20;

/// The next segment's file: its first zeros, synced, without a header.
#[derive(Debug)]
pub(crate) struct Prepared {
    identity: u64,
    capacity: u64,
    file: Arc<dyn File>,
}

impl Prepared {
    pub(crate) fn file(&self) -> &Arc<dyn File> {
        &self.file
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }
}

impl Writer<'_> {
    /// Sees to it that the last segment's file has space for a batch and a footer.
    ///
    /// They are written over zeros, so that a sync of them has no space to note.
    pub(crate) fn grow(&mut self, batch_len: u64, room: Room) -> Result<(), Error> {
        let active = self.view.active()?.clone();
        let capacity = active.header.capacity;
        let end = self.view.end.offset.saturating_add(batch_len);
        let needed = end.saturating_add(Footer::room(end));
        let file = self.active_file()?;
        if self.gate.active_len() >= needed {
            return Ok(());
        }
        let len = self.measure_active()?;
        let to = needed.next_multiple_of(growth(capacity)).min(capacity);
        // Behind the end of the file nobody has written anything.
        let written = match zeros(&file, len, to) {
            Err(error) if is_full(&error) && room == Room::Urgent => {
                let storage = self.log.env.storage.as_ref();
                storage.remove(RESERVE_NAME).map_err(Error::io("remove", RESERVE_NAME))?;
                zeros(&file, len, needed)
            }
            written => written,
        };
        written.map_err(|error| match is_full(&error) {
            true => Error::NoSpace { needed: needed.saturating_sub(len) },
            false => Error::io("extend", &active.name)(error),
        })?;
        self.measure_active().map(drop)
    }

    /// Makes the file of the next segment ready, or finds it so.
    pub(crate) fn prepare(
        &mut self,
        number: u64,
        batch_len: u64,
        room: Room,
    ) -> Result<Prepared, Error> {
        let lens = &self.log.options.segment_lens;
        let usual = capacity_for(lens, number, batch_len);
        let storage = self.log.env.storage.clone();
        if let Some(ready) = self.gate.prepared.take()
            && ready.capacity >= least_capacity(batch_len)
            && storage.file_identity(PREPARED_NAME).is_ok_and(|named| named == ready.identity)
        {
            return Ok(ready);
        }
        match prepare_file(storage.as_ref(), usual) {
            Err(Error::NoSpace { .. }) if room == Room::Urgent => {
                storage.remove(RESERVE_NAME).map_err(Error::io("remove", RESERVE_NAME))?;
                prepare_file(storage.as_ref(), least_capacity(batch_len))
            }
            prepared => prepared,
        }
    }

    /// Prepares the next segment once three quarters of this one are used.
    pub(crate) fn prepare_ahead(&mut self) {
        let Ok(active) = self.view.active().cloned() else { return };
        let late = self.view.end.offset > active.header.capacity / 4 * 3;
        if !late || self.gate.prepared.is_some() || self.gate.prepare_failed {
            return;
        }
        let number = active.header.number.saturating_add(1);
        match self.prepare(number, 0, Room::Ordinary) {
            Ok(prepared) => self.gate.prepared = Some(prepared),
            Err(error) => {
                self.gate.prepare_failed = true;
                tracing::warn!(%error, "the next segment could not be prepared");
            }
        }
    }

    /// Sets space aside for a full disk; without it the log works all the same.
    pub(crate) fn keep_reserve(&mut self) {
        self.gate.prepare_failed = false;
        self.log.keep_reserve();
    }
}

impl Log {
    /// Sets space aside for a full disk; without it the log works all the same.
    pub(crate) fn keep_reserve(&self) {
        if let Err(error) = reserve(self.env.storage.as_ref(), self.options.reserve_len) {
            tracing::warn!(%error, "no space could be set aside");
        }
    }
}

fn reserve(storage: &dyn Storage, len: u64) -> io::Result<()> {
    let file = storage.open(RESERVE_NAME, Access::Create)?;
    if len > 0 && file.len()? != len {
        file.reserve(len).inspect_err(|_| {
            // A reserve of a wrong length would be taken for a whole one.
            let _ = storage.remove(RESERVE_NAME);
        })?;
    }
    Ok(())
}

/// Writes the first zeros of a segment of this capacity and syncs them.
pub(crate) fn prepare_file(storage: &dyn Storage, capacity: u64) -> Result<Prepared, Error> {
    zeroed_file(storage, capacity).map_err(|error| {
        if !is_full(&error) {
            return Error::io("prepare", PREPARED_NAME)(error);
        }
        // What was written of it would only keep the disk full.
        let _ = storage.remove(PREPARED_NAME);
        Error::NoSpace { needed: growth(capacity) }
    })
}

/// Whether the disk, or what the user may hold of it, is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn zeroed_file(storage: &dyn Storage, capacity: u64) -> io::Result<Prepared> {
    let mut file = storage.open(PREPARED_NAME, Access::Create)?;
    let mut len = file.len()?;
    if !holds_zeros(&file, len)? {
        file = storage.open(PREPARED_NAME, Access::Fresh)?;
        len = 0;
    }
    zeros(&file, len, growth(capacity))?;
    file.sync_data()?;
    Ok(Prepared { identity: file.identity()?, capacity, file })
}

/// By how much the file of a segment of this capacity grows.
fn growth(capacity: u64) -> u64 {
    // A header may name any capacity.
    (capacity / GROWTH_PART).clamp(CAPACITY_STEP, GROWTH_MAX).next_multiple_of(CAPACITY_STEP)
}

/// Writes zeros from `from` to `to`.
pub(crate) fn zeros(file: &Arc<dyn File>, from: u64, to: u64) -> io::Result<()> {
    let zeros = vec![0; len_usize(ZEROS_LEN.min(to.saturating_sub(from)))];
    let mut at = from;
    while at < to {
        let step = zeros.get(..len_usize(to - at)).unwrap_or(&zeros);
        file.write_at(step, at)?;
        at = at.saturating_add(len64(step.len()));
    }
    Ok(())
}

fn holds_zeros(file: &Arc<dyn File>, len: u64) -> io::Result<bool> {
    let mut buffer = vec![0; len_usize(ZEROS_LEN.min(len))];
    let mut at = 0;
    while at < len {
        let read = file.read_at(&mut buffer, at)?;
        if read == 0 || !is_zero(buffer.get(..read).unwrap_or_default()) {
            return Ok(false);
        }
        at = at.saturating_add(len64(read));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fault, FaultKind, MemoryDisk};

    #[test]
    fn what_is_set_aside_is_as_long_as_it_should_be_or_not_there() {
        let disk = MemoryDisk::new();
        let storage = disk.process();
        let len = || disk.bytes(RESERVE_NAME).map(|bytes| bytes.len());
        reserve(&storage, 8_192).unwrap();
        assert_eq!(len(), Some(8_192));
        // Who sets nothing aside leaves what others did.
        disk.set_fault(None);
        reserve(&storage, 0).unwrap();
        assert_eq!((len(), disk.operations()), (Some(8_192), 0));
        reserve(&storage, 8_192).unwrap();
        assert_eq!(disk.operations(), 0, "it is there already");
        reserve(&storage, 4_096).unwrap();
        assert_eq!(len(), Some(4_096));
        disk.set_fault(Some(Fault { at: 0, kind: FaultKind::Fail(io::ErrorKind::StorageFull) }));
        reserve(&storage, 8_192).unwrap_err();
        assert_eq!(len(), None);
    }

    #[test]
    fn a_prepared_file_is_zeros_whatever_it_held() {
        let first = ZEROS_LEN * 2 + 4_096;
        assert_eq!((growth(0), growth(u64::MAX)), (CAPACITY_STEP, GROWTH_MAX));
        let capacity = first * GROWTH_PART;
        let long = len_usize(first);
        let mut late = vec![0; long];
        late[long - 1] = 1;
        let held_zeros = |len: u64| vec![0; len_usize(len)];
        let cases = [
            (vec![], first),
            (vec![7; 100], first),
            (late, first),
            (held_zeros(4_096), first),
            // One that is long enough is not written again.
            (held_zeros(first + 4_096), first + 4_096),
        ];
        for (case, (held, len)) in cases.into_iter().enumerate() {
            let disk = MemoryDisk::new();
            disk.set_bytes(PREPARED_NAME, held);
            let storage = disk.process();
            let prepared = prepare_file(&storage, capacity).unwrap();
            assert_eq!(prepared.capacity(), capacity, "{case}");
            assert_eq!(storage.file_identity(PREPARED_NAME).unwrap(), prepared.identity, "{case}");
            let cut = disk.after_power_cut().bytes(PREPARED_NAME).unwrap();
            assert!(len64(cut.len()) == len && is_zero(&cut), "{case}");
        }
    }
}
