//! Tallies of outcomes against a count of the events as they stand.

use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{
    Actor, Body, Content, Envelope, Event, Facts, OutcomeEvent, OwnStatus, Projection, Purpose,
    Rank, Reported, Said, Scope, Stored, TaskResult, TurnEvent,
};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_testkit::histories;
use proptest::prelude::*;

use crate::{Memory, Tally};

/// Counts by the definition: who said so, of what, in which session, each once.
fn counted(history: &[Stored<'_>]) -> BTreeMap<(u64, Purpose), Tally> {
    let (mut memory, mut seen) = (Memory::default(), BTreeSet::new());
    let mut tallies: BTreeMap<(u64, Purpose), Tally> = BTreeMap::new();
    for stored in history {
        if let Content::Event(body) = &stored.content
            && let Event::Outcome(OutcomeEvent::Reported(reported)) = &body.event
            && let Some(Ok(purpose)) = reported.purpose.as_ref().map(|name| name.parse::<Purpose>())
        {
            let actor = &body.envelope.actor;
            let session = body.envelope.scope.session.as_deref().map(str::to_owned);
            for target in &reported.targets {
                let Some(item) = memory.items.get(&target.seq) else { continue };
                let facts = Facts::item(&memory, target.seq).unwrap();
                let good = reported.result == TaskResult::Success
                    && (reported.verified || actor.rank >= Rank::User);
                let bad = reported.result == TaskResult::Failure
                    && reported.verified
                    && actor.rank.level() >= facts.guard;
                let learns = facts.own == OwnStatus::Active && !item.is_derived();
                let name = (actor.name.to_string(), session.clone());
                let counts = learns && (good || bad) && purpose != Purpose::General;
                if counts && seen.insert((target.seq, purpose, good, name)) {
                    let tally = tallies.entry((target.seq.0, purpose)).or_default();
                    tally.successes += u32::from(good);
                    tally.failures += u32::from(bad);
                }
            }
        }
        memory.apply(stored, &Memory::default());
    }
    tallies
}

/// A few items, and outcomes that name them again and again.
fn outcomes() -> impl Strategy<Value = Vec<Stored<'static>>> {
    let outcome = (0_u64..6, 0_u8..7, 0_usize..3, 0_u8..3, any::<bool>(), 0_usize..4);
    prop::collection::vec(outcome, 0..40).prop_map(|outcomes| {
        let items = [Rank::User, Rank::Assistant, Rank::Tool, Rank::Web, Rank::Engine];
        let said = items.into_iter().map(|rank| {
            let said = Said { text: "tea".into(), ..Said::default() };
            (rank, None, Event::Turn(TurnEvent::Said(said)))
        });
        let reported =
            outcomes.into_iter().map(|(target, rank, session, result, verified, purpose)| {
                let reported = Reported {
                    targets: vec![id(target + 1)],
                    result: [TaskResult::Success, TaskResult::Failure, TaskResult::Partial]
                        [usize::from(result)],
                    verified,
                    purpose: ["general", "coding", "review", "gaming"]
                        .get(purpose)
                        .map(|name| (*name).into()),
                    ..Reported::default()
                };
                let event = Event::Outcome(OutcomeEvent::Reported(reported));
                (RANKS[usize::from(rank)], [None, Some("a"), Some("b")][session], event)
            });
        let events = said.chain(reported).zip(1_u64..);
        let stored = events.map(|((rank, session, event), seq)| {
            let scope = Scope { session: session.map(Into::into), ..Scope::tenant("t") };
            let envelope = Envelope::new(scope, Actor::new("one", rank), Timestamp(0));
            let content = Content::Event(Box::new(Body { envelope, event }));
            Stored { id: id(seq), recorded_at: Timestamp(0), content }
        });
        stored.collect()
    })
}

const RANKS: [Rank; 7] =
    [Rank::Engine, Rank::Web, Rank::Tool, Rank::Assistant, Rank::User, Rank::Reviewer, Rank::Owner];

fn id(seq: u64) -> RecordId {
    RecordId { seq: Seq(seq), hash: [1; 6] }
}

fn check(history: &[Stored<'_>]) -> Result<(), TestCaseError> {
    let mut memory = Memory::default();
    for stored in history {
        memory.apply(stored, &Memory::default());
    }
    let expected = counted(history);
    for item in memory.items() {
        for purpose in Purpose::ALL {
            let tally = expected.get(&(item.id.seq.0, purpose)).copied().unwrap_or_default();
            prop_assert_eq!(memory.tally(item.id.seq, purpose), tally);
        }
    }
    prop_assert_eq!(memory.tallies.rows().count(), expected.len());
    Ok(())
}

proptest! {
    #[test]
    fn tallies_are_what_was_heard(outcomes in outcomes(), history in histories(40)) {
        check(&outcomes)?;
        check(&history)?;
    }
}
