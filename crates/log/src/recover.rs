//! Recovery at every taking of the lock, before anything is appended: rules 5, 6 and 8.

use crate::clock::Clock;
use crate::finding::Finding;
use crate::layout::len64;
use crate::space::{RESERVE_NAME, is_full, zeros};
use crate::storage::{Access, Storage};
use crate::survey::{Depth, Known, survey};
use crate::walk::{Expect, read_frame};
use crate::writer::{Room, Writer};
use crate::{Error, Seq};

pub(crate) const QUARANTINE: &str = "quarantine";

const CHUNK: u64 = 256 << 10;

/// Number of times a tail is looked at again before it is cut off: two readings may be wrong.
const FURTHER_LOOKS: usize = 2;

impl Writer<'_> {
    /// Goes on from where the turn before left, or else recovers.
    pub(crate) fn take_up(&mut self) -> Result<(), Error> {
        // The lock has not been given back since the view was true.
        if self.recovered { Ok(()) } else { self.recover() }
    }

    /// Catches up and puts right what a crash left.
    pub(crate) fn recover(&mut self) -> Result<(), Error> {
        self.recover_records()?;
        // Not where the walk came from: a reader of this handle may have passed an erasure
        // before its writer did.
        if self.gate.whole_end != Some(self.view.end.expect.next) {
            self.finish_erasure()?;
            self.gate.whole_end = Some(self.view.end.expect.next);
        }
        self.gate.settled_epoch = Some(self.gate.mark.epoch);
        self.recovered = true;
        self.publish();
        Ok(())
    }

    /// All of it but an erasure that was begun.
    pub(crate) fn recover_records(&mut self) -> Result<(), Error> {
        let (env, options) = (&self.log.env, &self.log.options);
        let settled_epoch = self.gate.settled_epoch;
        let known = Known { view: &self.view, settled_epoch };
        let mut found = survey(env, options, Some(known), Depth::Remainder)?;
        found.verdict(options)?;
        for _ in 0..FURTHER_LOOKS {
            if found.remainder.nonzero_end.is_none() {
                break;
            }
            // What is about to be cut off is looked at again: a bit may have flipped
            // while it was read, and the disk is right.
            let known = Known { view: &found.view, settled_epoch: None };
            let mut again = survey(env, options, Some(known), Depth::All)?;
            again.verdict(options)?;
            again.erasure_seen |= found.erasure_seen;
            found = again;
        }
        let elsewhere = found.mark.mark().map(|mark| mark.epoch) != settled_epoch;
        if elsewhere {
            // Another process was here; had a sync of its own failed, this one's next
            // would succeed without the bytes that were given up.
            self.gate.mine_end = None;
        }
        self.gate.mark.adopt(&found.mark, env.storage.boot_id());
        // Files that were opened before an erasure elsewhere still hold what it took.
        let erased = found.erasure_seen;
        self.view = if erased { self.log.reopened(found.view)? } else { found.view };
        if let Some(nonzero_end) = found.remainder.nonzero_end {
            self.clear_tail(nonzero_end)?;
        }
        self.own_name()?;
        self.own_tail()?;
        let same_boot = found.mark.mark().is_some_and(|mark| mark.boot_id == env.storage.boot_id());
        let all_synced = self.view.floor >= self.view.end.expect.next;
        let is_whole = found.mark.damaged.is_empty();
        if all_synced && !(self.gate.mark.clean && same_boot && is_whole) {
            self.guarded(Writer::mark_synced)?;
        }
        // The cause is not this writer's batch, so it may use what is kept back.
        if self.view.active()?.is_sealed() { self.rotate(0, Room::Urgent) } else { Ok(()) }
    }

    /// Rule 5: keeps a copy of what lies behind the end, then makes it zeros.
    pub(crate) fn clear_tail(&mut self, nonzero_end: u64) -> Result<(), Error> {
        let start = self.view.end.offset;
        let kept = match self.quarantine(start, nonzero_end) {
            Err(Error::Io { source, .. }) if is_full(&source) => {
                let storage = self.log.env.storage.as_ref();
                storage.remove(RESERVE_NAME).map_err(Error::io("remove", RESERVE_NAME))?;
                self.quarantine(start, nonzero_end)?
            }
            other => other?,
        };
        let (name, len) = (&self.view.active()?.name, nonzero_end - start);
        let what = format!(
            "{len} bytes behind the last record were no whole batch, and nobody was promised \
             them: they were cut off, and {kept} keeps a copy"
        );
        self.log.cut_off.lock().push(Finding::new(name, start, None, what));
        self.guarded(|writer| {
            let (name, file) = (writer.view.active()?.name.clone(), writer.active_file()?);
            zeros(&file, start, nonzero_end).map_err(Error::io("write", &name))?;
            file.sync_data().map_err(Error::io("sync", &name))
        })
    }

    /// Copies what lies there, and says into which file.
    fn quarantine(&self, start: u64, end: u64) -> Result<String, Error> {
        let (storage, clock) = (self.log.env.storage.as_ref(), self.log.env.clock.as_ref());
        let active = self.view.active()?;
        let io = |operation| Error::io(operation, QUARANTINE);
        storage.create_folder(QUARANTINE).map_err(io("create"))?;
        let name = free_name(storage, clock, &active.name, start)?;
        let copy = storage.open(&name, Access::Fresh).map_err(Error::io("create", &name))?;
        let mut window = active.window(end, false);
        let mut at = start;
        while at < end {
            let bytes =
                window.get(at, CHUNK.min(end - at)).map_err(Error::io("read", &active.name))?;
            copy.write_at(bytes, at - start).map_err(Error::io("write", &name))?;
            at = at.saturating_add(len64(bytes.len()).max(1));
        }
        copy.sync_data().map_err(Error::io("sync", &name))?;
        storage.sync_folder(QUARANTINE).map_err(io("sync"))?;
        storage.sync_folder("").map_err(io("sync"))?;
        Ok(name)
    }

    /// Makes the last segment's name durable, where nothing says that it is.
    ///
    /// Whoever gave it the name may have died before the sync of the folder. A
    /// record in it that is known to be synced was appended after that sync.
    fn own_name(&mut self) -> Result<(), Error> {
        let header = self.view.active()?.header;
        let named = self.gate.named == Some(header.number);
        if self.view.floor > header.base.0 || named {
            return Ok(());
        }
        self.guarded(|writer| {
            let storage = writer.log.env.storage.as_ref();
            storage.sync_folder("").map_err(Error::io("sync", "the folder"))
        })?;
        self.gate.named = Some(header.number);
        Ok(())
    }

    /// Rule 6: nobody relies on bytes it did not write.
    ///
    /// After a failed sync the system may hold bytes that it believes are on
    /// disk; writing them again is the only way to be sure they get there.
    fn own_tail(&mut self) -> Result<(), Error> {
        let (end, floor) = (self.view.end, self.view.floor);
        if floor >= end.expect.next || self.gate.mine_end == Some(end.expect.next) {
            return Ok(());
        }
        let active = self.view.active()?.clone();
        let from = Seq(floor.max(active.header.base.0));
        let (_, start) = self.view.frame_head(from)?;
        self.guarded(|writer| {
            // Whoever wrote the tail learns from the mark's epoch that it was touched.
            writer.write_mark(false)?;
            let (name, file) = (&active.name, writer.active_file()?);
            let mut window = active.window(end.offset, false);
            let (mut at, mut seq, mut bytes) = (start, from, Vec::new());
            while at < end.offset {
                // A bit that flips while it is read must not be written back.
                let frame = read_frame(&mut window, active.header.salt, at)
                    .map_err(Error::io("read", name))?
                    .map_err(|bad| Error::frame(name, at, seq, bad.fault))?;
                let frame_len = frame.head.frame_len;
                let read = window.get(at, frame_len).map_err(Error::io("read", name))?;
                bytes.extend_from_slice(read);
                (at, seq) = (frame.end(), seq.next());
                if len64(bytes.len()) >= CHUNK || at >= end.offset {
                    let to = at.saturating_sub(len64(bytes.len()));
                    file.write_at(&bytes, to).map_err(Error::io("write", name))?;
                    bytes.clear();
                }
            }
            file.sync_data().map_err(Error::io("sync", name))?;
            writer.mark_synced()
        })?;
        let Expect { next, .. } = end.expect;
        self.gate.mine_end = Some(next);
        Ok(())
    }
}

/// A name in the quarantine that is not taken.
fn free_name(
    storage: &dyn Storage,
    clock: &dyn Clock,
    segment: &str,
    offset: u64,
) -> Result<String, Error> {
    let taken = storage.list(QUARANTINE).map_err(Error::io("list", QUARANTINE))?;
    let mut time = clock.now().0;
    loop {
        let name = format!("{segment}-{offset}-{time}");
        if !taken.contains(&name) {
            return Ok(format!("{QUARANTINE}/{name}"));
        }
        time = time.saturating_add(1);
    }
}
