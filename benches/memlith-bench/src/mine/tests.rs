use super::*;

fn plan(noise: u64) -> Plan {
    Plan { seed: 3, sessions: 150, steps: 80, procedures: 4, vocabulary: 60, noise }
}

#[test]
fn what_is_hidden_is_found_and_nothing_in_any_order() {
    let planted = Planted::of(plan(0));
    let miner = Miner::default();
    let candidates = miner.mine(&sessions(&planted.sessions).unwrap());
    let found = score(&planted, &candidates);
    assert_eq!((found.precision(), found.recall()), (1.0, 1.0), "{candidates:?}");
    let shuffled = planted.shuffled(3);
    assert_eq!(miner.mine(&sessions(&shuffled).unwrap()), []);
    for (shuffled, session) in shuffled.iter().zip(&planted.sessions) {
        let ranks = |session: &planted::Session| {
            let mut ranks: Vec<u64> = session.steps.iter().map(|step| step.rank).collect();
            ranks.sort_unstable();
            ranks
        };
        assert_eq!(ranks(shuffled), ranks(session));
    }
}

#[test]
fn noise_disturbs_as_many_steps_as_it_says() {
    let count = |noise| {
        let planted =
            Planted::of(Plan { sessions: 2000, steps: 1, vocabulary: 1000, ..plan(noise) });
        let runs = planted.sessions.iter().filter(|session| !session.failed);
        let steps: Vec<u64> =
            runs.flat_map(|session| &session.steps).map(|step| step.rank).collect();
        let pairs = |procedure: &planted::Procedure| {
            let procedure: Vec<u64> = procedure.steps.clone();
            steps.windows(procedure.len()).filter(|stretch| *stretch == procedure).count()
        };
        planted.procedures.iter().map(pairs).sum::<usize>()
    };
    let (none, fifth, all) = (count(0), count(200), count(1000));
    assert!(none > 500, "{none}");
    assert!(fifth * 10 < none * 6 && fifth * 10 > none, "{fifth} of {none}");
    assert!(all < none / 50, "{all} of {none}");
}

#[test]
fn ngrams_are_those_of_the_description() {
    let session = |steps: &[u64]| planted::Session {
        failed: false,
        steps: steps.iter().map(|rank| planted::Done { rank: *rank, ok: *rank != 9 }).collect(),
    };
    let procedure = |steps: &[u64]| planted::Procedure::plain(steps.to_vec());
    // 1 2 3 is in two sessions, 1 2 in three; 2 3 is contained; 9 fails and cuts.
    let ngrams =
        Ngrams::of(&[session(&[1, 2, 3, 7]), session(&[8, 1, 2, 3]), session(&[1, 2, 9, 3])]);
    let score = ngrams.score(&[procedure(&[1, 2, 3]), procedure(&[1, 2])]);
    assert_eq!(score, Score { matched: 2, candidates: 2, planted: 2 });
    let best = ngrams.best(&[procedure(&[1, 2])]);
    assert_eq!((best.support_min, best.score.precision()), (3, 1.0));
    assert_eq!(ngrams.score(&[procedure(&[2, 3])]).matched, 0);
    assert_eq!(Ngrams::of(&[]).score(&[]).precision(), 1.0);
}
