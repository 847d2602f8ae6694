//! Checks of the items that a planner of summaries may take up.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use memlith::compaction::{Bodies, Item, Plan, Rules, Sort, View, Words, plan};
use memlith_event::{Body, Event, Key, MemoryEvent, OwnStatus, Rank, TurnEvent};
use memlith_log::{RecordId, Seq};
use memlith_memory::{Authority, Change, Command};
use memlith_testkit::sim::Chance;

use super::bench::Bench;
use super::judge::Judge;
use super::law::Law;
use super::player::{Player, scope};
use super::watch::{Watch, broken_by};

/// Small spans, so that short histories have some that are closed.
const RULES: Rules = Rules {
    span_items: 4,
    tail_events: 1,
    sources_min: 1,
    sources_per_exemplar: 2,
    excerpt_tokens: 16,
};

struct Texts<'a>(&'a Bench);

impl Bodies for Texts<'_> {
    fn read(&self, id: RecordId) -> Option<Words<'_>> {
        let (_, _, body) = self.0.event(id)?;
        Some(Words { text: Cow::Borrowed(text_of(body)?), entity: None })
    }
}

fn text_of<'a>(body: &'a Body<'_>) -> Option<&'a str> {
    if let Event::Memory(MemoryEvent::Remembered(remembered)) = &body.event {
        return Some(&remembered.text);
    }
    let Event::Turn(TurnEvent::Said(said)) = &body.event else { return None };
    Some(&said.text)
}

/// P14: a plan takes up nothing but what is active; one that is made after a source was
/// taken out does without it.
pub(super) fn planned(
    player: &mut Player,
    watch: &mut Watch,
    chance: &mut Chance,
    judge: &mut Judge,
) {
    if !judge.asks(Law::P14) {
        return;
    }
    let before = check(&player.bench, watch, judge);
    let sources: Vec<Seq> =
        before.iter().flat_map(|plan| plan.summaries.iter().flat_map(sources_of)).collect();
    let Some(gone) = sources.get(chance.below(sources.len())).copied() else { return };
    let Some(item) = player.bench.memory.item(gone) else { return };
    let change = Change::Invalidate { weight: None, reason: None };
    let command = Command::Change { change, targets: vec![item.id] };
    for cell in 0..super::step::CELLS {
        player.bench.scope = scope(cell);
        let Ok(bodies) = player.bench.decide(Rank::Owner, &command) else { continue };
        for body in bodies {
            player.append(body, &mut |bench, id, body| watch.see(bench, id, body, judge));
        }
        break;
    }
    let after = check(&player.bench, watch, judge);
    let has = after
        .iter()
        .flat_map(|plan| &plan.summaries)
        .any(|one| sources_of(one).any(|seq| seq == gone));
    judge.case(Law::P14, !has, || format!("{} is taken up although it is out", item.id));
}

fn sources_of(summary: &memlith::compaction::Summary) -> impl Iterator<Item = Seq> {
    summary.sources.iter().map(|source| source.seq)
}

/// Plans, and checks every source and every quote.
fn check(bench: &Bench, watch: &Watch, judge: &mut Judge) -> Option<Plan> {
    let items: Vec<Item> = bench.memory.items().map(|item| taken(bench, &item)).collect();
    let seq = Seq(bench.last().0 + 2);
    let view = View { seq, items: &items, ends: &[], written: &BTreeSet::new() };
    let plan = match plan(&view, &Texts(bench), &RULES) {
        Ok(plan) => plan,
        Err(error) => {
            judge.fail(Law::P14, error.to_string());
            return None;
        }
    };
    for summary in &plan.summaries {
        let quoted = summary.exemplars.iter().map(|quote| quote.source.seq);
        for seq in sources_of(summary).chain(quoted) {
            let own = watch.standings.get(&seq).map(|standing| standing.own);
            let is_broken = broken_by(&bench.memory, seq, &mut BTreeMap::new()) > 0;
            let is_over = is_broken || watch.is_over(seq, bench.now);
            let is_derived = bench.memory.item(seq).is_none_or(|item| item.is_derived());
            let is_active = own == Some(OwnStatus::Active) && !is_over && !is_derived;
            judge.case(Law::P14, is_active, || {
                format!(
                    "{seq} is taken up, and it is {own:?}, over: {is_over}, derived: {is_derived}"
                )
            });
            let tier = bench.memory.item(seq).map(|item| item.tier);
            judge.case(Law::P14, tier.is_some_and(|tier| summary.tier <= tier), || {
                format!("a summary is trusted more than its source {seq}")
            });
        }
    }
    Some(plan)
}

/// An item as a planner takes it.
fn taken(bench: &Bench, item: &memlith_memory::Item) -> Item {
    let label = bench.memory.authority(item.id.seq, bench.now).unwrap_or(Authority::Erased);
    Item {
        seq: item.id.seq,
        hash: Bench::hash(item.id.seq),
        sort: if item.is_record() { Sort::Record } else { Sort::Memory },
        cell: item.cell,
        session: (item.session != Key::default()).then_some(item.session),
        session_only: bench
            .event(item.id)
            .is_some_and(|(_, _, body)| body.envelope.scope.session_only),
        own: item.own,
        label,
        derived: item.is_derived(),
        tier: item.tier,
        level: bench.salience.level(item.id.seq, item.occurred_at, bench.now),
    }
}
