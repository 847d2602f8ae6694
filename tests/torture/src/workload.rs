use memlith_testkit::sim::SimDisk;

use crate::failure::Failure;
use crate::known::Known;
use crate::story::Story;

/// Something that is done to a ledger, and how to go on after it was cut off.
pub trait Workload: Sync {
    /// Its name in tables.
    fn label(&self) -> &'static str;

    /// Does it on an empty disk; an error is told and gone on after.
    fn run(&self, disk: &SimDisk, story: &mut Story, seed: u64);

    /// Opens what a crash left, recovers, appends, closes, opens again and compares.
    ///
    /// # Errors
    /// What is not as it must be.
    fn live(
        &self,
        disk: &SimDisk,
        known: &Known,
        story: &mut Story,
        seed: u64,
    ) -> Result<(), Failure>;
}
