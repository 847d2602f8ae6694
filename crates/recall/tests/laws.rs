//! The laws of every projection, for the index.

use memlith_recall::Recall;
use memlith_testkit::{histories, transparent, undisturbed_by_runs};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_checkpoint_is_transparent(history in histories(60), cut in 0usize..60) {
        prop_assert_eq!(transparent::<Recall>(&history, cut), Ok(()));
    }

    #[test]
    fn rebasing_changes_nothing(history in histories(60)) {
        prop_assert_eq!(undisturbed_by_runs::<Recall>(&history), Ok(()));
    }
}
