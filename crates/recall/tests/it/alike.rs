use memlith_event::{Event, MemoryEvent, Projection, Remembered};
use memlith_recall::{Likeness, Wording};
use proptest::prelude::*;

use crate::ledger::{Ledger, Line, home};

/// A few content words, so that texts often have all words of others.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "harbour", "ledger", "Ana", "checkout", "retry", "garden", "piano", "copper", "the", "in",
    ]);
    prop::collection::vec(word, 1..8).prop_map(|words| words.join(" "))
}

fn remembered(text: &str) -> Line {
    let memory = Remembered::text(text.to_owned());
    Line::new(home(), Event::Memory(MemoryEvent::Remembered(memory)))
}

proptest! {
    #[test]
    fn what_says_the_same_or_part_of_it_is_among_what_is_alike(
        memories in prop::collection::vec(text(), 1..60),
        own in text(),
        settled in 0_usize..60,
    ) {
        let mut ledger = Ledger::default();
        for (at, memory) in memories.iter().enumerate() {
            if at == settled {
                ledger.recall.settle();
            }
            ledger.write(&remembered(memory));
        }
        let Some(own) = Wording::of(&own) else { return Ok(()) };
        let alike = ledger.recall.alike(&own, &home());
        let found: Vec<u64> = ledger.recall.seqs(&alike.items).iter().map(|seq| seq.0).collect();
        for (seq, memory) in (0..).zip(&memories) {
            let likeness = Wording::of(memory).map(|other| own.likeness(&other));
            if likeness.is_some_and(|likeness| likeness != Likeness::Other) {
                prop_assert!(found.contains(&seq), "{memory}: {found:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_long_list_hides_none_of_the_newest(
        before in 0_usize..700,
        behind in 0_usize..200,
        pending in any::<bool>(),
    ) {
        // Of each word's list another part is read: what lies behind it is no reason to leave
        // out what has the word.
        let mut ledger = Ledger::default();
        let other = |at: usize| remembered(&format!("harbour copper ledger piano garden w{at} v{at}"));
        (0..before).for_each(|at| ledger.write(&other(at)));
        ledger.write(&remembered("copper harbour garden ledger piano retry"));
        (0..behind).for_each(|at| ledger.write(&other(at)));
        if !pending {
            ledger.recall.settle();
        }
        let own = Wording::of("copper harbour garden ledger piano").unwrap();
        let alike = ledger.recall.alike(&own, &home());
        let found = ledger.recall.seqs(&alike.items);
        prop_assert!(found.iter().any(|seq| seq.0 == before as u64), "{found:?}");
        prop_assert!(alike.postings <= 512);
    }
}
