//! Plays a history twice: with the steps that must not matter, and without.

use memlith_checkout::{Cited, Why};
use memlith_event::Origin;
use memlith_testkit::sim::Chance;

use super::judge::Judge;
use super::law::Law;
use super::player::{Player, played, scope};
use super::step::{CELLS, Step, Turn, phrase, sentence};

/// P6: what is derived moves no score, no place and no level of a primary item.
pub(super) fn without_derived(history: &[Turn], chance: &mut Chance, judge: &mut Judge) {
    if !judge.asks(Law::P6) {
        return;
    }
    // What a pack showed is learned from, so histories are compared in which nothing is shown.
    let unshown = |turn: &Turn| !matches!(turn.step, Step::Show { .. } | Step::Flood { .. });
    let is_derived = |turn: &Turn| matches!(turn.step, Step::Derive { .. });
    let mut with = played(history, unshown);
    let mut without = played(history, |turn| unshown(turn) && !is_derived(turn));
    for cell in 0..CELLS {
        let question = sentence(&phrase(chance));
        let [one, other] = [&mut with, &mut without].map(|player| {
            player.bench.scope = scope(cell);
            let mut ranked = player.bench.recall(&question);
            ranked.retain(|item| item.why.origin != Origin::Derived);
            essence(&ranked)
        });
        judge.case(Law::P6, one == other, || format!("the answer to `{question}` differs"));
    }
    let (one, other) = (levels(&with), levels(&without));
    judge.case(Law::P6, one == other, || "the levels of primaries differ".to_owned());
}

/// P11: what another agent does changes no answer, up to renumbering.
pub(super) fn without_another_scope(history: &[Turn], chance: &mut Chance, judge: &mut Judge) {
    if !judge.asks(Law::P11) {
        return;
    }
    // What another agent does, in its session too; and, to those outside, a session of its own.
    for (others, askers) in [([1, 4], [0, 2, 3]), ([3, 4], [0, 1, 2])] {
        without(history, others, &askers, chance, judge);
    }
}

fn without(
    history: &[Turn],
    others: [u8; 2],
    askers: &[u8],
    chance: &mut Chance,
    judge: &mut Judge,
) {
    // That shared items were shown belongs to the scope of all, whoever asked.
    let is_another_s = |turn: &Turn| others.contains(&turn.cell);
    let shows = |turn: &Turn| {
        is_another_s(turn) && matches!(turn.step, Step::Show { .. } | Step::Flood { .. })
    };
    let mut all = played(history, |turn| !shows(turn));
    let mut own = played(history, |turn| !is_another_s(turn));
    for _ in 0..2 {
        let question = sentence(&phrase(chance));
        for cell in askers.iter().copied() {
            let [one, other] = [&mut all, &mut own].map(|player| {
                player.bench.scope = scope(cell);
                player.bench.all(&question)
            });
            let same = essence(&one.items) == essence(&other.items)
                && one.receipt.left_out == other.receipt.left_out;
            judge.case(Law::P11, same, || {
                format!("scope {cell}: `{question}` is answered otherwise")
            });
        }
    }
}

/// Returns the part of an answer that doesn't depend on how records are numbered.
fn essence(items: &[Cited]) -> Vec<(String, i64, Why)> {
    let essence = |item: &Cited| {
        let why = Why { newer: Vec::new(), later: None, ..item.why.clone() };
        (item.excerpt.text.clone(), item.score, why)
    };
    items.iter().map(essence).collect()
}

/// The levels of all primary items, in the order they were recorded.
fn levels(player: &Player) -> Vec<i64> {
    let bench = &player.bench;
    let primary = bench.memory.items().filter(|item| !item.is_derived());
    primary.map(|item| bench.salience.level(item.id.seq, item.occurred_at, bench.now).0).collect()
}
