//! The log through its public interface, over simulated disks.

mod basics;
mod ledger;
