use memlith_log::{Digest, LedgerId, Seq};
use memlith_memory::Memory;
use memlith_recall::Recall;
use memlith_salience::Salience;

use crate::Bodies;

/// One state of one ledger: everything up to a batch end, folded.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Which state it is.
    pub head: Head,
    /// Items that exist, and their authority.
    pub memory: &'a Memory,
    /// How strongly each item competes.
    pub salience: &'a Salience,
    /// The index that queries are searched in.
    pub recall: &'a Recall,
    /// Where the words are.
    pub bodies: &'a dyn Bodies,
}

/// The name of a state of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The ledger.
    pub ledger: LedgerId,
    /// The last sequence folded in.
    pub seq: Seq,
    /// The chain value there.
    pub chain: Digest,
    /// The version of the folds.
    pub fold: u32,
}
