//! The named policies, each against its definition read again.

use memlith_event::SaliencePolicy;

use super::*;

fn folded(policy: SaliencePolicy, world: &World, ticks: &[Tick]) -> (Salience, World) {
    let (mut fold, mut world) = (Salience::under(policy), world.clone());
    for (tick, seq) in ticks.iter().zip(100..) {
        if let Tick::Move(made) = tick
            && let Some(stored) = made.stored(seq)
        {
            fold.apply(&stored, &world);
        }
        world.tick(tick);
    }
    (fold, world)
}

/// Zaxy's own formula, in floats: the factor and the time of the last event.
#[expect(clippy::disallowed_methods, reason = "a comparison with a tolerance, never folded")]
fn zaxy(item: u64, ticks: &[Tick], now: i64) -> f64 {
    let mut state: Option<(f64, i64)> = None;
    for tick in ticks {
        let Tick::Move(made) = tick else { continue };
        let table = match made.act {
            Act::Surface => 1_050_000,
            Act::Confirm => 1_500_000,
            Act::Promote => 2_000_000,
            Act::Invalidate | Act::Doubt => 200_000,
            Act::Restate | Act::Reconfirm | Act::Accept => continue,
        };
        if !made.targets.contains(&item) {
            continue;
        }
        let success = made.act == Act::Confirm;
        let surprise = made.expected.filter(|expected| *expected <= 1_000_000);
        let scaled = surprise.map(|expected| {
            let error = (f64::from(u8::from(success)) - f64::from(expected) / 1e6).abs();
            let base = f64::from(table) / 1e6;
            (base + (base - 1.0) * (2.0 * error - 1.0)).clamp(0.01, 10.0)
        });
        let stated = made.weight.map(|weight| f64::from(weight.clamp(1, 10_000_000)) / 1e6);
        let weight = stated.or(scaled).unwrap_or(f64::from(table) / 1e6);
        let (factor, _) = state.unwrap_or((1.0, 0));
        state = Some(((factor * weight).clamp(0.01, 10.0), made.at));
    }
    let Some((factor, last)) = state else { return 1.0 };
    let half_lives = (now - last).max(0) as f64 / (30.0 * 86_400e6);
    (factor * 0.5_f64.powf(half_lives)).clamp(0.01, 10.0)
}

fn shown(fold: &Salience, item: u64, world: &World, now: i64) -> f64 {
    let level = fold.level(Seq(item), world.facts(item).occurred_at, Timestamp(now));
    level.shown(Timestamp(now)).to_string().parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// The numbers are Zaxy's, also where its clock steps back and where nothing touched an
    /// item. An outcome's strength is rounded to millionths here, so it is left to six digits.
    #[test]
    fn compat_zaxy_is_zaxys_formula((world, ticks) in history(), now in any_time()) {
        let (fold, after) = folded(SaliencePolicy::CompatZaxy, &world, &ticks);
        for item in 0..ITEM_COUNT {
            let by_outcome = ticks.iter().any(|tick| match tick {
                Tick::Move(made) => made.expected.is_some(),
                Tick::Put(..) => false,
            });
            let (ours, theirs) = (shown(&fold, item, &after, now), zaxy(item, &ticks, now));
            let allowed = if by_outcome { 1e-4 } else { 1e-9 };
            prop_assert!((ours / theirs - 1.0).abs() < allowed, "item {}: {} for {}", item, ours, theirs);
        }
    }

    /// Being shown moves nothing: the fold is that of the history without it.
    #[test]
    fn attested_only_is_the_default_without_showings((world, ticks) in history()) {
        let (attested, _) = folded(SaliencePolicy::AttestedOnly, &world, &ticks);
        let unseen = |tick: &&Tick| !matches!(tick, Tick::Move(Move { act: Act::Surface, .. }));
        let rest: Vec<Tick> = ticks.iter().filter(unseen).cloned().collect();
        let (unseen, _) = folded(SaliencePolicy::Default, &world, &rest);
        prop_assert_eq!(rows(&attested), rows(&unseen));
    }

    /// A trace under each policy is the fold of its item, and a checkpoint changes nothing.
    #[test]
    fn every_policy_is_explained((world, ticks) in history(), now in any_time()) {
        for policy in SaliencePolicy::ALL {
            let (fold, _) = folded(policy, &world, &ticks);
            let mut sections = Sections::default();
            let mut frozen = fold.clone();
            frozen.freeze();
            frozen.save(0..1, &mut sections);
            let mut restored = Salience::under(policy);
            restored.replace(0..0, &mut sections).unwrap();
            for item in 0..ITEM_COUNT {
                let born = world.facts(item).occurred_at;
                let (mut trace, mut seen) = (Trace::under(policy, Seq(item), born), world.clone());
                for (tick, seq) in ticks.iter().zip(100..) {
                    if let Tick::Move(made) = tick
                        && let Some(stored) = made.stored(seq)
                    {
                        trace.apply(&stored, &seen);
                    }
                    seen.tick(tick);
                }
                let level = restored.level(Seq(item), born, Timestamp(now));
                let explanation = trace.explain(Timestamp(now));
                prop_assert_eq!(explanation.salience, level.shown(Timestamp(now)), "{:?}", policy);
                // The curve ends there, and never goes back in time.
                let last = explanation.curve.last().unwrap();
                let end = Timestamp(now).max(last.from);
                let level = restored.level(Seq(item), born, end);
                prop_assert_eq!(last.shown(end), level.shown(end), "{:?}", policy);
                prop_assert!(explanation.curve.is_sorted_by_key(|leg| leg.from));
            }
        }
    }
}

/// Zaxy 3.2.0, run: the worked examples and the flaws of its clock (N1, N2, N4).
#[test]
fn worked_examples_of_zaxy() {
    use Act::*;
    let day = Timestamp::DAY_US;
    for (script, now, expected) in [
        (vec![(Surface, 0)], 0, 1.05),
        (vec![(Surface, 0)], 30, 0.525),
        (vec![(Confirm, 0)], 60, 0.375),
        (vec![(Confirm, 0), (Invalidate, 0)], 0, 0.3),
        (vec![(Promote, 0); 10], 0, 10.0),
        // One showing brings back what three confirmations had left at 0.05.
        (vec![(Confirm, 0), (Confirm, 0), (Confirm, 0), (Surface, 180)], 180, 3.54375),
        // An invalidation raises what had faded.
        (vec![(Confirm, 0), (Invalidate, 120)], 120, 0.3),
        // What nobody ever saw does not fade.
        (vec![], 3_650, 1.0),
    ] {
        let ticks: Vec<Tick> = script
            .iter()
            .map(|(act, at)| Tick::Move(Move { at: at * day, ..Move::by(*act, Rank::User) }))
            .collect();
        let world = World::of(OwnStatus::Active);
        let (fold, _) = folded(SaliencePolicy::CompatZaxy, &world, &ticks);
        let ours = shown(&fold, 0, &world, now * day);
        assert!((ours / expected - 1.0).abs() < 1e-9, "{script:?} at {now}: {ours}");
    }
}
