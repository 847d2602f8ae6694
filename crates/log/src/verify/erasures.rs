use std::collections::{BTreeMap, BTreeSet};

use super::Report;
use crate::finding::Finding;
use crate::frame::SlotState;
use crate::kind::{FIRST_EVENT_KIND, LogEvent};
use crate::walk::Frame;
use crate::{Digest, Seq};

/// What a walk saw that erasures and losses are judged by.
#[derive(Debug, Default)]
pub(super) struct Erasures {
    records: BTreeMap<Seq, Seen>,
    begun: BTreeMap<Seq, Vec<(Seq, Digest)>>,
    done: BTreeSet<Seq>,
    destroyed: BTreeSet<Seq>,
    last: Option<Seq>,
}

#[derive(Debug)]
struct Seen {
    file: String,
    offset: u64,
    kind: u16,
    state: SlotState,
    record_hash: Digest,
}

impl Erasures {
    pub(super) fn see(&mut self, file: &str, frame: Frame) {
        let header = &frame.head.header;
        let seq = header.seq;
        match frame.log_event() {
            Some(LogEvent::Erasure { targets, .. }) => {
                self.begun.insert(seq, targets);
            }
            Some(LogEvent::ErasureDone { erasure }) => {
                self.done.insert(erasure);
            }
            Some(LogEvent::LossAccepted(loss)) => self.destroyed.extend(loss.destroyed),
            Some(
                LogEvent::Genesis
                | LogEvent::CheckpointSealed(_)
                | LogEvent::HeadAnchored { .. }
                | LogEvent::ClockRebased { .. }
                | LogEvent::KeyRotated { .. },
            )
            | None => {}
        }
        self.last = self.last.max(Some(seq));
        let seen = Seen {
            file: file.to_owned(),
            offset: frame.offset,
            kind: header.kind,
            state: frame.state,
            record_hash: frame.record_hash,
        };
        self.records.insert(seq, seen);
    }

    /// Judges every erased, destroyed and named record.
    pub(super) fn verdicts(&self, report: &mut Report) {
        let mut named = BTreeSet::new();
        for (erasure, targets) in &self.begun {
            let mismatched: Vec<_> =
                targets.iter().filter(|target| !self.fits(**target, *erasure)).collect();
            for (seq, _) in &mismatched {
                let what = "ErasureTargetMismatch: the erasure names a record that is missing, \
                            different, the log's own, or not before it";
                self.add(report, *erasure, format!("{what} (target {seq})"));
            }
            if !mismatched.is_empty() {
                continue;
            }
            let done = self.done.contains(erasure);
            for (seq, _) in targets {
                named.insert(*seq);
                let present =
                    self.records.get(seq).is_some_and(|seen| seen.state == SlotState::Present);
                if present && done {
                    self.add(report, *seq, "ErasureIncomplete: the body is still there".into());
                }
            }
            if !done {
                let what = "an erasure is pending; the next writer finishes it";
                self.add(report, *erasure, what.into());
            }
        }
        for (seq, seen) in &self.records {
            match seen.state {
                SlotState::Erased if !named.contains(seq) => {
                    let what = "ErasedWithoutAuthority: no erasure names the record";
                    self.add(report, *seq, what.into());
                }
                SlotState::Destroyed if !self.destroyed.contains(seq) => {
                    let what = "the payload is destroyed, but no loss was accepted that names it";
                    self.add(report, *seq, what.into());
                }
                SlotState::Present | SlotState::Erased | SlotState::Destroyed => {}
            }
        }
    }

    fn fits(&self, (seq, hash): (Seq, Digest), erasure: Seq) -> bool {
        let seen = self.records.get(&seq).filter(|_| seq < erasure);
        seen.is_some_and(|seen| {
            // A destroyed record's hash is not known any more.
            let same = seen.record_hash == hash || seen.state == SlotState::Destroyed;
            seen.kind >= FIRST_EVENT_KIND && same
        })
    }

    fn add(&self, report: &mut Report, seq: Seq, what: String) {
        let place = self.records.get(&seq);
        let (file, offset) =
            place.map_or((String::new(), 0), |seen| (seen.file.clone(), seen.offset));
        report.add(Finding::new(file, offset, Some(seq), what));
    }
}
