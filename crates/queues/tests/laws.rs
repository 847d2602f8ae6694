//! The laws of every projection, for jobs and for what is delivered.

use memlith_queues::{Jobs, Outbox};
use memlith_testkit::{histories, transparent, undisturbed_by_runs};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_checkpoint_is_transparent(history in histories(120), cut in 0usize..120) {
        prop_assert_eq!(transparent::<Jobs>(&history, cut), Ok(()));
        prop_assert_eq!(transparent::<Outbox>(&history, cut), Ok(()));
    }

    #[test]
    fn rebasing_changes_nothing(history in histories(120)) {
        prop_assert_eq!(undisturbed_by_runs::<Jobs>(&history), Ok(()));
        prop_assert_eq!(undisturbed_by_runs::<Outbox>(&history), Ok(()));
    }
}
