//! Going on after acknowledged records are gone, on an owner's word only.

use crate::env::{Env, LogOptions};
use crate::frame::FrameFault;
use crate::kind::{LogEvent, Loss};
use crate::log::Log;
use crate::segment::Segment;
use crate::segment_header::SEGMENT_HEADER_LEN;
use crate::survey::{Depth, survey};
use crate::walk::read_frame;
use crate::writer::{Room, Writer};
use crate::{Digest, Error, Payload, Seq};

impl Log {
    /// Opens a ledger that lost acknowledged records, and accepts the loss.
    ///
    /// What lies behind the last whole batch goes to the quarantine. Payloads
    /// that rotted in sealed segments are destroyed. A `loss accepted` record
    /// names both. Nothing is done to a ledger that lost nothing.
    ///
    /// # Errors
    /// [`Error::HeadMismatch`] and [`Error::NewerFormat`] are no loss and stay;
    /// a damaged head, link or footer in a sealed segment cannot be passed; else
    /// those of [`Log::open`].
    pub fn accept_loss(env: Env, options: LogOptions) -> Result<Log, Error> {
        if options.read_only {
            return Err(Error::ReadOnly);
        }
        let log = Log::open_any(env, options)?;
        log.lock(log.options.lock_timeout)?.accept_loss()?;
        drop(log.writer()?);
        Ok(log)
    }
}

impl Log {
    /// The loss that this handle was opened to accept, if there was one.
    #[must_use]
    pub fn accepted_loss(&self) -> Option<Loss> {
        self.gate.lock().accepted.clone()
    }
}

impl Writer<'_> {
    fn accept_loss(&mut self) -> Result<(), Error> {
        let (env, options) = (&self.log.env, &self.log.options);
        let mut found = survey(env, options, None, Depth::All)?;
        match found.verdict(options) {
            Ok(())
            | Err(
                Error::TailLost { .. }
                | Error::Corrupt { .. }
                | Error::ChainBreak { .. }
                | Error::SegmentMissing { .. },
            ) => {}
            Err(other) => return Err(other),
        }
        self.gate.mark.adopt(&found.mark, env.storage.boot_id());
        self.view = found.view.clone();
        let (kept, synced) = (self.view.end.expect.next, self.view.floor);
        if kept == 0 {
            // Without a genesis there is no ledger to go on with.
            return found.verdict(options);
        }
        let mut destroyed = Vec::new();
        for segment in self.view.segments.iter().filter(|segment| segment.is_sealed()) {
            destroyed.extend(rotten(segment)?);
        }
        if synced > kept || found.successor_is_gone()? {
            self.cut_tail(found.remainder.nonzero_end)?;
        } else if destroyed.is_empty() {
            return Ok(());
        } else {
            // An erasure of what is destroyed here can be finished only afterwards.
            self.recover_records()?;
        }
        // The old mark must stand until the loss is recorded, or nobody would know of it.
        self.gate.mark.clean = false;
        let named = found.mark.mark().filter(|mark| mark.seq.next().0 == synced);
        let old_chain = named.map_or_else(Digest::default, |mark| mark.chain);
        let loss = Loss { kept, synced, old_chain, destroyed: destroyed.clone() };
        let event = LogEvent::LossAccepted(loss.clone());
        self.note_any(&event, self.tick_past_jump(), Room::Urgent)?;
        self.gate.accepted = Some(loss);
        self.destroy(&destroyed)
    }

    /// Rule 4: ends the log at its last whole batch and goes on in a new segment.
    fn cut_tail(&mut self, nonzero_end: Option<u64>) -> Result<(), Error> {
        if let Some(nonzero_end) = nonzero_end {
            self.clear_tail(nonzero_end)?;
        }
        self.view.floor = self.view.end.expect.next;
        let active = self.view.active()?;
        let (has_records, number) = (
            self.view.end.expect.next > active.header.base.0,
            active.header.number.saturating_add(1),
        );
        if !has_records {
            return Ok(());
        }
        let prepared = self.prepare(number, 0, Room::Urgent)?;
        self.guarded(|writer| {
            let sealed = writer.view.active()?.footer.as_ref().map(|(footer, _)| footer.loss);
            writer.seal(sealed.unwrap_or(true))?;
            writer.begin_segment(number, prepared)
        })
    }

    fn destroy(&mut self, destroyed: &[(Seq, Digest)]) -> Result<(), Error> {
        let is_named = |seq| destroyed.iter().any(|(named, _)| *named == seq);
        let segments = self.view.segments.clone();
        for segment in segments.iter().filter(|segment| segment.is_sealed()) {
            let last = segment.footer.as_ref().map_or(Seq(0), |(footer, _)| footer.last);
            if destroyed.iter().any(|(seq, _)| (segment.header.base..=last).contains(seq)) {
                self.rewrite(segment, &|seq, _| is_named(seq).then_some(Payload::Destroyed))?;
            }
        }
        self.view = self.log.reopened(self.view.clone())?;
        self.publish();
        Ok(())
    }
}

/// The records of a sealed segment whose payload alone is damaged, each with the chain before it.
fn rotten(segment: &Segment) -> Result<Vec<(Seq, Digest)>, Error> {
    let limit = segment.frames_limit()?;
    let mut window = segment.window(limit, false);
    let (mut offset, mut seq, mut rotten) = (SEGMENT_HEADER_LEN, segment.header.base, Vec::new());
    let mut before = segment.header.expect().chain;
    while offset < limit {
        let read = read_frame(&mut window, segment.header.salt, offset)
            .map_err(Error::io("read", &segment.name))?;
        let head = match read {
            Ok(frame) => frame.head,
            Err(bad) => {
                let broken = Error::frame(&segment.name, offset, seq, bad.fault);
                let head = bad.head.ok_or(broken)?;
                if bad.fault != FrameFault::SlotCrc {
                    return Err(Error::frame(&segment.name, offset, seq, bad.fault));
                }
                rotten.push((seq, before));
                head
            }
        };
        offset = offset.saturating_add(head.frame_len);
        (seq, before) = (seq.next(), head.chain);
    }
    Ok(rotten)
}
