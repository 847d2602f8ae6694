//! The laws of every projection, for what exists.

use memlith_memory::Memory;
use memlith_testkit::{histories, transparent, undisturbed_by_runs};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_checkpoint_is_transparent(history in histories(60), cut in 0usize..60) {
        prop_assert_eq!(transparent::<Memory>(&history, cut), Ok(()));
    }

    #[test]
    fn rebasing_changes_nothing(history in histories(60)) {
        prop_assert_eq!(undisturbed_by_runs::<Memory>(&history), Ok(()));
    }
}
