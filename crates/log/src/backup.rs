//! Copies a ledger into another folder while others write.
//!
//! Invariants: 1. the folder holds at every moment the whole backup of before or the whole new
//! one; 2. what is new in it was read back from its disk; 3. no text is in it that was erased
//! when the copy was taken; 4. no byte of the ledger itself changes.

mod destination;

use std::path::Path;
use std::sync::Arc;

use crate::Error;
use crate::env::{Env, LogOptions};
use crate::log::Log;
use crate::mark::Mark;
use crate::mark_file::MarkFile;
use crate::segment::Segment;
use crate::storage::Storage;
use crate::view::{Head, View};

use destination::Destination;

/// Result of a backup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackedUp {
    /// The last record that the backup holds.
    pub head: Head,
    /// Its segments.
    pub segments: u64,
    /// Those of them that were copied; the others stood in the backup of before.
    pub copied: u64,
    /// Bytes that were copied, other files' included.
    pub bytes: u64,
}

/// The names of the immutable files beside the log that belong into a backup which ends at
/// `head`: what is derived, and keys.
pub type FilesBeside<'a> = dyn Fn(&dyn Storage, Head) -> std::io::Result<Vec<String>> + 'a;

/// An erasure may replace a segment while it is copied; so often the copy begins again.
const ATTEMPTS: usize = 5;

impl Log {
    /// Copies the ledger into the folder `dest`: the same id, records, chain and citations.
    ///
    /// `dest` is created, or is an earlier backup of this ledger; then only segments that are
    /// not in it yet are copied, and the last one. Others may write meanwhile: the backup
    /// ends at the record that was the last when it began. A backup that is interrupted
    /// leaves `dest` as it was, and `DEST.partial` beside it, which the next one goes on from.
    ///
    /// # Errors
    /// [`Error::BackupRefused`] says what is wrong with `dest`; [`Error::Corrupt`] if the
    /// ledger's own bytes are damaged, so that no damage replaces a good backup; the errors of
    /// [`Log::writer`]; [`Error::Io`].
    pub fn backup(&self, dest: &Path, beside: &FilesBeside<'_>) -> Result<BackedUp, Error> {
        let mut dest = Destination::at(dest, self.env.storage.as_ref(), self.ledger)?;
        let standing = dest.standing(&self.env)?;
        for _ in 0..ATTEMPTS {
            let view = self.settled_view()?;
            for before in &standing {
                check_prefix(before, &view, &dest)?;
            }
            let done = self.copy(&view, &mut dest, beside)?;
            if self.is_untouched(&view)? {
                self.check_copy(&view, &dest)?;
                dest.put_in_place()?;
                return Ok(done);
            }
        }
        Err(dest.refuse("erasures go on all the time; try again when they have ended"))
    }

    /// The log's end, with everything synced and no erasure half done.
    fn settled_view(&self) -> Result<View, Error> {
        if self.options.read_only {
            self.refresh()?;
            return Ok(self.view.read().clone());
        }
        let mut writer = self.writer()?;
        writer.sync()?;
        Ok(writer.view.clone())
    }

    fn copy(
        &self,
        view: &View,
        dest: &mut Destination,
        beside: &FilesBeside<'_>,
    ) -> Result<BackedUp, Error> {
        let (storage, head) = (self.env.storage.as_ref(), view.head());
        let mut done = BackedUp { head, segments: view.segments.len() as u64, copied: 0, bytes: 0 };
        dest.clear_all_but_segments(view.segments.len())?;
        for segment in view.segments.iter() {
            if dest.has(segment)? {
                continue;
            }
            let len = match &segment.footer {
                Some((footer, end)) => end.saturating_add(footer.len()),
                None => view.end.offset,
            };
            done.bytes += dest.put(&segment.name, &segment.file, len)?;
            check_arrived(segment, dest)?;
            done.copied += 1;
        }
        let names = beside(storage, head).map_err(Error::io("list", "the folder"))?;
        for name in names {
            done.bytes += dest.put_beside(storage, &name)?;
        }
        let (ledger, boot_id) = (self.ledger, storage.boot_id());
        let mark =
            Mark { ledger, seq: head.seq, epoch: 0, chain: head.chain, boot_id, clean: true };
        let mut file = MarkFile::default();
        file.write(dest.storage(), mark)?;
        file.leave_slot(dest.storage())?;
        Ok(done)
    }

    /// Whether every segment of `view` is still the file of its name: an erasure replaces
    /// those that it touches.
    fn is_untouched(&self, view: &View) -> Result<bool, Error> {
        for segment in view.segments.iter() {
            let named = self.env.storage.file_identity(&segment.name);
            if named.map_err(Error::io("read", &segment.name))? != segment.identity()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Opens the copy as any process would, and looks for the head.
    fn check_copy(&self, view: &View, dest: &Destination) -> Result<(), Error> {
        let env = Env { storage: Arc::new(dest.reopened()?), ..self.env.clone() };
        let options = LogOptions { read_only: true, ..LogOptions::default() };
        let copy = Log::open(env, options)?;
        if copy.ledger == self.ledger && copy.head() == view.head() {
            return Ok(());
        }
        Err(dest.refuse("the copy ends elsewhere than the ledger: its disk is not to be trusted"))
    }
}

/// Confirms that what the earlier backup holds is the beginning of the ledger.
fn check_prefix(before: &Log, view: &View, dest: &Destination) -> Result<(), Error> {
    if before.ledger != view.active()?.header.ledger {
        return Err(dest.refuse("it holds another ledger; name another folder"));
    }
    let head = before.head();
    if head.seq.0 >= view.end.expect.next {
        return Err(dest.refuse(
            "it holds records that the ledger lacks: the ledger was set back, or the backup was \
             written to; keep both, and name another folder",
        ));
    }
    if view.frame_head(head.seq)?.0.chain != head.chain {
        return Err(dest.refuse(
            "it holds another history than the ledger; keep both, and name another folder",
        ));
    }
    Ok(())
}

/// Reads a sealed segment back from the backup's disk and compares it with its footer.
///
/// The last one, without a footer, is walked when the copy is opened.
fn check_arrived(segment: &Segment, dest: &Destination) -> Result<(), Error> {
    let Some((footer, end)) = &segment.footer else { return Ok(()) };
    let (number, name) = (segment.header.number, &segment.name);
    let arrived = Segment::open(dest.storage(), number, true)?;
    if arrived.byte_hash(*end)? == footer.byte_hash {
        return Ok(());
    }
    dest.storage().remove(name).map_err(Error::io("remove", name))?;
    if segment.byte_hash(*end)? == footer.byte_hash {
        return Err(dest.refuse("what was written to it reads differently: its disk is failing"));
    }
    let what = "its bytes are not as they were sealed, so it was not copied";
    Err(Error::Corrupt { file: name.clone(), offset: 0, seq: None, what })
}
