//! Random histories: items with facts, and events that name them.

use memlith_event::{
    Actor, Body, Confirmed, Content, Decided, Envelope, Event, Facts, Invalidated, ItemFacts, Key,
    Link, LinkKind, MemoryEvent, Outcome, OutcomeEvent, OwnStatus, Promoted, Rank, ReconcileEvent,
    Reconfirmed, Remembered, Reported, Said, Scope, Stored, Surfaced, TaskResult, TurnEvent,
    Weight,
};
use memlith_log::{RecordId, Seq, Timestamp};
use proptest::prelude::*;

use crate::{Act, Claim};

pub(crate) const ITEM_COUNT: u64 = 3;

#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) facts: ItemFacts,
    before_invalidation: OwnStatus,
}

#[derive(Clone, Debug)]
pub(crate) enum Tick {
    Move(Move),
    /// Review or a rollback, which today have no event, put the item in a status.
    Put(u64, OwnStatus, bool),
}

/// An event that says one thing of some items.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) act: Act,
    pub(crate) rank: Rank,
    pub(crate) verified: bool,
    pub(crate) actor: &'static str,
    pub(crate) session: Option<&'static str>,
    pub(crate) weight: Option<u32>,
    /// Where an outcome says it: how likely success was held to be, in millionths.
    pub(crate) expected: Option<u32>,
    pub(crate) at: i64,
    pub(crate) targets: Vec<u64>,
}

/// An event that names an item and is no evidence.
#[derive(Clone, Debug)]
pub(crate) struct Noise {
    sort: u8,
    target: u64,
}

impl Facts for World {
    fn item(&self, seq: Seq) -> Option<ItemFacts> {
        self.items.get(usize::try_from(seq.0).ok()?).map(|item| item.facts)
    }
}

impl World {
    /// Items of one status, born at 0.
    pub(crate) fn of(own: OwnStatus) -> World {
        let facts =
            ItemFacts { own, occurred_at: Timestamp(0), derived: false, accepted: false, guard: 4 };
        World { items: vec![Item { facts, before_invalidation: own }; 3] }
    }

    pub(crate) fn any(time: BoxedStrategy<i64>) -> impl Strategy<Value = World> {
        let item = (own(), time, any::<bool>(), any::<bool>(), 1_u8..=6);
        let item = item.prop_map(|(own, at, derived, accepted, guard)| Item {
            facts: ItemFacts { own, occurred_at: Timestamp(at), derived, accepted, guard },
            before_invalidation: OwnStatus::Active,
        });
        prop::collection::vec(item, 3).prop_map(|items| World { items })
    }

    pub(crate) fn facts(&self, item: u64) -> ItemFacts {
        self.item(Seq(item)).unwrap()
    }

    /// Changes the facts as the fold of authority does at a tick, in as much as it matters here.
    pub(crate) fn tick(&mut self, tick: &Tick) {
        match tick {
            Tick::Put(item, own, accepted) => {
                let facts = &mut self.items[usize::try_from(*item).unwrap()].facts;
                // Nothing leaves an invalidation but being taken back.
                if facts.own != OwnStatus::Invalidated && *own != OwnStatus::Invalidated {
                    facts.own = *own;
                    facts.accepted |= *accepted;
                }
            }
            Tick::Move(made) => {
                for target in &made.targets {
                    let item = &mut self.items[usize::try_from(*target).unwrap()];
                    let own = &mut item.facts.own;
                    match (made.act, *own) {
                        (Act::Invalidate, OwnStatus::Active | OwnStatus::Pending) => {
                            item.before_invalidation = *own;
                            *own = OwnStatus::Invalidated;
                        }
                        (Act::Reconfirm, OwnStatus::Invalidated) => *own = item.before_invalidation,
                        (Act::Accept, OwnStatus::Pending) => {
                            *own = OwnStatus::Active;
                            item.facts.accepted = true;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

impl Move {
    pub(crate) fn by(act: Act, rank: Rank) -> Move {
        Move {
            act,
            rank,
            verified: false,
            actor: "ana",
            session: None,
            weight: None,
            expected: None,
            at: 0,
            targets: vec![0],
        }
    }

    /// The claim, put together without the mapping from events.
    pub(crate) fn claim(&self) -> Claim {
        Claim {
            act: self.act,
            weight: self.weight.map(Weight),
            surprise: None,
            rank: self.rank,
            verified: self.verified,
            occurred_at: Timestamp(self.at),
            witness: Key::of(
                "test",
                &[self.actor.as_bytes(), format!("{:?}", self.session).as_bytes()],
            ),
            targets: self.targets.iter().copied().map(Seq).collect(),
        }
    }

    /// The event, or `None` where the vocabulary has none yet, or none for so many items.
    pub(crate) fn stored(&self, seq: u64) -> Option<Stored<'static>> {
        let targets: Vec<RecordId> = self.targets.iter().map(|item| id(*item)).collect();
        let weight = self.weight.map(Weight);
        let event = match self.act {
            // One target twice: a fold takes each item once.
            Act::Surface => Event::Memory(MemoryEvent::Surfaced(Surfaced {
                targets: targets.iter().chain(targets.first()).copied().collect(),
                ..Surfaced::default()
            })),
            Act::Confirm if self.expected.is_some() => self.reported(TaskResult::Success, targets),
            Act::Doubt => self.reported(TaskResult::Failure, targets),
            Act::Confirm => Event::Memory(MemoryEvent::Confirmed(Confirmed {
                targets,
                weight,
                verified: self.verified,
            })),
            Act::Promote => Event::Memory(MemoryEvent::Promoted(Promoted { targets, weight })),
            Act::Invalidate => Event::Memory(MemoryEvent::Invalidated(Invalidated {
                targets,
                weight,
                reason: None,
            })),
            Act::Reconfirm => {
                Event::Memory(MemoryEvent::Reconfirmed(Reconfirmed { targets, reason: None }))
            }
            Act::Restate => {
                let [target] = targets.as_slice() else { return None };
                let outcome = [Outcome::Restated(*target), Outcome::Revived(*target)];
                decided(outcome[usize::from(seq.is_multiple_of(2))].clone())
            }
            Act::Accept => return None,
        };
        Some(stored(seq, self.rank, self.actor, self.session, self.at, event))
    }

    fn reported(&self, result: TaskResult, targets: Vec<RecordId>) -> Event<'static> {
        let (verified, expected) = (self.verified, self.expected);
        let reported = Reported { targets, result, verified, expected, ..Reported::default() };
        Event::Outcome(OutcomeEvent::Reported(reported))
    }

    /// Removes the parts that don't reach the fold: events state neither a weight nor a verified
    /// outcome where their type has no room for it.
    pub(crate) fn trimmed(mut self) -> Move {
        if !matches!(self.act, Act::Confirm | Act::Doubt | Act::Accept) {
            self.verified = false;
        }
        if !matches!(self.act, Act::Confirm | Act::Doubt) {
            self.expected = None;
        }
        let stated = matches!(self.act, Act::Confirm | Act::Promote | Act::Invalidate);
        if !stated || self.expected.is_some() {
            self.weight = None;
        }
        if matches!(self.act, Act::Restate | Act::Accept) {
            self.targets.truncate(1);
        }
        self
    }
}

impl Noise {
    pub(crate) fn any() -> impl Strategy<Value = Noise> {
        (0_u8..8, 0..ITEM_COUNT).prop_map(|(sort, target)| Noise { sort, target })
    }

    pub(crate) fn stored(&self) -> Stored<'static> {
        let target = id(self.target);
        let event = match self.sort {
            0 => decided(Outcome::Added),
            1 => decided(Outcome::Superseded(vec![target])),
            2 => decided(Outcome::Corrected(target)),
            3 => decided(Outcome::Proposed(vec![target])),
            4 => Event::Memory(MemoryEvent::Pinned(target)),
            5 => Event::Memory(MemoryEvent::Unpinned(target)),
            6 => Event::Turn(TurnEvent::Said(Said::default())),
            _ => Event::Memory(MemoryEvent::Remembered(Remembered::text("a summary"))),
        };
        stored(900, Rank::User, "ana", None, 0, event)
    }
}

/// Instants within two years of 1970, many of them equal.
pub(crate) fn any_time() -> BoxedStrategy<i64> {
    let day = (-700_i64..700).prop_map(|days| days * Timestamp::DAY_US);
    let any = -700 * Timestamp::DAY_US..700 * Timestamp::DAY_US;
    prop_oneof![Just(0), day, any].boxed()
}

pub(crate) fn any_tick(time: BoxedStrategy<i64>) -> impl Strategy<Value = Tick> {
    let acts = [
        (6, Act::Surface),
        (4, Act::Confirm),
        (2, Act::Restate),
        (2, Act::Promote),
        (2, Act::Invalidate),
        (4, Act::Reconfirm),
        (2, Act::Doubt),
        (2, Act::Accept),
    ];
    let acts = acts.map(|(weight, act)| (weight, Just(act))).to_vec();
    let ranks = [
        Rank::Engine,
        Rank::Web,
        Rank::Tool,
        Rank::Assistant,
        Rank::User,
        Rank::Reviewer,
        Rank::Owner,
    ];
    let made = (
        prop::strategy::Union::new_weighted(acts),
        prop::sample::select(ranks.to_vec()),
        any::<bool>(),
        prop::sample::select(vec!["ana", "ben"]),
        prop::sample::select(vec![None, Some("morning"), Some("")]),
        prop::option::weighted(0.3, prop_oneof![1_u32..=10_000_000, any::<u32>()]),
        prop::option::weighted(0.3, prop_oneof![0_u32..=1_000_000, any::<u32>()]),
        time,
        prop::collection::btree_set(0..ITEM_COUNT, 1..=3),
    );
    let made = made.prop_map(|made| {
        let (act, rank, verified, actor, session, weight, expected, at, targets) = made;
        let targets = targets.into_iter().collect();
        let made = Move { act, rank, verified, actor, session, weight, expected, at, targets };
        Tick::Move(made.trimmed())
    });
    let put = (0..ITEM_COUNT, own(), any::<bool>());
    let put = put.prop_map(|(item, own, accepted)| Tick::Put(item, own, accepted));
    prop_oneof![6 => made, 1 => put]
}

fn own() -> impl Strategy<Value = OwnStatus> {
    prop_oneof![
        6 => Just(OwnStatus::Active),
        2 => Just(OwnStatus::Pending),
        1 => Just(OwnStatus::Rejected),
        1 => Just(OwnStatus::Retracted),
        1 => Just(OwnStatus::Erased),
    ]
}

fn id(item: u64) -> RecordId {
    RecordId { seq: Seq(item), hash: [0; 6] }
}

fn decided(outcome: Outcome) -> Event<'static> {
    Event::Reconcile(ReconcileEvent::Decided(Decided {
        text: "".into(),
        slot: None,
        candidates: Vec::new(),
        model: None,
        outcome,
        closings: Vec::new(),
        settled: Vec::new(),
        weighing: None,
    }))
}

pub(crate) fn stored(
    seq: u64,
    rank: Rank,
    actor: &'static str,
    session: Option<&'static str>,
    at: i64,
    event: Event<'static>,
) -> Stored<'static> {
    let scope = Scope { session: session.map(Into::into), ..Scope::tenant("home") };
    let mut envelope = Envelope::new(scope, Actor::new(actor, rank), Timestamp(at));
    // Whatever an event says, its links lead to every item: none of them is evidence.
    let kinds = [LinkKind::RestsOn, LinkKind::ShownIn, LinkKind::Considered, LinkKind::About];
    let links = |item| kinds.map(|kind| Link { kind, target: id(item) });
    envelope.links = (0..ITEM_COUNT).flat_map(links).collect();
    let content = Content::Event(Box::new(Body { envelope, event }));
    Stored { id: id(seq), recorded_at: Timestamp(i64::MAX), content }
}
