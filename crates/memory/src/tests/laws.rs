//! The laws that hold after every event of every history.

use std::collections::BTreeMap;

use memlith_event::{OwnStatus, PolicyEvent, Projection, Rank, TrustPolicy};
use memlith_log::{RecordId, Seq};
use memlith_state::Sections;
use proptest::prelude::*;

use super::bench::{Bench, confirm, invalidate, lives_in, procedure, reconfirm, resting, text};
use super::denials::denied;
use crate::policy::is_trusted;
use crate::slot_key::value_key;
use crate::{Authority, Change, Command, Item, ItemFlags, Judgement, Memory, Visibility};

#[derive(Clone, Debug)]
enum Step {
    Say(u8),
    Place(u8),
    Deny(u8),
    Rest(u8, Vec<u8>),
    Correct(u8, u8),
    Change(u8, u8),
    Review(u8, u8),
    /// A tool's record of a session.
    Ran(u8),
    /// A procedure on these items, that stands on so many sessions.
    Mine(u8, u32, Vec<u8>),
    Trust(u8),
    Freeze,
}

fn step() -> impl Strategy<Value = (u8, Step)> {
    let kind = prop_oneof![
        3 => (0u8..6).prop_map(Step::Say),
        3 => (0u8..4).prop_map(Step::Place),
        2 => (0u8..4).prop_map(Step::Deny),
        4 => (any::<u8>(), prop::collection::vec(any::<u8>(), 1..3)).prop_map(|(a, b)| Step::Rest(a, b)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Step::Correct(a, b)),
        8 => (0u8..6, any::<u8>()).prop_map(|(a, b)| Step::Change(a, b)),
        4 => (0u8..5, any::<u8>()).prop_map(|(a, b)| Step::Review(a, b)),
        6 => (0u8..4).prop_map(Step::Ran),
        4 => (0u8..8, 0u32..4, prop::collection::vec(any::<u8>(), 2..12))
            .prop_map(|(a, b, c)| Step::Mine(a, b, c)),
        2 => (0u8..3).prop_map(Step::Trust),
        1 => Just(Step::Freeze),
    ];
    (0u8..5, kind)
}

fn rank(of: u8) -> Rank {
    [Rank::Web, Rank::Tool, Rank::Assistant, Rank::User, Rank::Owner][of as usize]
}

fn command(
    step: &Step,
    known: &[RecordId],
    records: &[RecordId],
    memory: &Memory,
) -> Option<Command> {
    let one = |of: &[RecordId], at: u8| of.get(at as usize % of.len().max(1)).copied();
    let pick = |at: u8| one(known, at);
    Some(match step {
        Step::Say(what) => Command::Remember(text(&format!("fact {what}"))),
        Step::Place(what) => Command::Remember(lives_in(&format!("place {what}"))),
        Step::Deny(what) => Command::Remember(denied(lives_in(&format!("place {what}")))),
        Step::Rest(what, on) => {
            let mut on: Vec<RecordId> = on.iter().filter_map(|at| pick(*at)).collect();
            on.sort_unstable();
            on.dedup();
            Command::Remember(resting(&format!("claim {}", what % 16), &on))
        }
        Step::Correct(at, what) => {
            Command::Correct { target: pick(*at)?, with: text(&format!("right {}", what % 8)) }
        }
        Step::Change(what, at) => {
            let change = [
                confirm(),
                Change::Promote { weight: None },
                invalidate(),
                reconfirm(),
                Change::Pin,
                Change::Unpin,
            ][*what as usize]
                .clone();
            Command::Change { change, targets: vec![pick(*at)?] }
        }
        Step::Review(4, at) => Command::RollBack { target: pick(*at)?, reason: None },
        Step::Review(what, at) => {
            let judgement = match what {
                0 => Judgement::Reject,
                1 => Judgement::Defer,
                _ => Judgement::Accept,
            };
            // Of what waits, where something does: most things don't.
            let waiting: Vec<RecordId> = memory.waiting().map(|(item, _)| item.id).collect();
            let target = waiting.get(*at as usize % waiting.len().max(1)).copied();
            let targets = vec![target.or_else(|| pick(*at))?];
            Command::Review { judgement, targets, reason: None }
        }
        Step::Mine(what, required, on) => {
            let mut on: Vec<RecordId> = on.iter().filter_map(|at| one(records, *at)).collect();
            on.sort_unstable();
            on.dedup();
            procedure(*what, 10 * u32::from(*what), *required, &on)
        }
        Step::Trust(policy) => {
            Command::Choose(PolicyEvent::TrustChosen(TrustPolicy::from_code(*policy)))
        }
        Step::Ran(_) | Step::Freeze => return None,
    })
}

fn rows(memory: &Memory) -> Vec<(&'static str, Vec<u8>)> {
    let mut rows = Vec::new();
    for table in memory.tables() {
        table.each_row(&mut |name, bytes| rows.push((name, bytes.to_vec())));
    }
    rows
}

/// The rank that broke a memory from its definition, by recursion over the whole state.
fn broken_by(memory: &Memory, seq: Seq, known: &mut BTreeMap<Seq, u8>) -> u8 {
    if let Some(verdict) = known.get(&seq) {
        return *verdict;
    }
    let citer = memory.item(seq).unwrap();
    let mut weakest = None;
    for (given_by, members) in memory.justifications(seq) {
        let mut strongest = 0;
        let mut sessions: BTreeMap<memlith_event::Key, u8> = BTreeMap::new();
        for member in members {
            let item = memory.item(member).unwrap();
            let rank = match (item.own, item.before) {
                (OwnStatus::Active, _) => broken_by(memory, member, known),
                (OwnStatus::Invalidated, OwnStatus::Active)
                | (OwnStatus::Retracted, OwnStatus::Active | OwnStatus::Invalidated) => {
                    item.invalidator.max(broken_by(memory, member, known))
                }
                _ => u8::MAX,
            };
            if rank >= citer.guard || citer.is_derived() {
                strongest = strongest.max(rank);
                let session = sessions.entry(item.session).or_default();
                *session = rank.max(*session);
            }
        }
        if let Some(required) = memory.required(seq).filter(|_| given_by == seq) {
            strongest = outvoted(&sessions, required);
        }
        weakest = Some(weakest.map_or(strongest, |least: u8| least.min(strongest)));
    }
    let verdict = weakest.unwrap_or(0);
    known.insert(seq, verdict);
    verdict
}

/// The highest rank that breaks a justification of sessions: whoever has it leaves fewer than
/// it takes.
fn outvoted(sessions: &BTreeMap<memlith_event::Key, u8>, required: usize) -> u8 {
    let left = |rank: u8| sessions.values().filter(|broken| **broken < rank).count();
    (1..=u8::MAX).rev().find(|rank| left(*rank) < required).unwrap_or(0)
}

/// Lists what is shown and its guard, but for derived items: these go with their sources, whoever
/// takes those out.
fn shown(memory: &Memory, bench: &Bench) -> Vec<(RecordId, u8)> {
    let items = memory.items().filter(|item| !item.is_derived());
    items
        .filter(|item| memory.authority(item.id.seq, bench.now).is_some_and(Authority::is_shown))
        .map(|item| (item.id, item.guard))
        .collect()
}

/// Lists what the trust policy in force lets be shown, asked for or not, with its guard, but for
/// derived items.
fn visible(memory: &Memory, bench: &Bench) -> Vec<(RecordId, bool, u8)> {
    let both = memory.items().filter(|item| !item.is_derived());
    let both = both.flat_map(|item| [(item, true), (item, false)]);
    both.filter(|(item, asked)| {
        matches!(memory.visibility(item, bench.now, *asked), Visibility::Shown(_))
    })
    .map(|(item, asked)| (item.id, asked, item.guard))
    .collect()
}

/// The policies that let `item` be shown, the strictest first.
fn trusting(item: &Item, asked: bool) -> [bool; 3] {
    [TrustPolicy::Strict, TrustPolicy::Balanced, TrustPolicy::Open]
        .map(|policy| is_trusted(policy, item, asked))
}

/// Trust: what one policy shows the less strict do; a policy hides nothing that stood before
/// but by a choice; and what takes a place is trusted wherever what it takes it from is.
fn check_trust(
    before: &[(RecordId, bool, u8)],
    memory: &Memory,
    bench: &Bench,
    rank: Rank,
) -> Result<(), TestCaseError> {
    for item in memory.items() {
        for asked in [true, false] {
            prop_assert!(trusting(&item, asked).is_sorted(), "{}", item.id);
        }
    }
    let after = visible(memory, bench);
    for (id, asked, guard) in before {
        let gone = after.iter().all(|(still, how, _)| (still, how) != (id, asked));
        prop_assert!(!gone || rank.level() >= *guard, "{id} hidden by {rank:?}");
        if gone && memory.authority(id.seq, bench.now) == Some(Authority::Superseded) {
            let item = memory.item(id.seq).unwrap();
            let by = memory.closed(id.seq).and_then(|(by, _)| memory.item(by)).unwrap();
            for (old, new) in trusting(&item, *asked).into_iter().zip(trusting(&by, *asked)) {
                prop_assert!(!old || new, "{} in the place of {id}", by.id);
            }
        }
    }
    Ok(())
}

/// No value stands beside its denial. What a person took in late ends what it was proposed
/// against alone.
fn check_denials(shown: &[(RecordId, u8)], memory: &Memory) -> Result<(), TestCaseError> {
    let room = memlith_event::Scope::tenant("t").room();
    let mut values = BTreeMap::new();
    for (id, _) in shown {
        let taken_in = memory.item(id.seq).is_some_and(|item| item.flags.has(ItemFlags::ACCEPTED));
        if let Some(assertion) = memory.assertion(id.seq).filter(|_| !taken_in) {
            values.insert(assertion.value, *id);
        }
    }
    for what in 0..4 {
        let said = lives_in(&format!("place {what}"));
        let [yes, no] = [said.clone(), denied(said)]
            .map(|said| values.get(&value_key(room, &said.slot.unwrap())).copied());
        prop_assert!(yes.is_none() || no.is_none(), "{yes:?} beside {no:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_history_keeps_the_laws(steps in prop::collection::vec(step(), 1..60)) {
        let mut bench = Bench::new();
        let mut known: Vec<RecordId> = Vec::new();
        let mut records: Vec<RecordId> = Vec::new();
        let mut runs = 0;
        for (who, step) in steps {
            let command = command(&step, &known, &records, &bench.memory);
            let before = shown(&bench.memory, &bench);
            let chosen = matches!(step, Step::Trust(_));
            let seen = visible(&bench.memory, &bench);
            match (&command, step) {
                (Some(command), _) => {
                    let Ok(events) = bench.run(rank(who), command) else { continue };
                    let ids = events.iter().map(|(id, _)| *id);
                    known.extend(ids.filter(|id| bench.memory.item(id.seq).is_some()));
                }
                (None, Step::Ran(session)) => {
                    records.push(bench.ran(&format!("session {session}")));
                    known.extend(records.last());
                }
                (None, _) => {
                    bench.memory.freeze();
                    runs += 1;
                    continue;
                }
            }
            let memory = &bench.memory;

            if !chosen {
                check_trust(&seen, memory, &bench, rank(who))?;
            }
            // P5: staleness is the least fixpoint.
            let mut verdicts = BTreeMap::new();
            for item in memory.items() {
                let expected = broken_by(memory, item.id.seq, &mut verdicts);
                prop_assert_eq!(item.broken_by, expected, "{}", item.id);
            }
            // P16: nobody below an item's guard takes it out.
            let after = shown(memory, &bench);
            for (id, guard) in before {
                let gone = after.iter().all(|(still, _)| *still != id);
                prop_assert!(!gone || rank(who).level() >= guard, "{id} left by {:?}: {command:?}", rank(who));
            }
            // One live row a slot.
            let mut slots = BTreeMap::new();
            for (id, _) in &after {
                let Some(assertion) = memory.assertion(id.seq) else { continue };
                let slot = assertion.slot;
                if slot != memlith_event::Key::default() {
                    *slots.entry(slot).or_insert(0) += 1;
                }
            }
            prop_assert!(slots.values().all(|count| *count == 1), "{slots:?}");
            check_denials(&after, memory)?;
        }
        // Checkpoint transparency: what was saved is what is loaded.
        let expected = rows(&bench.memory);
        bench.memory.freeze();
        let mut sections = Sections::default();
        bench.memory.save(0..runs + 1, &mut sections);
        let mut loaded = Memory::default();
        loaded.replace(0..0, &mut sections).unwrap();
        prop_assert_eq!(rows(&loaded), expected);
    }
}
