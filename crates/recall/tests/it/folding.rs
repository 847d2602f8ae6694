use memlith_event::{Content, Projection};
use memlith_recall::Recall;
use memlith_state::Sections;
use proptest::prelude::*;

use crate::ledger::{Ledger, Line, home, in_session, lines, said, words};

/// Every logical row of a state.
fn rows(recall: &Recall) -> Vec<(&'static str, Vec<u8>)> {
    let (mut rows, mut settled) = (Vec::new(), recall.clone());
    settled.settle();
    for table in settled.tables() {
        table.each_row(&mut |name, bytes| rows.push((name, bytes.to_vec())));
    }
    rows
}

/// The state frozen into one run, saved and loaded again.
fn reloaded(mut recall: Recall, runs: usize) -> Recall {
    recall.freeze();
    let mut sections = Sections::default();
    recall.save(0..runs + 1, &mut sections);
    let mut loaded = Recall::default();
    loaded.replace(0..0, &mut sections).unwrap();
    sections.finish().unwrap();
    loaded
}

proptest! {
    /// Where runs end and where a checkpoint lay changes no row and no answer.
    #[test]
    fn saving_loading_and_freezing_change_nothing(
        all in lines("home", 40),
        query in words(),
        steps in prop::collection::vec(0_u8..6, 40),
    ) {
        let straight = Ledger::of(&all);
        let (mut broken, mut runs) = (Ledger::default(), 0);
        for (line, step) in all.iter().zip(steps) {
            broken.write(line);
            if step == 2 {
                broken.recall.settle();
            }
            match step {
                0 => {
                    broken.recall.freeze();
                    runs += 1;
                }
                1 => {
                    broken.recall = reloaded(broken.recall, runs);
                    runs = 1;
                }
                _ => {}
            }
        }
        prop_assert_eq!(rows(&straight.recall), rows(&broken.recall));
        let scope = in_session("s1");
        prop_assert_eq!(straight.ask(&scope, &query), broken.ask(&scope, &query));
    }

    /// A snapshot answers as if nothing had been written after it.
    #[test]
    fn a_snapshot_is_as_of_its_head(all in lines("home", 40), query in words(), cut in 0_usize..40) {
        let cut = cut.min(all.len());
        let mut ledger = Ledger::of(&all[..cut]);
        let snapshot = ledger.clone();
        all[cut..].iter().for_each(|line| ledger.write(line));
        let prefix = Ledger::of(&all[..cut]);
        prop_assert_eq!(rows(&snapshot.recall), rows(&prefix.recall));
        prop_assert_eq!(snapshot.ask(&home(), &query), prefix.ask(&home(), &query));
    }
}

#[test]
fn what_was_erased_or_is_no_item_folds_to_nothing() {
    use memlith_event::{Event, SessionEvent};

    let mut ledger = Ledger::default();
    ledger.fold(Content::Erased(memlith_event::Kind::REMEMBERED));
    ledger.fold(Content::Other);
    ledger.write(&Line::new(in_session("s1"), Event::Session(SessionEvent::Ended)));
    assert_eq!(rows(&ledger.recall), []);
    ledger.write(&Line::new(in_session("s1"), said("a retry")));
    assert_eq!(ledger.seqs(&home(), "retry"), [3]);
}

#[test]
fn no_text_is_kept() {
    let ledger = Ledger::of(&[Line::new(in_session("sesame-session"), said("xylophone sesame"))]);
    for (table, bytes) in rows(&ledger.recall) {
        for word in ["xylophon", "sesam"] {
            let kept = bytes.windows(word.len()).any(|window| window == word.as_bytes());
            assert!(!kept, "{word} in {table}");
        }
    }
}
