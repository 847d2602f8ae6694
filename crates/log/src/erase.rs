//! Physical erasure: authority first, then the bytes, then the record that it is done.
//!
//! Invariants: 1. no body goes before the erasure that names it is synced;
//! 2. a touched segment is replaced by a durable copy, or not at all; 3. chains,
//! offsets and lengths stay; 4. every step may be repeated.

use std::collections::{BTreeMap, BTreeSet};

use crate::footer::Footer;
use crate::frame::{FRAME_HEAD_LEN, FrameFault, SlotState, encode_frame};
use crate::hash::SegmentHasher;
use crate::kind::{FIRST_EVENT_KIND, LogEvent, MAX_ERASURE_TARGETS};
use crate::layout::{len_usize, len64};
use crate::recover::QUARANTINE;
use crate::segment::Segment;
use crate::segment_header::SEGMENT_HEADER_LEN;
use crate::space::{PREPARED_NAME, RESERVE_NAME, is_full};
use crate::storage::Access;
use crate::view::View;
use crate::walk::read_head;
use crate::writer::{Appended, NewRecord, Room, Writer};
use crate::{Digest, Error, Flags, Payload, RestoredRecord, Seq};

/// An erasure without its completion.
#[derive(Clone, Debug)]
struct Unfinished {
    erasure: Seq,
    targets: Vec<(Seq, Digest)>,
}

/// Hides the bodies of an erasure that a crash left unfinished.
pub(crate) fn hide_unfinished(mut view: View) -> Result<View, Error> {
    if let Some(unfinished) = unfinished(&view)? {
        view.hide(unfinished.targets.iter().map(|(seq, _)| *seq));
    }
    Ok(view)
}

/// Looks for an erasure that nothing but the log's own records follow.
///
/// No writer appends an event before it has finished an erasure, so that none
/// can stand further back.
fn unfinished(view: &View) -> Result<Option<Unfinished>, Error> {
    let mut at = view.end.expect.next;
    while let Some(seq) = at.checked_sub(1).map(Seq) {
        let (head, _) = view.frame_head(seq)?;
        match head.header.kind {
            0 | 2 => return Ok(None),
            1 => {
                let frame = view.frame(seq)?;
                let Some(LogEvent::Erasure { targets, .. }) = frame.log_event() else {
                    return Ok(None);
                };
                for target in &targets {
                    match check_target(view, *target, seq) {
                        Ok(()) => {}
                        Err(Error::ErasureTarget { .. }) => return Ok(None),
                        // Whether the target holds is not known; to pass on would drop the erasure.
                        Err(other) => return Err(other),
                    }
                }
                return Ok(Some(Unfinished { erasure: seq, targets }));
            }
            kind if kind >= FIRST_EVENT_KIND => return Ok(None),
            _ => at = seq.0,
        }
    }
    Ok(None)
}

/// Whether `target` may be erased by the erasure at `erasure`.
fn check_target(view: &View, (seq, hash): (Seq, Digest), erasure: Seq) -> Result<(), Error> {
    let refused = |what| Error::ErasureTarget { seq, what };
    if seq >= erasure {
        return Err(refused("it is not before the erasure"));
    }
    let frame = view.frame(seq)?;
    if frame.head.header.kind < FIRST_EVENT_KIND {
        return Err(refused("it belongs to the log itself"));
    }
    if frame.state == SlotState::Destroyed {
        return Err(refused("its payload is destroyed already"));
    }
    if frame.record_hash != hash {
        return Err(refused("it has another hash than the erasure names"));
    }
    Ok(())
}

/// Whether a second reading finds the same damage: rot is copied as it is, a bit
/// that flipped while it was read must not be.
fn rotten_on_disk(segment: &Segment, offset: u64, bytes: &[u8]) -> Result<bool, Error> {
    let len = len64(bytes.len());
    let mut window = segment.window(offset.saturating_add(len), false);
    let again = window.get(offset, len).map_err(Error::io("read", &segment.name))?;
    Ok(again == bytes)
}

impl Writer<'_> {
    /// Erases the bodies of `targets` from the ledger's files.
    ///
    /// Sequence, time, kind, length and hash of each remain, and so do chain and
    /// proofs. Copies elsewhere, snapshots and freed blocks are not reached.
    /// Rewrites every segment that holds one. Once the erasure is appended, any
    /// later writer finishes it.
    ///
    /// # Errors
    /// [`Error::ErasureTarget`] before anything is written; [`Error::ErasurePending`] and
    /// [`Error::Io`] leave the erasure to be finished.
    pub fn erase(&mut self, reason: u16, targets: &[Seq]) -> Result<Appended, Error> {
        let unique: BTreeSet<Seq> = targets.iter().copied().collect();
        let erasure = self.view.end.expect.seq();
        if unique.is_empty() || unique.len() > MAX_ERASURE_TARGETS {
            let seq = unique.first().copied().unwrap_or_default();
            return Err(Error::ErasureTarget { seq, what: "an erasure has 1 to 16384 targets" });
        }
        let mut named = Vec::with_capacity(unique.len());
        for seq in unique {
            let hash = self.view.frame(seq)?.record_hash;
            check_target(&self.view, (seq, hash), erasure)?;
            named.push((seq, hash));
        }
        let event = LogEvent::Erasure { reason, targets: named };
        if self.log.options.commit.is_some() {
            return self.erase_agreed(&event, erasure);
        }
        let appended = self.note_any(&event, self.tick()?, Room::Urgent)?;
        self.finish_erasure()?;
        Ok(appended)
    }

    /// Has an erasure agreed on together with the record that it is done, then does it.
    fn erase_agreed(&mut self, event: &LogEvent, erasure: Seq) -> Result<Appended, Error> {
        let (tick, done) = (self.tick()?, LogEvent::ErasureDone { erasure });
        let bodies = [event.encode(tick.raw), done.encode(tick.raw)];
        let record =
            |kind, body| NewRecord { kind, kind_version: 0, codec: 0, flags: Flags::NONE, body };
        let [first, second] = &bodies;
        let batches = [record(event.kind(), first), record(done.kind(), second)];
        let [first, second] = &batches;
        self.draft_any(tick, &[std::slice::from_ref(first), std::slice::from_ref(second)])?;
        let (salt, before) = (self.view.active()?.header.salt, self.view.end.expect);
        let mut appended = Vec::with_capacity(batches.len());
        self.gate.frames.finish(salt, self.view.floor, before, &mut appended);
        self.commit(before.seq(), before.chain)?;
        let (bytes, mut records) = (self.gate.frames.encoded(), Vec::new());
        let mut rest = bytes.as_slice();
        while let Some((record, behind)) = RestoredRecord::decode(rest) {
            records.push(record);
            rest = behind;
        }
        self.resume_restore();
        self.restore(&records)?;
        self.sync()?;
        appended.into_iter().next().ok_or(Error::BatchLimit { records: 0, len: 0 })
    }

    /// Rule 8: finishes an erasure that is not done, whoever began it.
    pub(crate) fn finish_erasure(&mut self) -> Result<(), Error> {
        let Some(unfinished) = unfinished(&self.view)? else { return Ok(()) };
        if self.log.options.is_copy {
            return self.take_bodies(&unfinished);
        }
        self.take_out(&unfinished).map_err(|error| {
            let is_out_of_room = matches!(error, Error::NoSpace { .. })
                || matches!(&error, Error::Io { source, .. } if is_full(source));
            if is_out_of_room { self.pending(&unfinished) } else { error }
        })
    }

    /// On a full disk the words that are to go are still there: that has to be said.
    fn pending(&self, unfinished: &Unfinished) -> Error {
        let lens = self.view.segments.iter().filter_map(|segment| segment.file.len().ok());
        Error::ErasurePending { erasure: unfinished.erasure, needed: lens.max().unwrap_or(0) }
    }

    /// Takes the bodies that the erasure at the end names, where any `is_here`. That it is done is
    /// said by the record that is restored next.
    pub(crate) fn obey_erasure(&mut self, is_here: bool) -> Result<(), Error> {
        if let Some(unfinished) = unfinished(&self.view)?.filter(|_| is_here) {
            self.take_bodies(&unfinished)?;
        }
        self.gate.whole_end = Some(self.view.end.expect.next);
        Ok(())
    }

    fn take_bodies(&mut self, unfinished: &Unfinished) -> Result<(), Error> {
        self.view = hide_unfinished(self.view.clone())?;
        self.publish();
        self.rewrite_targets(&unfinished.targets.iter().map(|(seq, _)| *seq).collect())?;
        self.drop_copies()?;
        self.view = self.log.reopened(self.view.clone())?;
        Ok(())
    }

    fn take_out(&mut self, unfinished: &Unfinished) -> Result<(), Error> {
        self.take_bodies(unfinished)?;
        let done = LogEvent::ErasureDone { erasure: unfinished.erasure };
        self.note_any(&done, self.tick_past_jump(), Room::Urgent)?;
        self.gate.whole_end = Some(self.view.end.expect.next);
        Ok(())
    }

    /// Step 2: replaces every segment that holds a body of `targets`.
    fn rewrite_targets(&mut self, targets: &BTreeSet<Seq>) -> Result<(), Error> {
        let active = self.view.active()?;
        if targets.last().is_some_and(|last| *last >= active.header.base) {
            self.rotate(0, Room::Urgent)?;
        }
        let mut touched = BTreeMap::new();
        for seq in targets {
            let (segment, _) = self.view.segment_of(*seq)?;
            touched.insert(segment.header.number, segment.clone());
        }
        for segment in touched.values() {
            self.rewrite(segment, &|seq, digest| {
                targets.contains(&seq).then_some(Payload::Erased { payload_digest: digest? })
            })?;
        }
        Ok(())
    }

    /// Replaces a sealed segment by a copy in which some payloads are others.
    ///
    /// `replace` gets the sequence and, where it can be computed, the payload's digest.
    pub(crate) fn rewrite(
        &self,
        segment: &Segment,
        replace: &dyn Fn(Seq, Option<Digest>) -> Option<Payload>,
    ) -> Result<(), Error> {
        let name = format!("{}.tmp", segment.name);
        match self.write_copy(segment, &name, replace) {
            Err(Error::Io { source, .. }) if is_full(&source) => {
                let storage = self.log.env.storage.as_ref();
                for kept in [RESERVE_NAME, PREPARED_NAME] {
                    storage.remove(kept).map_err(Error::io("remove", kept))?;
                }
                self.write_copy(segment, &name, replace)?;
            }
            other => other?,
        }
        let storage = self.log.env.storage.as_ref();
        storage.rename(&name, &segment.name).map_err(Error::io("rename", &name))?;
        storage.sync_folder("").map_err(Error::io("sync", "the folder"))
    }

    fn write_copy(
        &self,
        segment: &Segment,
        name: &str,
        replace: &dyn Fn(Seq, Option<Digest>) -> Option<Payload>,
    ) -> Result<(), Error> {
        let Some((footer, end)) = &segment.footer else {
            return Err(Error::NoLedger { folder: segment.name.clone() });
        };
        let storage = self.log.env.storage.as_ref();
        let copy = storage.open(name, Access::Fresh).map_err(Error::io("create", name))?;
        let put = |bytes: &[u8], at| copy.write_at(bytes, at).map_err(Error::io("write", name));
        let mut window = segment.window(*end, false);
        let io = || Error::io("read", &segment.name);
        let mut hasher = SegmentHasher::new();
        let header = segment.checked_header(&mut window)?;
        hasher.update(header);
        put(header, 0)?;
        let salt = segment.header.salt;
        let (mut offset, mut seq) = (SEGMENT_HEADER_LEN, segment.header.base);
        while offset < *end {
            let head = read_head(&mut window, salt, offset)
                .map_err(io())?
                .map_err(|fault| Error::frame(&segment.name, offset, seq, fault))?;
            let bytes = window.get(offset, head.frame_len).map_err(io())?;
            let slot = bytes.get(len_usize(FRAME_HEAD_LEN)..).unwrap_or_default();
            let state = head.check_slot(slot, salt).ok();
            if state.is_none() && !rotten_on_disk(segment, offset, bytes)? {
                let fault = FrameFault::SlotCrc;
                return Err(Error::frame(&segment.name, offset, seq, fault));
            }
            let digest = state.and_then(|state| head.slot_digest(state, slot));
            let bytes = match replace(seq, digest) {
                Some(payload) => {
                    let mut frame = Vec::with_capacity(bytes.len());
                    let (back, chain) = (head.floor_back, &head.chain);
                    encode_frame(&mut frame, salt, back, chain, &head.header, &payload);
                    frame
                }
                None => bytes.to_vec(),
            };
            hasher.update(&bytes);
            put(&bytes, offset)?;
            offset = offset.saturating_add(len64(bytes.len()));
            seq = seq.next();
        }
        let byte_hash = hasher.digest();
        put(&Footer { byte_hash, ..footer.clone() }.encode(salt), *end)?;
        copy.sync_data().map_err(Error::io("sync", name))
    }

    /// Step 3: what may hold a copy of an erased body goes.
    fn drop_copies(&mut self) -> Result<(), Error> {
        let storage = self.log.env.storage.as_ref();
        if let Some(drop_derived) = &self.log.options.drop_derived {
            (drop_derived.0)(storage).map_err(Error::io("drop", "derived state"))?;
        }
        let mut names = Vec::new();
        for name in storage.list(QUARANTINE).map_err(Error::io("list", QUARANTINE))? {
            names.push(format!("{QUARANTINE}/{name}"));
        }
        let all = storage.list("").map_err(Error::io("list", "the folder"))?;
        names.extend(
            all.into_iter().filter(|name| {
                name.strip_suffix(".tmp").is_some_and(|stem| stem.starts_with("seg-"))
            }),
        );
        for name in &names {
            storage.remove(name).map_err(Error::io("remove", name))?;
        }
        // A dead process may have removed the copies that are not listed, unsynced.
        match storage.sync_folder(QUARANTINE) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            synced => synced.map_err(Error::io("sync", QUARANTINE))?,
        }
        storage.sync_folder("").map_err(Error::io("sync", "the folder"))
    }

    /// A reading of the clock for what must be written whatever it says.
    pub(crate) fn tick_past_jump(&self) -> crate::writer::Tick {
        let raw = self.log.env.clock.now();
        let previous = self.view.head().recorded_at;
        match self.tick() {
            Ok(tick) => tick,
            Err(_) => crate::writer::Tick { raw, recorded_at: previous, clamped: true },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::LogOptions;
    use std::sync::Arc;

    use super::*;
    use crate::writer::{Durability, NewRecord};
    use crate::{Env, FixedClock, Flags, Log, MemoryDisk, SeededRng, Timestamp};

    #[test]
    fn who_sees_an_erasure_sees_nothing_of_what_it_takes() {
        // The erasure was published before its targets were hidden. A thread of the same
        // handle that caught up in between folded the erased text again, and kept it: the
        // state that answered was not the fold of the log any more.
        let env = Env {
            storage: Arc::new(MemoryDisk::new().process()),
            clock: Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000))),
            rng: Arc::new(SeededRng::new(7)),
        };
        let log = Log::create(env, LogOptions::default()).unwrap();
        let mut writer = log.writer().unwrap();
        let body = b"a secret".as_slice();
        let (kind_version, codec, flags) = (0, 0, Flags::NONE);
        let record = NewRecord { kind: FIRST_EVENT_KIND, kind_version, codec, flags, body };
        let appended = writer.append(&[record], Durability::Immediate).unwrap()[0];
        assert_eq!(log.read(appended.seq).unwrap().body(), Some(body));
        let targets = vec![(appended.seq, appended.record_hash)];
        let tick = writer.tick().unwrap();
        writer.note_any(&LogEvent::Erasure { reason: 1, targets }, tick, Room::Urgent).unwrap();
        // The erasure is not finished: this is what another thread reads meanwhile.
        assert_eq!(log.read(appended.seq).unwrap().body(), None);
    }
}
