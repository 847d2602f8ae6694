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
    assert_eq!((best.0, best.1.precision()), (3, 1.0));
    assert_eq!(ngrams.score(&[procedure(&[2, 3])]).matched, 0);
    assert_eq!(Ngrams::of(&[]).score(&[]).precision(), 1.0);
}

#[test]
fn a_share_is_between_0_and_1() {
    assert_eq!([noise("0"), noise("0.2"), noise("1")], [Ok(0), Ok(200), Ok(1000)]);
    assert!(noise("20").is_err() && noise("-1").is_err() && noise("").is_err());
}
