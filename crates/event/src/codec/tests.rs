use std::collections::BTreeMap;

use memlith_log::{Digest, LedgerId, RecordId, Seq, Timestamp};

use serde_wincode::SerdeCompat;
use serde_wincode::wincode::{Deserialize as _, Serialize as _};

use super::*;
use crate::*;

fn id(seq: u64) -> RecordId {
    RecordId { seq: Seq(seq), hash: [1, 2, 3, 4, 5, 6] }
}

fn envelope() -> Envelope<'static> {
    Envelope {
        links: vec![Link { kind: LinkKind::RestsOn, target: id(3) }],
        key: Some(IdempotencyKey([7; 16])),
        copied_from: Some(Provenance { ledger: LedgerId([9; 16]), id: id(2) }),
        tier_cap: Some(2),
        ..Envelope::new(Scope::tenant("t"), Actor::new("ana", Rank::User), Timestamp(5))
    }
}

fn receipt() -> Receipt<'static> {
    Receipt {
        checkout: CheckoutId([1; 16]),
        ledger: LedgerId([2; 16]),
        view: Seq(9),
        chain: Digest([3; 32]),
        query: "q".into(),
        scope: Scope::tenant("t"),
        purpose: "general".into(),
        as_of: Some(Seq(8)),
        now: Timestamp(11),
        budget_tokens: 2_000,
        min_items: 0,
        counter: "bytes/4".into(),
        policy: None,
        weights: Digest([4; 32]),
        scorer: 1,
        fold: 1,
        render: 1,
        items: vec![ReceiptItem { id: id(4), start: 0, end: 12, score: 77 }],
        left_out: vec![
            LeftOut { reason: LeftOutReason::Budget, count: 3 },
            LeftOut { reason: LeftOutReason::Outdated, count: 1 },
        ],
        pack: Digest([5; 32]),
        hints: Hints::default(),
        vector: None,
    }
}

fn vector() -> Embedding<'static> {
    Embedding { model: "minilm@1".into(), components: vec![127, -3, 0, -127] }
}

fn summarised() -> Summarised<'static> {
    Summarised {
        algorithm: 2,
        id: Digest([6; 32]),
        span: Digest([7; 32]),
        first: Seq(1),
        last: Seq(9),
        quotes: vec![Quote { source: id(3), start: 4, end: 7, text: "tea".into() }],
        mentions: vec![Mention { kind: IdentityKind::Path, text: "src/main.rs".into() }],
        left_out: vec![(3, 2)],
    }
}

fn mined() -> Mined<'static> {
    let contrast = |kind| Contrast { step: 1, kind, failed: 3, others: 0, source: Some(id(2)) };
    Mined {
        title: "From cargo fmt to git push".into(),
        identity: Digest([6; 32]),
        steps: vec![
            MinedStep { verb: "cargo fmt".into(), parameters: "".into() },
            MinedStep { verb: "git push".into(), parameters: "<word>".into() },
        ],
        support: 12,
        complete: 9,
        succeeded: 8,
        failed: 1,
        failed_runs: 3,
        confidence: 565_000,
        evidence: 1 << 20,
        required: 3,
        contrast: vec![
            contrast(ContrastKind::Replaced("git pull".into())),
            contrast(ContrastKind::LeftOut),
            Contrast { source: None, ..contrast(ContrastKind::WentWrong) },
        ],
        method: "memlith".into(),
        version: 1,
    }
}

fn weighing() -> Option<Box<Weighing<'static>>> {
    let near = |seq, differs| Near { id: id(seq), cosine: Cosine(9_400_001), differs };
    let by = "arbiter".into();
    Some(Box::new(Weighing {
        thresholds: Thresholds::default(),
        near: vec![near(1, Some(Difference::Direction)), near(2, None)],
        arbitration: Some(Arbitration { by, reply: Reply::Failed(Some(-1)) }),
        contests: vec![id(1)],
    }))
}

/// One event of every kind.
fn events() -> Vec<Event<'static>> {
    let slot = Slot {
        entity: "ana".into(),
        predicate: "lives_in".into(),
        value: "Pune".into(),
        single: true,
    };
    let decided = Decided {
        text: "x".into(),
        slot: Some(slot.clone()),
        candidates: vec![Candidate { id: id(1), matched: Match::Slot }],
        model: None,
        outcome: Outcome::Superseded(vec![id(1)]),
        closings: vec![Closing { row: Seq(1), by: Seq(4), at: Timestamp(6) }],
        settled: vec![id(2)],
        weighing: None,
    };
    let remembered = Remembered {
        text: "naïve".into(),
        slot: Some(slot),
        validity: Validity { from: Some(Timestamp(1)), until: None },
        pending: Some(PendingReason::TrustRule),
        metadata: Metadata::default(),
    };
    let metadata = BTreeMap::from([("a".into(), "1".into()), ("ticket".into(), "".into())]);
    let reviewed = Reviewed { targets: vec![id(2)], reason: Some("seen".into()) };
    vec![
        Event::Session(SessionEvent::Started(SessionStarted {
            tool: "codex".into(),
            directory: Some("/home/ana".into()),
            ..SessionStarted::default()
        })),
        Event::Session(SessionEvent::Ended),
        Event::Turn(TurnEvent::Said(Said { text: "hi".into(), ..Said::default() })),
        Event::Turn(TurnEvent::ToolRan(ToolRan {
            tool: "shell".into(),
            exit_code: Some(-1),
            ok: Some(false),
            ..ToolRan::default()
        })),
        Event::Memory(MemoryEvent::Remembered(Remembered {
            pending: Some(PendingReason::Candidate(CandidateKind::Rule)),
            ..remembered.clone()
        })),
        Event::Memory(MemoryEvent::Remembered(remembered.clone())),
        Event::Memory(MemoryEvent::Remembered(Remembered {
            metadata: (&metadata).into(),
            ..remembered
        })),
        Event::Memory(MemoryEvent::Surfaced(Surfaced {
            targets: vec![id(4)],
            weight: None,
            receipt: Some(Box::new(receipt())),
            beside: Vec::new(),
        })),
        Event::Memory(MemoryEvent::Surfaced(Surfaced {
            targets: vec![id(4)],
            weight: None,
            receipt: Some(Box::new(Receipt {
                hints: Hints { tool: Some("cargo".into()), ..Hints::default() },
                ..receipt()
            })),
            beside: Vec::new(),
        })),
        Event::Memory(MemoryEvent::Surfaced(Surfaced {
            receipt: Some(Box::new(Receipt { vector: Some(vector()), ..receipt() })),
            ..Surfaced::default()
        })),
        Event::Memory(MemoryEvent::Surfaced(Surfaced {
            receipt: Some(Box::new(Receipt {
                hints: Hints { tool: Some("cargo".into()), ..Hints::default() },
                vector: Some(vector()),
                ..receipt()
            })),
            ..Surfaced::default()
        })),
        Event::Memory(MemoryEvent::Surfaced(Surfaced {
            targets: vec![id(4)],
            beside: vec![ViewBeside::of(&receipt())],
            ..Surfaced::default()
        })),
        Event::Memory(MemoryEvent::Confirmed(Confirmed {
            targets: vec![id(1)],
            weight: Weight::new(1_500_000),
            verified: true,
        })),
        Event::Memory(MemoryEvent::Promoted(Promoted { targets: vec![id(1)], weight: None })),
        Event::Memory(MemoryEvent::Pinned(id(1))),
        Event::Memory(MemoryEvent::Unpinned(id(1))),
        Event::Memory(MemoryEvent::Invalidated(Invalidated {
            targets: vec![id(1), id(2)],
            weight: None,
            reason: Some("wrong".into()),
        })),
        Event::Memory(MemoryEvent::Reconfirmed(Reconfirmed { targets: vec![id(1)], reason: None })),
        Event::Memory(MemoryEvent::Embedded(Embedded { target: id(1), vector: vector() })),
        Event::Memory(MemoryEvent::Elsewhere(Elsewhere {
            ledger: receipt().ledger,
            id: id(7),
            record_hash: receipt().chain,
            said: SaidElsewhere::ReplacedBy(id(8)),
            reason: Some("it moved".into()),
        })),
        Event::Reconcile(ReconcileEvent::Decided(decided.clone())),
        Event::Reconcile(ReconcileEvent::Decided(Decided { weighing: weighing(), ..decided })),
        Event::Outcome(OutcomeEvent::Reported(Reported {
            targets: vec![id(1), id(4)],
            result: TaskResult::Failure,
            verified: true,
            expected: Some(700_000),
            purpose: Some("coding".into()),
            note: Some("the test failed".into()),
        })),
        Event::Review(ReviewEvent::Accepted(reviewed.clone())),
        Event::Review(ReviewEvent::Rejected(reviewed.clone())),
        Event::Review(ReviewEvent::Deferred(reviewed)),
        Event::Review(ReviewEvent::RolledBack(RolledBack {
            targets: vec![id(2)],
            opened: vec![Closing { row: Seq(1), by: Seq(2), at: Timestamp(6) }],
            closings: vec![Closing { row: Seq(1), by: Seq(3), at: Timestamp(7) }],
            reason: None,
        })),
        Event::Policy(PolicyEvent::SalienceChosen(SaliencePolicy::AttestedOnly)),
        Event::Policy(PolicyEvent::TrustChosen(TrustPolicy::Open)),
        Event::Policy(PolicyEvent::WritesChosen(WritePolicy {
            thresholds: Some(Thresholds {
                restate: Cosine(9_500_000),
                midpoint: Cosine(8_750_000),
                add: Cosine(8_000_000),
            }),
            ..WritePolicy::default()
        })),
        Event::Policy(PolicyEvent::RoleGiven(RoleGiven {
            key: [7; 32],
            name: "box".into(),
            role: Role::Reviewer,
        })),
        Event::Procedure(ProcedureEvent::Mined(mined())),
        Event::Compaction(CompactionEvent::Summarised(summarised())),
        Event::Job(JobEvent::Queued(Queued {
            first: Seq(3),
            last: Seq(9),
            due: Timestamp(120_000_000),
        })),
        Event::Job(JobEvent::Attempted(Attempted {
            job: Seq(10),
            extractor: "rules".into(),
            until: Timestamp(130_000_000),
        })),
        Event::Job(JobEvent::Replied(Replied { job: Seq(10), reply: "{}".into() })),
        Event::Job(JobEvent::Applied(Applied {
            job: Seq(10),
            memories: 2,
            procedures: 1,
            outcome: true,
            dropped: 3,
        })),
        Event::Job(JobEvent::Failed(Failed {
            job: Seq(10),
            reason: "refused".into(),
            retry_at: Some(Timestamp(190_000_000)),
        })),
        Event::Job(JobEvent::Taught(Taught {
            job: Seq(10),
            name: "release".into(),
            trigger: "a tag is pushed".into(),
            preconditions: vec!["a clean tree".into()],
            steps: vec!["cargo test".into(), "cargo publish".into()],
            gotchas: vec!["the order of crates".into()],
            success_criteria: vec!["it is on the registry".into()],
            verified: Some(true),
        })),
        Event::Delivery(DeliveryEvent::Attempted(Attempt {
            sink: "graph".into(),
            items: vec![Seq(3), Seq(5)],
            gone: vec![Seq(1)],
            through: Seq(5),
            until: Timestamp(7),
        })),
        Event::Delivery(DeliveryEvent::Settled(Settled {
            attempt: Seq(6),
            sink: "graph".into(),
            failed: vec![Seq(5)],
            reason: "no such basin".into(),
            retry_at: Some(Timestamp(8)),
            unreached: true,
            duration_ms: 12,
            nodes: 3,
            edges: 2,
        })),
        Event::Delivery(DeliveryEvent::Switched(Switched {
            sink: "graph".into(),
            to: Service::Paused,
            reason: "a burst of deletions".into(),
        })),
        Event::Foreign(Foreign {
            format: "eventloom".into(),
            kind: "goal.created".into(),
            json: "{}".into(),
        }),
        Event::Tombstone(TombstoneEvent::Laid(TombstonesLaid {
            ledger: LedgerId([9; 16]),
            key: 5,
            stones: vec![Tombstone { target: id(2), digest: [8; 16] }],
        })),
        Event::Tombstone(TombstoneEvent::Lifted(TombstonesLifted {
            targets: vec![id(2)],
            keys: vec![5],
        })),
    ]
}

#[test]
fn every_kind_round_trips_and_has_a_number_of_its_own() {
    let mut kinds = Vec::new();
    for event in events() {
        let body = Body { envelope: envelope(), event };
        let kind = body.event.kind();
        let bytes = body.encode();
        assert_eq!(Body::decode(kind, &bytes).as_ref(), Ok(&body), "{}", kind.name());
        assert_ne!(kind.name(), "unknown");
        kinds.push(kind);
    }
    kinds.dedup();
    assert_eq!(kinds, Kind::ALL);
}

#[test]
fn a_cut_or_lengthened_body_is_refused() {
    for event in events() {
        let kind = event.kind();
        let mut bytes = Body { envelope: envelope(), event }.encode();
        for len in 0..bytes.len() {
            assert!(Body::decode(kind, &bytes[..len]).is_err(), "{} cut at {len}", kind.name());
        }
        bytes.push(0);
        let lengthened = Body::decode(kind, &bytes);
        assert!(matches!(lengthened, Err(DecodeError::TrailingBytes { .. })), "{}", kind.name());
    }
}

#[test]
fn a_length_bomb_is_refused_before_it_is_allocated() {
    let mut bytes =
        Body { envelope: envelope(), event: Event::Session(SessionEvent::Ended) }.encode();
    bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(Body::decode(Kind::SESSION_ENDED, &bytes).is_err());
}

#[test]
fn an_unknown_kind_is_named() {
    let kind = Kind { number: 9_999, version: 1 };
    assert_eq!(Body::decode(kind, &[]), Err(DecodeError::UnknownKind { kind }));
}

/// The way out of an unmaintained codec: a maintained one writes and reads the same bytes.
#[test]
fn the_bytes_are_those_of_a_maintained_codec() {
    for event in events() {
        let body = Body { envelope: envelope(), event };
        let bytes = body.encode();
        match &body.event {
            Event::Session(SessionEvent::Started(content)) => same_bytes(content, &bytes),
            Event::Turn(TurnEvent::ToolRan(content)) => same_bytes(content, &bytes),
            // Of version 1 the type has a field more than the bytes.
            Event::Memory(MemoryEvent::Remembered(content)) if content.metadata.is_empty() => {
                assert_eq!(written(content), bytes);
            }
            Event::Memory(MemoryEvent::Remembered(content)) => same_bytes(content, &bytes),
            Event::Memory(MemoryEvent::Surfaced(content)) if content.beside.is_empty() => {
                assert_eq!(written(content), bytes);
            }
            Event::Memory(MemoryEvent::Surfaced(content)) => same_bytes(content, &bytes),
            Event::Memory(MemoryEvent::Elsewhere(content)) => same_bytes(content, &bytes),
            Event::Memory(MemoryEvent::Embedded(content)) => same_bytes(content, &bytes),
            Event::Memory(MemoryEvent::Invalidated(content)) => same_bytes(content, &bytes),
            Event::Reconcile(ReconcileEvent::Decided(content)) => same_bytes(content, &bytes),
            Event::Outcome(OutcomeEvent::Reported(content)) => same_bytes(content, &bytes),
            Event::Review(
                ReviewEvent::Accepted(content)
                | ReviewEvent::Rejected(content)
                | ReviewEvent::Deferred(content),
            ) => same_bytes(content, &bytes),
            Event::Review(ReviewEvent::RolledBack(content)) => same_bytes(content, &bytes),
            Event::Policy(PolicyEvent::SalienceChosen(content)) => same_bytes(content, &bytes),
            Event::Policy(PolicyEvent::TrustChosen(content)) => same_bytes(content, &bytes),
            Event::Policy(PolicyEvent::WritesChosen(content)) => same_bytes(content, &bytes),
            Event::Policy(PolicyEvent::RoleGiven(content)) => same_bytes(content, &bytes),
            Event::Compaction(CompactionEvent::Summarised(content)) => same_bytes(content, &bytes),
            Event::Procedure(ProcedureEvent::Mined(content)) => same_bytes(content, &bytes),
            Event::Job(JobEvent::Queued(content)) => same_bytes(content, &bytes),
            Event::Job(JobEvent::Attempted(content)) => same_bytes(content, &bytes),
            Event::Job(JobEvent::Replied(content)) => same_bytes(content, &bytes),
            Event::Job(JobEvent::Applied(content)) => same_bytes(content, &bytes),
            Event::Job(JobEvent::Failed(content)) => same_bytes(content, &bytes),
            Event::Job(JobEvent::Taught(content)) => same_bytes(content, &bytes),
            Event::Delivery(DeliveryEvent::Attempted(content)) => same_bytes(content, &bytes),
            Event::Delivery(DeliveryEvent::Settled(content)) => same_bytes(content, &bytes),
            Event::Delivery(DeliveryEvent::Switched(content)) => same_bytes(content, &bytes),
            Event::Tombstone(TombstoneEvent::Laid(content)) => same_bytes(content, &bytes),
            Event::Tombstone(TombstoneEvent::Lifted(content)) => same_bytes(content, &bytes),
            Event::Session(_) | Event::Turn(_) | Event::Memory(_) | Event::Foreign(_) => {}
        }
    }
}

fn written<T: Clone + Serialize>(content: &T) -> Vec<u8> {
    SerdeCompat::<(Envelope<'static>, T)>::serialize(&(envelope(), content.clone())).unwrap()
}

fn same_bytes<T>(content: &T, bytes: &[u8])
where
    T: Clone + PartialEq + std::fmt::Debug + Serialize + Deserialize<'static>,
{
    assert_eq!(written(content), bytes);
    let pair = (envelope(), content.clone());
    // Reading borrows; a leak of a few hundred bytes keeps the test short.
    let bytes: &'static [u8] = Box::leak(bytes.into());
    assert_eq!(SerdeCompat::<(Envelope<'static>, T)>::deserialize(bytes).unwrap(), pair);
}

/// Each body has one reading, and each reading one body.
#[test]
fn metadata_that_is_empty_or_out_of_order_is_refused() {
    let body = |pairs: &[(&str, &str)]| {
        let content =
            ("naïve", None::<Slot<'_>>, Validity::default(), None::<PendingReason>, pairs);
        encode(&envelope(), &content)
    };
    let read = |bytes: &[u8]| Body::decode(Kind::REMEMBERED_WITH_METADATA, bytes).map(drop);
    assert_eq!(read(&body(&[("a", "1"), ("b", "2")])), Ok(()));
    for pairs in [&[][..], &[("b", "2"), ("a", "1")], &[("a", "1"), ("a", "1")]] {
        assert!(matches!(read(&body(pairs)), Err(DecodeError::Layout { .. })), "{pairs:?}");
    }
}
