//! The laws of every projection, for jobs.

use memlith_testkit::{histories, transparent, undisturbed_by_runs};
use memlith_writeback::Jobs;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_checkpoint_is_transparent(history in histories(120), cut in 0usize..120) {
        prop_assert_eq!(transparent::<Jobs>(&history, cut), Ok(()));
    }

    #[test]
    fn rebasing_changes_nothing(history in histories(120)) {
        prop_assert_eq!(undisturbed_by_runs::<Jobs>(&history), Ok(()));
    }
}
