//! The laws that hold after every event of every history.

use std::collections::BTreeMap;

use memlith_event::{OwnStatus, Projection, Rank};
use memlith_log::{RecordId, Seq};
use memlith_state::Sections;
use proptest::prelude::*;

use super::bench::{Bench, confirm, invalidate, lives_in, reconfirm, resting, text};
use crate::{Authority, Change, Command, Judgement, Memory};

#[derive(Clone, Debug)]
enum Step {
    Say(u8),
    Place(u8),
    Rest(u8, Vec<u8>),
    Correct(u8, u8),
    Change(u8, u8),
    Review(u8, u8),
    Freeze,
}

fn step() -> impl Strategy<Value = (u8, Step)> {
    let kind = prop_oneof![
        3 => (0u8..6).prop_map(Step::Say),
        3 => (0u8..4).prop_map(Step::Place),
        4 => (any::<u8>(), prop::collection::vec(any::<u8>(), 1..3)).prop_map(|(a, b)| Step::Rest(a, b)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Step::Correct(a, b)),
        8 => (0u8..6, any::<u8>()).prop_map(|(a, b)| Step::Change(a, b)),
        4 => (0u8..4, any::<u8>()).prop_map(|(a, b)| Step::Review(a, b)),
        1 => Just(Step::Freeze),
    ];
    (0u8..5, kind)
}

fn rank(of: u8) -> Rank {
    [Rank::Web, Rank::Tool, Rank::Assistant, Rank::User, Rank::Owner][of as usize]
}

fn command(step: &Step, known: &[RecordId], memory: &Memory) -> Option<Command> {
    let pick = |at: u8| known.get(at as usize % known.len().max(1)).copied();
    Some(match step {
        Step::Say(what) => Command::Remember(text(&format!("fact {what}"))),
        Step::Place(what) => Command::Remember(lives_in(&format!("place {what}"))),
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
        Step::Freeze => return None,
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
    for (_, members) in memory.justifications(seq) {
        let mut strongest = 0;
        for member in members {
            let item = memory.item(member).unwrap();
            let rank = match (item.own, item.before) {
                (OwnStatus::Active, _) => broken_by(memory, member, known),
                (OwnStatus::Invalidated, OwnStatus::Active) => {
                    item.invalidator.max(broken_by(memory, member, known))
                }
                _ => u8::MAX,
            };
            if rank >= citer.guard {
                strongest = strongest.max(rank);
            }
        }
        weakest = Some(weakest.map_or(strongest, |least: u8| least.min(strongest)));
    }
    let verdict = weakest.unwrap_or(0);
    known.insert(seq, verdict);
    verdict
}

fn shown(memory: &Memory, bench: &Bench) -> Vec<(RecordId, u8)> {
    let items = memory.items();
    items
        .filter(|item| memory.authority(item.id.seq, bench.now).is_some_and(Authority::is_shown))
        .map(|item| (item.id, item.guard))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_history_keeps_the_laws(steps in prop::collection::vec(step(), 1..60)) {
        let mut bench = Bench::new();
        let mut known: Vec<RecordId> = Vec::new();
        let mut runs = 0;
        for (who, step) in steps {
            let Some(command) = command(&step, &known, &bench.memory) else {
                bench.memory.freeze();
                runs += 1;
                continue;
            };
            let before = shown(&bench.memory, &bench);
            let Ok(events) = bench.run(rank(who), &command) else { continue };
            let memory = &bench.memory;
            known.extend(events.iter().map(|(id, _)| *id).filter(|id| memory.item(id.seq).is_some()));

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
                let slot = memory.assertion(id.seq).unwrap().slot;
                if slot != memlith_event::Key::default() {
                    *slots.entry(slot).or_insert(0) += 1;
                }
            }
            prop_assert!(slots.values().all(|count| *count == 1), "{slots:?}");
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
