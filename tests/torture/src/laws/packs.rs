//! Checks of answers, and of the numbers that they go by.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use memlith_checkout::{Cited, Pack};
use memlith_event::{LeftOutReason, OwnStatus};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Item};
use memlith_testkit::sim::Chance;

use super::bench::Bench;
use super::judge::Judge;
use super::law::Law;
use super::player::{Player, scope, sees};
use super::step::{CELLS, Turn, phrase, sentence};
use super::watch::{self, Watch};

/// Plays a history and checks every event of it, and what is answered on the way.
pub(super) fn play(history: &[Turn], chance: &mut Chance, judge: &mut Judge) -> (Player, Watch) {
    let (mut player, mut watch) = (Player::new(), Watch::default());
    for turn in history {
        player.wait(turn);
        let asks =
            chance.once_in(3) && judge.asks_any(&[Law::P4, Law::P5, Law::P9, Law::P11, Law::P16]);
        let question = sentence(&phrase(chance));
        let (asked, standing) = (scope(turn.cell % CELLS), shown(&player.bench));
        let before = asks.then(|| player.bench.all(&question));
        let strength = player.take(turn, &mut |bench, id, body| watch.see(bench, id, body, judge));
        numbers(&player.bench, chance, judge);
        player.bench.scope = asked;
        if let Some(strength) = strength {
            kept(&player.bench, &standing, strength, judge);
        }
        let Some(before) = before else { continue };
        let after = player.bench.all(&question);
        answered(&player.bench, &watch, &question, &after, judge);
        if let Some(strength) = strength {
            stood(&player.bench, &before, &after, strength, judge);
        }
    }
    flooded(&mut player, &mut watch, chance, judge);
    (player, watch)
}

/// P4: whatever is shown over and over, what is barred stays out.
fn flooded(player: &mut Player, watch: &mut Watch, chance: &mut Chance, judge: &mut Judge) {
    if !judge.asks(Law::P4) {
        return;
    }
    let question = sentence(&phrase(chance));
    for _ in 0..3 {
        let pack = player.bench.all(&question);
        answered(&player.bench, watch, &question, &pack, judge);
        // The receipt is forged: what was left out is said to have been shown as well.
        let ids =
            pack.items.iter().map(|item| item.id).chain(pack.left_out.iter().map(|out| out.id));
        let body = player.bench.shown(ids.collect());
        player.append(body, &mut |bench, id, body| watch.see(bench, id, body, judge));
    }
}

/// P4, P5: nothing that may not be shown is; P9: the order is one, and the answer is too.
fn answered(bench: &Bench, watch: &Watch, question: &str, pack: &Pack, judge: &mut Judge) {
    let ranked = bench.recall(question);
    for cited in pack.items.iter().chain(&ranked) {
        let seq = cited.id.seq;
        let own = watch.standings.get(&seq).map(|standing| standing.own);
        judge.case(Law::P4, own == Some(OwnStatus::Active), || {
            format!("{} is shown, and it is {own:?}", cited.id)
        });
        let is_stale = watch::broken_by(&bench.memory, seq, &mut BTreeMap::new()) > 0;
        judge.case(Law::P5, !is_stale, || format!("{} is shown, and it is stale", cited.id));
        let of = bench.event(cited.id).map(|(_, _, body)| &body.envelope.scope);
        judge.case(Law::P11, of.is_some_and(|of| sees(&bench.scope, of)), || {
            format!("{} of {of:?} is shown to {:?}", cited.id, bench.scope)
        });
        judge.case(Law::P4, !watch.is_over(seq, bench.now), || {
            format!("{} is shown, and something has taken its place", cited.id)
        });
    }
    if !judge.asks(Law::P9) {
        return;
    }
    let order = |item: &Cited| (Reverse(item.score), item.id.seq);
    let is_ordered = |items: &[Cited]| items.is_sorted_by(|a, b| order(a) < order(b));
    // What is pinned comes first, in the order of the log; a pin may move and is never two.
    judge.case(Law::P9, pack.stable_items <= watch.pins(), || {
        format!("{} items are said to be pinned, of {}", pack.stable_items, watch.pins())
    });
    let (pinned, rest) = pack.items.split_at(pack.stable_items.min(pack.items.len()));
    let in_log_order = pinned.is_sorted_by_key(|item| item.id.seq);
    judge.case(Law::P9, is_ordered(&ranked) && in_log_order && is_ordered(rest), || {
        format!("the answer to `{question}` is not in order")
    });
    let again = bench.all(question);
    judge.case(Law::P9, again == *pack, || format!("`{question}` has two answers"));
}

/// Returns the items that a default checkout may show, each with its guard.
fn shown(bench: &Bench) -> Vec<(RecordId, u8)> {
    let stands = |item: &Item| {
        bench.memory.authority(item.id.seq, bench.now).is_some_and(Authority::is_shown)
    };
    bench.memory.items().filter(stands).map(|item| (item.id, item.guard)).collect()
}

/// P16: what may be shown may be shown after an event of less strength than its guard.
fn kept(bench: &Bench, before: &[(RecordId, u8)], strength: u8, judge: &mut Judge) {
    for (id, guard) in before {
        let stands = bench.memory.authority(id.seq, bench.now).is_some_and(Authority::is_shown);
        judge.case(Law::P16, strength >= *guard || stands, || {
            format!("{id} of guard {guard} fell to an event of strength {strength}")
        });
    }
}

/// P16: and so is what is shown, or what says the same and is guarded as much.
fn stood(bench: &Bench, before: &Pack, after: &Pack, strength: u8, judge: &mut Judge) {
    if !judge.asks(Law::P16) {
        return;
    }
    for item in &before.items {
        let guard = guard_of(bench, item.id.seq);
        let out = after.left_out.iter().find(|out| out.id == item.id);
        let why = out.map(|out| out.reason);
        // What has faded, or answers little, gives way to a better answer, whoever changed how
        // rare words are.
        let little = matches!(why, Some(LeftOutReason::Attenuated | LeftOutReason::Faint));
        let gives_way = little && outshone(bench, after, guard);
        let stands = gives_way || stands(bench, after, item);
        judge.case(Law::P16, strength >= guard || stands, || {
            format!("{} of guard {guard} left a pack by strength {strength}: {why:?}", item.id)
        });
    }
}

/// Whether something in the pack is guarded as much.
fn outshone(bench: &Bench, pack: &Pack, guard: u8) -> bool {
    pack.items.iter().any(|item| guard_of(bench, item.id.seq) >= guard)
}

/// Whether the item is in the pack, or what says the same is, guarded at least as much: the
/// same words, its source, or what was derived from it.
fn stands(bench: &Bench, pack: &Pack, item: &Cited) -> bool {
    let rests = |a: Seq, b: Seq| bench.memory.resting_on(b).any(|citer| citer == a);
    let guard = guard_of(bench, item.id.seq);
    pack.items.iter().any(|other| {
        let (own, its) = (item.id.seq, other.id.seq);
        let same = said(other) == said(item);
        own == its
            || (guard_of(bench, its) >= guard && (same || rests(own, its) || rests(its, own)))
    })
}

fn said(item: &Cited) -> String {
    let words: Vec<String> = item.excerpt.text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches('.').to_owned()
}

fn guard_of(bench: &Bench, seq: Seq) -> u8 {
    bench.memory.item(seq).map_or(0, |item| item.guard)
}

/// P8: the salience of an item at instants that follow on each other; P9: the order of any
/// two at any of them.
fn numbers(bench: &Bench, chance: &mut Chance, judge: &mut Judge) {
    if !judge.asks_any(&[Law::P8, Law::P9]) {
        return;
    }
    let items: Vec<Item> = bench.memory.items().collect();
    let [Some(one), Some(other)] = [(); 2].map(|()| items.get(chance.below(items.len()))) else {
        return;
    };
    let instants = instants(bench.now, chance);
    let level = |item: &Item, now| bench.salience.level(item.id.seq, bench.born(item.id), now);
    let shown = |item: &Item, now: Timestamp| {
        level(item, now).shown(now).to_string().parse().unwrap_or(f64::NAN)
    };
    let values: Vec<f64> = instants.iter().map(|now| shown(one, *now)).collect();
    let is_sound = values.iter().all(|value| (0.01..=10.0).contains(value));
    judge.case(Law::P8, is_sound && values.is_sorted_by(|a, b| a >= b), || {
        format!("the salience of {} at {instants:?} is {values:?}", one.id)
    });
    let others: Vec<f64> = instants.iter().map(|now| shown(other, *now)).collect();
    let sides = || values.iter().zip(&others);
    let crosses = sides().any(|(a, b)| a > b) && sides().any(|(a, b)| a < b);
    judge.case(Law::P9, !crosses, || {
        format!("{} and {} change places at {instants:?}", one.id, other.id)
    });
    let key = |item: &Item, now| level(item, now).order(item.id.seq);
    let orders: Vec<_> = instants.iter().map(|now| key(one, *now).cmp(&key(other, *now))).collect();
    let is_total = orders.iter().all(|order| order.is_eq() == (one.id == other.id));
    judge.case(
        Law::P9,
        is_total && orders.iter().all(|order| orders.first() == Some(order)),
        || format!("the order of {} and {} at {instants:?} is {orders:?}", one.id, other.id),
    );
}

/// From the first instant there is to the last, around now.
fn instants(now: Timestamp, chance: &mut Chance) -> Vec<Timestamp> {
    let mut days = || i64::try_from(chance.below(4_000)).unwrap_or(0) - 2_000;
    let around = [days(), days(), days(), 0];
    let mut all: Vec<Timestamp> =
        around.into_iter().map(|days| now.plus_us(days * Timestamp::DAY_US / 8)).collect();
    all.extend([Timestamp(i64::MIN), Timestamp(i64::MAX)]);
    all.sort_unstable();
    all
}

/// P8: when the same events were recorded moves no level.
pub(super) fn recorded_later(player: &Player, chance: &mut Chance, judge: &mut Judge) {
    if !judge.asks(Law::P8) {
        return;
    }
    let years = i64::try_from(chance.below(21)).unwrap_or(0) - 10;
    let (bench, later) =
        (&player.bench, player.bench.recorded_later(years * 365 * Timestamp::DAY_US));
    // Each is asked for itself: what one says of an item is never told to the other.
    let question = sentence(&phrase(chance));
    let answers = [bench, &later].map(|bench| {
        let strength = |item: Cited| (item.id, item.score, item.why.multiplier, item.why.salience);
        bench.recall(&question).into_iter().map(strength).collect::<Vec<_>>()
    });
    judge.case(Law::P8, answers.first() == answers.last(), || {
        format!("the answer to `{question}` depends on when its items were recorded")
    });
    let levels = [bench, &later].map(|bench| {
        let level = |item: Item| bench.salience.level(item.id.seq, item.occurred_at, bench.now).0;
        bench.memory.items().map(level).collect::<Vec<_>>()
    });
    judge.case(Law::P8, levels.first() == levels.last(), || {
        "the levels depend on when the items were recorded".to_owned()
    });
}
