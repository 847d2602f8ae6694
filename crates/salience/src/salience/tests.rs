//! The laws of salience over random histories, against a naive oracle.

pub(crate) mod history;
mod oracle;
mod policies;

use memlith_event::{OwnStatus, Rank};
use memlith_state::Sections;
use proptest::prelude::*;

use super::*;
use crate::{Act, Trace};
use history::{ITEM_COUNT, Move, Noise, Tick, World, any_tick, any_time};

/// Every row of every table, as bytes.
fn rows(fold: &Salience) -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    for table in fold.tables() {
        table.each_row(&mut |_, row| rows.push(row.to_vec()));
    }
    rows
}

fn history() -> impl Strategy<Value = (World, Vec<Tick>)> {
    (World::any(any_time()), prop::collection::vec(any_tick(any_time()), 0..60))
}

fn fold_move(fold: &mut Salience, made: &Move, world: &World, seq: u64) {
    match made.stored(seq) {
        Some(stored) => fold.apply(&stored, world),
        None => fold.apply_claim(&made.claim(), world),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// The fold is the table of the model, recomputed from the start after every event;
    /// and P3b: no level is more than a doubling above what evidence from outside left.
    #[test]
    fn the_fold_is_the_oracle((mut world, ticks) in history()) {
        let mut fold = Salience::default();
        let mut past = Vec::new();
        for (tick, seq) in ticks.into_iter().zip(100..) {
            if let Tick::Move(made) = &tick {
                past.push((made.clone(), world.clone()));
                fold_move(&mut fold, made, &world, seq);
            }
            world.tick(&tick);
            for item in 0..ITEM_COUNT {
                let born = world.facts(item).occurred_at;
                let level = i128::from(fold.level(Seq(item), born, Timestamp(0)).0);
                let expected = oracle::recompute(item, born, &past);
                prop_assert_eq!(level, expected.level, "item {} after {:?}", item, tick);
                prop_assert!(level <= expected.outside + (1 << 44), "P3b, item {}", item);
            }
        }
    }

    /// P1: what is derived from an item never raises it, nor does anything that names it
    /// without being evidence: links, decisions that add, pins, turns.
    #[test]
    fn nothing_but_evidence_touches((mut world, ticks) in history(), noise in Noise::any()) {
        let mut fold = Salience::default();
        for (tick, seq) in ticks.into_iter().zip(100..) {
            if let Tick::Move(made) = &tick {
                fold_move(&mut fold, made, &world, seq);
            }
            world.tick(&tick);
        }
        let before = rows(&fold);
        fold.apply(&noise.stored(), &world);
        prop_assert_eq!(rows(&fold), before);
    }

    /// P2: an event touches what it names and nothing else, and showing an item that is
    /// derived or accepted touches not even that.
    #[test]
    fn an_event_is_local((mut world, ticks) in history()) {
        let mut fold = Salience::default();
        for (tick, seq) in ticks.into_iter().zip(100..) {
            if let Tick::Move(made) = &tick {
                let before = fold.clone();
                fold_move(&mut fold, made, &world, seq);
                for item in 0..ITEM_COUNT {
                    let facts = world.facts(item);
                    let (was, is) = (before.entry(Seq(item), facts.occurred_at), fold.entry(Seq(item), facts.occurred_at));
                    let named = made.targets.contains(&item);
                    let shown = made.act == Act::Surface && (facts.derived || facts.accepted);
                    prop_assert!(was == is || (named && !shown), "item {} by {:?}", item, made);
                }
            }
            world.tick(&tick);
        }
    }

    /// Evidence from one actor in one session counts once, and what was not heard is not
    /// used up: twice the same is once the same.
    #[test]
    fn evidence_counts_once((mut world, ticks) in history()) {
        let mut fold = Salience::default();
        for (tick, seq) in ticks.into_iter().zip(100..) {
            if let Tick::Move(made) = &tick {
                fold_move(&mut fold, made, &world, seq);
                let outside = made.verified || made.rank >= Rank::User;
                if outside && matches!(made.act, Act::Confirm | Act::Restate | Act::Doubt) {
                    let once = rows(&fold);
                    fold_move(&mut fold, made, &world, seq);
                    prop_assert_eq!(rows(&fold), once);
                }
            }
            world.tick(&tick);
        }
    }

    /// A checkpoint anywhere changes nothing, and a trace is the fold of its item.
    #[test]
    fn checkpoints_and_traces_agree_with_the_fold((mut world, ticks) in history(), cut in 0_usize..60) {
        let mut fold = Salience::default();
        let mut traces: Vec<Trace> =
            (0..ITEM_COUNT).map(|item| Trace::new(Seq(item), world.facts(item).occurred_at)).collect();
        let mut restored = fold.clone();
        for (index, (tick, seq)) in ticks.into_iter().zip(100..).enumerate() {
            if index == cut {
                let mut sections = Sections::default();
                restored.freeze();
                restored.save(0..1, &mut sections);
                restored = Salience::default();
                restored.replace(0..0, &mut sections).unwrap();
                sections.finish().unwrap();
            }
            if let Tick::Move(made) = &tick
                && let Some(stored) = made.stored(seq)
            {
                fold.apply(&stored, &world);
                restored.apply(&stored, &world);
                traces.iter_mut().for_each(|trace| trace.apply(&stored, &world));
            }
            world.tick(&tick);
        }
        prop_assert_eq!(rows(&fold), rows(&restored));
        for (item, trace) in (0..ITEM_COUNT).zip(traces) {
            let now = Timestamp(0);
            let explanation = trace.explain(now);
            let level = fold.level(Seq(item), world.facts(item).occurred_at, now);
            prop_assert_eq!(explanation.salience, level.shown(now));
            if explanation.exact {
                let parse = |text: String| text.parse::<f64>().unwrap();
                let born = Log2::at(world.facts(item).occurred_at);
                let factor = parse(explanation.factor.to_string());
                let shown = parse(crate::Decimal::exp2(level.minus(born)).to_string());
                prop_assert!((factor / shown - 1.0).abs() < 1e-9, "{} is {}", factor, shown);
            }
        }
    }
}

proptest! {
    /// No time and no weight that a log can hold makes the fold overflow.
    #[test]
    fn any_time_at_all(
        mut world in World::any(any::<i64>().boxed()),
        ticks in prop::collection::vec(any_tick(any::<i64>().boxed()), 0..60),
    ) {
        let mut fold = Salience::default();
        for (tick, seq) in ticks.into_iter().zip(100..) {
            if let Tick::Move(made) = &tick {
                fold_move(&mut fold, made, &world, seq);
            }
            world.tick(&tick);
        }
        for item in 0..ITEM_COUNT {
            let entry = fold.entry(Seq(item), world.facts(item).occurred_at);
            prop_assert!((Log2::ZERO..=Log2::ONE).contains(&entry.gained));
        }
    }
}

/// Evidence that is heard while the item is not active is neither counted nor used up.
#[test]
fn unheard_evidence_is_not_used_up() {
    let mut world = World::of(OwnStatus::Pending);
    let mut fold = Salience::default();
    let confirm = Move::by(Act::Confirm, Rank::User);
    fold_move(&mut fold, &confirm, &world, 100);
    assert_eq!((rows(&fold).len(), fold.evidence_count(Seq(0))), (0, 0));
    world.items[0].facts.own = OwnStatus::Active;
    fold_move(&mut fold, &confirm, &world, 101);
    assert_eq!(fold.level(Seq(0), Timestamp(0), Timestamp(0)), Log2::of_millionths(1_500_000));
    assert_eq!(fold.evidence_count(Seq(0)), 1);
    let other_session = Move { session: Some("evening"), ..confirm };
    fold_move(&mut fold, &other_session, &world, 102);
    assert_eq!(fold.evidence_count(Seq(0)), 2);
    assert_eq!(fold.evidence_count(Seq(1)), 0);
}

/// Voices that may move an item: act, rank, verified, the salience after it, from an active item.
#[test]
fn voices() {
    for (act, rank, verified, shown) in [
        (Act::Surface, Rank::Engine, false, "1.05"),
        (Act::Surface, Rank::User, false, "1.05"),
        (Act::Confirm, Rank::Engine, false, "1.0"),
        (Act::Confirm, Rank::Web, false, "1.0"),
        (Act::Confirm, Rank::Tool, false, "1.0"),
        (Act::Confirm, Rank::Tool, true, "1.5"),
        (Act::Confirm, Rank::Assistant, false, "1.5"),
        (Act::Confirm, Rank::Owner, false, "1.5"),
        (Act::Restate, Rank::Assistant, false, "1.0"),
        (Act::Restate, Rank::User, false, "1.5"),
        (Act::Promote, Rank::Assistant, false, "1.0"),
        (Act::Promote, Rank::Reviewer, false, "2.0"),
        (Act::Invalidate, Rank::Tool, false, "1.0"),
        (Act::Invalidate, Rank::Assistant, false, "0.2"),
        (Act::Invalidate, Rank::User, false, "0.2"),
        (Act::Reconfirm, Rank::User, false, "1.0"),
        (Act::Doubt, Rank::User, false, "1.0"),
        (Act::Doubt, Rank::Tool, true, "1.0"),
        (Act::Doubt, Rank::User, true, "0.8"),
        (Act::Accept, Rank::User, false, "1.0"),
    ] {
        let world = World::of(OwnStatus::Active);
        let mut fold = Salience::default();
        let made = Move { verified, ..Move::by(act, rank) };
        fold_move(&mut fold, &made, &world, 100);
        let level = fold.level(Seq(0), Timestamp(0), Timestamp(0));
        assert_eq!(level.shown(Timestamp(0)).to_string(), shown, "{act:?} {rank:?} {verified}");
    }
}

#[test]
fn rows_have_the_width_they_state() {
    let mut fold = Salience::default();
    let world = World::of(OwnStatus::Active);
    fold_move(&mut fold, &Move::by(Act::Confirm, Rank::User), &world, 100);
    assert_eq!(rows(&fold).iter().map(Vec::len).collect::<Vec<_>>(), [32, 25]);
}
