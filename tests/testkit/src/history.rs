use std::collections::BTreeMap;

use memlith_event::{
    Actor, Applied, Attempt, Attempted, Body, Closing, CompactionEvent, Confirmed, Content, Cosine,
    Decided, DeliveryEvent, Embedded, Embedding, Envelope, Event, Failed, Foreign, IdempotencyKey,
    Invalidated, JobEvent, Kind, Link, LinkKind, MemoryEvent, Mined, MinedStep, Outcome,
    OutcomeEvent, PendingReason, PolicyEvent, ProcedureEvent, Promoted, Purpose, Queued, Quote,
    Rank, ReconcileEvent, Reconfirmed, Remembered, Replied, Reported, ReviewEvent, Reviewed,
    RolledBack, Said, SaliencePolicy, Scope, Service, SessionEvent, Settled, Slot, Stored,
    Summarised, Surfaced, Switched, TaskResult, Taught, Thresholds, Tombstone, TombstoneEvent,
    TombstonesLaid, TombstonesLifted, ToolRan, TrustPolicy, TurnEvent, Validity, Weight,
    WritePolicy,
};
use memlith_log::{Digest, LedgerId, RecordId, Seq, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;

/// A sequence of events, as a fold sees them, from the first record after genesis.
pub type History = Vec<Stored<'static>>;

/// The raw material of one event; what it becomes depends on where it stands.
#[derive(Clone, Debug)]
struct Draft {
    kind: u8,
    words: Vec<u8>,
    targets: Vec<u16>,
    place: u8,
    rank: u8,
    days: u16,
    option: u8,
}

/// Histories of up to `len` events of every kind in a few scopes and sessions.
pub fn histories(len: usize) -> impl Strategy<Value = History> {
    let draft = (
        0u8..29,
        vec(0u8..40, 0..9),
        vec(any::<u16>(), 0..4),
        0u8..6,
        0u8..7,
        0u16..400,
        any::<u8>(),
    );
    let draft = draft.prop_map(|(kind, words, targets, place, rank, days, option)| Draft {
        kind,
        words,
        targets,
        place,
        rank,
        days,
        option,
    });
    vec(draft, 0..len).prop_map(|drafts| {
        drafts.iter().enumerate().map(|(at, draft)| draft.stored(at as u64 + 1)).collect()
    })
}

impl Draft {
    fn stored(&self, seq: u64) -> Stored<'static> {
        let occurred_at = Timestamp(i64::from(self.days) * Timestamp::DAY_US);
        let mut envelope = Envelope::new(self.scope(), self.actor(), occurred_at);
        if self.option & 1 == 0 {
            let kinds = [LinkKind::RestsOn, LinkKind::Supersedes, LinkKind::Corrects];
            envelope.links = self
                .targets(seq)
                .into_iter()
                .zip(kinds.into_iter().cycle())
                .map(|(target, kind)| Link { kind, target })
                .collect();
        }
        envelope.key = (self.option & 2 == 0).then_some(IdempotencyKey([self.option; 16]));
        let content = match self.event(seq) {
            Some(event) => Content::Event(Box::new(Body { envelope, event })),
            None if self.option & 4 == 0 => Content::Erased(Kind::REMEMBERED),
            None => Content::Other,
        };
        let recorded_at = Timestamp(1_000 * Timestamp::DAY_US).plus_us(seq as i64);
        Stored { id: id(seq), recorded_at, content }
    }

    fn event(&self, seq: u64) -> Option<Event<'static>> {
        let targets = self.targets(seq);
        let first = targets.first().copied().unwrap_or_default();
        let weight = Weight::new(u32::from(self.option) * 10_000);
        Some(match self.kind {
            0 => Event::Session(SessionEvent::Ended),
            1 | 2 => {
                Event::Turn(TurnEvent::Said(Said { text: self.text().into(), ..Said::default() }))
            }
            3 => Event::Turn(TurnEvent::ToolRan(ToolRan {
                tool: "shell".into(),
                output: self.text().into(),
                ..ToolRan::default()
            })),
            4 => Event::Foreign(Foreign {
                format: if self.option & 1 == 0 { "test" } else { "memlith.note" }.into(),
                kind: if self.option & 2 == 0 { "note" } else { "model.revised" }.into(),
                json: self.text().into(),
            }),
            5..=7 => Event::Memory(MemoryEvent::Remembered(self.remembered())),
            8 => Event::Memory(MemoryEvent::Surfaced(Surfaced {
                targets,
                weight,
                receipt: None,
                beside: Vec::new(),
            })),
            9 => Event::Memory(MemoryEvent::Confirmed(Confirmed {
                targets,
                weight,
                verified: self.option & 8 == 0,
            })),
            10 => Event::Memory(MemoryEvent::Promoted(Promoted { targets, weight })),
            11 if self.option & 8 == 0 => Event::Memory(MemoryEvent::Pinned(first)),
            11 => Event::Memory(MemoryEvent::Unpinned(first)),
            12 => {
                let reason = None;
                Event::Memory(MemoryEvent::Invalidated(Invalidated { targets, weight, reason }))
            }
            13 => Event::Memory(MemoryEvent::Reconfirmed(Reconfirmed { targets, reason: None })),
            14 => Event::Reconcile(ReconcileEvent::Decided(self.decided(seq, targets))),
            15 => Event::Outcome(OutcomeEvent::Reported(Reported {
                targets,
                result: match self.option % 3 {
                    0 => TaskResult::Success,
                    1 => TaskResult::Failure,
                    _ => TaskResult::Partial,
                },
                verified: self.option & 8 == 0,
                expected: (self.option & 16 == 0).then_some(u32::from(self.option) * 10_000),
                purpose: Purpose::ALL
                    .get(usize::from(self.option % 16))
                    .map(|one| one.name().into()),
                note: None,
            })),
            16 => Event::Policy(PolicyEvent::SalienceChosen(SaliencePolicy::from_code(
                self.option % 3,
            ))),
            17 => Event::Review(self.review(targets)),
            18 => Event::Compaction(CompactionEvent::Summarised(self.summarised(seq, targets))),
            19 => Event::Procedure(ProcedureEvent::Mined(self.mined())),
            20 => Event::Policy(PolicyEvent::TrustChosen(TrustPolicy::from_code(self.option % 3))),
            23 => Event::Policy(PolicyEvent::WritesChosen(WritePolicy::from_code(
                self.option % 16,
                Thresholds { restate: Cosine(9_500_000), midpoint: Cosine(1), add: Cosine(0) },
            ))),
            21 => Event::Memory(MemoryEvent::Embedded(self.embedded(first))),
            22 => Event::Tombstone(self.tombstones(targets)),
            24 | 25 => Event::Job(self.job(seq)),
            26 | 27 => Event::Delivery(self.delivery(seq)),
            _ => return None,
        })
    }

    /// About records a few places before, to two sinks.
    fn delivery(&self, seq: u64) -> DeliveryEvent<'static> {
        let at = Timestamp(i64::from(self.days));
        let sink = || if self.option & 16 == 0 { "a" } else { "b" }.into();
        let near = Seq(seq.saturating_sub(u64::from(self.option >> 5)));
        let failed = if self.option & 4 == 0 { vec![near] } else { Vec::new() };
        match self.option % 8 {
            0..=2 => DeliveryEvent::Attempted(Attempt {
                sink: sink(),
                items: vec![near],
                gone: failed,
                through: near,
                until: at,
            }),
            3 | 4 => DeliveryEvent::Settled(Settled {
                attempt: near,
                sink: sink(),
                failed,
                retry_at: (self.option & 8 == 0).then_some(at),
                unreached: self.option & 8 == 0,
                ..Settled::default()
            }),
            other => DeliveryEvent::Switched(Switched {
                sink: sink(),
                to: match other {
                    5 => Service::Paused,
                    6 => Service::Retried,
                    _ => Service::Restarted,
                },
                reason: self.text().into(),
            }),
        }
    }

    /// About jobs that were queued a few records before, some of them in other sessions.
    fn job(&self, seq: u64) -> JobEvent<'static> {
        let at = Timestamp(i64::from(self.days));
        let job = Seq(seq.saturating_sub(u64::from(self.option >> 4)));
        let last = Seq(seq.saturating_sub(1));
        match self.option % 8 {
            0 => JobEvent::Attempted(Attempted { job, extractor: self.text().into(), until: at }),
            1 => JobEvent::Replied(Replied { job, reply: self.text().into() }),
            2 => JobEvent::Applied(Applied { job, memories: 1, ..Applied::default() }),
            3 => JobEvent::Failed(Failed { job, retry_at: Some(at), ..Failed::default() }),
            4 => JobEvent::Failed(Failed { job, ..Failed::default() }),
            5 => JobEvent::Taught(Taught {
                job,
                name: self.text().into(),
                verified: [None, Some(true)]
                    .get(usize::from(self.option % 3))
                    .copied()
                    .unwrap_or(Some(false)),
                ..Taught::default()
            }),
            _ => JobEvent::Queued(Queued { first: job, last, due: at }),
        }
    }

    /// Of few digests and keys, so that several stand for one text.
    fn tombstones(&self, targets: Vec<RecordId>) -> TombstoneEvent {
        let key = u64::from(self.option % 2);
        if self.option.is_multiple_of(3) {
            let keys = if self.option.is_multiple_of(9) { vec![key] } else { Vec::new() };
            return TombstoneEvent::Lifted(TombstonesLifted { targets, keys });
        }
        let digest = [self.option % 4; 16];
        let stones = targets.into_iter().map(|target| Tombstone { target, digest }).collect();
        TombstoneEvent::Laid(TombstonesLaid { ledger: LedgerId([1; 16]), key, stones })
    }

    fn review(&self, targets: Vec<RecordId>) -> ReviewEvent<'static> {
        if self.option.is_multiple_of(5) {
            let first = targets.first().copied().unwrap_or_default();
            let opened = targets.iter().map(|id| Closing {
                row: Seq(id.seq.0.saturating_sub(1)),
                by: id.seq,
                at: Timestamp(0),
            });
            return ReviewEvent::RolledBack(RolledBack {
                opened: opened.collect(),
                targets: vec![first],
                ..RolledBack::default()
            });
        }
        let reviewed = Reviewed { targets, reason: None };
        match self.option % 4 {
            0 => ReviewEvent::Rejected(reviewed),
            1 => ReviewEvent::Deferred(reviewed),
            _ => ReviewEvent::Accepted(reviewed),
        }
    }

    /// Of few spans, so that many have items in common.
    fn summarised(&self, seq: u64, targets: Vec<RecordId>) -> Summarised<'static> {
        let last = Seq(seq.saturating_sub(1));
        Summarised {
            algorithm: 2,
            id: Digest([self.option % 5; 32]),
            span: Digest([self.option % 3; 32]),
            first: Seq(last.0.saturating_sub(u64::from(self.option % 16))),
            last,
            quotes: targets
                .into_iter()
                .map(|source| Quote { source, start: 0, end: 1, text: self.text().into() })
                .collect(),
            mentions: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Of few models, of which one has vectors of two widths; some are none.
    fn embedded(&self, target: RecordId) -> Embedded<'static> {
        let model = match self.option % 3 {
            0 => "m",
            1 => "n",
            _ => "",
        };
        let width = if self.option & 8 == 0 { 3 } else { 130 };
        let greatest = if self.option & 16 == 0 { 127 } else { self.option.cast_signed() };
        let mut components = vec![1; width];
        components.extend([greatest]);
        Embedded { target, vector: Embedding { model: model.into(), components } }
    }

    fn mined(&self) -> Mined<'static> {
        let verb =
            |word: &u8| MinedStep { verb: format!("word{word}").into(), ..MinedStep::default() };
        Mined {
            title: self.text().into(),
            identity: Digest([self.option % 4; 32]),
            steps: self.words.iter().map(verb).collect(),
            support: u32::from(self.days),
            required: u32::from(self.option % 3),
            ..Mined::default()
        }
    }

    fn remembered(&self) -> Remembered<'static> {
        let from = Timestamp(i64::from(self.days / 2) * Timestamp::DAY_US);
        Remembered {
            text: self.text().into(),
            slot: (self.option & 16 == 0).then(|| Slot {
                entity: format!("e{}", self.place).into(),
                predicate: "p".into(),
                value: self.text().into(),
                single: self.option & 32 == 0,
            }),
            validity: Validity { from: (self.option & 64 == 0).then_some(from), until: None },
            pending: (self.option & 128 == 0).then_some(PendingReason::Extracted),
            metadata: (&self.metadata()).into(),
        }
    }

    fn metadata(&self) -> BTreeMap<String, String> {
        let pair = ("place".to_owned(), self.place.to_string());
        (self.option % 4 == 3).then_some(pair).into_iter().collect()
    }

    fn decided(&self, seq: u64, targets: Vec<RecordId>) -> Decided<'static> {
        let first = targets.first().copied().unwrap_or_default();
        let outcome = match self.option % 8 {
            0 => Outcome::Added,
            1 => Outcome::Restated(first),
            2 => Outcome::Revived(first),
            3 => Outcome::Superseded(targets.clone()),
            4 => Outcome::Corrected(first),
            5 => Outcome::Proposed(targets.clone()),
            6 => Outcome::Disputed(targets.clone()),
            _ => Outcome::Reopened(first),
        };
        let at = Timestamp(i64::from(self.days) * Timestamp::DAY_US);
        Decided {
            text: self.text().into(),
            slot: None,
            candidates: Vec::new(),
            model: None,
            outcome,
            closings: vec![Closing { row: first.seq, by: Seq(seq + 1), at }],
            settled: targets,
            weighing: None,
        }
    }

    /// Earlier records, whatever they are; ascending, each once.
    fn targets(&self, seq: u64) -> Vec<RecordId> {
        let mut targets: Vec<RecordId> =
            self.targets.iter().map(|at| id(u64::from(*at) % seq)).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    fn text(&self) -> String {
        let word = |word: &u8| format!("word{word}");
        self.words.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn scope(&self) -> Scope<'static> {
        let subject =
            (!self.place.is_multiple_of(3)).then(|| format!("s{}", self.place % 3).into());
        let session = (self.place > 1).then(|| format!("session {}", self.place).into());
        Scope { subject, session, ..Scope::tenant("t") }
    }

    fn actor(&self) -> Actor<'static> {
        let ranks = [
            Rank::Engine,
            Rank::Web,
            Rank::Tool,
            Rank::Assistant,
            Rank::User,
            Rank::Reviewer,
            Rank::Owner,
        ];
        let rank = ranks.get(usize::from(self.rank)).copied().unwrap_or(Rank::User);
        Actor::new(format!("{rank:?}"), rank)
    }
}

fn id(seq: u64) -> RecordId {
    let [a, b, ..] = seq.to_le_bytes();
    RecordId { seq: Seq(seq), hash: [a, b, a, b, a, b] }
}
