use std::collections::{BTreeMap, BTreeSet};

use super::{Destroyed, Report};
use crate::finding::{Finding, FindingKind};
use crate::frame::SlotState;
use crate::kind::{FIRST_EVENT_KIND, LogEvent};
use crate::walk::Frame;
use crate::{Digest, RecordHeader, Seq};

/// Evidence by which erasures and losses are judged.
///
/// Which records an erasure names is known only behind them. So a walk notes what is said
/// and which slots hold no body; and only then the records in question are looked at.
#[derive(Debug, Default)]
pub(super) struct Erasures {
    begun: BTreeMap<Seq, Vec<(Seq, Digest)>>,
    done: BTreeSet<Seq>,
    /// Destroyed records that a loss names: the loss, the record, and the chain before it.
    named: Vec<(Seq, Seq, Digest)>,
    /// Destroyed records, with the chain before each.
    destroyed: BTreeMap<Seq, Digest>,
    /// Records without a body.
    bodiless: BTreeSet<Seq>,
    /// The records in question.
    records: BTreeMap<Seq, Seen>,
}

/// A record in question, as it was last seen.
#[derive(Debug)]
struct Seen {
    file: String,
    offset: u64,
    kind: u16,
    state: SlotState,
    record_hash: Digest,
}

impl Erasures {
    /// Notes what the record says, and whether it has a body.
    pub(super) fn note(&mut self, header: &RecordHeader, state: SlotState, said: Option<LogEvent>) {
        let seq = header.seq;
        match said {
            Some(LogEvent::Erasure { targets, .. }) => {
                self.begun.insert(seq, targets);
            }
            Some(LogEvent::ErasureDone { erasure }) => {
                self.done.insert(erasure);
            }
            Some(LogEvent::LossAccepted(loss)) => {
                let named = loss.destroyed.into_iter().filter(|(gone, _)| *gone < seq);
                self.named.extend(named.map(|(gone, before)| (seq, gone, before)));
            }
            Some(
                LogEvent::Genesis
                | LogEvent::CheckpointSealed(_)
                | LogEvent::HeadAnchored { .. }
                | LogEvent::ClockRebased { .. }
                | LogEvent::KeyRotated { .. },
            )
            | None => {}
        }
        if state != SlotState::Present {
            self.bodiless.insert(seq);
        }
    }

    /// Notes a destroyed record and the chain before it.
    pub(super) fn note_destroyed(&mut self, seq: Seq, before: Digest) {
        self.destroyed.insert(seq, before);
    }

    /// Takes in what was noted of a later part of the log.
    pub(super) fn merge(&mut self, later: Erasures) {
        self.begun.extend(later.begun);
        self.done.extend(later.done);
        self.named.extend(later.named);
        self.destroyed.extend(later.destroyed);
        self.bodiless.extend(later.bodiless);
    }

    /// The records that have to be looked at before there can be verdicts.
    pub(super) fn in_question(&self) -> BTreeSet<Seq> {
        let targets = self.begun.values().flatten().map(|(seq, _)| *seq);
        let erasures = self.begun.keys().copied();
        targets.chain(erasures).chain(self.bodiless.iter().copied()).collect()
    }

    /// Takes in a record in question; one that is seen twice is as it was seen last.
    pub(super) fn see(&mut self, file: &str, frame: &Frame) {
        let header = &frame.head.header;
        let seen = Seen {
            file: file.to_owned(),
            offset: frame.offset,
            kind: header.kind,
            state: frame.state,
            record_hash: frame.record_hash,
        };
        self.records.insert(header.seq, seen);
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
                SlotState::Destroyed => self.judge_destroyed(report, *seq),
                SlotState::Present | SlotState::Erased => {}
            }
        }
    }

    /// Judges a destroyed record, whose chain is taken as it stands: a loss has to name it, and
    /// the chain before it as it was then. Else the records before it are shown by nothing.
    fn judge_destroyed(&self, report: &mut Report, seq: Seq) {
        let named = || self.named.iter().filter(|(_, gone, _)| *gone == seq);
        let before = self.destroyed.get(&seq);
        if named().next().is_none() {
            let what = "the payload is destroyed, but no loss was accepted that names it";
            self.add(report, seq, what.into());
        } else if named().any(|(_, _, named)| Some(named) != before) {
            let what = "the records before are not those that were there when the loss of this \
                        one was accepted";
            self.add_of(report, seq, (what.into(), FindingKind::ChainBreak));
        }
        let accepted = named().map(|(loss, _, _)| *loss).min();
        report.destroyed.push(Destroyed { seq, accepted });
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
        self.add_of(report, seq, (what, FindingKind::Corrupt));
    }

    fn add_of(&self, report: &mut Report, seq: Seq, (what, kind): (String, FindingKind)) {
        let place = self.records.get(&seq);
        let (file, offset) =
            place.map_or((String::new(), 0), |seen| (seen.file.clone(), seen.offset));
        report.add(Finding::new(file, offset, Some(seq), what).of_kind(kind));
    }
}

#[cfg(test)]
mod tests {
    use SlotState::{Erased, Present};

    use super::*;
    use crate::verify::Level;

    const HASH: Digest = Digest([1; 32]);
    const OTHER: Digest = Digest([2; 32]);
    const EVENT: u16 = FIRST_EVENT_KIND;
    const GONE: SlotState = SlotState::Destroyed;

    /// A log of five records: the one in question, then an erasure at 3 that names it or
    /// another one, and perhaps its completion.
    struct Case {
        kind: u16,
        state: SlotState,
        target: Option<(u64, Digest)>,
        done: bool,
        /// The chain before the record, as an accepted loss names it.
        lost: Option<Digest>,
    }

    const SOUND: Case =
        Case { kind: EVENT, state: Erased, target: Some((1, HASH)), done: true, lost: None };

    fn verdicts(case: &Case) -> Vec<(u64, String)> {
        let mut erasures = Erasures::default();
        for seq in 0..5 {
            let (kind, state) = if seq == 1 { (case.kind, case.state) } else { (EVENT, Present) };
            let (file, record_hash) = ("seg".to_owned(), HASH);
            let seen = Seen { file, offset: seq * 120, kind, state, record_hash };
            erasures.records.insert(Seq(seq), seen);
        }
        if let Some((seq, hash)) = case.target {
            erasures.begun.insert(Seq(3), vec![(Seq(seq), hash)]);
        }
        erasures.done.extend(case.done.then_some(Seq(3)));
        erasures.note_destroyed(Seq(1), HASH);
        erasures.named.extend(case.lost.map(|before| (Seq(4), Seq(1), before)));
        let mut report = Report {
            level: Level::Full,
            ledger: None,
            records: 0,
            head: None,
            findings: Vec::new(),
            quarantined: Vec::new(),
            sound_through: None,
            destroyed: Vec::new(),
        };
        erasures.verdicts(&mut report);
        let said = report.findings.into_iter().map(|finding| {
            let seq = finding.seq.unwrap().0;
            assert!(finding.offset == if seq < 5 { seq * 120 } else { 0 });
            (seq, finding.what.split([':', ';']).next().unwrap().to_owned())
        });
        said.collect()
    }

    #[test]
    fn every_erased_destroyed_and_named_record_is_judged() {
        let mismatch = (3, "ErasureTargetMismatch");
        let unnamed = (1, "ErasedWithoutAuthority");
        let pending = (3, "an erasure is pending");
        let destroyed = (1, "the payload is destroyed, but no loss was accepted that names it");
        let others = (
            1,
            "the records before are not those that were there when the loss of this one was \
             accepted",
        );
        type Said<'a> = &'a [(u64, &'a str)];
        let cases: [(Case, Said<'_>); 14] = [
            (SOUND, &[]),
            (Case { done: false, ..SOUND }, &[pending]),
            (Case { state: Present, ..SOUND }, &[(1, "ErasureIncomplete")]),
            (Case { state: Present, done: false, ..SOUND }, &[pending]),
            (Case { target: None, ..SOUND }, &[unnamed]),
            (Case { target: None, state: Present, ..SOUND }, &[]),
            // A target that is different, missing, the erasure itself, or after it.
            (Case { target: Some((1, OTHER)), ..SOUND }, &[mismatch, unnamed]),
            (Case { target: Some((9, HASH)), state: Present, ..SOUND }, &[mismatch]),
            (Case { target: Some((3, HASH)), state: Present, ..SOUND }, &[mismatch]),
            (Case { target: Some((4, HASH)), state: Present, ..SOUND }, &[mismatch]),
            (Case { kind: EVENT - 1, ..SOUND }, &[mismatch, unnamed]),
            // The hash of what is destroyed is not known any more.
            (Case { state: GONE, target: Some((1, OTHER)), lost: Some(HASH), ..SOUND }, &[]),
            (Case { state: GONE, ..SOUND }, &[destroyed]),
            // The records before it were others when the loss was accepted.
            (Case { state: GONE, lost: Some(OTHER), ..SOUND }, &[others]),
        ];
        for (at, (case, said)) in cases.iter().enumerate() {
            let said: Vec<_> = said.iter().map(|(seq, what)| (*seq, (*what).to_owned())).collect();
            assert_eq!(verdicts(case), said, "{at}");
        }
    }
}
