use proptest::prelude::*;

use super::*;
use crate::pattern::tests::{corpus, holds};

/// All orders of the places.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..count {
        let longer = all.iter().flat_map(|order: &Vec<usize>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, next);
                order
            })
        });
        all = longer.collect();
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_shuffle_holds_a_pattern_oftener_than_expected(
        letters in prop::collection::vec(0_u8..4, 1..7),
        pattern in prop::collection::vec(0_u32..4, 1..5),
        gap_max in 0_usize..3,
    ) {
        let corpus = corpus(std::slice::from_ref(&letters));
        let pattern: Vec<Token> = pattern.into_iter().map(Token).collect();
        let run: Vec<Token> = (0..letters.len()).map(|place| corpus.token(place)).collect();
        let orders = orders(run.len());
        for (gap, expected) in expected(&corpus, &pattern, gap_max).into_iter().enumerate() {
            let shuffled = |order: &Vec<usize>| -> Vec<Token> { order.iter().map(|at| run[*at]).collect() };
            let holding = orders.iter().filter(|order| holds(&shuffled(order), &pattern, gap)).count();
            let exact = Expected::ratio(holding as u64, orders.len() as u64);
            prop_assert!(expected.0 + 1 >= exact.0, "{expected:?} < {exact:?}");
        }
    }
}

#[test]
fn the_expectation_is_exact_where_one_occurrence_is_all_there_can_be() {
    // One of each: 5 steps, 4 neighbouring pairs of places, 20 ordered pairs of steps.
    let corpus = corpus(&[vec![0, 1, 2, 3, 4]]);
    let found = expected(&corpus, &[Token(1), Token(3)], 0);
    let exact = Expected::ratio(4, 20);
    assert!(found[0].0.abs_diff(exact.0) <= 2, "{found:?} {exact:?}");
}

#[test]
fn the_choice_of_the_gap_is_paid_for() {
    let one = [Expected::ratio(1, 100)];
    let (bits, gap) = best(&[5], &one, 10);
    let (paid, same) = best(&[5, 5], &[one[0], Expected::ONE], 10);
    assert_eq!((gap, same), (0, 0));
    assert!(paid < bits && paid.0 + (1 << 16) + 2 >= bits.0);
    assert_eq!(best(&[0], &one, 10), (Bits(0), 0));
}
