use memlith_event::{OwnStatus, Rank};

use super::*;
use crate::salience::tests::history::{Move, Tick, World};

const DAY_US: i64 = Timestamp::DAY_US;

struct Explained {
    factor: &'static str,
    salience: &'static str,
    exact: bool,
}

/// A script of (act, rank, day), each in a session of its own, explained on a day.
fn explain(script: &[(Act, Rank, i64)], day: i64) -> Explanation {
    let mut world = World::of(OwnStatus::Active);
    let mut trace = Trace::new(Seq(0), Timestamp(0));
    let sessions = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    for (index, (act, rank, day)) in script.iter().enumerate() {
        let session = sessions.get(index).copied();
        let made = Move { at: day * DAY_US, session, ..Move::by(*act, *rank) };
        let stored = made.stored(101 + 2 * index as u64).unwrap();
        trace.apply(&stored, &world);
        world.tick(&Tick::Move(made));
    }
    trace.explain(Timestamp(day * DAY_US))
}

#[test]
fn factors_of_checkouts() {
    use Act::*;
    use Rank::*;
    let shown = |count: usize| vec![(Surface, Engine, 0); count];
    let then = |mut script: Vec<_>, more: &[_]| {
        script.extend_from_slice(more);
        script
    };
    for (script, day, expected) in [
        (shown(0), 0, Explained { factor: "1.0", salience: "1.0", exact: true }),
        (shown(1), 0, Explained { factor: "1.05", salience: "1.05", exact: true }),
        (shown(2), 0, Explained { factor: "1.1025", salience: "1.1025", exact: true }),
        (shown(2), 30, Explained { factor: "1.1025", salience: "0.55125", exact: true }),
        (
            shown(14),
            0,
            Explained {
                factor: "1.9799315994393973883056640625",
                salience: "1.97993159944",
                exact: true,
            },
        ),
        (shown(100), 0, Explained { factor: "2.0", salience: "2.0", exact: false }),
        (
            then(shown(52), &[(Confirm, User, 0)]),
            0,
            Explained { factor: "3.0", salience: "3.0", exact: false },
        ),
        (vec![(Confirm, User, 30)], 30, Explained { factor: "1.5", salience: "0.75", exact: true }),
        (vec![(Invalidate, User, 0)], 0, Explained { factor: "0.2", salience: "0.2", exact: true }),
        (
            vec![(Surface, Engine, 0), (Invalidate, User, 1), (Reconfirm, Assistant, 2)],
            30,
            Explained { factor: "1.05", salience: "0.525", exact: true },
        ),
        (
            vec![(Invalidate, User, 20), (Reconfirm, User, 21)],
            21,
            Explained { factor: "1.62450479271", salience: "1.0", exact: false },
        ),
        (
            vec![(Confirm, User, 0), (Invalidate, Tool, 1), (Reconfirm, Tool, 2)],
            0,
            Explained { factor: "1.5", salience: "1.5", exact: true },
        ),
    ] {
        let explanation = explain(&script, day);
        let case = format!("{} events on day {day}", script.len());
        assert_eq!(explanation.factor.to_string(), expected.factor, "{case}");
        assert_eq!(explanation.salience.to_string(), expected.salience, "{case}");
        assert_eq!(explanation.exact, expected.exact, "{case}");
        assert_eq!(explanation.steps.len(), script.len());
    }
}

#[test]
fn steps_say_what_each_event_did() {
    use Act::*;
    use Rank::*;
    let script = [
        (Surface, Engine, 0),
        (Confirm, Tool, 0),
        (Invalidate, User, 60),
        (Surface, Engine, 60),
        (Reconfirm, User, 60),
    ];
    let steps = explain(&script, 60).steps;
    let told: Vec<String> = steps
        .iter()
        .map(|step| match step.effect {
            Ok(effect) => format!(
                "{} {:?} {} {} {}",
                step.kind.name(),
                effect.change,
                effect.factor,
                effect.clipped,
                effect.reanchored
            ),
            Err(unmoved) => format!("{} {unmoved:?}", step.kind.name()),
        })
        .collect();
    assert_eq!(
        told,
        [
            "memory.surfaced Surfaced 1.05 false false",
            "memory.confirmed Voice",
            "memory.invalidated Invalidated 0.2 false false",
            "memory.surfaced Status",
            "memory.reconfirmed ReconfirmedOutside 19.0476190476 false true",
        ]
    );
    assert_eq!(steps[2].occurred_at, Timestamp(60 * DAY_US));
}

#[test]
fn a_factor_of_too_many_digits_is_rounded_and_says_so() {
    let made = Move { weight: Some(1_234_567), ..Move::by(Act::Promote, Rank::User) };
    let world = World::of(OwnStatus::Active);
    let mut trace = Trace::new(Seq(0), Timestamp(0));
    let explanations: Vec<Explanation> = (101..108)
        .map(|seq| {
            trace.apply(&made.stored(seq).unwrap(), &world);
            trace.explain(Timestamp(0))
        })
        .collect();
    let texts = explanations.iter().map(|explanation| explanation.factor.to_string());
    let texts: Vec<String> = texts.collect();
    assert_eq!(texts[1], "1.524155677489");
    assert_eq!(texts[5], "3.540690653207465128671505280679681169");
    assert_eq!(texts[6], "4.37121983766");
    let exact = explanations.iter().map(|explanation| explanation.exact);
    assert_eq!(exact.collect::<Vec<_>>(), [true, true, true, true, true, true, false]);
    assert!(explanations.iter().all(|it| {
        it.steps
            .iter()
            .all(|step| step.effect.is_ok_and(|effect| effect.factor.to_string() == "1.234567"))
    }));
}
