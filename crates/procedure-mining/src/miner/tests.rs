use memlith_log::Seq;

use super::*;
use crate::{DeviationKind, Step};

/// Sessions of words, one a line: `+` succeeded, `-` failed, else unknown. A word that ends
/// with `!` went wrong.
fn sessions(lines: &[String]) -> Sessions {
    let mut sessions = Sessions::default();
    let mut seq = 0;
    for (number, line) in lines.iter().enumerate() {
        let ending = match line.chars().next() {
            Some('+') => Ending::Succeeded,
            Some('-') => Ending::Failed,
            _ => Ending::Unknown,
        };
        sessions.begin(&format!("s{number}"), ending).unwrap();
        for word in line.trim_start_matches(['+', '-']).split_whitespace() {
            let (verb, ok) = word.strip_suffix('!').map_or((word, true), |verb| (verb, false));
            let step = Step { seq: Seq(seq), verb, parameters: "", ok: Some(ok) };
            sessions.push(step).unwrap();
            seq += 1;
        }
    }
    sessions
}

/// Sessions of work in which nothing follows from anything, with `inner` in the middle of
/// some of them.
fn around(inner: &[(usize, &str)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (count, inner) in inner {
        for _ in 0..*count {
            let number = lines.len();
            let words = |from: usize| -> String {
                (from..from + 15)
                    .map(|at| format!("w{} ", (number * 13 + at * at * 7) % 31))
                    .collect()
            };
            let (mark, inner) = inner.split_at(1);
            lines.push(format!("{mark} {} {inner} {}", words(0), words(40)));
        }
    }
    lines
}

fn verbs(candidate: &Candidate) -> String {
    let verbs: Vec<&str> = candidate.steps.iter().map(|step| step.verb.as_str()).collect();
    verbs.join(" ")
}

fn mined(lines: &[String]) -> Vec<Candidate> {
    Miner::default().mine(&sessions(lines))
}

#[test]
fn a_procedure_is_found_once_and_whole() {
    let lines = around(&[(10, "+a b c d e"), (20, "+"), (8, "+f g h")]);
    let found = mined(&lines);
    assert_eq!(found.iter().map(verbs).collect::<Vec<_>>(), ["a b c d e", "f g h"]);
    assert_eq!((found[0].support, found[0].complete, found[0].runs.len()), (10, 10, 10));
    assert_eq!(found[0].trials, Trials { succeeded: 10, failed: 0 });
    // It is cited to its steps.
    let sessions = sessions(&lines);
    for run in &found[0].runs {
        let steps: Vec<Step<'_>> = sessions.steps(run.session).collect();
        let told: Vec<&str> = run
            .steps
            .iter()
            .map(|seq| steps.iter().find(|step| Some(step.seq) == *seq).unwrap().verb)
            .collect();
        assert_eq!(told, ["a", "b", "c", "d", "e"]);
    }
}

#[test]
fn missing_and_additional_steps_are_looked_through() {
    let found = mined(&around(&[
        (5, "+a b c d e"),
        (4, "+a c d e"),
        (4, "+a b x1 c e"),
        (4, "+b c x2 d e"),
        (4, "+a b x3 d e"),
        (4, "+a b c x4 d"),
        (20, "+"),
    ]));
    assert_eq!(found.iter().map(verbs).collect::<Vec<_>>(), ["a b c d e"]);
    assert_eq!((found[0].support, found[0].complete), (25, 5));
}

#[test]
fn failed_sessions_count_for_nothing_and_show_what_they_did_otherwise() {
    let cases: [(&str, usize, DeviationKind); 4] = [
        ("-a b x d e", 2, DeviationKind::Replaced { by: "x".to_owned() }),
        ("-a b d e", 2, DeviationKind::LeftOut),
        ("-a b x c d e", 2, DeviationKind::Extra { verb: "x".to_owned() }),
        ("-a b c! d e", 2, DeviationKind::WentWrong),
    ];
    for (line, step, kind) in cases {
        let lines = around(&[(20, "+a b c d e"), (20, "+"), (9, line), (3, "-a b c d e")]);
        let found = mined(&lines);
        assert_eq!(found.iter().map(verbs).collect::<Vec<_>>(), ["a b c d e"], "{line}");
        let [deviation] = &found[0].deviations[..] else { panic!("{:?}", found[0].deviations) };
        assert_eq!((deviation.step, &deviation.kind), (step, &kind));
        assert_eq!((deviation.failed, deviation.others), (9, 0));
        assert_eq!(deviation.sources.len(), 9);
        assert!(deviation.sources.iter().all(|(session, _)| (40..49).contains(session)));
        assert_eq!((found[0].support, found[0].failed_runs.len()), (20, 12));
        assert_eq!(found[0].trials, Trials { succeeded: 20, failed: 3 });
    }
}

#[test]
fn an_order_that_failed_runs_changed_is_told() {
    let lines = around(&[(20, "+a b c d e"), (20, "+"), (9, "-a c b d e")]);
    let deviations = &mined(&lines)[0].deviations;
    let [deviation] = &deviations[..] else { panic!("{deviations:?}") };
    assert_eq!((&deviation.kind, deviation.failed), (&DeviationKind::OutOfOrder, 9));
    assert!([1, 2].contains(&deviation.step));
}

#[test]
fn what_others_do_as_well_is_no_deviation() {
    let lines = around(&[
        (26, "+a b c d e"),
        (10, "+a b d e"),
        (10, "+a b x c d e"),
        (20, "+"),
        (5, "-a b d e"),
        (4, "-a b x c d e"),
    ]);
    let found = mined(&lines);
    assert_eq!(found.iter().map(verbs).collect::<Vec<_>>(), ["a b c d e"]);
    assert_eq!(found[0].deviations, []);
    assert_eq!(found[0].trials, Trials { succeeded: 46, failed: 9 });
}

#[test]
fn procedures_that_share_steps_are_not_mixed() {
    // The shared pair is the strongest fragment, and could grow by the steps of both.
    let one = [(6, "+a s t b"), (3, "+a s t"), (3, "+s t b")];
    let other = [(6, "+c s t d"), (3, "+c s t"), (3, "+s t d")];
    let found = mined(&around(&[&one[..], &other, &[(20, "+")]].concat()));
    let first = found.first().map(verbs);
    assert!(["a s t b", "c s t d"].map(|told| Some(told.to_owned())).contains(&first), "{first:?}");
}

#[test]
fn nothing_comes_of_sessions_without_any_order() {
    for seed in 0..40 {
        // Source: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
        let mut state: u64 = seed;
        let mut random = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        };
        let mut line = || {
            let word = |at: u64| format!(" w{}", (at % 30) * (at / 30 % 30) / 30);
            "+".to_owned() + &(0..40).map(|_| word(random())).collect::<String>()
        };
        let lines: Vec<String> = (0..40).map(|_| line()).collect();
        assert_eq!(mined(&lines), [], "{seed}");
    }
}

#[test]
fn steps_that_failed_and_sessions_of_failures_give_no_procedure() {
    assert_eq!(mined(&around(&[(20, "-a b c d e"), (20, "-")])), []);
    assert_eq!(mined(&around(&[(20, "+a! b! c! d! e!"), (20, "+")])), []);
    assert_eq!(mined(&around(&[(20, "+a b! c d! e"), (20, "+")])).len(), 1);
    assert_eq!(verbs(&mined(&around(&[(20, "+a b! c d! e"), (20, "+")]))[0]), "a c e");
}

#[test]
fn an_end_that_nobody_knows_is_a_success_where_all_steps_went_well() {
    let found = mined(&around(&[(12, " a b c d"), (20, " ")]));
    assert_eq!(found[0].trials, Trials { succeeded: 12, failed: 0 });
    let found = mined(&around(&[(8, " a b c d"), (4, " a b! c d"), (20, " ")]));
    assert_eq!((found[0].support, found[0].trials.succeeded), (12, 12));
}

#[test]
fn a_known_procedure_is_not_proposed_again() {
    let lines = around(&[(10, "+a b c d e"), (20, "+"), (8, "+f g h")]);
    let sessions = sessions(&lines);
    let mut miner = Miner::default();
    let first = miner.mine(&sessions);
    assert_eq!(first, miner.mine(&sessions));
    miner.known.insert(first[0].id);
    assert_eq!(miner.mine(&sessions), &first[1..]);
    miner.known.insert(first[1].id);
    assert_eq!(miner.mine(&sessions), []);
    // More sessions give the same identities.
    let more = around(&[(15, "+a b c d e"), (30, "+"), (9, "+f g h")]);
    assert_eq!(miner.mine(&super::tests::sessions(&more)), []);
}

#[test]
fn which_session_comes_first_changes_no_procedure() {
    let lines = around(&[(10, "+a b c d e"), (20, "+"), (8, "+f g h")]);
    let mut turned = lines.clone();
    turned.reverse();
    let ids = |lines: &[String]| mined(lines).iter().map(|found| found.id).collect::<Vec<_>>();
    assert_eq!(ids(&lines), ids(&turned));
}

#[test]
fn nothing_comes_of_nothing() {
    assert_eq!(mined(&[]), []);
    assert_eq!(mined(&vec![String::new(); 100]), []);
    assert_eq!(mined(&vec!["+a".to_owned(); 100]), []);
    // The order of sessions that are one procedure each can't be told from chance by
    // shuffling them, unless there are enough of them.
    assert_eq!(mined(&vec!["+a b c".to_owned(); 2]), []);
    assert_eq!(mined(&vec!["+a b c".to_owned(); 100]).len(), 1);
    assert_eq!(mined(&around(&[(60, "+")])), []);
}

#[test]
fn one_step_again_and_again_ends_and_is_no_procedure() {
    assert_eq!(mined(&[format!("+{}", "a ".repeat(1_000_000))]), []);
    assert_eq!(mined(&vec![format!("+{}", "a ".repeat(10_000)); 10]), []);
    // In any order two steps follow each other just as well.
    assert_eq!(mined(&vec![format!("+{}", "a b ".repeat(5_000)); 10]), []);
}

#[test]
fn limits_are_kept() {
    let lines = around(&[(10, "+a b c d e f g h"), (20, "+"), (8, "+i j k")]);
    let mine = |options| Miner::new(options).mine(&sessions(&lines));
    let defaults = Options::default();
    let five = mine(Options { steps_max: 5, ..defaults });
    assert!(five.iter().all(|found| found.steps.len() <= 5));
    assert_eq!(mine(Options { candidates_max: 1, ..defaults }).len(), 1);
    assert_eq!(mine(Options { candidates_max: 0, ..defaults }), []);
    assert_eq!(mine(Options { support_min: 9, ..defaults }).len(), 1);
    assert_eq!(mine(Options { support_min: 11, ..defaults }), []);
    assert_eq!(mine(Options { steps_min: 4, ..defaults }).len(), 1);
    assert_eq!(mine(Options { doubt_bits: 255, ..defaults }), []);
    let wild = Options {
        support_min: 0,
        gap_max: 255,
        steps_min: 255,
        steps_max: 255,
        doubt_bits: 0,
        candidates_max: u32::MAX,
    };
    assert_eq!(mine(wild), []);
    let none = Options { gap_max: 0, steps_min: 0, ..defaults };
    assert_eq!(mine(none).len(), 2);
}

#[test]
fn five_sessions_of_the_same_steps_tell_all_of_them() {
    for count in [5, 6, 8] {
        for steps in ["a b c d e f", "a b c d e f g h i"] {
            let lines: Vec<String> = (0..count).map(|_| format!("+{steps}")).collect();
            let found = mined(&lines);
            assert_eq!(found.iter().map(verbs).collect::<Vec<_>>(), [steps], "{count}");
            assert_eq!(found[0].complete, count);
        }
    }
}

#[test]
fn what_a_third_of_the_sessions_did_is_no_step() {
    let lines = around(&[(20, "+a b c d e"), (10, "+a b c x d e"), (10, "+")]);
    assert_eq!(mined(&lines).iter().map(verbs).collect::<Vec<_>>(), ["a b c d e"]);
    let lines = around(&[(10, "+a b c d e"), (20, "+a b c x d e"), (10, "+")]);
    assert_eq!(mined(&lines).iter().map(verbs).collect::<Vec<_>>(), ["a b c x d e"]);
}
