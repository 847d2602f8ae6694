//! The laws of every projection, for salience beside the memory that tells it facts.

use memlith_memory::Memory;
use memlith_salience::Salience;
use memlith_testkit::{Paired, histories, transparent, undisturbed_by_runs};
use proptest::prelude::*;

type Both = Paired<Salience, Memory>;

proptest! {
    #[test]
    fn a_checkpoint_is_transparent(history in histories(60), cut in 0usize..60) {
        prop_assert_eq!(transparent::<Both>(&history, cut), Ok(()));
    }

    #[test]
    fn rebasing_changes_nothing(history in histories(60)) {
        prop_assert_eq!(undisturbed_by_runs::<Both>(&history), Ok(()));
    }
}
